// Attention, rotary positions and normalization by the root of the mean square, in simpler operators.
import { GraphError } from "../error.ts";
import { type Dim, describe, type Node } from "../graph.ts";
import { numbersOf } from "../operators/constant.ts";
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
  TensorScatter: (inputs, attributes, node) => scattered(inputs, attributes, node),
  Attention: ([q, k, v, mask, pastKey, pastValue, lengths], attributes, node) => {
    const { is_causal, q_num_heads, kv_num_heads, qk_matmul_output_mode, softcap, scale } = attributes;
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
    const capped = softcap === 0 ? scores : scores.div(softcap).tanh().mul(softcap);
    const total = fixed(shapeOf(keys, node)[2], "the number of keys", node);
    const masked = mask ? capped.add(asBias(upTo(mask, total, node), capped)) : capped;
    const allowed = allowedKeys({ query, total, past: pastKey, lengths, isCausal: is_causal === 1 }, node);
    const open = allowed ? where(allowed, masked, Number.NEGATIVE_INFINITY, masked) : masked;
    const shares = softmaxOfOpen(open, allowed, mask, Boolean(lengths));
    const mixed = shares.matmul(repeated(values, heads, node));
    const result = isFlat ? mixed.transpose([0, 2, 1, 3]).reshape([0, 0, -1]) : mixed;
    const shown = [scores, capped, open, shares][qk_matmul_output_mode];
    if (node.outputs[3] && !shown)
      throw new GraphError(
        `${describe(node)}: qk_matmul_output_mode ${qk_matmul_output_mode} is none of 0 to 3`,
      );
    return [
      result,
      node.outputs[1] ? keys : undefined,
      node.outputs[2] ? values : undefined,
      node.outputs[3] ? shown : undefined,
    ];
  },
};

/** A mask for fewer keys than there are allows none of the others. */
function upTo(mask: Value, total: number, node: Node): Value {
  const shape = shapeOf(mask, node);
  const own = shape.at(-1);
  if (typeof own !== "number" || own === total || own === 1) return mask;
  const rest = [...shape.slice(0, -1), total - own].map((d) => fixed(d, "the size of its mask", node));
  const closed = mask.type.type === "bool" ? 0 : Number.NEGATIVE_INFINITY;
  const type = elementType(mask, node);
  const count = rest.reduce((n, d) => n * d, 1);
  const padding = mask.builder.weight(tensor(new Array(count).fill(closed), { type, dims: rest }));
  return mask.concat([padding], shape.length - 1);
}

interface Attended {
  readonly query: Value;
  readonly total: number;
  readonly past: Value | undefined;
  readonly lengths: Value | undefined;
  readonly isCausal: boolean;
}

/** The keys that a query may look at: up to its own place, and those that are no padding. */
function allowedKeys({ query, total, past, lengths, isCausal }: Attended, node: Node): Value | undefined {
  if (!isCausal && !lengths) return undefined;
  const rows = fixed(shapeOf(query, node)[2], "the number of queries", node);
  const { builder } = query;
  const place = builder.weight(
    tensor(
      Array.from({ length: total }, (_, j) => j),
      { type: "int64", dims: [1, 1, 1, total] },
    ),
  );
  const counts = lengths?.cast("int64").reshape([-1, 1, 1, 1]);
  const isReal = counts && place.op("Less", [counts]);
  if (!isCausal) return isReal;
  const own = builder.weight(
    tensor(
      Array.from({ length: rows }, (_, i) => i),
      { type: "int64", dims: [1, 1, rows, 1] },
    ),
  );
  const before = past ? fixed(shapeOf(past, node)[2], "the number of past keys", node) : 0;
  const last = counts ? own.add(counts).sub(integer(rows)) : own.add(integer(before));
  const isBefore = place.op("LessOrEqual", [last]);
  return isReal ? isReal.op("And", [isBefore]) : isBefore;
}

const integer = (value: number) => tensor([value], { type: "int64", dims: [] });

/** Does a mask that is known leave every query a key? */
function opensEachRow(mask: Value): boolean {
  const [known, size] = [numbersOf(mask.type), mask.type.shape?.at(-1)];
  if (!known || typeof size !== "number") return false;
  const rows = Array.from({ length: known.length / size }, (_, k) => known.slice(k * size, (k + 1) * size));
  return rows.every((row) => row.some((open) => open !== 0));
}

/** Shares of the keys that are open; a row without any has none. */
function softmaxOfOpen(
  open: Value,
  allowed: Value | undefined,
  mask: Value | undefined,
  canBeEmpty: boolean,
): Value {
  const shares = open.op("Softmax", [], { axis: -1 });
  const isTruth = mask?.type.type === "bool" && !(opensEachRow(mask) && !allowed);
  if (!canBeEmpty && !isTruth) return shares;
  const both = isTruth && allowed ? allowed.op("And", [mask]) : (allowed ?? mask!);
  const some = both.cast("int32").op("ReduceMax", [integers([-1])], { keepdims: 1 });
  return where(some.op("Equal", [tensor([1], { type: "int32", dims: [] })]), shares, 0, shares);
}

/** The places of a cache from the write index on hold the update. */
function scattered(
  [past, update, start]: readonly (Value | undefined)[],
  { axis, mode }: AttributesOf<"TensorScatter">,
  node: Node,
): Value {
  const shape = shapeOf(past!, node);
  const along = axis < 0 ? axis + shape.length : axis;
  const total = fixed(shape[along], "the length of its cache", node);
  const own = fixed(shapeOf(update!, node)[along], "the length of its update", node);
  const sides = shape.map((_, k) => (k === along ? total : 1));
  const { builder } = past!;
  const places = builder.weight(
    tensor(
      Array.from({ length: total }, (_, k) => k),
      { type: "int64", dims: sides },
    ),
  );
  const first = start?.cast("int64").reshape(shape.map((_, k) => (k === 0 ? -1 : 1)));
  const behind = first ? places.sub(first) : places;
  const from = mode === "circular" ? behind.op("Mod", [integer(total)]) : behind;
  const isNew = from.op("GreaterOrEqual", [integer(0)]).op("And", [from.op("Less", [integer(own)])]);
  const inside = from.op("Max", [integer(0)]).op("Min", [integer(own - 1)]);
  const moved = update!.op("GatherElements", [inside.op("Expand", [past!.op("Shape")])], { axis: along });
  return isNew.op("Where", [moved, past!]);
}
