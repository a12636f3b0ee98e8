// Squaring with zigzags of any number of teeth: trades depth for width (the squaring network has two teeth a layer).

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { requireCount } from "../calculus/conditions.ts";
import { layer, network } from "../layers/layers.ts";

export interface ZigzagSquareOptions {
  /** Lowers the interpolant, which lies above x^2, so that its error is least in this norm. */
  readonly best?: "sup" | "L2";
}

/**
 * The interpolant of x^2 on [0, 1] at k / p, p = prod q_l, in one hidden layer for each q_l:
 * h = x - sum_l (q_1 ... q_{l-1})^-2 B_{q_l}(z_{l-1}), B_q the interpolant of t - t^2 at i / q, z_l the sawtooth.
 * Hidden widths q_1, q_2 + 1, ..., q_L + 1; exact when the q_l are powers of two.
 * @example linearPieces(zigzagSquare([4]), 0, 1).values // [0, 0.0625, 0.25, 0.5625, 1]
 */
export function zigzagSquare(teeth: readonly number[], { best }: ZigzagSquareOptions = {}): Graph {
  if (teeth.length === 0) throw new ConstructError("zigzagSquare needs a number of teeth for each layer");
  for (const q of teeth) requireCount("zigzagSquare", "number of teeth", q, 1);
  const layers = [];
  let zigzag: readonly number[] = [1]; // the sawtooth so far and h so far, in the units of the layer before
  let partial: readonly number[] | undefined;
  let scale = 1; // (q_1 ... q_{l-1})^2
  for (const q of teeth) {
    const units = Array.from({ length: q }, (_, i) => i);
    const rows = units.map(() => zigzag.map((w) => q * w));
    layers.push(
      layer(partial ? [...rows, [...partial]] : rows, [...units.map((i) => -i), ...(partial ? [0] : [])]),
    );
    const carried = partial ? [0] : [];
    // B_q in u_i = relu(q t - i): slope (q - 1) / q^2 first, then -2 / q^2 at every bend.
    const bump = units.map((i) => (i === 0 ? (q - 1) / q ** 2 : -2 / q ** 2) / scale);
    partial = partial ? [...bump.map((w) => -w), 1] : bump.map((w, i) => (i === 0 ? 1 / q : 0) - w);
    zigzag = [...units.map((i) => (i === 0 ? 1 : i % 2 === 1 ? -2 : 2)), ...carried];
    scale *= q ** 2;
  }
  const lowered = best === undefined ? 0 : -1 / (best === "sup" ? 8 : 6) / scale;
  return network([...layers, layer([[...partial!]], [lowered])], { name: `square_${teeth.join("_")}` });
}
