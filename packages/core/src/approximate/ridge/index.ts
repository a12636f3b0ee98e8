export {
  expandRidges,
  formDimension,
  latticeDirections,
  type RidgeTerm,
  ridgeDecomposition,
  ridgeRank,
} from "./decomposition.ts";
export { type RidgePolynomialNetwork, ridgePolynomialNetwork } from "./network.ts";
export { solveExactly } from "./solve-exactly.ts";
