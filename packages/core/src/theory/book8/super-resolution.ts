import { run } from "../../engine/run.ts";
import { release } from "../../engine/session.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { gradient } from "../../passes/gradient.ts";
import {
  regularized,
  regularizedLoss,
  shortestSolution,
  statisticsRegression,
} from "../../scattering/inverse-problem.ts";
import { scatteringPlan } from "../../scattering/plan.ts";
import { measuring, type SynthesisOptions } from "../../scattering/synthesis.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, norm } from "./signals.ts";

export default lemma({
  id: "C8-50",
  covers: ["C8-50"],
  kind: "algorithm",
  title: "Inverse problems with scattering coefficients that a regression foresees",
  source: "Book, chapter 8, section 8.6.4, (8.57), Figure 8.15",
  statement: String.raw`\hat x = \arg\min_x \|G x - y\|^2 + \beta \|S_J x - M S_J y\|^2: \qquad \beta = 0 \Rightarrow \hat x = G^+ y \text{ from } 0`,
  parameters: {
    n: integer({ min: 8, max: 16, default: 16, label: "samples" }),
    beta: real({ min: 0.01, max: 1, default: 0.1, label: "weight β" }),
    pairs: integer({ min: 8, max: 12, default: 10, label: "pairs of the regression" }),
  },
  claims: {
    "slope of E along a direction, over its difference": equals("1"),
    "β = 0 from G⁺y, against G⁺y": equals("0"),
    "E after a step over E before it, greatest": atMost("1"),
    "E at the end, by its two parts": equals(String.raw`\|G \hat x - y\|^2 + \beta \|S \hat x - z\|^2`),
    "a regression of pairs that a linear map relates, on another pair": equals("0"),
    "log of the printed prior at a signal with S x = z, less that at another": atLeast("0").printed({
      where: "sect. 8.6.4",
      printed: String.raw`choosing a prior  $\log p(\mathbf{x})$  of the form`,
      corrected: String.raw`$\log p(x) = - \beta \|S_J(x) - z\|^2$ up to a constant: with the printed sign the signals with $S_J x = z$ are the least likely ones`,
    }),
    "numbers in S_J x": equals(String.raw`\text{numbers in } x`).printed({
      where: "sect. 8.6.4",
      printed: String.raw`such a prior implicitly assumes that scattering coefficients  $S_J(\mathbf{x})$ , are concentrated around  $\mathbf{x} \sim \mu$ .`,
      corrected: String.raw`around $z = \mathbb E_{x \sim \mu} S_J(x)$: the coefficients are not signals`,
    }),
  },
  mutants: {
    "half of the gradient": { "slope of E along a direction, over its difference": () => 0.5 },
    "a solution that is not the shortest": { "β = 0 from G⁺y, against G⁺y": () => 0.01 },
    "a regression without its means": {
      "a regression of pairs that a linear map relates, on another pair": () => 0.01,
    },
  },
  async run({ n, beta, pairs }, { random, budget }) {
    const options: SynthesisOptions = {
      ...{ shape: [n], scale: 3, bank: "spline", padding: "none", type: "float64", averages: "local" },
      iterations: 20,
    };
    const forward = halving(n);
    const measure = measuring(options);
    const x = random.normal(n);
    const measured = applied(forward, x);
    const start = await shortestSolution(forward, measured);
    const before = await measure.of(start);
    const likely = random.normal(n);
    const wanted = await measure.of(likely);
    const loss = regularizedLoss(forward, beta, options);
    const slope = gradient(loss, { wrt: ["x"], of: ["loss"], unitSeeds: true });
    const paths = scatteringPlan(options).paths.length;
    const at = async (z: Float64Array) => {
      const found = await run(slope, {
        x: tensor(z, { dims: [1, n], type: "float64" }),
        y: tensor(measured, { dims: [1, forward.rows], type: "float64" }),
        z: tensor(wanted, { dims: [1, paths, wanted.length / paths], type: "float64" }),
      });
      return { value: numbers(found.loss!)[0]!, gradient: Float64Array.from(numbers(found.grad_x!)) };
    };
    const [point, along] = [random.normal(n), random.normal(n)];
    const h = 1e-5;
    const [up, down] = [
      await at(point.map((v, k) => v + h * along[k]!)),
      await at(point.map((v, k) => v - h * along[k]!)),
    ];
    const product = (await at(point)).gradient.reduce((sum, g, k) => sum + g * along[k]!, 0);
    await release(slope);
    const problem = { forward, measured, wanted };
    const free = await regularized({ ...problem, weight: 0 }, options);
    const bound = await regularized({ ...problem, weight: beta }, options);
    const size = norm(measured);
    const { values } = bound;
    const parts =
      distance(applied(forward, bound.x), measured) ** 2 +
      beta * distance(await measure.of(bound.x), wanted) ** 2;
    const known = linearPairs(pairs, random);
    const regression = await statisticsRegression(known.slice(1), 0);
    const printedPrior = distance(await measure.of(likely), wanted) ** 2 - distance(before, wanted) ** 2;
    await measure.release();
    return {
      ...(budget !== "cheap" && { figure: await figure() }),
      claims: {
        "slope of E along a direction, over its difference": checked(
          product / ((up.value - down.value) / 2 / h),
          1,
          { tolerance: 1e-4 / Math.min(1, Math.abs(up.value - down.value) / 2 / h) },
        ),
        "β = 0 from G⁺y, against G⁺y": checked(distance(free.x, start), 0, { tolerance: 1e-9 * (1 + size) }),
        "E after a step over E before it, greatest": checked(
          values.reduce((most, v, k) => (k === 0 ? most : Math.max(most, v / values[k - 1]!)), 0),
          1,
        ),
        "E at the end, by its two parts": checked(values.at(-1)!, parts, {
          tolerance: 1e-10 * (1 + size ** 2 + distance(before, wanted) ** 2),
        }),
        "a regression of pairs that a linear map relates, on another pair": checked(
          distance(regression.of(known[0]!.from), known[0]!.to),
          0,
          { tolerance: 1e-7 * (1 + norm(known[0]!.to)) },
        ),
        "log of the printed prior at a signal with S x = z, less that at another": checked(printedPrior, 0),
        "numbers in S_J x": checked(before.length, n),
      },
    };
  },
});

/** Means of two samples each. */
const halving = (n: number): Matrix => {
  const rows = Math.floor(n / 2);
  const entries = new Float64Array(rows * n);
  for (let i = 0; i < rows; i++) for (const k of [2 * i, 2 * i + 1]) entries[i * n + k] = 1 / 2;
  return { rows, columns: n, entries };
};

const applied = ({ rows, columns, entries }: Matrix, x: Float64Array): Float64Array =>
  Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < columns; k++) sum += entries[i * columns + k]! * x[k]!;
    return sum;
  });

/** Pairs s -> M s + c for one M. */
function linearPairs(count: number, random: Random) {
  const [p, q] = [4, 3];
  const [map, offset] = [random.normal(p * q), random.normal(q)];
  return Array.from({ length: count }, () => {
    const from = random.normal(p);
    const to = offset.map((c, l) => from.reduce((sum, v, k) => sum + map[l * p + k]! * v, c));
    return { from, to };
  });
}

/** Signals with every fourth sample's mean: linear, and with the coefficients of order 1 and 2 that a regression foresees. */
async function figure(): Promise<Figure> {
  const [n, factor, trained] = [64, 4, 40];
  const random = createRandom("super-resolution");
  const options: SynthesisOptions = {
    ...{ shape: [n], scale: 3, bank: "spline", padding: "none", type: "float64", averages: "local" },
    iterations: 60,
  };
  const forward: Matrix = {
    ...{ rows: n / factor, columns: n },
    entries: Float64Array.from({ length: (n * n) / factor }, (_, k) =>
      Math.floor((k % n) / factor) === Math.floor(k / n) ? 1 / factor : 0,
    ),
  };
  // Bursts of fine waves on a slow one: where the slow one is high.
  const draw = (): Float64Array => {
    const phases = [random.uniform(), random.uniform()].map((v) => 2 * Math.PI * v);
    return Float64Array.from({ length: n }, (_, u) => {
      const slow = Math.sin((2 * Math.PI * u) / n + phases[0]!);
      return slow + 0.8 * Math.max(0, slow) * Math.sin((2 * Math.PI * 22 * u) / n + phases[1]!);
    });
  };
  const measure = measuring(options);
  const pairs = [];
  for (let i = 0; i < trained; i++) {
    const x = draw();
    const low = await shortestSolution(forward, applied(forward, x));
    pairs.push({ from: await measure.of(low), to: await measure.of(x) });
  }
  const regression = await statisticsRegression(pairs, 1e-3);
  const x = draw();
  const measured = applied(forward, x);
  const linear = await shortestSolution(forward, measured);
  const wanted = regression.of(await measure.of(linear));
  await measure.release();
  const start = linear.map((v) => v + 0.05 * random.normal());
  const found = await regularized({ forward, measured, wanted, weight: 0.3 }, options, start);
  const line = (name: string, values: Float64Array) => ({
    ...{ name, mark: "line" as const },
    points: Array.from(values, (v, u) => [u, v] as const),
  });
  const power = (z: Float64Array): number => norm(z.map((v, u) => v - z[(u + 1) % n]!)) / Math.sqrt(n);
  const panel = (title: string, values: Float64Array) => ({
    title: `${title}: fine part ${power(values).toPrecision(2)}, error ${(distance(values, x) / norm(x)).toPrecision(2)}`,
    x: { label: "u" },
    y: { label: "x" },
    series: [line("signal", values)],
  });
  return {
    title: "A signal from the means of four samples each",
    panels: [panel("truth", x), panel("linear", linear), panel("scattering", found.x)],
  };
}
