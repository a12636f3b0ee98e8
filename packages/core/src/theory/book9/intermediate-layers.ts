import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { type Generator, generatorOf } from "../../inverse/generator.ts";
import { cutsOf, intermediateRecovery } from "../../inverse/intermediate.ts";
import { latentDescent } from "../../inverse/latent-descent.ts";
import { type LinearMap, matrixOfMap } from "../../inverse/linear-map.ts";
import { gaussianOperator } from "../../inverse/operators.ts";
import type { Random } from "../../numbers/random.ts";
import { type Dictionary, dictionaryOf } from "../../sparse/pursuit/dictionary.ts";
import { l1BallCode, nearestInL1Ball } from "../../sparse/pursuit/l1-ball.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { initialNetwork } from "../../train/network.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const [latent, hidden, size] = [2, 12, 30];

export default lemma({
  id: "C9-11",
  covers: ["C9-11", "C9-21"],
  kind: "algorithm",
  title: "Intermediate layers: signals that a generator does not make, but a layer of it nearly does",
  source: "Book, chapter 9, section 9.3.3, Figures 9.4 and 9.5; Daras, Dean, Jalal and Dimakis 2021",
  statement: String.raw`\min_{h'} \|A G_2(h') - y\|^2 \text{ with } \|h' - G_1(\hat z)\|_1 \le r, \qquad \Pi_r(v) = \operatorname{sgn}(v) \max(|v| - \tau, 0), \; \textstyle\sum_i \max(|v_i| - \tau, 0) = r`,
  parameters: {
    m: integer({ min: 5, max: 14, default: 9, label: "measurements" }),
    share: real({ min: 0.05, max: 0.6, default: 0.3, label: "radius of a layer, as a part of its values" }),
    spikes: integer({ min: 1, max: 2, default: 1, label: "units of the layer that the truth has otherwise" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random network" }),
  },
  claims: {
    "rises of the objective from layer to layer": equals("0"),
    "greatest move of a layer": atMost("its radius"),
    "nearest in a ball, less the one found by bisection": equals("0"),
    "deviation of the layer within r, less basis pursuit with its λ": equals("0"),
    "signal that a layer makes otherwise: error with the layer, of that with z alone": atMost("1").probable(),
    "few noisy measurements: misfit without a radius, of |y|²": equals("0"),
    "few noisy measurements: error with a radius, of that without": atMost("1").probable().looseBy(1.01),
  },
  mutants: {
    "all sizes less half of what they should give up": {
      "nearest in a ball, less the one found by bisection": () => 0.05,
    },
    "a step uphill": { "rises of the objective from layer to layer": () => 1 },
    "a λ of double size": { "deviation of the layer within r, less basis pursuit with its λ": () => 1e-2 },
    "half of the radius": { "greatest move of a layer": ({ share }) => share / 2 },
  },
  async run({ m, share, spikes, draw }, { random, budget }) {
    const draws = random.split(`draw ${draw}`);
    const network = initialNetwork(`${latent}-${hidden}-relu-${size}`, { seed: draw, type: "float64" });
    const generator = generatorOf(network);
    const map = gaussianOperator(m, size, draws.split("A"));
    const y = draws.split("y").normal(m);
    const stages = await intermediateRecovery(generator, map, y, draws.split("starts"), {
      ...{ restarts: 2, steps: 60, share },
    });
    const rises = stages.objectives.filter(
      (v, k) => k > 0 && v > stages.objectives[k - 1]! * (1 + 1e-9),
    ).length;
    const v = draws.split("v").normal(7);
    const radius = share * v.reduce((sum, e) => sum + Math.abs(e), 0);
    const near = nearestInL1Ball(v, radius);
    const other = byBisection(v, radius);
    const planted = await plantedDeviation(generator, map, spikes, draws);
    const few = await overfitted(generator, share, draws);
    return {
      graph: network,
      ...(budget !== "cheap" && { figure: await radiusFigure(generator, draws) }),
      claims: {
        "rises of the objective from layer to layer": checked(rises, 0),
        "greatest move of a layer": checked(Math.max(...stages.moved), share, { tolerance: 1e-9 }),
        "nearest in a ball, less the one found by bisection": checked(distance(near, other), 0, {
          tolerance: 1e-9,
        }),
        "deviation of the layer within r, less basis pursuit with its λ": checked(planted.awayFromLasso, 0, {
          tolerance: 1e-4,
        }),
        "signal that a layer makes otherwise: error with the layer, of that with z alone": sampled(
          planted.error / planted.errorOfLatent,
          1,
          { delta: 0.05 },
        ),
        "few noisy measurements: misfit without a radius, of |y|²": checked(few.misfit, 0, {
          tolerance: 1e-6,
        }),
        "few noisy measurements: error with a radius, of that without": sampled(few.within / few.without, 1, {
          delta: 0.1,
        }),
      },
    };
  },
});

const distance = (a: Float64Array, b: Float64Array): number => Math.hypot(...a.map((v, i) => v - b[i]!));

/** The threshold with which the sizes that are left add up to the radius. */
function byBisection(v: Float64Array, radius: number): Float64Array {
  let [low, high] = [0, Math.max(...v.map(Math.abs))];
  for (let k = 0; k < 100; k++) {
    const middle = (low + high) / 2;
    const left = v.reduce((sum, e) => sum + Math.max(0, Math.abs(e) - middle), 0);
    if (left > radius) low = middle;
    else high = middle;
  }
  return v.map((e) => Math.sign(e) * Math.max(0, Math.abs(e) - high));
}

/** The values of the layer for z, and the matrix from the layer to what is measured. */
async function layerOf(generator: Generator, map: LinearMap, z: Float64Array) {
  const { before } = cutsOf(generator)[0]!;
  const found = await run(before, { [generator.input]: view("float64", [1, latent], z) });
  const W = numbers(generator.graph.initializers.get("layer2.weight") as never);
  const A = matrixOfMap(map).entries;
  const m = map.outputs;
  const entries = new Float64Array(m * hidden);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < hidden; j++)
      for (let k = 0; k < size; k++) entries[i * hidden + j]! += A[i * size + k]! * W[j * size + k]!;
  const dictionary: Dictionary = dictionaryOf({ rows: m, columns: hidden, entries });
  const signal = (h: Float64Array): Float64Array =>
    Float64Array.from({ length: size }, (_, k) => h.reduce((sum, v, j) => sum + v * W[j * size + k]!, 0));
  return { h: Float64Array.from(numbers(Object.values(found)[0]!)), dictionary, signal };
}

/** A truth whose layer differs from what z makes in few units; z is found by descent, the deviation in a ball about its layer. */
async function plantedDeviation(generator: Generator, map: LinearMap, spikes: number, random: Random) {
  const z = random.split("z").normal(latent);
  const { h, signal, dictionary } = await layerOf(generator, map, z);
  const changed = h.slice();
  const size1 = h.reduce((sum, v) => sum + v, 0);
  for (let k = 0; k < spikes; k++)
    changed[random.split("spike").integer(0, hidden - 1 - k) + k]! += 0.5 * (1 + size1);
  const truth = signal(changed);
  const y = map.apply(truth);
  const found = await latentDescent(generator, map, y, random.split("latent"), { restarts: 4, steps: 120 });
  const at = await layerOf(generator, map, found.z);
  const start = map.apply(at.signal(at.h));
  const rest = y.map((v, i) => v - start[i]!);
  const radius = changed.reduce((sum, v, j) => sum + Math.abs(v - at.h[j]!), 0);
  const code = l1BallCode(dictionary, rest, radius, { gap: 1e-11 });
  // At half of the radius the ball is felt: its multiplier is the greatest correlation.
  const tight = l1BallCode(dictionary, rest, radius / 2, { gap: 1e-12 });
  const made = dictionarySum(dictionary, tight.x);
  const residual = rest.map((v, i) => v - made[i]!);
  const lambda = Math.max(
    ...Array.from({ length: hidden }, (_, j) => Math.abs(correlated(dictionary, j, residual))),
  );
  const lasso = lassoCode(dictionary, rest, lambda, { gap: 1e-14 });
  const awayFromLasso = distance(dictionarySum(dictionary, lasso.x), made) / Math.hypot(...rest);
  return {
    awayFromLasso,
    error: distance(at.signal(at.h.map((v, j) => v + code.x[j]!)), truth),
    errorOfLatent: distance(found.x, truth),
  };
}

const correlated = ({ size: n, atoms }: Dictionary, j: number, r: Float64Array): number =>
  r.reduce((sum, v, i) => sum + v * atoms[j * n + i]!, 0);

const dictionarySum = ({ size: n, atoms }: Dictionary, x: Float64Array): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => x.reduce((sum, v, j) => sum + v * atoms[j * n + i]!, 0));

/** Fewer measurements than units of the layer: without a radius it fits the noise. */
async function overfitted(generator: Generator, share: number, random: Random) {
  const map = gaussianOperator(8, size, random.split("few"));
  const z = random.split("few z").normal(latent);
  const { h, signal, dictionary } = await layerOf(generator, map, z);
  const truth = signal(h);
  const clean = map.apply(truth);
  const noise = random.split("noise").sphere(8);
  const y = clean.map((v, i) => v + 0.5 * Math.hypot(...clean) * noise[i]!);
  const rest = y.map((v, i) => v - clean[i]!);
  const length = h.reduce((sum, v) => sum + v, 0);
  const [within, without] = [share * 0.2 * length, 1e3 * (1 + length)].map((radius) =>
    l1BallCode(dictionary, rest, radius, { gap: 1e-9, iterations: 50_000 }),
  ) as [ReturnType<typeof l1BallCode>, ReturnType<typeof l1BallCode>];
  const error = ({ x }: { readonly x: Float64Array }): number =>
    distance(signal(h.map((v, j) => v + x[j]!)), truth);
  return {
    misfit: (2 * without.objective) / (y.reduce((sum, v) => sum + v * v, 0) || 1),
    within: error(within),
    without: error(without),
  };
}

/** Misfit and error against the radius, for noisy measurements of a signal near the range. */
async function radiusFigure(generator: Generator, random: Random): Promise<Figure> {
  const map = gaussianOperator(10, size, random.split("figure"));
  const z = random.split("figure z").normal(latent);
  const { h, signal, dictionary } = await layerOf(generator, map, z);
  const changed = h.slice();
  changed[1]! += 0.6;
  const truth = signal(changed);
  const clean = map.apply(truth);
  const noise = random.split("figure noise").sphere(10);
  const y = clean.map((v, i) => v + 0.15 * Math.hypot(...clean) * noise[i]!);
  const start = map.apply(signal(h));
  const rest = y.map((v, i) => v - start[i]!);
  const radii = Array.from({ length: 21 }, (_, k) => 0.02 * 1.4 ** k);
  const found = radii.map((radius) => l1BallCode(dictionary, rest, radius, { gap: 1e-8 }));
  const error = (x: Float64Array): number =>
    distance(signal(h.map((v, j) => v + x[j]!)), truth) / Math.hypot(...truth);
  return {
    title: "A wider ball fits the measurements better, the signal only up to a point",
    panels: [
      {
        ...{ title: "10 noisy measurements, 12 units", x: { label: "radius of the ball", scale: "log" } },
        y: { label: "part of the length", domain: [0, 0.6] },
        series: [
          {
            ...{ name: "misfit", mark: "line" },
            points: found.map((f, k) => [radii[k]!, Math.sqrt(2 * f.objective) / Math.hypot(...y)] as const),
          },
          { name: "error", mark: "line", points: found.map((f, k) => [radii[k]!, error(f.x)] as const) },
        ],
      },
    ],
  };
}
