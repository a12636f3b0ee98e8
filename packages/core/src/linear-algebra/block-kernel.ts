// Copies, transposes and differences of blocks in WebAssembly: what stands between a matrix and ONNX Runtime, which takes
// and gives rows that stand together.
import {
  add,
  advance,
  and,
  type Code,
  constant,
  get,
  i32,
  minus,
  pair,
  set,
  shiftLeft,
  single,
  storeLane,
  times,
  v128,
  type WasmFunction,
  whileBelow,
} from "./wasm-code.ts";

/** Addresses and strides in bytes. */
export interface BlockKernel {
  /** to_ij = from_ij. */
  copyRows(
    to: number,
    toStride: number,
    rows: number,
    columns: number,
    from: number,
    fromStride: number,
  ): void;
  /** to_ij <- to_ij - from_ij. */
  subtractRows(
    to: number,
    toStride: number,
    rows: number,
    columns: number,
    from: number,
    fromStride: number,
  ): void;
  /** to_ji = from_ij for a number of columns j that four divides. */
  transpose(
    to: number,
    toStride: number,
    rows: number,
    columns: number,
    from: number,
    fromStride: number,
  ): void;
}

/** Locals: the parameters; where rows end, the addresses that run, where a row ends. */
const [to, toStride, rows, columns, from, fromStride] = [0, 1, 2, 3, 4, 5];
const [last, target, source, end] = [6, 7, 8, 9];
const parameters = [i32, i32, i32, i32, i32, i32];
const bytesOf = (numbers: Code): Code => [...numbers, ...constant(3), ...shiftLeft];

/** Row by row, two numbers at once and then the one that may be left. */
const rowByRow = (name: keyof BlockKernel, value: (load: (offset: number) => Code) => Code): WasmFunction => {
  const step = ({ load, store }: typeof pair, bytes: number): Code => [
    ...[...get(target), ...value(load), ...store(0)],
    ...advance(target, constant(bytes)),
    ...advance(source, constant(bytes)),
  ];
  return {
    name,
    parameters,
    locals: [[4, i32]],
    code: [
      ...[...get(to), ...get(rows), ...get(toStride), ...times, ...add, ...set(last)],
      ...whileBelow(to, last, [
        ...[...get(to), ...set(target), ...get(from), ...set(source)],
        ...[...get(to), ...bytesOf([...get(columns), ...constant(-2), ...and]), ...add, ...set(end)],
        ...whileBelow(target, end, step(pair, 16)),
        ...[...get(to), ...bytesOf(get(columns)), ...add, ...set(end)],
        ...whileBelow(target, end, step(single, 8)),
        ...advance(to, get(toStride)),
        ...advance(from, get(fromStride)),
      ]),
    ],
  };
};

/** Four columns at a time become four rows. */
const transpose = ((): WasmFunction => {
  const left = 13;
  const row = (r: number): number => (r === 0 ? target : 9 + r);
  const halves = [0, 1] as const;
  return {
    name: "transpose",
    parameters,
    locals: [
      [7, i32],
      [1, v128],
    ],
    code: [
      // last = from + 8 columns
      ...[...get(from), ...bytesOf(get(columns)), ...add, ...set(last)],
      ...whileBelow(from, last, [
        ...[...get(to), ...set(target), ...get(from), ...set(source)],
        ...[1, 2, 3].flatMap((r) => [...get(row(r - 1)), ...get(toStride), ...add, ...set(row(r))]),
        ...[...get(row(3)), ...get(toStride), ...add, ...set(to)],
        ...[...get(target), ...bytesOf(get(rows)), ...add, ...set(end)],
        ...whileBelow(target, end, [
          ...halves.flatMap((half) => [
            ...[...get(source), ...pair.load(16 * half), ...set(left)],
            ...halves.flatMap((lane) => [...get(row(2 * half + lane)), ...get(left), ...storeLane(lane)]),
          ]),
          ...[0, 1, 2, 3].flatMap((r) => advance(row(r), constant(8))),
          ...advance(source, get(fromStride)),
        ]),
        ...advance(from, constant(32)),
      ]),
    ],
  };
})();

export const blockFunctions: readonly WasmFunction[] = [
  rowByRow("copyRows", (load) => [...get(source), ...load(0)]),
  rowByRow("subtractRows", (load) => [...get(target), ...load(0), ...get(source), ...load(0), ...minus]),
  transpose,
];
