export {
  boxGridNetwork,
  boxIndicator,
  boxIndicatorDistance,
  boxShell,
  type CellNetwork,
} from "./box-indicator.ts";
export {
  derivativeText,
  differentiate,
  partialDerivative,
} from "./differentiate.ts";
export { SobolevError } from "./error.ts";
export { expressionText } from "./expression-text.ts";
export { type IntervalJet, jetOnBox } from "./jet.ts";
export { type MultiIndex, multiIndices } from "./multi-index.ts";
export { type PartitionOfUnity, partitionOfUnity } from "./partition.ts";
export { cellIndicator, cellIndicatorDistance, cellTable } from "./table-network.ts";
export { type TaylorData, taylorData } from "./taylor-data.ts";
export {
  localPolynomials,
  type SobolevApproximation,
  type SobolevCertificate,
  type SobolevLayout,
  type SobolevOptions,
  sobolevApproximation,
} from "./yarotsky.ts";
