// Four rows of a matrix with vectors, in WebAssembly with two numbers an instruction: some four times as quick as loops in
// JavaScript.
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
  number,
  pair,
  plus,
  set,
  shiftLeft,
  single,
  sumOfHalves,
  v128,
  type WasmFunction,
  whileBelow,
} from "./wasm-code.ts";

/** Addresses in bytes, `count` in numbers. */
export type FourRows = (
  a: number,
  stride: number,
  count: number,
  x: number,
  c: number,
  y: number,
  out: number,
) => void;

export interface VectorKernel {
  /** out_r = sum_j a_rj x_j for the rows r = 0 .. 3. */
  readonly dots: FourRows;
  /** y_j <- y_j - sum_r c_r a_rj. */
  readonly combine: FourRows;
  /** out_r <- out_r + sum_j a_rj x_j and y_j <- y_j + sum_r c_r a_rj, in one pass. */
  readonly both: FourRows;
}

interface Use {
  readonly dots: boolean;
  readonly combine: "add" | "subtract" | undefined;
}

const rows = [0, 1, 2, 3] as const;
// Locals: the parameters, the addresses of the rows, where the loop ends, then vectors.
const [a, stride, count, x, c, y, out, end] = [0, 1, 2, 3, 4, 5, 6, 10];
const address = (r: number): number => (r === 0 ? a : 6 + r);
const factor = (r: number): number => 11 + r;
const sum = (r: number): number => 15 + r;
const [row, along, target] = [19, 20, 21];

/** What happens to the numbers at this offset from the addresses. */
function step({ dots, combine }: Use, { load, store }: typeof pair, offset: number): Code {
  return [
    ...(dots ? [...get(x), ...load(offset), ...set(along)] : []),
    ...(combine ? [...get(y), ...load(offset), ...set(target)] : []),
    ...rows.flatMap((r) => [
      ...[...get(address(r)), ...load(offset), ...set(row)],
      ...(dots ? [...get(sum(r)), ...get(row), ...get(along), ...multiplied, ...plus, ...set(sum(r))] : []),
      ...(combine
        ? [
            ...[...get(target), ...get(row), ...get(factor(r)), ...multiplied],
            ...[...(combine === "add" ? plus : minus), ...set(target)],
          ]
        : []),
    ]),
    ...(combine ? [...get(y), ...get(target), ...store(offset)] : []),
  ];
}

/** while (a < end) { steps; every address += bytes } */
const loop = (steps: Code, bytes: number): Code =>
  whileBelow(a, end, [
    ...steps,
    ...[...rows.map(address), x, y].flatMap((local) => advance(local, constant(bytes))),
  ]);

const bytesOf = (numbers: Code): Code => [...numbers, ...constant(3), ...shiftLeft];

function fourRows(name: keyof VectorKernel, use: Use): WasmFunction {
  const start: Code = [
    ...[1, 2, 3].flatMap((r) => [...get(address(r - 1)), ...get(stride), ...add, ...set(address(r))]),
    ...(use.combine ? rows.flatMap((r) => [...get(c), ...loadTwice(8 * r), ...set(factor(r))]) : []),
    // end = a + 8 (count - count mod 4)
    ...[...get(a), ...bytesOf([...get(count), ...constant(-4), ...and]), ...add, ...set(end)],
  ];
  const rest = advance(end, bytesOf([...get(count), ...constant(3), ...and]));
  const result = rows.flatMap((r) => [
    ...[...get(out), ...sumOfHalves(sum(r))],
    ...(use.combine ? [...get(out), ...number.load(8 * r), ...number.add] : []),
    ...number.store(8 * r),
  ]);
  return {
    name,
    parameters: new Array<number>(7).fill(i32),
    locals: [
      [4, i32],
      [11, v128],
    ],
    code: [
      ...start,
      ...loop([...step(use, pair, 0), ...step(use, pair, 16)], 32),
      ...rest,
      ...loop(step(use, single, 0), 8),
      ...(use.dots ? result : []),
    ],
  };
}

export const vectorFunctions: readonly WasmFunction[] = [
  fourRows("dots", { dots: true, combine: undefined }),
  fourRows("combine", { dots: false, combine: "subtract" }),
  fourRows("both", { dots: true, combine: "add" }),
];
