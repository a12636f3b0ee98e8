// A plain step of descent, in one node where the gradient is a matrix product.
import type { Node } from "../graph/graph.ts";
import { Value } from "../graph/value.ts";

/**
 * w - eta g. Where g = op(a) op(b) is the last product of the graph so far and nobody else reads it, this is the one
 * product op(a) op(-eta b) + w, or op(-eta a) op(b) + w: no pass over the gradient, which is as large as the weight.
 */
export function descended(weight: Value, gradient: Value, rate: Value): Value {
  const { builder } = gradient;
  const at = builder.nodes.findLastIndex((node) => node.outputs.includes(gradient.name));
  const product = builder.nodes[at];
  const isShared = builder.nodes.some((node) => node.inputs.includes(gradient.name));
  if (!product || isShared || !isPlainProduct(product)) return weight.sub(gradient.mul(rate));
  builder.nodes.splice(at, 1);
  const [transA, transB] = ["transA", "transB"].map((name) => {
    const attribute = product.attributes.get(name);
    return attribute?.type === "int" ? Number(attribute.value) : 0;
  });
  const [a, b] = product.inputs.map((name) => new Value(builder, name, { type: weight.type.type }));
  // The smaller factor is scaled: that of the shorter side.
  const [rows, columns] = weight.type.shape ?? [];
  const isFirst = typeof rows === "number" && typeof columns === "number" && rows < columns;
  const factors = [a!, b!].map((each, k) => (k === (isFirst ? 0 : 1) ? each.mul(backwards(rate)) : each));
  return builder.apply("Gemm", [...factors, weight], { transA: transA!, transB: transB! })[0]!;
}

const negated = new WeakMap<Value, Value>();

/** -eta, once a step. */
function backwards(rate: Value): Value {
  const found = negated.get(rate) ?? rate.neg();
  negated.set(rate, found);
  return found;
}

const isPlainProduct = ({ op, inputs, attributes }: Node): boolean =>
  op === "Gemm" &&
  inputs.filter((name) => name).length === 2 &&
  !attributes.has("alpha") &&
  !attributes.has("beta");
