// Tensors of piecewise-affine functions of one variable on a common grid.

import { type DataType, numbers, type Tensor } from "../../graph/tensor.ts";
import type { Exact } from "../../numbers/exact/rational.ts";
import { cellCount, coarsened, type Grid, mergeGrids } from "./grid.ts";
import { coefficientPositions, type Element, isLines, isSameLine, type Lines, refined } from "./lines.ts";
import { Unreadable } from "./unreadable.ts";

/** A tensor whose elements are constants or functions of t; without functions it needs no grid. */
export interface Pieces {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly grid?: Grid;
  /** In row-major order. */
  readonly elements: readonly Element[];
}

/** A weight: its numbers, exactly as they are stored. */
export const constantPieces = (weight: Tensor): Pieces => ({
  type: weight.type,
  dims: weight.dims,
  elements: Array.from(numbers(weight)),
});

export const scalar = (value: Exact, type: DataType = "float64"): Pieces => ({
  type,
  dims: [],
  elements: [value],
});

export const isConstant = ({ elements }: Pieces): boolean => !elements.some(isLines);

/** The numbers of a constant; `what` it is says the error where it is none. */
export function constants(x: Pieces, what: string): readonly Exact[] {
  const { elements } = x;
  if (elements.some(isLines)) throw new Unreadable(`${what} is not a constant`);
  return elements as readonly Exact[];
}

/** The numbers of a constant of axes, sizes or indices. */
export const integers = (x: Pieces, what: string): readonly number[] =>
  constants(x, what).map((e) => {
    if (typeof e !== "number") throw new Unreadable(`${what} is not an integer`);
    return e;
  });

/** The same functions on a refined grid. */
export function onGrid(x: Pieces, grid: Grid, source: Int32Array | undefined): Pieces {
  if (!x.grid || (x.grid === grid && !source)) return { ...x, grid };
  const positions = source && coefficientPositions(source, cellCount(x.grid));
  return { ...x, grid, elements: x.elements.map((e) => refined(e, positions)) };
}

/** Several tensors on one grid: the coarsest that refines all of theirs. */
export function aligned(inputs: readonly Pieces[]): {
  readonly grid?: Grid;
  readonly inputs: readonly Pieces[];
} {
  const grid = inputs.reduce<Grid | undefined>(
    (all, x) => (all && x.grid ? mergeGrids(all, x.grid).grid : (all ?? x.grid)),
    undefined,
  );
  if (!grid) return { inputs };
  return {
    grid,
    inputs: inputs.map((x) =>
      x.grid ? onGrid(x, grid, mergeGrids(x.grid, grid).sources[0]) : { ...x, grid },
    ),
  };
}

/** Without the knots at which no function bends. */
export function simplified(x: Pieces): Pieces {
  const functions = x.elements.filter(isLines) as readonly Lines[];
  if (!x.grid) return x;
  const { isPoint } = x.grid;
  const { grid, source } = coarsened(
    x.grid,
    (left, right) =>
      isPoint[left] === 0 && isPoint[right] === 0 && functions.every((f) => isSameLine(f, left, right)),
  );
  return onGrid(x, grid, source);
}
