export { type AlongLineOptions, type InterpolatedAlongLine, interpolateAlongLine } from "./along-line.ts";
export {
  type AlongSmoothLineOptions,
  type InterpolatedAlongSmoothLine,
  interpolateAlongSmoothLine,
} from "./along-smooth-line.ts";
export {
  type BasisOptions,
  type InterpolationBasis,
  InterpolationFailure,
  interpolationBasis,
  polynomialDimension,
} from "./basis.ts";
export {
  type InterpolatedPoints,
  type InterpolateOptions,
  interpolateOn,
  interpolatePoints,
} from "./interpolate.ts";
export { type Neurons, neuronValues } from "./neurons.ts";
export type { Projection } from "./projection.ts";
export { neuronRank, type Universality, universality } from "./universality.ts";
export { fitWideLayer, type WideLayerFit } from "./wide-layer.ts";
