// Sums over windows of positions, for streams of pairs of examples: one axis after the other.

import { stridesOf } from "../../graph/elements/positions.ts";
import type { WindowAxis } from "../../graph/elements/windows.ts";
import { windows } from "../../graph/elements/windows.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { Context } from "./context.ts";

/** For each stream of the output the streams of the input that it sums, and the factor. */
export interface Plan {
  readonly sources: readonly Int32Array[];
  readonly factors: Float64Array;
}

interface AxisMember {
  readonly positions: readonly number[];
  readonly taps: readonly number[];
  readonly factor: number;
}

/** Which positions one place of the output reads along an axis: all with the factor 1, or as a mean. */
function alongAxis(axis: WindowAxis, mean: "padded" | "inside" | undefined): readonly AxisMember[] {
  return windows([axis]).map(({ positions, taps, paddedCount }) => ({
    positions,
    taps,
    factor: mean === undefined ? 1 : 1 / (mean === "padded" ? paddedCount : Math.max(1, positions.length)),
  }));
}

/** out = factor * sum of streams, each `length` long. */
function gather(
  input: Float64Array,
  { sources, factors }: Plan,
  length: number,
  { array }: Pick<Context, "array">,
): Float64Array {
  const output = array(sources.length * length);
  sources.forEach((streams, o) => {
    const to = o * length;
    let s = first(input, streams, output, to, length);
    for (; s + 3 <= streams.length; s += 3) {
      const [x, y, z] = [streams[s]! * length, streams[s + 1]! * length, streams[s + 2]! * length];
      for (let b = 0; b < length; b++) output[to + b]! += input[x + b]! + input[y + b]! + input[z + b]!;
    }
    for (; s < streams.length; s++) {
      const x = streams[s]! * length;
      for (let b = 0; b < length; b++) output[to + b]! += input[x + b]!;
    }
    const factor = factors[o]!;
    if (factor !== 1) for (let b = 0; b < length; b++) output[to + b]! *= factor;
  });
  return output;
}

/** Writes the sum of the first streams, as many as there are up to three, and says how many those were. */
function first(
  input: Float64Array,
  streams: Int32Array,
  output: Float64Array,
  to: number,
  length: number,
): number {
  const count = Math.min(3, streams.length);
  const [x, y, z] = [streams[0]! * length, streams[1]! * length, streams[2]! * length];
  if (count === 3)
    for (let b = 0; b < length; b++) output[to + b] = input[x + b]! + input[y + b]! + input[z + b]!;
  else if (count === 2) for (let b = 0; b < length; b++) output[to + b] = input[x + b]! + input[y + b]!;
  else if (count === 1) for (let b = 0; b < length; b++) output[to + b] = input[x + b]!;
  else output.fill(0, to, to + length);
  return count;
}

/** A plan for axis k of positions with these sides; `sources` of a place are those of its coordinate along the axis. */
function axisPlan(
  sides: readonly number[],
  k: number,
  members: readonly { readonly sources: readonly number[]; readonly factor: number }[],
): Plan {
  const [before, after] = [elementCount(sides.slice(0, k)), elementCount(sides.slice(k + 1))];
  const sources: Int32Array[] = [];
  const factors: number[] = [];
  for (let outer = 0; outer < before; outer++)
    for (const member of members)
      for (let inner = 0; inner < after; inner++) {
        sources.push(Int32Array.from(member.sources, (at) => (outer * sides[k]! + at) * after + inner));
        factors.push(member.factor);
      }
  return { sources, factors: Float64Array.from(factors) };
}

/**
 * sum over taps of field[p + tap, q + tap]: what a convolution with independent weights makes of a covariance. With all
 * pairs the two axes of a direction move together.
 */
export function tapPlans(axes: readonly WindowAxis[], all: boolean): readonly Plan[] {
  const sides = axes.map((a) => a.size);
  return axes.map((axis, k) => {
    const along = alongAxis(axis, undefined);
    const members = along.map(({ positions }) => ({ sources: positions, factor: 1 }));
    const plan = all ? pairedPlan(sides, k, along) : axisPlan(sides, k, members);
    sides[k] = axis.output;
    return plan;
  });
}

/** Streams of [.., y, .., y', ..] that have a tap in common. */
function pairedPlan(sides: readonly number[], k: number, along: readonly AxisMember[]): Plan {
  const dims = [...sides, ...sides];
  const strides = stridesOf(dims);
  const outputs = dims.with(k, along.length).with(k + sides.length, along.length);
  const outputStrides = stridesOf(outputs);
  const [left, right] = [strides[k]!, strides[k + sides.length]!];
  const count = elementCount(outputs);
  const sources: Int32Array[] = [];
  for (let o = 0; o < count; o++) {
    let base = 0;
    let [y, z] = [0, 0];
    outputs.forEach((side, d) => {
      const at = Math.floor(o / outputStrides[d]!) % side;
      if (d === k) y = at;
      else if (d === k + sides.length) z = at;
      else base += at * strides[d]!;
    });
    const [p, q] = [along[y]!, along[z]!];
    const found: number[] = [];
    p.taps.forEach((tap, n) => {
      const m = q.taps.indexOf(tap);
      if (m >= 0) found.push(base + p.positions[n]! * left + q.positions[m]! * right);
    });
    sources.push(Int32Array.from(found));
  }
  return { sources, factors: new Float64Array(count).fill(1) };
}

/** The mean over windows on the left and on the right: all pairs in, all pairs out. */
export function meanPlans(axes: readonly WindowAxis[], mean: "padded" | "inside"): readonly Plan[] {
  const dims = [...axes, ...axes].map((a) => a.size);
  return [...axes, ...axes].map((axis, k) => {
    const members = alongAxis(axis, mean).map(({ positions, factor }) => ({ sources: positions, factor }));
    const plan = axisPlan(dims, k, members);
    dims[k] = axis.output;
    return plan;
  });
}

/** Zeros around positions with these sides, `pads` of them before and after each axis; pads below 0 take positions away. */
export function zerosAround(
  sides: readonly number[],
  pads: readonly (readonly [number, number])[],
  all: boolean,
): readonly Plan[] {
  const dims = all ? [...sides, ...sides] : [...sides];
  return dims.map((side, k) => {
    const [before, after] = pads[k % sides.length]!;
    const members = Array.from({ length: before + side + after }, (_, at) => ({
      sources: at >= before && at < before + side ? [at - before] : [],
      factor: 1,
    }));
    const plan = axisPlan(dims, k, members);
    dims[k] = members.length;
    return plan;
  });
}

/** One axis after the other. */
export const throughWindows = (
  entries: Float64Array,
  plans: readonly Plan[],
  length: number,
  context: Pick<Context, "array">,
): Float64Array => plans.reduce((current, plan) => gather(current, plan, length, context), entries);

/** The mean over all pairs of positions (`all`), or over all positions: one stream. */
export function meanOfStreams(
  entries: Float64Array,
  streams: number,
  length: number,
  context: Pick<Context, "array">,
): Float64Array {
  const sources = [Int32Array.from({ length: streams }, (_, s) => s)];
  return gather(entries, { sources, factors: Float64Array.of(1 / streams) }, length, context);
}
