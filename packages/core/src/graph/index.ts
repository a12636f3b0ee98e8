export * from "./builder.ts";
export { checkGraph } from "./check.ts";
export { endingAt, startingFrom } from "./cut.ts";
export {
  type AnyDefinition,
  type Choose,
  type Definition,
  type Definitions,
  definitionOf,
  definitions,
  rewrite,
} from "./definitions/index.ts";
export { equalGraphs, firstDifference } from "./equal.ts";
export { GraphError, ReadableError } from "./error.ts";
export * from "./graph.ts";
export { inferTypes } from "./infer.ts";
export { withOutputs, withShapes } from "./interface.ts";
export { lowerFloat64 } from "./lower-float64.ts";
export * from "./onnx/index.ts";
export {
  type AttributesOf,
  families,
  type OperatorName,
  operatorSpec,
  operators,
} from "./operators/index.ts";
export type { Inferred } from "./operators/spec.ts";
export { plain } from "./plain.ts";
export { type SparseMatrix, sparseMatrix } from "./sparse.ts";
export * from "./tensor.ts";
export { canonical, canonicalOpset } from "./upgrade.ts";
export { type GraphWriter, type Operand, type Types, Value, type Values } from "./value.ts";
export { widenHalf } from "./widen-half.ts";
export { withoutTables } from "./zip-map.ts";
