export * from "./alignment/index.ts";
export { applySymmetry } from "./apply.ts";
export { type CanonicalForm, canonicalForm } from "./canonical/canonical-form.ts";
export {
  identitySymmetry,
  type RandomSymmetryOptions,
  randomSymmetry,
  type SymmetryElement,
} from "./element.ts";
export { SymmetryError } from "./error.ts";
export { type SymmetryGroup, symmetryGroup, type UnitClass, type UnitLeg, type WeightAxis } from "./group.ts";
export { type SymmetryReport, symmetryReport } from "./report.ts";
export type { UnitScale } from "./unit-scale.ts";
export { effectiveLogVolume, parameterCount } from "./volume.ts";
