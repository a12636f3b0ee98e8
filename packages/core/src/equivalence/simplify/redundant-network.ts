// Networks with units that can be done without, by construction.

import type { Graph } from "../../graph/graph.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { network, sparseLayer } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";

export interface RedundantNetwork {
  readonly graph: Graph;
  /** In each hidden layer one dead, one constant and one unread unit, a copy and twice another: so many in all. */
  readonly planted: number;
}

const perLayer = 5;

/**
 * A ReLU network with short dyadic weights, so that no run of it rounds, and five units to spare in each hidden layer.
 * @example redundantNetwork(createRandom(1), 2, 4, 2).planted // 10
 */
export function redundantNetwork(
  random: Random,
  inputs: number,
  width: number,
  depth: number,
): RedundantNetwork {
  const weight = (): number => random.integer(-4, 4) / 4;
  const row = (columns: number): number[] => {
    const drawn = Array.from({ length: columns }, weight);
    return drawn.some((w) => w !== 0) ? drawn : drawn.with(0, 1);
  };
  const layers: Layer[] = [];
  // `reach` bounds every unit of the layer before, on inputs in [-1, 1]; its last unit is read by nobody.
  let [before, reach] = [inputs, 1];
  for (let l = 0; l < depth; l++) {
    const columns = l === 0 ? before : before - 1;
    const greatest = (w: readonly number[], b: number): number =>
      w.reduce((s, v) => s + Math.abs(v) * reach, Math.abs(b));
    const own = Array.from({ length: width }, () => row(columns));
    const bias = own.map(weight);
    const dead = row(columns);
    const rows = [...own, dead, new Array<number>(columns).fill(0), own[0]!, own[0]!.map((w) => 2 * w)];
    const biases = [...bias, -greatest(dead, 0), 0.5, bias[0]!, 2 * bias[0]!];
    const order = Array.from(random.permutation(rows.length));
    const all = [...order.map((k) => rows[k]!), row(columns)];
    const shifts = [...order.map((k) => biases[k]!), 0];
    layers.push(layerOfRows(all, before, shifts));
    reach = Math.max(...all.map((w, k) => greatest(w, shifts[k]!)));
    before = all.length;
  }
  layers.push(layerOfRows([row(before - 1)], before, [weight()]));
  return { graph: network(layers, { name: "redundant" }), planted: perLayer * depth };
}

const layerOfRows = (rows: readonly (readonly number[])[], columns: number, bias: readonly number[]): Layer =>
  sparseLayer(
    rows.length,
    columns,
    rows.flatMap((row, r) => row.map((w, c) => [r, c, w] as const)),
    bias,
  );
