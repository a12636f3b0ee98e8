// What a network misses given values by, on ONNX Runtime.

import { release, run } from "../../engine/index.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import type { Precision } from "../../networks/layers/layers.ts";

/** Points a run takes at once. */
const batch = 1024;

/** y - network(x), a row a point; in the precision of the network. */
export async function missesOf(network: Graph, points: Matrix, y: Matrix): Promise<Matrix> {
  const { rows, columns, entries } = points;
  const { type } = network.inputs[0]!.type as { readonly type: Precision };
  const rest = y.entries.slice();
  for (let from = 0; from < rows; from += batch) {
    const to = Math.min(rows, from + batch);
    const part = entries.subarray(from * columns, to * columns);
    const out = numbers((await run(network, { x: tensor(part, { type, dims: [to - from, columns] }) })).y!);
    for (let i = 0; i < out.length; i++) rest[from * y.columns + i]! -= Number(out[i]!);
  }
  await release(network);
  return { ...y, entries: rest };
}

/** max |x|; NaN if there is one. */
export function greatestSize(entries: Float64Array): number {
  let most = 0;
  for (const x of entries) if (!(Math.abs(x) <= most)) most = Math.abs(x);
  return most;
}
