export { type CholeskyFactors, cholesky, choleskySolve, logDeterminant } from "./cholesky.ts";
export { conditionNumber } from "./condition.ts";
export {
  type ConjugateGradientOptions,
  type ConjugateGradientSolution,
  conjugateGradients,
  lowRankPreconditioner,
  type VectorMap,
} from "./conjugate-gradients.ts";
export {
  type EigenQuality,
  eigenQuality,
  type SpectralDecomposition,
  spectralDecomposition,
  symmetricEigenvalues,
} from "./eigen.ts";
export { exactInertia, type Inertia } from "./exact-inertia.ts";
export {
  characteristicPolynomial,
  type Enclosure,
  exactEigenvalues,
  isSquareFree,
} from "./exact-spectrum.ts";
export { chebyshevCoefficients, type FunctionOfMapOptions, functionOfMap } from "./function-of-map.ts";
export { generalizedEigen } from "./generalized-eigen.ts";
export { lanczosQuadrature, type Quadrature, type QuadratureOptions } from "./lanczos-quadrature.ts";
export { type LeastSquares, leastSquares, pseudoInverse } from "./least-squares.ts";
export {
  type LuFactors,
  type LuOptions,
  luDeterminant,
  luFactor,
  luSolve,
  luSolveTransposed,
  type SelectedRows,
  selectIndependentRows,
} from "./lu.ts";
export {
  doubles,
  type MatrixAlgebra,
  type MatrixOf,
  matrixAlgebra,
  rationals,
  type Scalars,
} from "./matrix-algebra.ts";
export type { Matrix } from "./matrix-norm.ts";
export { type PivotedCholesky, pivotedCholesky } from "./pivoted-cholesky.ts";
export { matrixProduct } from "./product.ts";
export { pivotedQr, type QrFactors, type QrOptions, qrSolve } from "./qr.ts";
export { matrixOfRows } from "./rows.ts";
export {
  type SimultaneousOptions,
  type SimultaneousSolution,
  simultaneousGradients,
} from "./simultaneous-gradients.ts";
export { type LinearSolution, residualOf, solveLinear } from "./solve.ts";
export { type SingularDecomposition, singularDecomposition } from "./svd.ts";
export { type SymmetricEigen, symmetricEigen } from "./symmetric-eigen.ts";
export { type RowsProduct, type TopEigenpairs, type TopOptions, topEigenpairs } from "./top-eigenpairs.ts";
