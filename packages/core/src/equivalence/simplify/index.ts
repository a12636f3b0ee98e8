export type { SimplifyOptions } from "./reduced.ts";
export { type RedundantNetwork, redundantNetwork } from "./redundant-network.ts";
export type { LayerReduction, RemovalReason, RemovedUnit } from "./removal.ts";
export { type Simplification, simplify } from "./simplify.ts";
