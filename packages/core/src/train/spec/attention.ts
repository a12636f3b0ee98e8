// Self-attention and layer normalization, in operators that have gradients in both element types.

import type { Value } from "../../graph/value.ts";
import { TrainError } from "../error.ts";

/** The linear maps of an attention layer, each of the last axis. */
export interface AttentionMaps {
  readonly query: (x: Value) => Value;
  readonly key: (x: Value) => Value;
  readonly value: (x: Value) => Value;
  /** Mixes what the heads found. */
  readonly output: (x: Value) => Value;
}

/**
 * softmax(Q K^T / sqrt(d_k)), a row a token that sums to 1: [N, heads, T, T] from queries and keys [N, T, features].
 */
export function attentionWeights(query: Value, key: Value, heads: number): Value {
  const [Q, K] = [splitHeads(query, heads), splitHeads(key, heads)];
  const size = Q.type.shape!.at(-1) as number;
  return Q.matmul(K.transpose([0, 1, 3, 2]))
    .mul(1 / Math.sqrt(size))
    .op("Softmax", [], { axis: -1 });
}

/**
 * Self-attention of x [N, T, features]: each head mixes the tokens' values by its weights; `output` mixes the heads.
 * @example graph({ x: float64("N", 3, 4) }, ({ x }) => ({ y: attend(x, { query: (v) => v, key: (v) => v, value: (v) => v, output: (v) => v }, 2) }))
 */
export function attend(x: Value, { query, key, value, output }: AttentionMaps, heads: number): Value {
  const weights = attentionWeights(query(x), key(x), heads);
  const values = value(x);
  const [, tokens, features] = shapeOf(values);
  const mixed = weights.matmul(splitHeads(values, heads));
  return output(mixed.transpose([0, 2, 1, 3]).reshape([-1, tokens, features]));
}

/** [N, T, features] as [N, heads, T, features / heads]. */
function splitHeads(x: Value, heads: number): Value {
  const [, tokens, features] = shapeOf(x);
  if (features % heads !== 0) throw new TrainError(`${heads} heads must divide ${features} features`);
  return x.reshape([-1, tokens, heads, features / heads]).transpose([0, 2, 1, 3]);
}

function shapeOf({ type: { shape } }: Value): readonly [unknown, number, number] {
  if (shape?.length === 3 && typeof shape[1] === "number" && typeof shape[2] === "number")
    return [shape[0], shape[1], shape[2]];
  throw new TrainError(`attention reads [N, tokens, features], not [${shape?.join(", ") ?? "?"}]`);
}

/** (x - mean) / sqrt(variance + 1e-5) over the last axis, times a scale, plus a shift. */
export const layerNorm = (x: Value, scale: Value, shift?: Value): Value =>
  x.op("LayerNormalization", [scale, ...(shift ? [shift] : [])], { axis: -1, epsilon: 1e-5 });
