// What depends on the order of elements along an axis: places of the greatest, the greatest k, running sums.

import { stridesOf } from "../../graph/elements/positions.ts";
import { elementCount } from "../../graph/tensor.ts";
import { greatest, least } from "../../numbers/extremes.ts";
import { emptyIntervals, type IntervalArray } from "../../numbers/interval/index.ts";
import { addDown, addUp } from "../../numbers/rounding.ts";
import type { Rules } from "../pass.ts";
import { axisOf, constants, firstDims, type IntervalTensor, outputDims } from "./tensor.ts";

/** The lines of a tensor along one axis: where each starts, how far apart its elements are, and how many. */
interface Lines {
  readonly starts: readonly number[];
  readonly step: number;
  readonly size: number;
}

export function linesAlong({ dims }: IntervalTensor, axis: number): Lines {
  const [step, size] = [stridesOf(dims)[axis]!, dims[axis]!];
  const outer = elementCount(dims.slice(0, axis));
  const starts = Array.from(
    { length: outer * step },
    (_, k) => Math.floor(k / step) * step * size + (k % step),
  );
  return { starts, step, size };
}

/** The first and the last place at which the greatest element of a line may stand. */
function placesOfGreatest(
  { lower, upper }: IntervalArray,
  start: number,
  { step, size }: Lines,
): readonly [number, number] {
  let greatestLower = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < size; k++) greatestLower = Math.max(greatestLower, lower[start + k * step]!);
  const may = (k: number): boolean => upper[start + k * step]! >= greatestLower;
  let [first, last] = [0, size - 1];
  while (first < last && !may(first)) first++;
  while (last > first && !may(last)) last--;
  return [first, last];
}

/** Where all candidates are single numbers, ties go to the first or the last. */
function isDecided(x: IntervalArray, start: number, { step, size }: Lines): boolean {
  for (let k = 0; k < size; k++) if (x.lower[start + k * step] !== x.upper[start + k * step]) return false;
  return true;
}

const negated = (x: IntervalTensor): IntervalTensor => ({
  ...x,
  lower: x.upper.map((u) => -u),
  upper: x.lower.map((l) => -l),
});

function argument(
  x: IntervalTensor,
  axis: number,
  dims: readonly number[],
  selectLast: boolean,
): IntervalTensor {
  const lines = linesAlong(x, axisOf(axis, x));
  const result = emptyIntervals(lines.starts.length);
  lines.starts.forEach((start, k) => {
    const [first, last] = placesOfGreatest(x, start, lines);
    const decided = isDecided(x, start, lines);
    result.lower[k] = decided && selectLast ? last : first;
    result.upper[k] = decided && !selectLast ? first : last;
  });
  return { type: "int64", dims, ...result };
}

/** The k-th greatest element increases in each element: its ends are those of the lower and of the upper ends. */
function greatestOf(
  x: IntervalTensor,
  k: number,
  axis: number,
  dims: readonly number[],
): readonly IntervalTensor[] {
  const lines = linesAlong(x, axis);
  const [values, places] = [emptyIntervals(elementCount(dims)), emptyIntervals(elementCount(dims))];
  const target = linesAlong({ ...x, dims }, axis);
  lines.starts.forEach((start, n) => {
    const along = (end: Float64Array) =>
      Array.from({ length: lines.size }, (_, i) => end[start + i * lines.step]!);
    const [lower, upper] = [along(x.lower), along(x.upper)];
    const byLower = lower.map((_, i) => i).sort((i, j) => lower[j]! - lower[i]! || i - j);
    const sortedUpper = [...upper].sort((a, b) => b - a);
    const decided = lower.every((value, i) => value === upper[i]);
    for (let i = 0; i < k; i++) {
      const at = target.starts[n]! + i * target.step;
      values.lower[at] = lower[byLower[i]!]!;
      values.upper[at] = sortedUpper[i]!;
      places.lower[at] = decided ? byLower[i]! : 0;
      places.upper[at] = decided ? byLower[i]! : lines.size - 1;
    }
  });
  return [
    { type: x.type, dims, ...values },
    { type: "int64", dims, ...places },
  ];
}

/** Each number of a line may stand at any of its places. */
function inAnyOrder(x: IntervalTensor, axis: number): IntervalTensor {
  const { starts, step, size } = linesAlong(x, axis);
  const [lower, upper] = [Float64Array.from(x.lower), Float64Array.from(x.upper)];
  for (const start of starts) {
    const line = Array.from({ length: size }, (_, i) => start + i * step);
    const [low, high] = [least(line.map((at) => x.lower[at]!)), greatest(line.map((at) => x.upper[at]!))];
    for (const at of line) [lower[at], upper[at]] = [low, high];
  }
  return { ...x, lower, upper };
}

export const ordered: Rules<IntervalTensor> = {
  ArgMax: ([x], { axis, select_last_index }, node) =>
    argument(x!, axis, firstDims(node, [x]), select_last_index !== 0),
  ArgMin: ([x], { axis, select_last_index }, node) =>
    argument(negated(x!), axis, firstDims(node, [x]), select_last_index !== 0),
  TopK: ([x, k], { axis, largest, sorted }, node) => {
    const dims = outputDims(node, [x, k])[0]!;
    const count = constants(k!, "its number k")[0]!;
    const along = axisOf(axis, x!);
    const found = greatestOf(largest ? x! : negated(x!), count, along, dims);
    const [values, places] = sorted ? found : found.map((y) => inAnyOrder(y, along));
    return [largest ? values! : negated(values!), places!];
  },
  /** Sums of the elements up to each one along an axis: without itself if exclusive, from the end if reverse. */
  CumSum: ([x, axis], { exclusive, reverse }) => {
    const lines = linesAlong(x!, axisOf(constants(axis!, "its axis")[0]!, x!));
    const result = emptyIntervals(x!.lower.length);
    for (const start of lines.starts) {
      let [lower, upper] = [0, 0];
      for (let k = 0; k < lines.size; k++) {
        const at = start + (reverse ? lines.size - 1 - k : k) * lines.step;
        if (exclusive) [result.lower[at], result.upper[at]] = [lower, upper];
        lower = addDown(lower, x!.lower[at]!);
        upper = addUp(upper, x!.upper[at]!);
        if (!exclusive) [result.lower[at], result.upper[at]] = [lower, upper];
      }
    }
    return { type: x!.type, dims: x!.dims, ...result };
  },
};
