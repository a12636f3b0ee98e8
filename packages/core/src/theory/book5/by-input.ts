// What figures of this chapter share: numbers of each input side by side, and curves over a grid.
import type { Axis, Series } from "../../figure/figure.ts";

/** x₁, x₂, ... along an axis. */
export const inputAxis = (count: number): Axis => ({
  label: "input",
  names: Array.from({ length: count }, (_, j) => `x${subscript(j + 1)}`),
});

export const subscript = (n: number): string =>
  [...String(n)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]).join("");

/** One number for each input of an axis with names. */
export const byInput = (
  name: string,
  values: ArrayLike<number>,
  style: Partial<Pick<Series, "mark" | "role">> = {},
): Series => ({
  ...{ name, mark: "dots", ...style },
  points: Array.from(values, (v, j) => [j, v] as const),
});

/** A function at the points of a grid. */
export const curve = (
  name: string,
  grid: readonly number[],
  of: (x: number) => number,
  style: Partial<Pick<Series, "mark" | "role">> = {},
): Series => ({
  ...{ name, mark: "line", ...style },
  points: grid.map((x) => [x, of(x)] as const),
});

/** Numbers from one end to the other, both included. */
export const between = (from: number, to: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, k) => from + ((to - from) * k) / (count - 1));

/** The same on a logarithmic axis. */
export const betweenLog = (from: number, to: number, count: number): readonly number[] =>
  between(Math.log(from), Math.log(to), count).map(Math.exp);
