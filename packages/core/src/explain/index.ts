export {
  type Assessment,
  type AssessOptions,
  assess,
  type Contestant,
  contestants,
  type Randomization,
  randomization,
} from "./assess.ts";
export { canonize } from "./canonize.ts";
export {
  type Bounds,
  type Composite,
  type CompositeLine,
  composite,
  compositeNames,
  type Place,
  uniform,
} from "./composite.ts";
export { readComposite } from "./composite-file.ts";
export { ExplainError } from "./error.ts";
export type { Estimate } from "./evaluate.ts";
export { chosenComposite, type ExplainOptions, explain, type Method, methodNames } from "./explain.ts";
export { type Explainer, explainer } from "./explainer.ts";
export type { Explanation, LedgerRow } from "./explanation.ts";
export {
  type ColourMap,
  colourMaps,
  colourOf,
  heatmap,
  heatmapSvg,
  type Picture,
  type Plane,
  planeOf,
  wordsSvg,
} from "./heatmap.ts";
export { type Prepared, type PrepareOptions, prepare } from "./prepare.ts";
export { relevanceGraph } from "./propagate.ts";
export { parseTarget } from "./target.ts";
