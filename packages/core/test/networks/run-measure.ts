// Measures networks on ONNX Runtime in f64 against exact values, at points that try to make them err.

import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import type { Interval } from "../../src/networks/polynomial/terms.ts";
import { abs, type Exact, sub, toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

export type Target = (x: readonly number[]) => Exact;

/** Points of a box: at random, a few doubles beside dyadic points (kinks of the gates), and near the ends. */
export function adversaries(box: readonly Interval[], count: number, source: Random): number[][] {
  const coordinate = ([a, b]: Interval, k: number): number => {
    const share = source.uniform();
    const cells = 2 ** (1 + Math.floor(20 * source.uniform()));
    const steps = Math.floor(7 * source.uniform()) - 3;
    const kink = a + (Math.round(share * cells) / cells) * (b - a);
    const x = [
      a + share * (b - a),
      kink + steps * Math.abs(kink) * 2 ** -52,
      k % 2 ? a + share ** 8 * (b - a) : b - share ** 8 * (b - a),
    ][k % 3]!;
    return Math.min(b, Math.max(a, x));
  };
  const corners = [0, 1].map((end) => box.map((side) => side[end]!));
  return [...corners, ...Array.from({ length: count }, (_, k) => box.map((side) => coordinate(side, k)))];
}

/** The greatest |computed - target| on ONNX Runtime, against exact values. */
export async function measured(
  network: Graph,
  box: readonly Interval[],
  target: Target,
  count = 600,
  seed = 1,
): Promise<number> {
  const points = adversaries(box, count, createRandom(seed));
  const x = tensor(Float64Array.from(points.flat()), { dims: [points.length, box.length] });
  const y = numbers((await run(network, { x })).y!);
  return points.reduce(
    (most, point, k) => Math.max(most, toNumber(abs(sub(Number(y[k]), target(point))))),
    0,
  );
}
