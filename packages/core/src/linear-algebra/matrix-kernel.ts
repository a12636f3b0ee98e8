// The product of matrices in WebAssembly: tiles of 4 x 4 numbers stay in registers while the inner index runs. Operands are
// packed first, four columns or rows side by side, so that the tile reads them one after the other.
import {
  advance,
  type Code,
  constant,
  f64,
  get,
  i32,
  loadTwice,
  multiplied,
  number,
  pair,
  plus,
  set,
  shiftLeft,
  times,
  twice,
  v128,
  type WasmFunction,
  whileBelow,
  zeros,
} from "./wasm-code.ts";

/** Addresses and strides in bytes; `panels` are of four columns, or rows. */
export interface MatrixKernel {
  /** Panels of four columns: to = a_00 .. a_03, a_10 .. a_13, ..., then the next four columns. */
  packColumns(a: number, stride: number, inner: number, panels: number, to: number): void;
  /** Panels of four rows: to = a_00, a_10, a_20, a_30, a_01, ..., then the next four rows. */
  packRows(a: number, stride: number, inner: number, panels: number, to: number): void;
  /**
   * C <- C + factor A B for packed operands: A of `strips` times four rows, B of `panels` times four columns. With `skip`
   * 1 the first strip meets all panels, the next all but one, and so on: what is left of the diagonal is not computed.
   */
  addProduct(
    c: number,
    stride: number,
    a: number,
    b: number,
    inner: number,
    strips: number,
    panels: number,
    skip: 0 | 1,
    factor: number,
  ): void;
}

const four = [0, 1, 2, 3] as const;
const bytes = (numbers: Code): Code => [...numbers, ...constant(3), ...shiftLeft];

/** Locals 0 .. 4 are the parameters a, stride, inner, panels, to; then the address that runs and where loops end. */
const [a, stride, inner, panels, to, from, end, last] = [0, 1, 2, 3, 4, 5, 6, 7];
const source = (row: number): number => (row === 0 ? from : 7 + row);
const packing = {
  parameters: [i32, i32, i32, i32, i32],
  locals: [[6, i32]],
} as const;

/** end = to + 32 inner: where the panel that is written ends. */
const panelEnd: Code = [...get(to), ...get(inner), ...constant(5), ...shiftLeft, ...[0x6a], ...set(end)];
/** last = to + 32 inner panels. */
const panelsEnd: Code = [
  ...[...get(inner), ...get(panels), ...times, ...constant(5), ...shiftLeft],
  ...[...get(to), 0x6a, ...set(last)],
];

const packColumns: WasmFunction = {
  name: "packColumns",
  ...packing,
  code: [
    ...panelsEnd,
    ...whileBelow(to, last, [
      ...panelEnd,
      ...[...get(a), ...set(from)],
      ...whileBelow(to, end, [
        ...[...get(to), ...get(from), ...pair.load(0), ...pair.store(0)],
        ...[...get(to), ...get(from), ...pair.load(16), ...pair.store(16)],
        ...advance(from, get(stride)),
        ...advance(to, constant(32)),
      ]),
      ...advance(a, constant(32)),
    ]),
  ],
};

const packRows: WasmFunction = {
  name: "packRows",
  ...packing,
  code: [
    ...panelsEnd,
    ...whileBelow(to, last, [
      ...panelEnd,
      ...[...get(a), ...set(from)],
      ...[1, 2, 3].flatMap((r) => [...get(source(r - 1)), ...get(stride), 0x6a, ...set(source(r))]),
      ...[...get(source(3)), ...get(stride), 0x6a, ...set(a)],
      ...whileBelow(to, end, [
        ...four.flatMap((r) => [...get(to), ...get(source(r)), ...number.load(0), ...number.store(8 * r)]),
        ...four.flatMap((r) => advance(source(r), constant(8))),
        ...advance(to, constant(32)),
      ]),
    ]),
  ],
};

/** Rows of the tile, as two pairs each; and how it is summed up. */
const product = ((): WasmFunction => {
  const [c, rowStride, strip, b, depth, strips, width, skip, factor] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const [lastStrip, firstPanel, lastPanel, along, across, endOfStrip, panelBytes, corner] = [
    9, 10, 11, 12, 13, 14, 15, 16,
  ];
  const sum = (r: number, half: number): number => 17 + 2 * r + half;
  const [left, right, entry, scale] = [25, 26, 27, 28];
  const step = (offset: number): Code => [
    ...[...get(across), ...pair.load(offset), ...set(left)],
    ...[...get(across), ...pair.load(offset + 16), ...set(right)],
    ...four.flatMap((r) => [
      ...[...get(along), ...loadTwice(offset + 8 * r), ...set(entry)],
      ...[...get(sum(r, 0)), ...get(entry), ...get(left), ...multiplied, ...plus, ...set(sum(r, 0))],
      ...[...get(sum(r, 1)), ...get(entry), ...get(right), ...multiplied, ...plus, ...set(sum(r, 1))],
    ]),
  ];
  const tile: Code = [
    ...four.flatMap((r) => [...zeros, ...set(sum(r, 0)), ...zeros, ...set(sum(r, 1))]),
    ...[...get(strip), ...set(along)],
    ...whileBelow(along, endOfStrip, [
      ...step(0),
      ...advance(along, constant(32)),
      ...advance(across, constant(32)),
    ]),
    ...[...get(corner), ...set(firstPanel)],
    ...four.flatMap((r) => [
      ...[0, 1].flatMap((half) => [
        ...[...get(firstPanel), ...get(firstPanel), ...pair.load(16 * half)],
        ...[...get(sum(r, half)), ...get(scale), ...multiplied, ...plus, ...pair.store(16 * half)],
      ]),
      ...advance(firstPanel, get(rowStride)),
    ]),
    ...advance(corner, constant(32)),
  ];
  return {
    name: "addProduct",
    parameters: [i32, i32, i32, i32, i32, i32, i32, i32, f64],
    locals: [
      [8, i32],
      [12, v128],
    ],
    code: [
      ...[...get(factor), ...twice, ...set(scale)],
      ...[...bytes([...get(depth), ...constant(2), ...shiftLeft]), ...set(panelBytes)],
      ...[...get(strip), ...get(panelBytes), ...get(strips), ...times, 0x6a, ...set(lastStrip)],
      ...[...get(b), ...get(panelBytes), ...get(width), ...times, 0x6a, ...set(lastPanel)],
      ...whileBelow(strip, lastStrip, [
        ...[...get(strip), ...get(panelBytes), 0x6a, ...set(endOfStrip)],
        ...[...get(b), ...set(across)],
        ...[...get(c), ...set(corner)],
        ...whileBelow(across, lastPanel, tile),
        ...[...get(endOfStrip), ...set(strip)],
        ...advance(c, [...get(rowStride), ...constant(2), ...shiftLeft]),
        // The next strip begins `skip` panels farther right.
        ...advance(b, [...get(panelBytes), ...get(skip), ...times]),
        ...advance(c, [...get(skip), ...constant(5), ...shiftLeft]),
      ]),
    ],
  };
})();

export const matrixFunctions: readonly WasmFunction[] = [packColumns, packRows, product];
