// The loss on the straight line between the weights of two networks of the same layout.
import type { Graph } from "../../graph/graph.ts";
import { isSparse } from "../../graph/graph.ts";
import { encode, type FloatType, isFloat, numbers } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { SymmetryError } from "../error.ts";

/** The network a fraction of the way from one to the other, float weights mixed in the order in which the files have them. */
export function between(from: Graph, to: Graph, fraction: number): Graph {
  const [a, b] = [canonical(from), canonical(to)];
  const others = [...b.initializers.values()];
  if (others.length !== a.initializers.size)
    throw new SymmetryError(`the networks have ${a.initializers.size} and ${others.length} weights`);
  const initializers = new Map(
    [...a.initializers].map(([name, weight], k) => {
      const other = others[k]!;
      if (isSparse(weight) || !isFloat(weight.type)) return [name, weight];
      if (isSparse(other) || weight.dims.join() !== other.dims.join())
        throw new SymmetryError(
          `weight "${name}" has the shape [${weight.dims}], its counterpart [${other.dims}]`,
        );
      const target = numbers(other);
      const values = Float64Array.from(
        numbers(weight),
        (v, i) => (1 - fraction) * Number(v) + fraction * Number(target[i]),
      );
      return [name, { ...weight, data: encode(values, weight.type as FloatType) }];
    }),
  );
  return { ...a, initializers };
}

export interface Barrier {
  /** Fractions of the way and the losses there. */
  readonly points: readonly (readonly [number, number])[];
  /** How far the loss rises above the line between the losses at both ends. */
  readonly height: number;
}

/**
 * Losses along the way between two networks.
 * @example (await lossBarrier(net, net, async () => 1)).height // 0
 */
export async function lossBarrier(
  from: Graph,
  to: Graph,
  lossOf: (graph: Graph) => Promise<number>,
  steps = 20,
): Promise<Barrier> {
  const points: [number, number][] = [];
  for (let k = 0; k <= steps; k++) points.push([k / steps, await lossOf(between(from, to, k / steps))]);
  const [first, last] = [points[0]![1], points.at(-1)![1]];
  const height = Math.max(...points.map(([t, loss]) => loss - ((1 - t) * first + t * last)));
  return { points, height };
}
