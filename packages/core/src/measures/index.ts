export { type Extremes, type LanczosOptions, lanczos, type SpectrumEnd } from "../linear-algebra/lanczos.ts";
export {
  symmetricSpectrum,
  type Tridiagonal,
  type TridiagonalEigen,
  tridiagonalEigen,
  tridiagonalForm,
} from "../linear-algebra/tridiagonal.ts";
export type { UnitActivity } from "./activity.ts";
export { type AuditedModel, auditedModel } from "./audited-model.ts";
export type { ConvolutionShape } from "./convolution-shape.ts";
export {
  drawnRademacher,
  drawSample,
  type FinitePopulation,
  generalizationGaps,
  overSamples,
  populationRademacher,
  populationRisk,
  sampleRisk,
} from "./finite-population.ts";
export type { InitialDistance, LayerMeasures } from "./layer-values.ts";
export { type LinearLayer, type LinearLayers, linearLayers } from "./linear-layers.ts";
export { type SteepestOptions, type SteepestPoint, steepestPoint } from "./lipschitz-lower.ts";
export { type ModelMeasures, measureModel } from "./measure-model.ts";
export type { MeasureOptions } from "./measure-options.ts";
export type { MeasureDefinition, MeasureNeed, MeasureStrength, NamedMeasure } from "./measure-row.ts";
export { measureDefinitions } from "./measure-table.ts";
export type { LastLayerRademacher } from "./measured-on-data.ts";
export { type LinearMap, layerMap, layerNorm, type OperatorNorm } from "./operator-norm.ts";
export { type MarginSummary, marginSummary, marginsOf } from "./predictions.ts";
export {
  type FeatureRows,
  linearRademacher,
  type SignAverage,
  sparseRademacher,
} from "./rademacher.ts";
export { type MeasuredValue, type Sharpness, type SharpnessOptions, sharpnessOf } from "./sharpness.ts";
export { spectralUpper } from "./spectral-bound.ts";
export { type ToeplitzNorms, toeplitzNorms } from "./toeplitz.ts";
export { circularNorm, torusBound } from "./torus-norm.ts";
export { lossFor, type RiskValue, type WeightRisk, weightRisk } from "./weight-risk.ts";
