// Networks of charts for a circle in space, and what they give along it.
import {
  type ChartNetwork,
  chartNetwork,
  circleAngle,
  circleCharts,
  circlePoint,
  type EmbeddedCircle,
  type TrigonometricSum,
  trigonometricSize,
  trigonometricValue,
} from "../../approximate/manifold/index.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";

export const levels = 10;

/** What the network is made from. */
export interface ChartSetting {
  readonly g: TrigonometricSum;
  readonly p: number;
  readonly N: number;
  readonly inner: number;
  readonly outer: number;
}

/** The network of charts for a circle. */
export function chartsOf(circle: EmbeddedCircle, { g, p, N, inner, outer }: ChartSetting): ChartNetwork {
  const charts = circleCharts(circle, g, { count: p, inner, outer });
  return chartNetwork(charts, {
    inner,
    outer,
    cells: N,
    levels,
    bound: trigonometricSize(g, 0),
    overlap: overlapOf(p, outer),
  });
}

/** Centres within the angle of the chart's end, at most: they are 2 pi / p apart. */
export const overlapOf = (p: number, outer: number): number =>
  Math.min(p, Math.floor((2 * circleAngle(outer)) / ((2 * Math.PI) / p)) + 1);

/** An even grid of angles, and the ends of the charts. */
export const anglesOf = (count: number, p: number, end: number): number[] => [
  ...Array.from({ length: count }, (_, k) => (2 * Math.PI * (k + 0.37)) / count),
  ...Array.from({ length: p }, (_, i) => (2 * Math.PI * i) / p).flatMap((c) => [
    c,
    c + end,
    c - end,
    c + Math.PI / p,
  ]),
];

/** What a graph gives along a circle, on ONNX Runtime. */
export async function circleOutputs(
  graph: Graph,
  circle: EmbeddedCircle,
  angles: readonly number[],
): Promise<Float64Array> {
  const d = circle.plane[0].length;
  const x = new Float64Array(angles.length * d);
  angles.forEach((theta, i) => {
    x.set(circlePoint(circle, theta), i * d);
  });
  const { y } = await run(graph, { x: tensor(x, { dims: [angles.length, d] }) });
  return Float64Array.from(numbers(y!), Number);
}

/** The greatest error at these angles. */
export async function circleError(
  { network }: ChartNetwork,
  circle: EmbeddedCircle,
  g: TrigonometricSum,
  angles: readonly number[],
): Promise<number> {
  const y = await circleOutputs(network, circle, angles);
  return angles.reduce((most, theta, i) => Math.max(most, Math.abs(y[i]! - trigonometricValue(g, theta))), 0);
}
