// The whole library; each layer is also its own entry point (`@lemmata/core/graph`, ...).
export * from "./approximate/index.ts";
export * from "./capacity/index.ts";
export * from "./compile/index.ts";
export * from "./construct/index.ts";
export * from "./data/index.ts";
export { run } from "./engine/index.ts";
export * from "./graph/index.ts";
export * from "./passes/index.ts";
export * from "./symmetry/index.ts";
export * from "./train/index.ts";
