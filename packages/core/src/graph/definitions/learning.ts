// The operators of ai.onnx.ml in ONNX's own.
import { GraphError } from "../error.ts";
import { describe, type Node } from "../graph.ts";
import { tensor } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definition, type Definitions, elementType, shapeOf } from "./definition.ts";
import { constant, integers, where } from "./expression.ts";

/** The features as the floating-point numbers that the runtime computes with. */
const features = (x: Value, node: Node): Value =>
  /^(float32|float64)$/.test(elementType(x, node)) ? x : x.cast("float32");

/** Rows of features: one row where there is no axis for them. */
const inRows = (x: Value, node: Node): Value => (shapeOf(x, node).length === 1 ? x.reshape([1, -1]) : x);

const refuse = (node: Node, reason: string): never => {
  throw new GraphError(`${describe(node)}: ${reason}`);
};

/** What is made of scores, row by row. */
function transformed(scores: Value, name: string, node: Node): Value {
  if (name === "NONE" || name === "") return scores;
  if (name === "LOGISTIC") return scores.sigmoid();
  if (name === "SOFTMAX") return scores.op("Softmax", [], { axis: -1 });
  return refuse(node, `post_transform ${name} has no definition`);
}

/** The label of the greatest score, the first one of several. */
function label(scores: Value, labels: readonly number[] | undefined, node: Node): Value | undefined {
  if (!node.outputs[0]) return undefined;
  if (!labels?.length) return refuse(node, "labels that are words are no numbers: ask for the other output");
  const best = scores.op("ArgMax", [], { axis: -1, keepdims: 0 });
  if (labels.every((l, k) => l === k)) return best;
  return scores.builder.weight(tensor(labels, { type: "int64" })).op("Gather", [best], { axis: 0 });
}

/** x W^T + b, with as many rows of coefficients as there are results. */
function linearScores(
  x: Value,
  coefficients: readonly number[],
  intercepts: readonly number[] | undefined,
  count: number,
  node: Node,
): Value {
  const rows = inRows(features(x, node), node);
  const size = coefficients.length / count;
  if (!Number.isInteger(size)) refuse(node, `${coefficients.length} coefficients for ${count} results`);
  const type = elementType(rows, node);
  const matrix = tensor(coefficients, { type, dims: [count, size] });
  return rows.affine(matrix, intercepts?.length ? tensor(intercepts, { type }) : undefined);
}

const inSingle = (x: Value): Value => (x.type.type === "float32" ? x : x.cast("float32"));

/** By their sum of magnitudes or their length, no number is beyond 1; and where the sum is 0, so are they. */
export const limitedNormalizer: Definition<"Normalizer"> = (inputs, attributes, node, builder) => {
  const plain = learning.Normalizer!(inputs, attributes, node, builder) as Value;
  if (attributes.norm === "MAX") return plain;
  const limit = 1 + 2 ** -20;
  return plain.op("Clip", [constant(plain, -limit), constant(plain, limit)]);
};

export const learning: Definitions = {
  Scaler: ([x], { offset, scale }, node) => {
    const real = features(x!, node);
    const type = elementType(real, node);
    const shifted = offset?.length ? real.sub(tensor(offset, { type })) : real;
    return inSingle(scale?.length ? shifted.mul(tensor(scale, { type })) : shifted);
  },
  Binarizer: ([x], { threshold }, node) => {
    const type = elementType(x!, node);
    return x!.op("Greater", [constant(x!, threshold)]).cast(type);
  },
  Normalizer: ([x], { norm }, node) => {
    const real = features(x!, node);
    const last = shapeOf(real, node).length - 1;
    const squares = () => real.mul(real).sum([last], 1);
    const sizes = {
      MAX: () => real.op("ReduceMax", [integers([last])]),
      L1: () => real.abs().sum([last], 1),
      L2: () => squares().sqrt(),
    } as const;
    const size = sizes[norm as keyof typeof sizes]?.() ?? refuse(node, `norm ${norm} has no definition`);
    return inSingle(real.div(where(size.op("Equal", [0]), 1, size, real)));
  },
  ArrayFeatureExtractor: ([x, indices], _, node) => {
    const places = indices!.reshape([-1]);
    return inRows(x!, node).op("Gather", [places], { axis: -1 });
  },
  LinearRegressor: ([x], { coefficients, intercepts, post_transform, targets }, node) =>
    inSingle(
      transformed(linearScores(x!, coefficients ?? [], intercepts, targets, node), post_transform, node),
    ),
  LinearClassifier: ([x], attributes, node) => {
    const { classlabels_ints, classlabels_strings, coefficients, intercepts, post_transform } = attributes;
    const count = classlabels_ints?.length || classlabels_strings?.length || 0;
    if (count < 2 || (intercepts?.length && intercepts.length !== count))
      refuse(node, "one score for two classes has no definition");
    const scores = linearScores(x!, coefficients, intercepts, count, node);
    return [label(scores, classlabels_ints, node), inSingle(transformed(scores, post_transform, node))];
  },
  /** The sums of the leaves, which have a rule of their own, and what is made of them. */
  TreeEnsembleRegressor: ([x], attributes, node) => {
    if (attributes.n_targets === 1 && attributes.post_transform !== "NONE")
      refuse(node, `post_transform ${attributes.post_transform} of one target has no definition`);
    const sums = x!.op("TreeEnsembleRegressor", [], { ...attributes, post_transform: "NONE" });
    return transformed(sums, attributes.post_transform, node);
  },
  TreeEnsembleClassifier: ([x], attributes, node) => {
    const { class_ids, class_nodeids, class_treeids, class_weights, class_weights_as_tensor, ...rest } =
      attributes;
    const { classlabels_int64s, classlabels_strings, post_transform, ...trees } = rest;
    const count = classlabels_int64s?.length || classlabels_strings?.length || 0;
    const ids = new Set(class_ids);
    if (count < 2 || (count === 2 && ids.size < 2))
      refuse(node, "one score for two classes has no definition");
    const scores = x!.op("TreeEnsembleRegressor", [], {
      ...trees,
      n_targets: count,
      target_ids: class_ids,
      target_nodeids: class_nodeids,
      target_treeids: class_treeids,
      target_weights: class_weights,
      target_weights_as_tensor: class_weights_as_tensor,
      post_transform: "NONE",
    });
    return [label(scores, classlabels_int64s, node), transformed(scores, post_transform, node)];
  },
};
