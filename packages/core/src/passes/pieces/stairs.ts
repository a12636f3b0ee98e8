// Functions that are constant between equally spaced levels: floor, ceil, round, truncation.

import {
  add,
  compare,
  div,
  type Exact,
  floor,
  mul,
  neg,
  sign,
  sub,
  toNumber,
} from "../../numbers/exact/rational.ts";
import { vectorOf } from "../../numbers/exact/vector.ts";
import { cellLimit, cut, type Grid } from "./grid.ts";
import {
  addTime,
  crossing,
  type Element,
  isFlat,
  isLines,
  type Lines,
  lines,
  ordered,
  valueAt,
} from "./lines.ts";
import { onGrid, type Pieces } from "./tensor.ts";
import { Unreadable } from "./unreadable.ts";

/** A staircase that steps at n + offset for every integer n. */
export interface Staircase {
  readonly offset: number;
  /** The value of the staircase at x. */
  readonly value: (x: Exact) => Exact;
}

const isEven = (n: Exact): boolean => compare(mul(2, floor(div(n, 2))), n) === 0;
const ceiling = (x: Exact): Exact => neg(floor(neg(x)));
const truncation = (x: Exact): Exact => (sign(x) < 0 ? ceiling(x) : floor(x));

/** Halves go to the even neighbour, as ONNX has it. */
function roundToEven(x: Exact): Exact {
  const above = floor(add(x, 0.5));
  return compare(sub(above, x), 0.5) === 0 && !isEven(above) ? sub(above, 1) : above;
}

export const staircases = {
  floor: { offset: 0, value: floor },
  ceil: { offset: 0, value: ceiling },
  truncation: { offset: 0, value: truncation },
  round: { offset: 0.5, value: roundToEven },
} as const satisfies Record<string, Staircase>;

/**
 * A staircase of each element; every level that a function reaches becomes a point of the grid.
 * For example `stairs(x, staircases.floor)`.
 */
export function stairs(x: Pieces, staircase: Staircase): Pieces {
  if (!x.grid) return { ...x, elements: x.elements.map((e) => staircase.value(e as Exact)) };
  const { grid, source } = levelCuts(
    x.elements.filter(isLines) as readonly Lines[],
    x.grid,
    staircase.offset,
  );
  const fine = onGrid(x, grid, source);
  const elements = fine.elements.map((e): Element => {
    if (!isLines(e)) return staircase.value(e);
    const heights = Array.from(grid.isPoint, (isPoint, k) => {
      const [from, to] = [grid.knots[k]!, grid.knots[k + 1]!];
      return staircase.value(valueAt(e, k, isPoint ? from : mul(add(from, to), 0.5)));
    });
    return lines(vectorOf([...heights, ...heights.map(() => 0)]));
  });
  return { ...fine, elements };
}

/** The grid, cut wherever a function reaches a level n + offset. */
function levelCuts(functions: readonly Lines[], grid: Grid, offset: number) {
  const inside = new Map<number, Exact[]>();
  const jumps = new Uint8Array(grid.knots.length);
  const isLevel = (v: Exact) => compare(floor(sub(v, offset)), sub(v, offset)) === 0;
  let count = 0;
  for (const f of functions) {
    for (let k = 0; k < grid.isPoint.length; k++) {
      if (grid.isPoint[k] || isFlat(f, k)) continue;
      const ends = [valueAt(f, k, grid.knots[k]!), valueAt(f, k, grid.knots[k + 1]!)] as const;
      ends.forEach((v, side) => {
        if (isLevel(v)) jumps[k + side] = 1;
      });
      const [low, high] = compare(ends[0], ends[1]) < 0 ? ends : [ends[1], ends[0]];
      count += toNumber(sub(high, low));
      if (count > cellLimit) throw new Unreadable(`it would have more than ${cellLimit} steps`);
      for (
        let level = add(add(floor(sub(low, offset)), 1), offset);
        compare(level, high) < 0;
        level = add(level, 1)
      ) {
        addTime(inside, k, crossing(f, k, level));
      }
    }
  }
  for (const [k, times] of inside) inside.set(k, ordered(times));
  return cut(grid, { inside, jumps });
}
