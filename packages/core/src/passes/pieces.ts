// Exact pieces: a graph of affine, bending and jumping operators, restricted to a line, as the knots between
// which it is affine and its values there. All arithmetic is exact.
export { linearPieces, type PiecewiseTensor, type Point, piecesAlong, piecesPass } from "./pieces/along.ts";
export {
  evaluate,
  type Limits,
  limitsOf,
  type PiecewiseLinear,
  slopes,
} from "./pieces/piecewise-linear.ts";
export type { Pieces } from "./pieces/tensor.ts";
