export { type CoinMemory, coinMemory, type KernelMemory, kernelMemory } from "./coin-memory.ts";
export {
  corruptLabels,
  type Memorized,
  type Memorizer,
  memorizeLabels,
  memorizer,
  normForCoinThrows,
} from "./label-noise.ts";
export {
  type FarModel,
  type FarModelOptions,
  farModel,
  type MatrixRows,
  matrixProductOf,
  memorize,
  rowBasis,
} from "./linear-memory.ts";
export {
  type BernsteinConstants,
  bernsteinDeviation,
  bernsteinRoot,
  empiricalBernstein,
  hoeffdingDeviation,
  type SearchedFamily,
} from "./searched-family.ts";
