// Affine operators: every element of the output is a combination of elements of the input with constant weights.

import { broadcastPositions } from "../../graph/elements/positions.ts";
import { type DataType, elementCount } from "../../graph/tensor.ts";
import { add, type Exact, mul } from "../../numbers/exact/rational.ts";
import { combinations, entry, isZeroAt, lengthOf, vectorOf } from "../../numbers/exact/vector.ts";
import { cellCount } from "./grid.ts";
import { asLines, type Element, isLines, lines } from "./lines.ts";
import { aligned, type Pieces } from "./tensor.ts";
import { Unreadable } from "./unreadable.ts";

/** One output: sum_k weights[k] x[indices[k]] + bias. */
export interface Terms {
  readonly indices: readonly number[];
  readonly weights: readonly Exact[];
  readonly bias?: Exact;
}

/** The image of a tensor under an affine map, given by the terms of each of its outputs. */
export function affineImage(x: Pieces, dims: readonly number[], terms: (output: number) => Terms): Pieces {
  const { grid, elements } = x;
  const cells = grid ? cellCount(grid) : 0;
  const functions = elements.filter(isLines);
  const place = new Int32Array(elements.length).fill(-1);
  let count = 0;
  elements.forEach((e, j) => {
    if (isLines(e)) place[j] = count++;
  });
  const combine = combinations(
    functions.map((f) => f.coefficients),
    2 * cells,
    cells,
  );
  const image = Array.from({ length: elementCount(dims) }, (_, output): Element => {
    const { indices, weights, bias = 0 } = terms(output);
    const [used, factors]: [number[], Exact[]] = [[], []];
    let constant = bias;
    indices.forEach((j, k) => {
      const weight = weights[k]!;
      if (weight === 0) return;
      if (place[j]! < 0) constant = add(constant, mul(elements[j] as Exact, weight));
      else {
        used.push(place[j]!);
        factors.push(weight);
      }
    });
    if (used.length === 0) return constant;
    if (used.length === 1 && factors[0] === 1 && constant === 0) return functions[used[0]!]!;
    return lines(combine(used, factors, constant));
  });
  return { type: x.type, dims, ...(grid && { grid }), elements: image };
}

/** Several tensors as one long one, and where each of them starts in it. */
export function joined(tensors: readonly Pieces[]): {
  readonly all: Pieces;
  readonly starts: readonly number[];
} {
  const { grid, inputs } = aligned(tensors);
  let end = 0;
  const starts = inputs.map(({ elements }) => {
    end += elements.length;
    return end - elements.length;
  });
  const elements = inputs.flatMap((x) => x.elements);
  return { all: { type: tensors[0]!.type, dims: [end], ...(grid && { grid }), elements }, starts };
}

/** sum_k weights[k] tensors[k], broadcast to a shape. */
export function weightedSum(
  tensors: readonly Pieces[],
  weights: readonly Exact[],
  dims: readonly number[],
): Pieces {
  const { all, starts } = joined(tensors);
  const positions = tensors.map((x) => broadcastPositions(x.dims, dims));
  return affineImage(all, dims, (output) => ({
    indices: positions.map((p, k) => starts[k]! + p[output]!),
    weights,
  }));
}

/** a x + b, element by element. */
export const scaled = (x: Pieces, a: Exact, b: Exact = 0): Pieces =>
  affineImage(x, x.dims, (output) => ({ indices: [output], weights: [a], bias: b }));

/** a - b, where b is broadcast to the shape of a. */
export const difference = (a: Pieces, b: Pieces): Pieces => weightedSum([a, b], [1, -1], a.dims);

/** a b, broadcast to a shape: in each cell one of the two must be flat. */
export function product(a: Pieces, b: Pieces, dims: readonly number[], type: DataType): Pieces {
  const { grid, inputs } = aligned([a, b]);
  const [left, right] = inputs.map((x) => ({ elements: x.elements, at: broadcastPositions(x.dims, dims) }));
  const cells = grid ? cellCount(grid) : 0;
  const elements = Array.from({ length: elementCount(dims) }, (_, output): Element => {
    const [x, y] = [left!.elements[left!.at[output]!]!, right!.elements[right!.at[output]!]!];
    if (!isLines(x) && !isLines(y)) return mul(x, y);
    if (isLines(x) && isLines(y)) return productOfLines(x, y, cells);
    const [f, weight] = isLines(x) ? [x, y as Exact] : [y as ReturnType<typeof lines>, x];
    if (weight === 0 || weight === 1) return weight === 0 ? 0 : f;
    return lines(combinations([f.coefficients], lengthOf(f.coefficients), cells)([0], [weight], 0));
  });
  return { type, dims, ...(grid && { grid }), elements };
}

/** (c + a t)(d + b t) = c d + (a d + b c) t where a b = 0. */
function productOfLines(x: Element, y: Element, cells: number): Element {
  const [f, g] = [asLines(x, cells).coefficients, asLines(y, cells).coefficients];
  const [intercepts, slopes]: [Exact[], Exact[]] = [[], []];
  for (let k = 0; k < cells; k++) {
    if (!isZeroAt(f, cells + k) && !isZeroAt(g, cells + k))
      throw new Unreadable("a product of two functions is not piecewise linear");
    const [c, d] = [entry(f, k), entry(g, k)];
    intercepts.push(mul(c, d));
    slopes.push(add(mul(entry(f, cells + k), d), mul(entry(g, cells + k), c)));
  }
  return lines(vectorOf([...intercepts, ...slopes]));
}
