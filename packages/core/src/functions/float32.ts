// Activations are written in operators that ONNX Runtime has in float64. In float32, an operator of its own is used
// where ONNX has one.
import type { OperatorName } from "../graph/operators/index.ts";
import type { Value } from "../graph/value.ts";

export const inFloat32 =
  (op: OperatorName, rewritten: (x: Value) => Value) =>
  (x: Value): Value =>
    x.type.type === "float32" ? x.op(op) : rewritten(x);
