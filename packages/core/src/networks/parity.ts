// Parity of signs by iterated triangles (Telgarsky, section 4.1, with the formula put right).
import type { Graph } from "../graph/graph.ts";
import { affine, compose } from "./calculus/calculus.ts";
import { requireCount } from "./calculus/conditions.ts";
import { triangle } from "./triangle/triangle.ts";

/**
 * x_1 x_2 ... x_d for x in {-1, 1}^d: 1 - 2 D^L(c / 2^L), c = (d - sum x_i) / 2 the number of minus signs, 2^L >= d.
 * L = ceil(log2 d) hidden layers of 2 units.
 * @example numbers((await run(parity(3), { x: tensor([[-1, 1, 1]]) })).y) // Float64Array [-1]
 */
export function parity(bits: number): Graph {
  requireCount("parity", "number of bits", bits, 1);
  const levels = Math.ceil(Math.log2(bits));
  const share = affine([Array(bits).fill(-(2 ** -(levels + 1)))], [bits * 2 ** -(levels + 1)]);
  return compose(affine([[-2]], [1]), compose(triangle(levels), share));
}
