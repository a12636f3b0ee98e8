// The error over the box, on a grid: for pictures of formulas in one or two variables.
import { run } from "../engine/run.ts";
import { evaluateFormula } from "../formula/evaluate.ts";
import { parseFormula } from "../formula/formula.ts";
import { numbers } from "../graph/tensor.ts";
import type { BoxSide, Compiled } from "./compile.ts";
import { batchFor, rows } from "./sample.ts";

export interface ErrorMap {
  /** One array of coordinates for each variable that is not fixed. */
  readonly axes: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** network - formula at each point of the grid; the last axis is the fastest. */
  readonly errors: readonly number[];
}

const grid = (side: BoxSide, count: number): readonly number[] =>
  Array.from({ length: count }, (_, k) => side.lower + ((side.upper - side.lower) * k) / (count - 1));

/** Points along the edge of a box of one variable, so many that every knot's errors are seen; and of two. */
const along = [24_001, 61] as const;

/** network - formula on a grid of the box; undefined unless one or two variables are free. */
export async function errorMap({ graph, certificate, sizes }: Compiled): Promise<ErrorMap | undefined> {
  const { box, formula, dtype } = certificate;
  const free = box.filter((side) => side.upper > side.lower);
  if (free.length === 0 || free.length > 2) return undefined;
  const axes = free.map((side) => ({ name: side.name, values: grid(side, along[free.length - 1]!) }));
  const [first, second] = axes;
  const points = second
    ? first!.values.flatMap((u) => second.values.map((v) => [u, v]))
    : first!.values.map((u) => [u]);
  const round = dtype === "f32" ? Math.fround : (x: number): number => x;
  const columns = box.map((side) => {
    const axis = axes.findIndex((a) => a.name === side.name);
    return Float64Array.from(points, (point) => round(axis < 0 ? side.lower : point[axis]!));
  });
  const exact = evaluateFormula(
    parseFormula(formula),
    new Map(box.map((side, k) => [side.name, columns[k]!])),
  );
  const errors: number[] = [];
  const batch = batchFor(sizes.hiddenUnits ?? 0, box.length);
  for (let start = 0; start < points.length; start += batch) {
    const parts = columns.map((column) => column.subarray(start, start + batch));
    const { y } = await run(graph, { x: rows(parts, parts[0]!.length, dtype) });
    for (const [i, value] of numbers(y!).entries()) errors.push(value - exact[start + i]!);
  }
  return { axes, errors };
}
