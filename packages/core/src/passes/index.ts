export { type Distance, distanceToQuadratic, type Quadratic } from "./distance.ts";
export { type ForwardPass, forwardPass, type Rule, type Rules } from "./pass.ts";
export { linearPieces, type Pieces, type PiecewiseLinear, piecesPass, slopes } from "./pieces.ts";
export { type Sizes, sizes } from "./sizes.ts";
