// Attention, and what goes with it (opset 23 and 24).
import type { Dim, Shape } from "../graph.ts";
import { broadcast, differ, formatShape, normalizeAxis, sameAsFirst } from "./dims.ts";
import { operator } from "./operator.ts";
import { flag, float, type Inferred, int, type ShapeContext, string } from "./spec.ts";

const dividedBy = (size: Dim, count: number | undefined, { fail }: ShapeContext, what: string): Dim => {
  if (typeof size !== "number" || !count) return undefined;
  return size % count === 0 ? size / count : fail(`${what} ${size} is not a multiple of its ${count} heads`);
};

/** [batch, heads, length, size] of a query, key or value, which may be [batch, length, heads size]. */
function inHeads(
  x: Inferred | undefined,
  heads: number | undefined,
  context: ShapeContext,
  what: string,
): Shape {
  const shape = x?.shape;
  if (!shape) return [undefined, undefined, undefined, undefined];
  if (shape.length === 4) return shape;
  if (shape.length !== 3) context.fail(`${what} must have 3 or 4 axes, not ${formatShape(shape)}`);
  if (!heads) context.fail(`with an input of 3 axes it needs q_num_heads and kv_num_heads`);
  return [shape[0], heads, shape[1], dividedBy(shape[2], heads, context, `the size of ${what}`)];
}

const known = (a: Dim, b: Dim): Dim => (typeof a === "number" && typeof b === "number" ? a + b : undefined);

export const attention = {
  /** x / sqrt(mean x^2 + epsilon) scale, over the axes from `axis` on. */
  RMSNormalization: operator({
    inputs: [2, 2],
    attributes: { axis: int(-1), epsilon: float(1e-5), stash_type: int(1) },
    shape: ([x, scale], { axis }, context) => {
      if (x?.shape) {
        normalizeAxis(axis, x.shape.length, context);
        broadcast([x.shape, scale?.shape], context);
      }
      return x && { type: scale?.type ?? x.type, shape: x.shape };
    },
  }),
  /** Pairs of entries turned by angles whose cosines and sines are given, by position. */
  RotaryEmbedding: operator({
    inputs: [3, 4],
    attributes: { interleaved: flag(0), num_heads: int(0), rotary_embedding_dim: int(0) },
    shape: sameAsFirst,
  }),
  /** A cache with an update written in from an index on, which starts anew behind the end when it is circular. */
  TensorScatter: operator({
    inputs: [2, 3],
    attributes: { axis: int(-2), mode: string("linear") },
    shape: ([past, update], { axis, mode }, context) => {
      if (mode !== "linear" && mode !== "circular") context.fail(`its mode "${mode}" is not known`);
      if (past?.shape && update?.shape && past.shape.length !== update.shape.length)
        context.fail(
          `its update ${formatShape(update.shape)} has not the rank of ${formatShape(past.shape)}`,
        );
      if (past?.shape && normalizeAxis(axis, past.shape.length, context) === 0)
        context.fail("its axis must not be the first one, which counts examples");
      return past;
    },
  }),
  /** softmax(scale Q K^T + mask) V, head by head. */
  Attention: operator({
    inputs: [3, 7],
    outputs: [1, 4],
    attributes: {
      is_causal: flag(0),
      kv_num_heads: int(),
      q_num_heads: int(),
      qk_matmul_output_mode: int(0),
      scale: float(),
      softcap: float(0),
      softmax_precision: int(),
    },
    shape: ([q, k, v, , pastKey], { q_num_heads, kv_num_heads }, context) => {
      const [batch, heads, length, size] = inHeads(q, q_num_heads, context, "its query");
      const [, kvHeads, own, keySize] = inHeads(k, kv_num_heads, context, "its key");
      const [, , ownValues, valueSize] = inHeads(v, kv_num_heads, context, "its value");
      if (differ(size, keySize)) context.fail(`its query has size ${size} a head, its key ${keySize}`);
      if (differ(own, ownValues)) context.fail(`it has ${own} keys and ${ownValues} values`);
      const past = context.node.inputs[4] ? pastKey?.shape?.[2] : 0;
      const total = known(past, own);
      const type = q?.type ?? "undefined";
      const isFlat = q?.shape?.length === 3;
      const output: Shape | undefined = !q?.shape
        ? undefined
        : isFlat
          ? [
              batch,
              length,
              typeof heads === "number" && typeof valueSize === "number" ? heads * valueSize : undefined,
            ]
          : [batch, heads, length, valueSize];
      return [
        { type, shape: output },
        { type: k?.type ?? type, shape: [batch, kvHeads, total, keySize] },
        { type: v?.type ?? type, shape: [batch, kvHeads, total, valueSize] },
        { type, shape: [batch, heads, length, total] },
      ];
    },
  }),
};
