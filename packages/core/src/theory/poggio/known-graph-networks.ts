// Networks that know the graph of a function, do not know it, or know a wrong one, trained on the same examples.
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { fitPowerLaw } from "../../numbers/statistics.ts";
import { mean } from "../../numbers/sum.ts";
import { allPairs, degreesOfFreedom, leafPairs } from "../../sparse/polynomial-graph.ts";
import { masksFromLists } from "../../train/masks.ts";
import { initialNetwork } from "../../train/network.ts";
import { train } from "../../train/train.ts";
import type { LemmaTable } from "../lemma.ts";

const inputs = 8;
/** Units a node. */
const units = 8;
const wirings = ["known graph", "dense", "wrong graph"] as const;
type Wiring = (typeof wirings)[number];

interface Curve {
  readonly wiring: Wiring;
  /** Examples, and the mean squared error on others. */
  readonly points: readonly (readonly [number, number])[];
  /** Of the power law through the points. */
  readonly exponent: number;
}

/** f(x) = sum_k sin(2 x_2k x_2k+1), a sum over the leaf nodes of a tree. */
const target = (x: ArrayLike<number>): number =>
  leafPairs(inputs).reduce((sum, [i, j]) => sum + Math.sin(2 * x[i]! * x[j]!), 0);

export async function trainedCurves(
  random: Random,
  progress: (fraction: number) => Promise<void>,
): Promise<readonly Curve[]> {
  const sample = (count: number) => {
    const values = Float32Array.from(random.uniform(count * inputs), (u) => 2 * u - 1);
    const y = Array.from({ length: count }, (_, i) => target(values.subarray(i * inputs, (i + 1) * inputs)));
    return {
      x: tensor(values, { dims: [count, inputs], type: "float32" }),
      target: tensor(y, { dims: [count, 1], type: "float32" }),
    };
  };
  const test = sample(2000);
  const curves: Curve[] = [];
  for (const wiring of wirings) {
    const points: [number, number][] = [];
    for (const m of [25, 50, 100, 200, 400]) {
      const net = initialNetwork(`${inputs}-${(inputs / 2) * units}-tanh-1`, { seed: 1 });
      const { model } = await train(net, sample(m), {
        ...{ loss: "square", optimizer: "adam", rate: 0.02, batch: "full", steps: 1000, schedule: "cosine" },
        ...{ weightDecay: 1e-4, ...masksFor(net, wiring) },
      });
      const { y } = await run(model, { x: test.x });
      const [found, wanted] = [numbers(y!), numbers(test.target)];
      points.push([m, mean(Array.from(wanted, (v, i) => (v - found[i]!) ** 2))]);
      await progress(0.3 + 0.7 * ((curves.length + points.length / 5) / 3));
    }
    const fit = fitPowerLaw(
      points.map(([m]) => m),
      points.map(([, error]) => error),
    );
    curves.push({ wiring, points, exponent: fit.exponent });
  }
  return curves;
}

/** Each node's units read its two inputs; the wrong graph has the second ones moved on by one node. */
function masksFor(net: ReturnType<typeof initialNetwork>, wiring: Wiring) {
  if (wiring === "dense") return {};
  const shift = wiring === "wrong graph" ? 2 : 0;
  const lists = Array.from({ length: (inputs / 2) * units }, (_, u) => {
    const node = Math.floor(u / units);
    return [2 * node, (2 * node + 1 + shift) % inputs];
  });
  return { masks: masksFromLists(net, { "layer1.weight": lists }) };
}

export const knownGraphFigure = (sizes: readonly number[], curves: readonly Curve[]): Figure => ({
  title: "What it is worth to know the graph",
  panels: [
    {
      title: "Examples that determine a polynomial",
      x: { label: "inputs n", scale: "log" },
      y: { label: "examples", scale: "log" },
      series: [
        {
          name: "graph known",
          mark: "line",
          points: sizes.map((n) => [n, degreesOfFreedom(n, leafPairs(n))]),
        },
        { name: "dense", mark: "line", points: sizes.map((n) => [n, degreesOfFreedom(n, allPairs(n))]) },
      ],
    },
    {
      title: `Networks of ${(inputs / 2) * units} units, ${inputs} inputs`,
      x: { label: "examples", scale: "log" },
      y: { label: "mean squared error on others", scale: "log" },
      series: curves.map(({ wiring, points }) => ({ name: wiring, mark: "line", points })),
    },
  ],
});

export const knownGraphTable = (curves: readonly Curve[]): LemmaTable => ({
  title: "Mean squared error on others, and the exponent of its decay",
  columns: ["network", ...curves[0]!.points.map(([m]) => `${m} examples`), "exponent"],
  rows: curves.map(({ wiring, points, exponent }) => [
    wiring,
    ...points.map(([, error]) => Number(error.toPrecision(3))),
    Number(exponent.toFixed(2)),
  ]),
});
