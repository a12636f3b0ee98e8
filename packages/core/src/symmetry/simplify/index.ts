export { type RedundantNetwork, redundantNetwork } from "./redundant-network.ts";
export type { LayerReduction, RemovalReason, RemovedUnit } from "./removal.ts";
export { type Simplification, type SimplifyOptions, simplify } from "./simplify.ts";
