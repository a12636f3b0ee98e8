// A model with a box around its inputs, points in it, and what the runtime computes there.

import { checkEndless } from "../../src/engine/endless.ts";
import { isFloat, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import type { IntervalTensor } from "../../src/passes/interval.ts";
import { runGraph } from "../graph/operators-runtime.ts";
import { oneOf } from "./edge-values.ts";
import type { Model } from "./model.ts";

export interface Trial {
  readonly model: Model;
  readonly random: Random;
  readonly box: ReadonlyMap<string, IntervalTensor>;
  readonly points: readonly ReadonlyMap<string, Tensor>[];
  /** By point and name. */
  readonly outputs: readonly ReadonlyMap<string, Tensor>[];
  /** Where the outputs can lie, by point; filled in by the check of intervals. */
  readonly enclosures: (ReadonlyMap<string, IntervalTensor> | undefined)[];
}

const radii = [0, 2 ** -10, 0.25, 1, 3];
const isReal = (type: Tensor["type"]): boolean => isFloat(type);

function boxAround(t: Tensor, radius: number): IntervalTensor {
  const values = Float64Array.from(numbers(t));
  const { type, dims } = t;
  if (!isReal(type) || radius === 0) return { type, dims, lower: values, upper: values };
  const low = tensor(
    values.map((v) => v - radius),
    { type: type as "float32", dims },
  );
  const high = tensor(
    values.map((v) => v + radius),
    { type: type as "float32", dims },
  );
  return { type, dims, lower: Float64Array.from(numbers(low)), upper: Float64Array.from(numbers(high)) };
}

/** A point of the box: of corners, of its own numbers, or of any between. */
function pointIn({ type, dims, lower, upper }: IntervalTensor, random: Random): Tensor {
  const kind = random.integer(0, 2);
  const between = (l: number, u: number): number => {
    const s = kind === 0 ? random.integer(0, 1) : random.uniform();
    const v = s * u + (1 - s) * l;
    const held = type === "float32" ? Math.fround(v) : v;
    return Math.min(u, Math.max(l, held));
  };
  const values = Float64Array.from(lower, (l, k) => between(l, upper[k]!));
  const t = tensor(values, { type: type as "float64", dims });
  // Rounded to a half, a number may leave the box.
  const inside = numbers(t).every((v, k) => lower[k]! <= v && v <= upper[k]!);
  return inside ? t : tensor(lower, { type: type as "float64", dims });
}

const isNumeric = /^(u?int(8|16|32|64)|bool|b?float16|float32|float64)$/;

/** Runs the model at its feeds and at points around them; undefined where the runtime refuses it. */
export async function tryModel(model: Model, seed: string, count = 3): Promise<Trial | undefined> {
  const random = createRandom(seed);
  if (![...model.feeds.values()].every((t) => isNumeric.test(t.type))) return undefined;
  const radius = oneOf(random, radii);
  const box = new Map([...model.feeds].map(([name, t]) => [name, boxAround(t, radius)] as const));
  const points: ReadonlyMap<string, Tensor>[] = [model.feeds];
  for (let k = 1; k < count && box.size > 0; k++)
    points.push(new Map([...box].map(([name, b]) => [name, pointIn(b, random)] as const)));
  const outputs: ReadonlyMap<string, Tensor>[] = [];
  try {
    checkEndless(model.graph);
    for (const feeds of points) outputs.push(await runGraph(model.graph, feeds));
  } catch {
    return undefined;
  }
  return { model, random, box, points, outputs, enclosures: [] };
}
