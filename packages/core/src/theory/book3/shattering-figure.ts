// The figure of C3-17: f_y and its network along a row of the grid, and how many weights shattering asks for.
import type { LabelledFunction } from "../../approximate/shattering/labels.ts";
import { bumpConstant } from "../../approximate/shattering/labels.ts";
import { fewestWeights, fewestWeightsOfAnyDepth } from "../../approximate/shattering/vc-bound.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";

type Point = readonly [number, number];

export async function shatteringFigure(
  f: LabelledFunction,
  network: Graph,
  d: number,
  n: number,
): Promise<Figure> {
  const row = Array.from({ length: 401 }, (_, k) => [
    k / 400,
    ...new Array<number>(d - 1).fill(0.5 / f.side),
  ]);
  const { y } = await run(network, { x: tensor(row) });
  const values = numbers(y!);
  const sides = Array.from({ length: 40 }, (_, k) => Math.round(2 ** (1 + k / 4)));
  const c = bumpConstant(n, d);
  /** By the accuracy that N points a side need: c N^-n / 2. */
  const byAccuracy = (weights: (points: number) => number): Point[] =>
    sides.map((N) => [(c / 2) * N ** -n, weights(N ** d)] as const).filter(([, w]) => w < 1e12);
  return {
    title: `Shattering N^d points, d = ${d}, n = ${n}`,
    panels: [
      {
        title: d === 1 ? "A labelled function" : "A labelled function, along one row of the grid",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "f_y", mark: "line", points: row.map((x): Point => [x[0]!, f.value(x)]) },
          { name: "network", mark: "line", points: row.map((x, k): Point => [x[0]!, values[k]!]) },
          {
            name: "threshold c N^-n / 2",
            mark: "line",
            role: "theory",
            points: [
              [0, f.amplitude / 2],
              [1, f.amplitude / 2],
            ],
          },
        ],
      },
      {
        title: "Weights by accuracy",
        x: { label: "error ε", scale: "log" },
        y: { label: "weights", scale: "log" },
        series: [
          {
            name: "a network for any labels",
            mark: "line",
            points: byAccuracy((m) => (2 * d + 2) * m + 4 * d * m ** (1 / d)),
          },
          {
            name: "needed with three layers",
            mark: "line",
            role: "theory",
            points: byAccuracy((m) => fewestWeights(m, 3)),
          },
          {
            name: "needed at any depth",
            mark: "line",
            role: "theory",
            points: byAccuracy(fewestWeightsOfAnyDepth),
          },
        ],
      },
    ],
  };
}
