// Dense networks with random weights, as the lemmata of this source vary them.

import { run } from "../../engine/run.ts";
import type { ActivationName } from "../../functions/activation.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";

export interface Dense {
  readonly weights: number[][];
  readonly bias: number[];
}

/** Gaussian layers with these widths. */
export const randomDense = (random: Random, widths: readonly number[]): readonly Dense[] =>
  widths.slice(1).map((rows, l) => ({
    weights: Array.from({ length: rows }, () =>
      Array.from(random.normal(widths[l]!), (w) => w / Math.sqrt(widths[l]!)),
    ),
    bias: Array.from(random.normal(rows)),
  }));

export const networkOfDense = (layers: readonly Dense[], activation: ActivationName): Graph =>
  network(
    layers.map(({ weights, bias }) => layer(weights, bias)),
    { activation },
  );

/** The network's outputs at one point, by sums in plain loops. */
export const denseValue = (
  layers: readonly Dense[],
  sigma: (z: number) => number,
  x: readonly number[],
): readonly number[] =>
  layers.reduce<readonly number[]>(
    (input, { weights, bias }, l) =>
      weights.map((row, i) => {
        const h = l === 0 ? input : input.map(sigma);
        return row.reduce((sum, w, j) => sum + w * h[j]!, bias[i]!);
      }),
    x,
  );

/** What ONNX Runtime says at one point. */
export async function runtimeValue(net: Graph, x: readonly number[]): Promise<readonly number[]> {
  const { y } = await run(net, { x: tensor(Float64Array.from(x), { dims: [1, x.length] }) });
  return Array.from(numbers(y!), Number);
}

/** The greatest difference of two networks at Gaussian points, over the greatest value. */
export async function differenceOf(
  a: Graph,
  b: Graph,
  random: Random,
  dimension: number,
  count: number,
): Promise<number> {
  const x = tensor(random.normal(count * dimension), { dims: [count, dimension] });
  const [u, v] = [numbers((await run(a, { x }))["y"]!), numbers((await run(b, { x }))["y"]!)];
  let [most, size] = [0, 1];
  for (let k = 0; k < u.length; k++) {
    most = Math.max(most, Math.abs(u[k]! - v[k]!));
    size = Math.max(size, Math.abs(u[k]!));
  }
  return most / size;
}

/** Rounding of a few layers of sums in doubles, with scales up to e^2 in them. */
export const denseRounding = 1e-11;
