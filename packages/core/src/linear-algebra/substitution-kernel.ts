// Substitution with a triangular matrix in WebAssembly: tiles of four rows and four columns stay in registers while what the
// rows before take from them runs by, and are then solved among themselves.
import {
  add,
  advance,
  and,
  type Code,
  constant,
  get,
  i32,
  loadTwice,
  minus,
  multiplied,
  pair,
  set,
  shiftLeft,
  single,
  times,
  v128,
  type WasmFunction,
  whileBelow,
} from "./wasm-code.ts";

/** Addresses and strides in bytes. */
export interface SubstitutionKernel {
  /** X <- R^-T X for upper triangular R, with 1 / r_kk for each row: as many rows as four times `groups`. */
  substitute(
    r: number,
    rStride: number,
    x: number,
    xStride: number,
    groups: number,
    columns: number,
    inverses: number,
  ): void;
}

const [r, rStride, x, xStride, groups, columns, inverses] = [0, 1, 2, 3, 4, 5, 6];
/** The group's rows of X and column of R, what runs along rows before them, where columns and rows end. */
const [row, column, alongX, alongR, end, lastRow, inverse] = [7, 8, 9, 10, 11, 12, 13];
const address = (k: number): number => (k === 0 ? row : 13 + k);
const numbersOfRows = 17;
const entry = numbersOfRows + 8;
const four = [0, 1, 2, 3] as const;

/** Four rows and `halves` pairs, or single numbers, of columns. */
function strip({ load, store }: typeof pair, halves: readonly number[]): Code {
  const value = (k: number, half: number): number => numbersOfRows + 2 * k + half;
  const source = (half: number): number => entry + 1 + half;
  const less = (k: number, half: number, other: number): Code => [
    ...[...get(value(k, half)), ...get(entry), ...get(other), ...multiplied, ...minus],
    ...set(value(k, half)),
  ];
  /** Row k times the inverse of the diagonal, and what the rows behind it lose; R's row stands at `alongR`. */
  const solved = (k: number): Code => [
    ...[...get(inverse), ...loadTwice(8 * k), ...set(entry)],
    ...halves.flatMap((half) => [
      ...[...get(value(k, half)), ...get(entry), ...multiplied, ...set(value(k, half))],
      ...[...get(address(k)), ...get(value(k, half)), ...store(16 * half)],
    ]),
    ...four
      .slice(k + 1)
      .flatMap((later) => [
        ...[...get(alongR), ...loadTwice(8 * later), ...set(entry)],
        ...halves.flatMap((half) => less(later, half, value(k, half))),
      ]),
    ...advance(alongR, get(rStride)),
  ];
  return [
    ...[...get(x), ...set(row), ...get(r), ...set(column), ...get(inverses), ...set(inverse)],
    ...whileBelow(row, lastRow, [
      ...[1, 2, 3].flatMap((k) => [...get(address(k - 1)), ...get(xStride), ...add, ...set(address(k))]),
      ...four.flatMap((k) =>
        halves.flatMap((half) => [...get(address(k)), ...load(16 * half), ...set(value(k, half))]),
      ),
      ...[...get(x), ...set(alongX), ...get(column), ...set(alongR)],
      ...whileBelow(alongX, row, [
        ...halves.flatMap((half) => [...get(alongX), ...load(16 * half), ...set(source(half))]),
        ...four.flatMap((k) => [
          ...[...get(alongR), ...loadTwice(8 * k), ...set(entry)],
          ...halves.flatMap((half) => less(k, half, source(half))),
        ]),
        ...[...advance(alongX, get(xStride)), ...advance(alongR, get(rStride))],
      ]),
      ...four.flatMap(solved),
      ...[...get(address(3)), ...get(xStride), ...add, ...set(row)],
      ...[...advance(column, constant(32)), ...advance(inverse, constant(32))],
    ]),
  ];
}

const bytesOf = (numbers: Code): Code => [...numbers, ...constant(3), ...shiftLeft];

const substitute: WasmFunction = {
  name: "substitute",
  parameters: new Array<number>(7).fill(i32),
  locals: [
    [10, i32],
    [11, v128],
  ],
  code: ((): Code => {
    const over = (code: Code, bytes: number): Code =>
      whileBelow(x, end, [
        ...[...get(x), ...get(groups), ...get(xStride), ...times, ...constant(2), ...shiftLeft],
        ...[...add, ...set(lastRow)],
        ...code,
        ...advance(x, constant(bytes)),
      ]);
    return [
      ...[...get(x), ...bytesOf([...get(columns), ...constant(-4), ...and]), ...add, ...set(end)],
      ...over(strip(pair, [0, 1]), 32),
      ...advance(end, bytesOf([...get(columns), ...constant(3), ...and])),
      ...over(strip(single, [0]), 8),
    ];
  })(),
};

export const substitutionFunctions: readonly WasmFunction[] = [substitute];
