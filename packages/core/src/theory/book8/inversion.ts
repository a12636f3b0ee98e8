import { run } from "../../engine/run.ts";
import { release } from "../../engine/session.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { gradient } from "../../passes/gradient.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { scatteringPlan } from "../../scattering/plan.ts";
import { propagate } from "../../scattering/propagate.ts";
import { type SynthesisOptions, scatteringLoss, statistics, synthesize } from "../../scattering/synthesis.ts";
import { translated } from "../../scattering/translation.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, mean, norm } from "./signals.ts";

export default lemma({
  id: "C8-25",
  covers: ["C8-25", "C8-49"],
  kind: "algorithm",
  title: "Inversion and sampling by gradient descent through the transform, and their symmetries",
  source: "Book, chapter 8, section 8.6.3, (8.54)-(8.56), Theorem 8.22, Figure 8.8",
  statement: String.raw`x_{l+1} = x_l - \kappa \, \partial S(x_l)^\top (S(x_l) - y): \quad S \circ L = S, \; L \text{ orthogonal} \;\Rightarrow\; \varphi_n(L x) = L \varphi_n(x)`,
  parameters: {
    k: integer({ min: 3, max: 4, default: 4, label: "samples, log2" }),
    v: integer({ min: 1, max: 7, default: 3, label: "shift" }),
    rate: real({ min: 0.05, max: 0.5, default: 0.2, label: "step κ" }),
    steps: integer({ min: 1, max: 6, default: 4, label: "steps n" }),
  },
  claims: {
    "slope of E along a direction, over its difference": equals("1"),
    "statistics of a shifted signal, deviation": equals("0"),
    "φ_n of a shifted start, against the shift of φ_n": equals("0"),
    "φ_n of -x with order 0 left out, against -φ_n": equals("0"),
    "the printed composition, against n steps of (8.56)": equals("0").printed({
      where: "after (8.56)",
      printed: String.raw`\bar{\varphi} = \varphi_n \circ \varphi_{n-1} \circ \dots \circ \varphi_1`,
      corrected: String.raw`$\varphi_{n-1} \circ \dots \circ \varphi_0$: by (8.56) $\mu_1 = \varphi_{0, \#} \mu_0$`,
    }),
    "slope of |Sx - z|², over that of (8.54)": equals("1").printed({
      where: "sect. 8.3.5, on Figure 8.7",
      printed: String.raw`gradient descent on the energy  $E(\mathbf{x}) = \|S_J\mathbf{x} - \mathbf{z}\|^2$  as will be described in §8.6`,
      corrected: String.raw`$E = \tfrac12 \|S_J x - z\|^2$ there, with half of the slope`,
    }),
  },
  mutants: {
    "a sum in place of half of it": { "slope of E along a direction, over its difference": () => 0.5 },
    "samples that are left out": { "statistics of a shifted signal, deviation": () => 1e-3 },
  },
  async run({ k, v, rate, steps }, { random, budget }) {
    const n = 2 ** k;
    const options: SynthesisOptions = {
      ...{ shape: [n], scale: k - 1, bank: "spline", padding: "none", oversampling: k, type: "float64" },
    };
    const loss = scatteringLoss(options);
    const slope = gradient(loss, { wrt: ["x"], of: ["loss"], unitSeeds: true });
    const target = random.normal(n);
    const paths = scatteringPlan(options).paths.length;
    const evaluated = async (x: Float64Array, wanted: Float64Array) => {
      const found = await run(slope, {
        x: tensor(x, { dims: [1, n], type: "float64" }),
        y: tensor(wanted, { dims: [1, paths, 1], type: "float64" }),
      });
      const gradients = Float64Array.from(numbers(found.grad_x!));
      return {
        value: numbers(found.loss!)[0]!,
        gradient: gradients,
        s: Float64Array.from(numbers(found.s!)),
      };
    };
    const { s: y } = await evaluated(target, new Float64Array(paths));
    const at = (x: Float64Array) => evaluated(x, y);
    const [start, along] = [random.normal(n), random.normal(n)];
    const moved = (t: number): Float64Array => start.map((value, i) => value + t * along[i]!);
    const h = 1e-5;
    const difference = ((await at(moved(h))).value - (await at(moved(-h))).value) / (2 * h);
    const product = (await at(start)).gradient.reduce((sum, g, i) => sum + g * along[i]!, 0);
    // Steps kappa_l that fall with l, from phi_first on.
    const descended = async (x: Float64Array, first = 0): Promise<Float64Array> => {
      let now = x;
      for (let l = first; l < first + steps; l++) {
        const { gradient: g } = await at(now);
        now = now.map((value, i) => value - ((n * rate) / (l + 1)) * g[i]!);
      }
      return now;
    };
    const [here, there] = [await descended(start), await descended(translated(start, [n], [v]))];
    const { s: shifted } = await at(translated(target, [n], [v]));
    const flipped = await flips(start, target, n, k);
    const after = await descended(start, 1);
    await release(slope);
    const tolerance = 1e-9 * (norm(start) + norm(target));
    return {
      ...(budget !== "cheap" && { figure: await figure() }),
      claims: {
        "slope of E along a direction, over its difference": checked(product / difference, 1, {
          tolerance: 1e-4 / Math.min(1, Math.abs(difference)),
        }),
        "statistics of a shifted signal, deviation": checked(distance(shifted, y), 0, { tolerance }),
        "φ_n of a shifted start, against the shift of φ_n": checked(
          distance(there, translated(here, [n], [v])),
          0,
          { tolerance },
        ),
        "φ_n of -x with order 0 left out, against -φ_n": checked(flipped, 0, { tolerance }),
        "the printed composition, against n steps of (8.56)": checked(distance(after, here), 0, {
          tolerance,
        }),
        "slope of |Sx - z|², over that of (8.54)": checked((2 * difference) / product, 1, {
          tolerance: 1e-3,
        }),
      },
    };
  },
});

/** One step on 1/2 sum over orders 1 and more of |mean U[p]x - y|^2 by differences, from x and from -x. */
async function flips(start: Float64Array, target: Float64Array, n: number, k: number): Promise<number> {
  const bank = battleLemarieBank({ length: n, scale: k - 1 });
  const stats = (x: Float64Array): Float64Array =>
    Float64Array.from(
      propagate(x, bank, { order: 1 })
        .slice(1)
        .map(({ propagated }) => mean(propagated)),
    );
  const y = stats(target);
  const step = (x: Float64Array): Float64Array =>
    x.map((value, i) => {
      const h = 1e-4;
      const at = (t: number): number => distance(stats(x.map((u, j) => (j === i ? u + t : u))), y) ** 2 / 2;
      return value - (at(h) - at(-h)) / (2 * h);
    });
  const [plus, minus] = [step(start), step(start.map((value) => -value))];
  return distance(
    minus,
    plus.map((value) => -value),
  );
}

/** A signal of steps, recovered from local averages at several scales. */
async function figure(): Promise<Figure> {
  const n = 32;
  const x = Float64Array.from({ length: n }, (_, u) => (u < 7 ? 0 : u < 15 ? 1 : u < 21 ? -0.6 : 0.3));
  const start = Float64Array.from({ length: n }, (_, u) => 0.3 * Math.sin(12.9898 * u * u));
  const found: { scale: number; back: Float64Array; error: number }[] = [];
  for (const scale of [2, 3, 4]) {
    const options: SynthesisOptions = {
      ...{ shape: [n], scale, bank: "spline", padding: "none", averages: "local", type: "float64" },
      ...{ oversampling: 1, iterations: 80 },
    };
    const { x: back } = await synthesize(await statistics(x, options), start, options);
    found.push({ scale, back, error: distance(back, x) / norm(x) });
  }
  const line = (name: string, values: Float64Array) => ({
    ...{ name, mark: "line" as const },
    points: Array.from(values, (value, u) => [u, value] as const),
  });
  return {
    title: "A signal from its coefficients, orders up to 2",
    panels: found.map(({ scale, back, error }) => ({
      title: `J = ${scale}, error ${error.toPrecision(2)}`,
      x: { label: "u" },
      y: { label: "x" },
      series: [line("signal", x), line("recovered", back)],
    })),
  };
}
