import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, view } from "../../graph/tensor.ts";
import { widened } from "../../graph/widen.ts";
import { generatorOf } from "../../inverse/generator.ts";
import { type TrainedFlow, trainedFlow } from "../../inverse/generators/flow.ts";
import { latentDescent } from "../../inverse/latent-descent.ts";
import { matrixOfMap } from "../../inverse/linear-map.ts";
import { gaussianOperator } from "../../inverse/operators.ts";
import type { Random } from "../../numbers/random.ts";
import { solveSymmetric } from "../book7/normal-equations.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C9-16",
  covers: ["C9-16"],
  kind: "algorithm",
  title: "Flows: generators that miss no signal, with a density that is known, and the most probable answer",
  source: "Book, chapter 9, section 9.2.5; Dinh, Sohl-Dickstein and Bengio 2017; Asim et al. 2019",
  statement: String.raw`x_2 = z_2 e^{s(z_1)} + t(z_1): \quad \ln p(x) = \ln N(G^{-1}(x); 0, I) - \sum s, \qquad \hat x = \arg\max_x \, p(x) \, e^{-\|A x - y\|^2 / (2 \sigma^2)}`,
  parameters: {
    n: integer({ min: 2, max: 5, default: 3, label: "numbers of a signal" }),
    couplings: integer({ min: 1, max: 4, default: 3, label: "couplings" }),
    sigma: real({ min: 0.2, max: 1, default: 0.4, label: "deviation σ of the noise" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random signals" }),
  },
  claims: {
    "any x, less G of its z": equals("0"),
    "ln |det| of the flow, less that of differences": equals("0"),
    "ln p(x), less ln N(z) and ln |det|": equals("0"),
    "integral of the density of two numbers": equals("1"),
    "before training: most probable x, less ridge regression": equals("0"),
    "after training: -ln p of other signals, less that before": atMost("0").probable(),
  },
  mutants: {
    "couplings that are not undone": { "any x, less G of its z": () => 0.1 },
    "one coupling's scale left out": { "ln |det| of the flow, less that of differences": () => 0.01 },
    "a density without its volume": { "integral of the density of two numbers": () => 0.5 },
    "a prior of twice the variance": { "before training: most probable x, less ridge regression": () => 0.1 },
  },
  async run({ n, couplings, sigma, draw }, { random, budget }) {
    const draws = random.split(`draw ${draw}`);
    const signals = bent(n, 160, draws.split("signals"));
    const options = { couplings, hidden: 8, batch: 40, rate: 0.02, seed: draw };
    const [first, flow] = await Promise.all([
      trainedFlow(signals, { ...options, epochs: 0 }),
      trainedFlow(signals, { ...options, epochs: budget === "cheap" ? 8 : 60 }),
    ]);
    const x = draws.split("x").normal(4 * n);
    const { z, logp } = await outputsOf(flow.density, "x", x, n);
    const back = await outputsOf(flow.generator, "z", z!, n);
    const volume = await volumeByDifferences(flow.generator, z!.slice(0, n));
    const plane =
      n === 2 ? flow : await trainedFlow(bent(2, 160, draws.split("plane")), { ...options, epochs: 8 });
    const others = Float64Array.from(numbers(bent(n, 100, draws.split("others"))));
    const mean = (list: Float64Array): number => list.reduce((sum, v) => sum + v, 0) / list.length;
    const [early, late] = await Promise.all(
      [first, flow].map(async ({ density }) => -mean((await outputsOf(density, "x", others, n))["logp"]!)),
    );
    return {
      graph: flow.generator,
      ...(budget !== "cheap" && { figure: await densityFigure(draws) }),
      claims: {
        // Numbers of 24 bits, through couplings that may stretch by e^2 each.
        "any x, less G of its z": checked(greatest(back["x"]!.map((v, i) => v - x[i]!)), 0, {
          tolerance: 2e-3,
        }),
        // Differences in doubles are right to 1e-6; ln |det| is a sum of numbers of 24 bits.
        "ln |det| of the flow, less that of differences": checked(volume - back["logdet"]![0]!, 0, {
          tolerance: 1e-3,
        }),
        "ln p(x), less ln N(z) and ln |det|": checked(
          greatest(
            logp!.map((v, i) => {
              const own = z!.subarray(i * n, (i + 1) * n);
              const normal = -own.reduce((s, e) => s + e * e, 0) / 2 - (n / 2) * Math.log(2 * Math.PI);
              return (v - normal + back["logdet"]![i]!) / (1 + Math.abs(v));
            }),
          ),
          0,
          { tolerance: 1e-3 },
        ),
        "integral of the density of two numbers": checked(await integral(plane), 1, { tolerance: 0.02 }),
        "before training: most probable x, less ridge regression": checked(
          await awayFromRidge(first, signals, n, sigma, draws),
          0,
          { tolerance: 2e-3 },
        ),
        "after training: -ln p of other signals, less that before": sampled(late! - early!, 0, {
          delta: 0.05,
        }),
      },
    };
  },
});

const greatest = (v: Float64Array): number => v.reduce((m, e) => Math.max(m, Math.abs(e)), 0);

/** Points near an arc, whatever the dimension: the density is far from normal. */
function bent(n: number, many: number, random: Random): Tensor {
  const values = new Float32Array(many * n);
  for (let i = 0; i < many; i++) {
    const angle = Math.PI * random.uniform();
    for (let j = 0; j < n; j++)
      values[i * n + j] = (j % 2 === 0 ? Math.cos(angle) : Math.sin(angle)) + 0.1 * random.normal();
  }
  return view("float32", [many, n], values);
}

async function outputsOf(
  graph: Graph,
  input: string,
  rows: Float64Array,
  n: number,
): Promise<Record<string, Float64Array>> {
  const found = await run(graph, { [input]: view("float32", [rows.length / n, n], Float32Array.from(rows)) });
  return Object.fromEntries(Object.entries(found).map(([name, v]) => [name, Float64Array.from(numbers(v))]));
}

/** ln |det| of the Jacobian by central differences in doubles and LU factors. */
async function volumeByDifferences(generator: Graph, z: Float64Array): Promise<number> {
  const [n, h] = [z.length, 1e-5];
  const rows = [...z.keys()].flatMap((j) => [h, -h].map((by) => z.map((v, i) => (i === j ? v + by : v))));
  const given = Float64Array.from(rows.flatMap((v) => [...v]));
  const found = await run(widened(generator)!, { z: view("float64", [2 * n, n], given) });
  const x = numbers(found["x"]!) as Float64Array;
  const entries = new Float64Array(n * n);
  for (let j = 0; j < n; j++)
    for (let i = 0; i < n; i++) entries[i * n + j] = (x[2 * j * n + i]! - x[(2 * j + 1) * n + i]!) / (2 * h);
  return logarithmOfDeterminant(entries, n);
}

function logarithmOfDeterminant(entries: Float64Array, n: number): number {
  const rows = Array.from({ length: n }, (_, i) => [...entries.subarray(i * n, (i + 1) * n)]);
  let sum = 0;
  for (let k = 0; k < n; k++) {
    const best = rows.reduce(
      (b, row, i) => (i >= k && Math.abs(row[k]!) > Math.abs(rows[b]![k]!) ? i : b),
      k,
    );
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    sum += Math.log(Math.abs(rows[k]![k]!));
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i]![k]! / rows[k]![k]!;
      rows[i] = rows[i]!.map((v, j) => v - factor * rows[k]![j]!);
    }
  }
  return sum;
}

/** By the rule of rectangles over [-5, 6]^2; what is outside is below what the tolerance forgives. */
async function integral({ density }: TrainedFlow): Promise<number> {
  const [side, low, width] = [220, -5, 11];
  const cell = width / side;
  const rows = Float64Array.from({ length: 2 * side * side }, (_, k) => {
    const point = Math.floor(k / 2);
    return low + cell * ((k % 2 === 0 ? Math.floor(point / side) : point % side) + 0.5);
  });
  const { logp } = await outputsOf(density, "x", rows, 2);
  return logp!.reduce((sum, v) => sum + Math.exp(v) * cell * cell, 0);
}

/** The flow that is not trained is normal with the variances of its signals: (A^T A + s^2 V^-1) x = A^T y + s^2 V^-1 m. */
async function awayFromRidge(
  { generator }: TrainedFlow,
  signals: Tensor,
  n: number,
  sigma: number,
  random: Random,
): Promise<number> {
  const map = gaussianOperator(n - 1, n, random.split("A"));
  const y = random.split("y").normal(n - 1);
  const data = numbers(signals);
  const rows = data.length / n;
  const mean = Array.from({ length: n }, (_, j) => {
    let sum = 0;
    for (let i = 0; i < rows; i++) sum += Number(data[i * n + j]) / rows;
    return sum;
  });
  const variance = mean.map((m, j) => {
    // The flow adds noise of deviation 0.05 to what it learns from.
    let sum = 0.05 ** 2;
    for (let i = 0; i < rows; i++) sum += (Number(data[i * n + j]) - m) ** 2 / rows;
    return sum;
  });
  const A = matrixOfMap(map).entries;
  const gram = mean.map((_, i) =>
    mean.map((__, j) => {
      let sum = i === j ? sigma ** 2 / variance[i]! : 0;
      for (let r = 0; r < n - 1; r++) sum += A[r * n + i]! * A[r * n + j]!;
      return sum;
    }),
  );
  const back = map.transpose(y);
  const ridge = solveSymmetric(
    gram,
    mean.map((m, i) => back[i]! + (sigma ** 2 * m) / variance[i]!),
  );
  const found = await latentDescent(generatorOf(generator), map, y, random.split("starts"), {
    ...{ posterior: sigma, restarts: 2, steps: 200 },
  });
  return greatest(found.x.map((v, i) => v - ridge[i]!));
}

/** The density of points near an arc, and what a measurement of one number leaves of it. */
async function densityFigure(random: Random): Promise<Figure> {
  const signals = bent(2, 600, random.split("figure"));
  const flow = await trainedFlow(signals, {
    couplings: 6,
    hidden: 32,
    batch: 60,
    rate: 0.01,
    epochs: 120,
    seed: 1,
  });
  const side = 41;
  const at = (k: number, low: number, width: number): number => low + (width * k) / (side - 1);
  const rows = Float64Array.from({ length: 2 * side * side }, (_, k) => {
    const point = Math.floor(k / 2);
    return k % 2 === 0 ? at(point % side, -1.6, 3.2) : at(Math.floor(point / side), -0.6, 2.2);
  });
  const { logp } = await outputsOf(flow.density, "x", rows, 2);
  const values = Array.from({ length: side }, (_, i) =>
    Array.from({ length: side }, (__, j) => Math.max(-12, logp![i * side + j]!)),
  );
  const data = numbers(signals);
  const drawn = await outputsOf(flow.generator, "z", random.split("drawn").normal(240), 2);
  const points = (list: ArrayLike<number | bigint>, many: number) =>
    Array.from({ length: many }, (_, i) => [Number(list[2 * i]), Number(list[2 * i + 1])] as const);
  const axes = {
    x: { label: "x₁", domain: [-1.6, 1.6] as const },
    y: { label: "x₂", domain: [-0.6, 1.6] as const },
  };
  return {
    title: "A flow trained on an arc",
    panels: [
      {
        ...{ title: "ln p, and signals", ...axes },
        field: { x: [-1.6, 1.6], y: [-0.6, 1.6], values },
        series: [{ name: "signals", mark: "dots", points: points(data, 120) }],
      },
      {
        ...{ title: "G of normal numbers", ...axes },
        series: [{ name: "made", mark: "dots", points: points(drawn["x"]!, 120) }],
      },
    ],
  };
}
