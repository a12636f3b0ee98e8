// The tensor that a Constant node holds, in any of its forms.
import { GraphError } from "../error.ts";
import { describe, type Node } from "../graph.ts";
import { type SparseTensor, type Tensor, tensor } from "../tensor.ts";
import { int64 } from "./rewriting.ts";

export function constantValue(node: Node): Tensor | SparseTensor {
  for (const [name, attribute] of node.attributes) {
    if (name === "value" && attribute.type === "tensor") return attribute.value;
    if (name === "sparse_value" && attribute.type === "sparse") return attribute.value;
    if (name === "value_float" && attribute.type === "float")
      return tensor([attribute.value], { type: "float32", dims: [] });
    if (name === "value_floats" && attribute.type === "floats")
      return tensor(attribute.value, { type: "float32" });
    if (name === "value_int" && attribute.type === "int") return int64([attribute.value], []);
    if (name === "value_ints" && attribute.type === "ints") return int64(attribute.value);
    if (name === "value_string" && attribute.type === "string")
      return { type: "string", dims: [], data: [attribute.value] };
    if (name === "value_strings" && attribute.type === "strings")
      return { type: "string", dims: [attribute.value.length], data: attribute.value };
  }
  throw new GraphError(`${describe(node)} holds no value`);
}
