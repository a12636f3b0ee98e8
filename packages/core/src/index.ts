// The whole library; each layer is also its own entry point (`@lemmata/core/graph`, ...).
export * from "./approximate/index.ts";
export * from "./audit/index.ts";
export * from "./bounds/index.ts";
export * from "./compile/index.ts";
export * from "./data/index.ts";
export * from "./dynamics/index.ts";
export { run } from "./engine/index.ts";
export * from "./equivalence/index.ts";
export * from "./formula/index.ts";
export * from "./functions/index.ts";
export * from "./generalization/index.ts";
export * from "./graph/index.ts";
export * from "./linear-algebra/index.ts";
export * from "./measures/index.ts";
export * from "./networks/index.ts";
export * from "./numbers/index.ts";
export * from "./passes/index.ts";
export * from "./train/index.ts";
