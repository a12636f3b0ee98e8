// Matrices with vectors, four rows at a time, in WebAssembly with two numbers an instruction: some four times as quick as
// loops in JavaScript.
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
  zeros,
} from "./wasm-code.ts";

/** Addresses in bytes, `count` in numbers; as many rows as four times `groups`. */
export type FourRows = (
  a: number,
  stride: number,
  count: number,
  x: number,
  c: number,
  y: number,
  out: number,
  groups: number,
) => void;

export interface VectorKernel {
  /** out_i = sum_j a_ij x_j. */
  readonly dots: FourRows;
  /** y_j <- y_j - sum_i c_i a_ij. */
  readonly combine: FourRows;
  /**
   * y <- y + A x for the rows of a symmetric matrix that begin on the diagonal: of each four the square on the diagonal
   * and what is right of it. `c` is x, and `out` is y.
   */
  readonly symmetric: FourRows;
}

interface Use {
  readonly dots: boolean;
  readonly combine: "add" | "subtract" | undefined;
}

const rows = [0, 1, 2, 3] as const;
// Locals: the parameters, addresses that run along rows, where they end, the group, then vectors.
const [a, stride, count, x, c, y, out, groups] = [0, 1, 2, 3, 4, 5, 6, 7];
const address = (r: number): number => 8 + r;
const [alongX, alongY, end, group] = [12, 13, 14, 15];
const factor = (r: number): number => 16 + r;
const sum = (r: number): number => 20 + r;
const [row, along, target] = [24, 25, 26];

/** What happens to the numbers at this offset from the addresses. */
function step({ dots, combine }: Use, { load, store }: typeof pair, offset: number): Code {
  return [
    ...(dots ? [...get(alongX), ...load(offset), ...set(along)] : []),
    ...(combine ? [...get(alongY), ...load(offset), ...set(target)] : []),
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
    ...(combine ? [...get(alongY), ...get(target), ...store(offset)] : []),
  ];
}

const forward = (bytes: number): Code =>
  [...rows.map(address), alongX, alongY].flatMap((local) => advance(local, constant(bytes)));

const bytesOf = (numbers: Code): Code => [...numbers, ...constant(3), ...shiftLeft];

/** The addresses of four rows, and the factors that go with them. */
const startOfGroup = (use: Use): Code => [
  ...[...get(a), ...set(address(0)), ...get(x), ...set(alongX), ...get(y), ...set(alongY)],
  ...[1, 2, 3].flatMap((r) => [...get(address(r - 1)), ...get(stride), ...add, ...set(address(r))]),
  ...(use.combine ? rows.flatMap((r) => [...get(c), ...loadTwice(8 * r), ...set(factor(r))]) : []),
  ...(use.dots ? rows.flatMap((r) => [...zeros, ...set(sum(r))]) : []),
];

/** Along the rows, four numbers at a time and then one. */
const alongRows = (use: Use): Code => [
  // end = address + 8 (count - count mod 4)
  ...[...get(address(0)), ...bytesOf([...get(count), ...constant(-4), ...and]), ...add, ...set(end)],
  ...whileBelow(address(0), end, [...step(use, pair, 0), ...step(use, pair, 16), ...forward(32)]),
  ...advance(end, bytesOf([...get(count), ...constant(3), ...and])),
  ...whileBelow(address(0), end, [...step(use, single, 0), ...forward(8)]),
];

const results = (isAdded: boolean): Code =>
  rows.flatMap((r) => [
    ...[...get(out), ...sumOfHalves(sum(r))],
    ...(isAdded ? [...get(out), ...number.load(8 * r), ...number.add] : []),
    ...number.store(8 * r),
  ]);

const overGroups = (name: keyof VectorKernel, content: Code): WasmFunction => ({
  name,
  parameters: new Array<number>(8).fill(i32),
  locals: [
    [8, i32],
    [11, v128],
  ],
  code: whileBelow(group, groups, [
    ...content,
    ...advance(group, constant(1)),
    ...advance(a, [...get(stride), ...constant(2), ...shiftLeft]),
    ...[...advance(c, constant(32)), ...advance(out, constant(32))],
  ]),
});

function fourRows(name: keyof VectorKernel, use: Use): WasmFunction {
  return overGroups(name, [...startOfGroup(use), ...alongRows(use), ...(use.dots ? results(false) : [])]);
}

const symmetric = ((): WasmFunction => {
  const both: Use = { dots: true, combine: "add" };
  const square: Use = { dots: true, combine: undefined };
  return overGroups("symmetric", [
    ...startOfGroup(both),
    ...[...step(square, pair, 0), ...step(square, pair, 16), ...forward(32)],
    ...alongRows(both),
    ...results(true),
    // The next square is four numbers farther right, too.
    ...[a, x, y].flatMap((local) => advance(local, constant(32))),
    ...advance(count, constant(-4)),
  ]);
})();

export const vectorFunctions: readonly WasmFunction[] = [
  fourRows("dots", { dots: true, combine: undefined }),
  fourRows("combine", { dots: false, combine: "subtract" }),
  symmetric,
];
