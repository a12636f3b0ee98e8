export {
  type AffineOptions,
  type AffineSpace,
  affineDistances,
  affineSpace,
  nearestSpace,
} from "./affine-classes.ts";
export { battleLemarieBank, type SplineOptions, splineLowPass, splineScaling } from "./battle-lemarie.ts";
export {
  type DeformationCertificate,
  type DeformationSize,
  deformationCertificate,
  deformationSize,
  warp,
  warped,
} from "./deformation.ts";
export {
  type Diffusion,
  diffusionFrame,
  diffusionSymbol,
  diffusionWavelets,
  lazyDiffusion,
  scalesOf,
} from "./diffusion.ts";
export { type DiffusionDistance, diffusionDistance } from "./diffusion-distance.ts";
export { type Discrimination, discrimination } from "./discrimination.ts";
export { firstSectors, type Sector, secondSectors, sectorArea } from "./disk.ts";
export { type EnergyLedger, energy, energyLedger } from "./energy.ts";
export { decayBound } from "./energy-decay.ts";
export { ScatteringError } from "./error.ts";
export { type ExpansionOptions, expansion } from "./expansion.ts";
export {
  angularFrequency,
  type BankKind,
  type Filter,
  type FilterBank,
  opposite,
  power,
  type Wavelet,
} from "./filter-bank.ts";
export { type Complex, fourier, gridFourier, inverseFourier, inverseGridFourier } from "./fourier.ts";
export { gaussianField } from "./gaussian-field.ts";
export { type Geometry, type GeometryOptions, geometry, type Padding } from "./geometry.ts";
export { type GibbsModel, gibbsLaw, gibbsModel, metropolis } from "./gibbs.ts";
export {
  type GraphCertificate,
  type GraphScatteringOptions,
  graphCertificate,
  graphScattering,
  graphTransform,
} from "./graph-scattering.ts";
export { type HaarOptions, haarBank } from "./haar.ts";
export {
  graphPairings,
  haarScattering,
  learnedPairings,
  neighbourPairings,
  type Pairing,
} from "./haar-scattering.ts";
export {
  type InverseProblem,
  type Regularized,
  regularized,
  regularizedLoss,
  type StatisticsRegression,
  shortestSolution,
  statisticsRegression,
} from "./inverse-problem.ts";
export {
  binned,
  type JointLaw,
  jointLaw,
  mutualInformation,
  separableLaw,
  totalVariation,
} from "./joint-law.ts";
export {
  certifiedKernelRadius,
  type Examples,
  type KernelClasses,
  type KernelOptions,
  kernelClasses,
  kernelScores,
} from "./kernel-classes.ts";
export {
  type LittlewoodPaley,
  type LittlewoodPaleyOptions,
  littlewoodPaley,
  nonExpansive,
} from "./littlewood-paley.ts";
export { isInside, type MicrocanonicalSet, microcanonicalSet } from "./microcanonical.ts";
export { type Minimum, minimize } from "./minimize.ts";
export { type RenormalizedMoments, renormalizedMoments, scalingExponents } from "./moments.ts";
export { gaussian, type MorletOptions1d, morletBank1d } from "./morlet-1d.ts";
export { type MorletOptions2d, morletBank2d } from "./morlet-2d.ts";
export { type Path, paths } from "./paths.ts";
export { type HarmonicPair, harmonicCount, harmonicPairs, harmonicWeights } from "./phase-harmonics.ts";
export { type LayerModuli, layerModuli, type RetrievedPhases, retrievedPhases } from "./phase-retrieval.ts";
export { type ScatteringOptions, type ScatteringPlan, scatteringPlan } from "./plan.ts";
export { cubicSpline, type PolarOptions, polarBank } from "./polar.ts";
export {
  cascadeIncrements,
  fractionalIncrements,
  pathOf,
  poissonPoints,
  stableIncrements,
} from "./processes.ts";
export { convolved, type PropagateOptions, propagate, type Scattered } from "./propagate.ts";
export { type CertifiedRadius, certifiedRadius, type Readout, scores } from "./readout.ts";
export { type JointCoefficient, rotoTranslation } from "./roto-translation.ts";
export { encoded, type ScatteringCode, scatteringCode, uncoded } from "./scattering-code.ts";
export {
  atomDensity,
  type Point,
  type SolidHarmonicCoefficient,
  type SolidHarmonicOptions,
  solidHarmonicFilters,
  solidHarmonicScattering,
  solidHarmonics,
} from "./solid-harmonics.ts";
export {
  type LaplaceBasis,
  multiplied,
  type SpectralBank,
  type SpectralOptions,
  spectralBank,
  spectralScattering,
} from "./spectral-scattering.ts";
export {
  type Deformation,
  deformed,
  drawnDeformation,
  type Representation,
  representationOf,
  type StabilityConstants,
  type StabilityOptions,
  stabilityConstants,
} from "./stability.ts";
export {
  measuring,
  type Synthesis,
  type SynthesisOptions,
  scatteringLoss,
  statistics,
  synthesize,
} from "./synthesis.ts";
export { bandKurtoses, type TextureDistances, textureDistances } from "./texture-distance.ts";
export {
  scalogram,
  type TimeFrequencyCoefficient,
  type TimeFrequencyOptions,
  type TimeFrequencyScattering,
  timeFrequencyScattering,
} from "./time-frequency.ts";
export { type Scattering, scattering, type TransformOptions } from "./transform.ts";
export {
  scatteringDistances,
  type TranslationCertificate,
  translated,
  translationCertificate,
  translationFactor,
} from "./translation.ts";
