// Where functions bend and jump: an interval cut into cells, on each of which they are affine.
import { compare, type Exact } from "../../numbers/exact/rational.ts";
import { Unreadable } from "./unreadable.ts";

/**
 * Cell k lies between knots k and k + 1. A knot that stands twice makes a cell of that single point, and there
 * functions may jump; at any other knot they are continuous. [0, 1/2, 1/2, 1] is [0, 1/2), {1/2}, (1/2, 1].
 */
export interface Grid {
  readonly knots: readonly Exact[];
  /** 1 for a cell that is a point. */
  readonly isPoint: Uint8Array;
}

/** More cells than this are refused rather than computed. */
export const cellLimit = 2 ** 22;

export const cellCount = ({ isPoint }: Grid): number => isPoint.length;

/** The interval [from, to] as one cell. */
export const intervalGrid = (from: Exact, to: Exact): Grid => ({
  knots: [from, to],
  isPoint: new Uint8Array(1),
});

/** A grid and, for each of its cells, the cell of a coarser grid that it lies in (absent: they are the same). */
export interface Refinement {
  readonly grid: Grid;
  readonly source?: Int32Array;
}

/** A grid that is written from left to right, and the cells that its cells come from. */
class GridWriter {
  readonly knots: Exact[] = [];
  readonly isPoint: number[] = [];

  /** Adds the knot t, twice for a point. */
  knot(t: Exact, isPoint: boolean): void {
    if (this.knots.length > 0) this.isPoint.push(0);
    this.knots.push(t);
    if (isPoint) {
      this.isPoint.push(1);
      this.knots.push(t);
    }
    if (this.knots.length > cellLimit) throw new Unreadable(`it would have more than ${cellLimit} pieces`);
  }

  grid(): Grid {
    return { knots: this.knots, isPoint: Uint8Array.from(this.isPoint) };
  }
}

/** Walks along a grid from knot to knot. */
class GridReader {
  readonly #grid: Grid;
  /** The knot that comes next. */
  next = 0;
  constructor(grid: Grid) {
    this.#grid = grid;
  }

  get time(): Exact | undefined {
    return this.#grid.knots[this.next];
  }

  get isAtPoint(): boolean {
    return this.#grid.isPoint[this.next] === 1;
  }

  /** The cell that holds the point t, the next knot or one before it. */
  cellAt(isHere: boolean): number {
    return isHere ? Math.min(this.next, cellCount(this.#grid) - 1) : this.next - 1;
  }

  /** Goes past the next knot; the cell on its right is then `next - 1`. */
  pass(): void {
    this.next += this.isAtPoint ? 2 : 1;
  }
}

/** The coarsest grid that refines both. Time is linear in their sizes. */
export function mergeGrids(
  a: Grid,
  b: Grid,
): { readonly grid: Grid; readonly sources: (Int32Array | undefined)[] } {
  if (a === b) return { grid: a, sources: [undefined, undefined] };
  const sides = [a, b].map((grid) => ({ reader: new GridReader(grid), source: [] as number[] }));
  const writer = new GridWriter();
  for (;;) {
    const [s, t] = sides.map(({ reader }) => reader.time);
    if (s === undefined && t === undefined) break;
    const order = s === undefined ? 1 : t === undefined ? -1 : compare(s, t);
    const isHere = [order <= 0, order >= 0];
    const isPoint = sides.some(({ reader }, side) => isHere[side] && reader.isAtPoint);
    for (const [side, { reader, source }] of sides.entries()) {
      if (writer.knots.length > 0) source.push(reader.next - 1);
      if (isPoint) source.push(reader.cellAt(isHere[side]!));
      if (isHere[side]) reader.pass();
    }
    writer.knot((order <= 0 ? s : t)!, isPoint);
  }
  const merged = writer.grid();
  const size = cellCount(merged);
  const grid = size === cellCount(a) ? a : size === cellCount(b) ? b : merged;
  return {
    grid,
    sources: [a, b].map((own, side) =>
      size === cellCount(own) ? undefined : Int32Array.from(sides[side]!.source),
    ),
  };
}

/** Cuts: times inside cells, in order, and knots at which functions jump. */
export interface Cuts {
  readonly inside: ReadonlyMap<number, readonly Exact[]>;
  /** 1 for a knot that is to become a point; absent when functions stay continuous. */
  readonly jumps?: Uint8Array;
}

/** The grid with these cuts; with jumps, every cut is one. */
export function cut(grid: Grid, { inside, jumps }: Cuts): Refinement {
  const { knots, isPoint } = grid;
  const writer = new GridWriter();
  const source: number[] = [];
  const cells = cellCount(grid);
  for (let k = 0; ; ) {
    const isOwnPoint = isPoint[k] === 1;
    const becomesPoint = isOwnPoint || jumps?.[k] === 1;
    writer.knot(knots[k]!, becomesPoint);
    if (becomesPoint) source.push(Math.min(k, cells - 1));
    k += isOwnPoint ? 2 : 1;
    if (k > cells) break;
    const cell = k - 1; // the interval that ends at the next knot
    source.push(cell);
    for (const t of inside.get(cell) ?? []) {
      writer.knot(t, jumps !== undefined);
      if (jumps) source.push(cell);
      source.push(cell);
    }
  }
  return source.length === cells ? { grid } : { grid: writer.grid(), source: Int32Array.from(source) };
}

/** The grid without the knots for which `isIdle` holds (given as the cells on their two sides). */
export function coarsened(grid: Grid, isIdle: (left: number, right: number) => boolean): Refinement {
  const cells = cellCount(grid);
  const kept = [0];
  for (let k = 1; k < cells; k++) if (!isIdle(k - 1, k)) kept.push(k);
  if (kept.length === cells) return { grid };
  return {
    grid: {
      knots: [...kept.map((k) => grid.knots[k]!), grid.knots[cells]!],
      isPoint: Uint8Array.from(kept, (k) => grid.isPoint[k]!),
    },
    source: Int32Array.from(kept),
  };
}
