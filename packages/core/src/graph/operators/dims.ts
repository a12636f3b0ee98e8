// Arithmetic on shapes whose dimensions are known, named or unknown. It fails only on a sure contradiction.
import type { Dim, Shape } from "../graph.ts";
import type { Inferred, ShapeContext } from "./spec.ts";

type Fails = Pick<ShapeContext, "fail">;

/** A shape as an error message shows it: `[N,3,?]`. */
export const formatShape = (shape: Shape | undefined): string =>
  shape ? `[${shape.map((d) => d ?? "?").join(",")}]` : "of unknown rank";

/** An axis counted from the front; -1 is the last of `rank` axes. */
export function normalizeAxis(axis: number, rank: number, { fail }: Fails, what = "axis"): number {
  if (axis < -rank || axis >= rank) fail(`${what} ${axis} is outside ${-rank}..${rank - 1}`);
  return axis < 0 ? axis + rank : axis;
}

/** Axes counted from the front, each once. */
export function normalizeAxes(axes: readonly number[], rank: number, context: Fails): readonly number[] {
  const normal = axes.map((axis) => normalizeAxis(axis, rank, context));
  if (new Set(normal).size < normal.length) context.fail(`an axis is repeated in [${axes}]`);
  return normal;
}

/** Two dimensions that a broadcast aligns; null when they cannot be. */
function broadcastDim(a: Dim, b: Dim): Dim | null {
  if (a === b || b === 1) return a;
  if (a === 1) return b;
  if (typeof a === "number" && typeof b === "number") return null;
  return typeof a === "number" ? a : typeof b === "number" ? b : undefined;
}

/** The common shape of several, aligned at the right as NumPy does; unknown if one of them is. */
export function broadcast(shapes: readonly (Shape | undefined)[], { fail }: Fails): Shape | undefined {
  let result: Shape = [];
  for (const shape of shapes) {
    if (!shape) return undefined;
    const rank = Math.max(result.length, shape.length);
    const before: Shape = result;
    result = Array.from({ length: rank }, (_, k) => {
      const dim = broadcastDim(alignRight(before, rank, k), alignRight(shape, rank, k));
      return dim === null ? fail(`cannot broadcast ${formatShape(before)} with ${formatShape(shape)}`) : dim;
    });
  }
  return result;
}

const alignRight = (shape: Shape, rank: number, k: number): Dim =>
  k < rank - shape.length ? 1 : shape[k - rank + shape.length];

/** Do two dimensions surely differ? */
export const differ = (a: Dim, b: Dim): boolean => typeof a === "number" && typeof b === "number" && a !== b;

/** What two descriptions of one dimension tell together: a number before a name before nothing. */
export const sameDim = (a: Dim, b: Dim): Dim =>
  typeof a === "number" ? a : typeof b === "number" ? b : (a ?? b);

/** What two descriptions tell of one dimension; it is an error if they surely differ. */
export const agree = (a: Dim, b: Dim, { fail }: Fails, reason: string): Dim =>
  differ(a, b) ? fail(reason) : sameDim(a, b);

/** What holds of either of two dimensions. */
export const commonDim = (a: Dim, b: Dim): Dim => (a === b ? a : undefined);

/** What holds of either of two shapes. */
export const commonShape = (a: Shape | undefined, b: Shape | undefined): Shape | undefined =>
  a && b && a.length === b.length ? a.map((dim, k) => commonDim(dim, b[k])) : undefined;

const safe = (n: number): Dim => (Number.isSafeInteger(n) ? n : undefined);

export function addDims(a: Dim, b: Dim): Dim {
  if (a === 0) return b;
  if (b === 0) return a;
  return typeof a === "number" && typeof b === "number" ? safe(a + b) : undefined;
}

export function multiplyDims(a: Dim, b: Dim): Dim {
  if (a === 0 || b === 0) return 0;
  if (a === 1) return b;
  if (b === 1) return a;
  return typeof a === "number" && typeof b === "number" ? safe(a * b) : undefined;
}

/** The number of elements of a shape, as far as it is known. */
export const productOf = (dims: Shape): Dim => dims.reduce(multiplyDims, 1);

/** a / b, which must come out even. */
export function divideDim(a: Dim, b: number, { fail }: Fails, what: string): Dim {
  if (typeof a !== "number") return b === 1 ? a : undefined;
  return a % b === 0 ? a / b : fail(`${what} ${a} is not a multiple of ${b}`);
}

/** All dimensions as numbers, or undefined when one is not. */
export const numericShape = (shape: Shape | undefined): readonly number[] | undefined =>
  shape?.every((d) => typeof d === "number") ? (shape as readonly number[]) : undefined;

export const unknownShape = (rank: number): Shape => new Array<Dim>(rank).fill(undefined);

/** A shape with some axes summed up: dropped, or kept as 1. */
export const reducedShape = (shape: Shape, axes: readonly number[], keep: boolean): Shape =>
  keep ? shape.map((d, k) => (axes.includes(k) ? 1 : d)) : shape.filter((_, k) => !axes.includes(k));

/** The rank, checked. */
export function expectRank(x: Inferred | undefined, rank: number, { fail }: Fails, what = "its input"): void {
  if (x?.shape && x.shape.length !== rank)
    fail(`${what} must have ${rank} axes, not ${formatShape(x.shape)}`);
}

/** Is optional input `k` of the node there? (What is known of it may be nothing all the same.) */
export const given = ({ node }: Pick<ShapeContext, "node">, k: number): boolean => Boolean(node.inputs[k]);

/** The same type with another shape. */
export const reshaped = (x: Inferred | undefined, shape: Shape | undefined): Inferred => ({
  type: x?.type ?? "undefined",
  shape,
});

/** A rule: the output looks like the first input. */
export const sameAsFirst = ([x]: readonly (Inferred | undefined)[]): Inferred | undefined =>
  x && { type: x.type, shape: x.shape };
