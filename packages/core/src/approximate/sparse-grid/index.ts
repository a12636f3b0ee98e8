export { quotedTail, sparseTail, truncationBound } from "./bound.ts";
export { finestLevel, type SparseGrid, type SparseLevel, sparseGrid, sparseGridPoints } from "./grid.ts";
export { type SparseInterpolant, sparseInterpolant, sparseValue } from "./interpolant.ts";
export { type SparseNetwork, sparseNetwork } from "./network.ts";
export { type MixedTarget, mixedTargets, productTarget } from "./target.ts";
export { weakCurvatureError } from "./weak-curvature.ts";
