// Einstein summation as positions: which elements of the factors are multiplied for each output.
import { flatten, forEachCoordinate, stridesOf } from "../../graph/elements/positions.ts";
import { Unreadable } from "./unreadable.ts";

/** A term's axes as names: letters, and `.k` for the k-th axis from the right under "...". */
function axisNames(term: string, rank: number): readonly string[] {
  const [before = "", after] = term.split("...");
  if (after === undefined) return before.split("");
  const hidden = rank - before.length - after.length;
  return [
    ...before.split(""),
    ...Array.from({ length: hidden }, (_, k) => `.${hidden - 1 - k}`),
    ...after.split(""),
  ];
}

/** Without "->", the result has the letters that occur once, in alphabetical order. */
function impliedResult(terms: readonly string[]): string {
  const letters = terms.join("").replaceAll("...", "").split("").sort();
  const once = letters.filter((c) => letters.indexOf(c) === letters.lastIndexOf(c));
  return (terms.some((t) => t.includes("...")) ? "..." : "") + once.join("");
}

/** For each output, the products that it sums: one flat position in each factor. */
export function einsum(
  equation: string,
  shapes: readonly (readonly number[])[],
  dims: readonly number[],
): (output: number) => readonly (readonly number[])[] {
  if (shapes.some((shape) => shape.includes(0))) throw new Unreadable("one of its factors is empty");
  const [left = "", right] = equation.replaceAll(/\s/g, "").split("->");
  const terms = left.split(",");
  const names = terms.map((term, k) => axisNames(term, shapes[k]!.length));
  const result = axisNames(right ?? impliedResult(terms), dims.length);
  const sizes = new Map<string, number>();
  names.forEach((axes, k) => {
    axes.forEach((name, axis) => {
      sizes.set(name, Math.max(sizes.get(name) ?? 1, shapes[k]![axis]!));
    });
  });
  const summed = [...sizes.keys()].filter((name) => !result.includes(name));
  const order = [...result, ...summed];
  // The step of each name in each factor; an axis of size 1 is broadcast.
  const steps = names.map((axes, k) => {
    const strides = stridesOf(shapes[k]!);
    return order.map((name) =>
      axes.reduce(
        (sum, own, axis) => (own === name && shapes[k]![axis] !== 1 ? sum + strides[axis]! : sum),
        0,
      ),
    );
  });
  const outerStrides = stridesOf(dims);
  return (output) => {
    const outer = dims.map((d, k) => Math.floor(output / outerStrides[k]!) % d);
    const positions: number[][] = [];
    forEachCoordinate(
      summed.map((name) => sizes.get(name)!),
      (inner) => {
        positions.push(steps.map((step) => flatten([...outer, ...inner], step)));
      },
    );
    return positions;
  };
}
