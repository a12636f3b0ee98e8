// Attention, rotary positions and normalization by the root of the mean square, in simpler operators.
import { GraphError } from "../error.ts";
import { type Dim, describe, type Node } from "../graph.ts";
import type { AttributesOf } from "../operators/index.ts";
import { tensor } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definition, type Definitions, elementType, fixed, shapeOf } from "./definition.ts";
import { constant, integers, where } from "./expression.ts";

/** [batch, heads, length, size], whether the input was flat or not. */
function inHeads(x: Value, heads: number | undefined, node: Node): Value {
  if (shapeOf(x, node).length === 4) return x;
  if (!heads)
    throw new GraphError(`${describe(node)}: it does not say how many heads its input "${x.name}" has`);
  return x.reshape([0, 0, heads, -1]).transpose([0, 2, 1, 3]);
}

/** The key or value heads, each as often as there are queries for it. */
function repeated(x: Value, heads: number, node: Node): Value {
  const own = fixed(shapeOf(x, node)[1], `the number of heads of "${x.name}"`, node);
  if (own === heads) return x;
  return x.gather(integers(Array.from({ length: heads }, (_, k) => Math.floor((k * own) / heads))), 1);
}

/** 0 where the mask allows, minus infinity elsewhere; other masks are added as they are. */
const asBias = (mask: Value, like: Value): Value =>
  mask.type.type === "bool" ? where(mask, 0, Number.NEGATIVE_INFINITY, like) : mask;

type RootMeanSquare = AttributesOf<"RMSNormalization">;

const normalizedAxes = (x: Value, axis: number, node: Node): readonly number[] => {
  const rank = shapeOf(x, node).length;
  const first = axis < 0 ? axis + rank : axis;
  return Array.from({ length: rank - first }, (_, k) => first + k);
};

/** x / sqrt(mean x^2 + epsilon) */
function overRoot(x: Value, { axis, epsilon }: RootMeanSquare, node: Node): Value {
  const squares = x.mul(x).mean(normalizedAxes(x, axis, node), 1);
  return x.div(squares.add(epsilon).sqrt());
}

/** Of n numbers none is more than sqrt n times their root mean square. */
export const limitedRootMeanSquare: Definition<"RMSNormalization"> = ([x, scale], attributes, node) => {
  const sizes = normalizedAxes(x!, attributes.axis, node).map((k) => x!.type.shape?.[k]);
  const count = sizes.reduce(
    (n: Dim, d) => (typeof n === "number" && typeof d === "number" ? n * d : undefined),
    1,
  );
  const plain = overRoot(x!, attributes, node);
  if (typeof count !== "number" || !(attributes.epsilon >= 0)) return plain.mul(scale!);
  const limit = Math.sqrt(count) * (1 + 2 ** -20);
  return plain.op("Clip", [constant(plain, -limit), constant(plain, limit)]).mul(scale!);
};

export const attention: Definitions = {
  RMSNormalization: ([x, scale], attributes, node) => overRoot(x!, attributes, node).mul(scale!),
  RotaryEmbedding: ([x, cosines, sines, positions], attributes, node) => {
    const { interleaved, num_heads, rotary_embedding_dim } = attributes;
    const isFlat = shapeOf(x!, node).length === 3;
    const heads = inHeads(x!, num_heads, node);
    const size = fixed(shapeOf(heads, node)[3], "the size of a head", node);
    const turned = rotary_embedding_dim || size;
    const half = turned / 2;
    const first = Array.from({ length: half }, (_, k) => (interleaved === 1 ? 2 * k : k));
    const second = first.map((k) => (interleaved === 1 ? k + 1 : k + half));
    const at = (table: Value): Value =>
      (positions ? table.op("Gather", [positions], { axis: 0 }) : table).op("Unsqueeze", [integers([1])]);
    const [cos, sin] = [at(cosines!), at(sines!)];
    const [a, b] = [heads.gather(integers(first), 3), heads.gather(integers(second), 3)];
    const pairs = cos
      .mul(a)
      .sub(sin.mul(b))
      .concat([sin.mul(a).add(cos.mul(b))], 3);
    const places = Array.from({ length: turned }, (_, k) =>
      interleaved === 1 ? (k % 2) * half + Math.floor(k / 2) : k,
    );
    const ordered = interleaved === 1 ? pairs.gather(integers(places), 3) : pairs;
    const whole = turned < size ? ordered.concat([heads.slice(3, turned, size)], 3) : ordered;
    return isFlat ? whole.transpose([0, 2, 1, 3]).reshape([0, 0, -1]) : whole;
  },
  Attention: ([q, k, v, mask, pastKey, pastValue, lengths], attributes, node) => {
    const { is_causal, q_num_heads, kv_num_heads, softcap, scale } = attributes;
    if (softcap !== 0) throw new GraphError(`${describe(node)}: scores that are capped have no definition`);
    if (lengths) throw new GraphError(`${describe(node)}: rows of several lengths have no definition`);
    if (node.outputs[3])
      throw new GraphError(`${describe(node)}: the output of its scores has no definition`);
    const isFlat = shapeOf(q!, node).length === 3;
    const [query, ownKeys, ownValues] = [
      inHeads(q!, q_num_heads, node),
      inHeads(k!, kv_num_heads, node),
      inHeads(v!, kv_num_heads, node),
    ];
    const keys = pastKey ? pastKey.concat([ownKeys], 2) : ownKeys;
    const values = pastValue ? pastValue.concat([ownValues], 2) : ownValues;
    const shape = shapeOf(query, node);
    const heads = fixed(shape[1], "the number of heads", node);
    const size = fixed(shape[3], "the size of a head", node);
    const scores = query
      .matmul(repeated(keys, heads, node).transpose([0, 1, 3, 2]))
      .mul(scale ?? 1 / Math.sqrt(size));
    const masked = mask ? scores.add(asBias(mask, scores)) : scores;
    const open = is_causal === 1 ? masked.add(causal(query, keys, scores, node)) : masked;
    const mixed = open.op("Softmax", [], { axis: -1 }).matmul(repeated(values, heads, node));
    const result = isFlat ? mixed.transpose([0, 2, 1, 3]).reshape([0, 0, -1]) : mixed;
    return [result, node.outputs[1] ? keys : undefined, node.outputs[2] ? values : undefined];
  },
};

/** Query i may look at keys up to i (and all that are past). */
function causal(query: Value, keys: Value, like: Value, node: Node): Value {
  const rows = fixed(shapeOf(query, node)[2], "the number of queries", node);
  const columns = fixed(shapeOf(keys, node)[2], "the number of keys", node);
  const type = elementType(like, node);
  const past = columns - rows;
  const bias = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_, j) => (j <= i + past ? 0 : Number.NEGATIVE_INFINITY)),
  );
  return like.builder.weight(tensor(bias, { type }));
}
