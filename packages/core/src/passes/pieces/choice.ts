// What bends and jumps: one function where another is negative, a second where it is zero, a third elsewhere.

import { broadcastPositions } from "../../graph/elements/positions.ts";
import { sign } from "../../numbers/exact/rational.ts";
import { isZeroAt, pick } from "../../numbers/exact/vector.ts";
import { cellCount, cut, type Grid } from "./grid.ts";
import { difference, scaled } from "./linear.ts";
import { asLines, cellSigns, type Element, isLines, type Lines, lines, zeros } from "./lines.ts";
import { aligned, onGrid, type Pieces, simplified } from "./tensor.ts";

/** Each has the shape of the function that decides, or is broadcast to it. */
export interface Choices {
  readonly negative: Pieces;
  /** Default: as for positive. */
  readonly zero?: Pieces;
  readonly positive: Pieces;
}

/**
 * Element by element, a choice by the sign of `d`. It is continuous when the choices agree where d is zero;
 * otherwise say that it jumps, and the zeros become points of the grid.
 * For example `chosenBySign(x, { negative: scalar(0), positive: x })` is relu(x).
 */
export function chosenBySign(d: Pieces, choices: Choices, jumps = false): Pieces {
  const { negative, positive, zero = positive } = choices;
  const { grid, inputs } = aligned([d, negative, zero, positive]);
  const split = grid && splitAtZeros(inputs[0]!, grid, jumps);
  const [decides, ...options] = split ? inputs.map((x) => onGrid(x, split.grid, split.source)) : inputs;
  const positions = options.map((x) => broadcastPositions(x.dims, d.dims));
  const elements = decides!.elements.map((e, j) => {
    const three = options.map((x, side) => x.elements[positions[side]![j]!]!);
    return isLines(e) ? chosenPerCell(e, three, split!.grid) : three[1 + sign(e)]!;
  });
  return { type: positive.type, dims: d.dims, ...(split && { grid: split.grid }), elements };
}

function splitAtZeros(d: Pieces, grid: Grid, jumps: boolean) {
  const { inside, touched } = zeros(d.elements.filter(isLines) as readonly Lines[], grid);
  return cut(grid, jumps ? { inside, jumps: touched } : { inside });
}

function chosenPerCell(d: Lines, options: readonly Element[], grid: Grid): Element {
  const signs = cellSigns(d, grid);
  const first = signs[0]!;
  if (signs.every((s) => s === first)) return options[1 + first]!;
  return pickedPerCell(
    Uint8Array.from(signs, (s) => s + 1),
    options,
    cellCount(grid),
  );
}

/** In each cell, the line of options[which[cell]]. */
export function pickedPerCell(which: Uint8Array, options: readonly Element[], cells: number): Lines {
  // Options that are one and the same (zero and positive, often) are one source.
  const distinct = [...new Set(options)];
  const renamed = options.map((e) => distinct.indexOf(e));
  const both = new Uint8Array(2 * cells);
  for (let k = 0; k < cells; k++) both[k] = both[cells + k] = renamed[which[k]!]!;
  return lines(
    pick(
      distinct.map((e) => asLines(e, cells).coefficients),
      both,
    ),
  );
}

/** The greatest of several tensors of one shape, element by element. */
export const maximum = (tensors: readonly Pieces[]): Pieces =>
  simplified(tensors.reduce((a, b) => chosenBySign(difference(a, b), { negative: b, positive: a })));

/** min(x, y, ...) = -max(-x, -y, ...). */
export const minimum = (tensors: readonly Pieces[]): Pieces =>
  scaled(maximum(tensors.map((x) => scaled(x, -1))), -1);

/** x where the condition is true (not zero), else y; all of one shape. The condition is flat in each cell. */
export function where(condition: Pieces, x: Pieces, y: Pieces): Pieces {
  const { grid, inputs } = aligned([condition, x, y]);
  const [decides, yes, no] = inputs as readonly [Pieces, Pieces, Pieces];
  const cells = grid ? cellCount(grid) : 0;
  const elements = decides.elements.map((e, j) => {
    const options = [no.elements[j]!, yes.elements[j]!];
    if (!isLines(e)) return options[e === 0 ? 0 : 1]!;
    const which = Uint8Array.from({ length: cells }, (_, k) => (isZeroAt(e.coefficients, k) ? 0 : 1));
    return pickedPerCell(which, options, cells);
  });
  return { type: x.type, dims: x.dims, ...(grid && { grid }), elements };
}
