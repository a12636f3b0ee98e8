// Sums over windows of positions, for streams of pairs of examples: one axis after the other.

import { stridesOf } from "../../graph/elements/positions.ts";
import type { WindowAxis } from "../../graph/elements/windows.ts";
import { windows } from "../../graph/elements/windows.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { Context } from "./context.ts";

/** Stream o of the output is factors[o] times the sum of the streams of the input from sources[starts[o]] to sources[starts[o + 1] - 1]. */
export interface Plan {
  readonly starts: Int32Array;
  readonly sources: Int32Array;
  readonly factors: Float64Array;
}

/** A plan, stream by stream. */
function planner(): { add(sources: Iterable<number>, factor: number): void; plan(): Plan } {
  const [starts, sources, factors]: [number[], number[], number[]] = [[0], [], []];
  return {
    add(of, factor) {
      for (const source of of) sources.push(source);
      starts.push(sources.length);
      factors.push(factor);
    },
    plan: () => ({
      starts: Int32Array.from(starts),
      sources: Int32Array.from(sources),
      factors: Float64Array.from(factors),
    }),
  };
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
  { starts, sources, factors }: Plan,
  length: number,
  { array }: Pick<Context, "array">,
): Float64Array {
  const output = array(factors.length * length);
  for (let o = 0, to = 0; o < factors.length; o++, to += length) {
    const end = starts[o + 1]!;
    let s = first(input, sources, starts[o]!, end, output, to, length);
    for (; s + 3 <= end; s += 3) {
      const [x, y, z] = [sources[s]! * length, sources[s + 1]! * length, sources[s + 2]! * length];
      for (let b = 0; b < length; b++) output[to + b]! += input[x + b]! + input[y + b]! + input[z + b]!;
    }
    for (; s < end; s++) {
      const x = sources[s]! * length;
      for (let b = 0; b < length; b++) output[to + b]! += input[x + b]!;
    }
    const factor = factors[o]!;
    if (factor !== 1) for (let b = 0; b < length; b++) output[to + b]! *= factor;
  }
  return output;
}

/** Writes the sum of the first sources, as many as there are up to three, and says where the others begin. */
function first(
  input: Float64Array,
  sources: Int32Array,
  start: number,
  end: number,
  output: Float64Array,
  to: number,
  length: number,
): number {
  const count = Math.min(3, end - start);
  const [x, y, z] = [sources[start]! * length, sources[start + 1]! * length, sources[start + 2]! * length];
  if (count === 3)
    for (let b = 0; b < length; b++) output[to + b] = input[x + b]! + input[y + b]! + input[z + b]!;
  else if (count === 2) for (let b = 0; b < length; b++) output[to + b] = input[x + b]! + input[y + b]!;
  else if (count === 1) for (let b = 0; b < length; b++) output[to + b] = input[x + b]!;
  else output.fill(0, to, to + length);
  return start + count;
}

/** A plan for axis k of positions with these sides; `sources` of a place are those of its coordinate along the axis. */
function axisPlan(
  sides: readonly number[],
  k: number,
  members: readonly { readonly sources: readonly number[]; readonly factor: number }[],
): Plan {
  const [before, after] = [elementCount(sides.slice(0, k)), elementCount(sides.slice(k + 1))];
  const { add, plan } = planner();
  for (let outer = 0; outer < before; outer++)
    for (const member of members)
      for (let inner = 0; inner < after; inner++)
        add(
          member.sources.map((at) => (outer * sides[k]! + at) * after + inner),
          member.factor,
        );
  return plan();
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
  /** Of a pair of places along the axis, where their taps meet. */
  const meeting = along.map((p) =>
    along.map((q) =>
      p.taps.flatMap((tap, n) => {
        const m = q.taps.indexOf(tap);
        return m < 0 ? [] : [p.positions[n]! * left + q.positions[m]! * right];
      }),
    ),
  );
  const count = elementCount(outputs);
  const { add, plan } = planner();
  for (let o = 0; o < count; o++) {
    let base = 0;
    let [y, z] = [0, 0];
    for (let d = 0; d < outputs.length; d++) {
      const at = Math.floor(o / outputStrides[d]!) % outputs[d]!;
      if (d === k) y = at;
      else if (d === k + sides.length) z = at;
      else base += at * strides[d]!;
    }
    add(
      meeting[y]![z]!.map((at) => base + at),
      1,
    );
  }
  return plan();
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

/** One axis after the other; arrays between two axes are free again. */
export const throughWindows = (
  entries: Float64Array,
  plans: readonly Plan[],
  length: number,
  context: Pick<Context, "array" | "free">,
): Float64Array =>
  plans.reduce((current, plan) => {
    const next = gather(current, plan, length, context);
    if (current !== entries) context.free(current);
    return next;
  }, entries);

/** The mean over all pairs of positions (`all`), or over all positions: one stream. */
export function meanOfStreams(
  entries: Float64Array,
  streams: number,
  length: number,
  context: Pick<Context, "array">,
): Float64Array {
  const sources = Int32Array.from({ length: streams }, (_, s) => s);
  const starts = Int32Array.of(0, streams);
  return gather(entries, { starts, sources, factors: Float64Array.of(1 / streams) }, length, context);
}
