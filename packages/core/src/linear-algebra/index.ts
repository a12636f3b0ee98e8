export { type CholeskyFactors, cholesky, choleskySolve, logDeterminant } from "./cholesky.ts";
export { conditionNumber } from "./condition.ts";
export {
  type EigenQuality,
  eigenQuality,
  type SpectralDecomposition,
  spectralDecomposition,
  symmetricEigenvalues,
} from "./eigen.ts";
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
export type { Matrix } from "./matrix-norm.ts";
export { pivotedQr, type QrFactors, type QrOptions, qrSolve } from "./qr.ts";
export { matrixOfRows } from "./rows.ts";
export { type LinearSolution, residualOf, solveLinear } from "./solve.ts";
export { type SymmetricEigen, symmetricEigen } from "./symmetric-eigen.ts";
