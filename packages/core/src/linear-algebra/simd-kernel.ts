// Four rows of a matrix with vectors, in WebAssembly with two numbers an instruction: some four times as quick as loops in
// JavaScript. The module is assembled here, so that every instruction can be read.

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

export interface SimdKernel {
  /** out_r = sum_j a_rj x_j for the rows r = 0 .. 3. */
  readonly dots: FourRows;
  /** y_j <- y_j - sum_r c_r a_rj. */
  readonly combine: FourRows;
  /** out_r <- out_r + sum_j a_rj x_j and y_j <- y_j + sum_r c_r a_rj, in one pass. */
  readonly both: FourRows;
}

type Code = readonly number[];
interface Use {
  readonly dots: boolean;
  readonly combine: "add" | "subtract" | undefined;
}

const rows = [0, 1, 2, 3] as const;
const [i32, v128] = [0x7f, 0x7b];
// Locals: the parameters, the addresses of the rows, where the loop ends, then vectors.
const [a, stride, count, x, c, y, out, end] = [0, 1, 2, 3, 4, 5, 6, 10];
const address = (r: number): number => (r === 0 ? a : 6 + r);
const factor = (r: number): number => 11 + r;
const sum = (r: number): number => 15 + r;
const [row, along, target] = [19, 20, 21];

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const constant = (value: number): Code => [0x41, value];
const add: Code = [0x6a];
const simd = (code: number, ...rest: Code): Code => [0xfd, ...unsigned(code), ...rest];
const [plus, minus, multiplied] = [simd(0xf0), simd(0xf1), simd(0xf2)];
/** Addresses need not be multiples of 16: alignment 8. */
const pair = { load: (at: number) => simd(0, 3, at), store: (at: number) => simd(0x0b, 3, at) };
/** One number: the other half is zero, and is not written. */
const single = { load: (at: number) => simd(0x5d, 3, at), store: (at: number) => simd(0x5b, 3, at, 0) };

function unsigned(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

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
function loop(steps: Code, bytes: number): Code {
  const forward = [...rows.map(address), x, y].flatMap((l) => [
    ...get(l),
    ...constant(bytes),
    ...add,
    ...set(l),
  ]);
  const isDone = [...get(a), ...get(end), 0x4f]; // a >= end, unsigned
  return [0x02, 0x40, 0x03, 0x40, ...isDone, 0x0d, 1, ...steps, ...forward, 0x0c, 0, 0x0b, 0x0b];
}

function body(use: Use): Code {
  const start: Code = [
    ...[1, 2, 3].flatMap((r) => [...get(address(r - 1)), ...get(stride), ...add, ...set(address(r))]),
    ...(use.combine ? rows.flatMap((r) => [...get(c), ...simd(0x0a, 3, 8 * r), ...set(factor(r))]) : []),
    // end = a + 8 (count - count mod 4)
    ...[...get(a), ...get(count), ...constant(0x7c), 0x71, ...constant(3), 0x74, ...add, ...set(end)],
  ];
  const rest: Code = [
    ...get(end),
    ...get(count),
    ...constant(3),
    0x71,
    ...constant(3),
    0x74,
    ...add,
    ...set(end),
  ];
  const lane = (l: number): Code => simd(0x21, l);
  const result = rows.flatMap((r) => [
    ...get(out),
    ...[...get(sum(r)), ...lane(0), ...get(sum(r)), ...lane(1), 0xa0],
    ...(use.combine ? [...get(out), 0x2b, 3, 8 * r, 0xa0] : []),
    ...[0x39, 3, 8 * r],
  ]);
  const pairs = loop([...step(use, pair, 0), ...step(use, pair, 16)], 32);
  const code = [
    ...start,
    ...pairs,
    ...rest,
    ...loop(step(use, single, 0), 8),
    ...(use.dots ? result : []),
    0x0b,
  ];
  const locals = [2, 4, i32, 11, v128];
  return [...unsigned(code.length + locals.length), ...locals, ...code];
}

const text = (name: string): Code => [name.length, ...new TextEncoder().encode(name)];
const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];

function assemble(): Uint8Array<ArrayBuffer> {
  const bodies = [
    body({ dots: true, combine: undefined }),
    body({ dots: false, combine: "subtract" }),
    body({ dots: true, combine: "add" }),
  ];
  const names = ["dots", "combine", "both"];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 7, ...new Array<number>(7).fill(i32), 0]),
    ...section(2, [1, ...text("js"), ...text("memory"), 2, 0, 1]),
    ...section(3, [3, 0, 0, 0]),
    ...section(7, [3, ...names.flatMap((name, k) => [...text(name), 0, k])]),
    ...section(10, [3, ...bodies.flat()]),
  ]);
}

let module: WebAssembly.Module | undefined;

/** The kernel and the memory that it works on. */
export interface SimdMemory {
  readonly kernel: SimdKernel;
  readonly buffer: ArrayBuffer;
}

/** Kept for the next one who needs it, up to this size: engines reserve far more than is used, and count it. */
let idle: SimdMemory | undefined;
const mostKept = 2 ** 27;

/** A memory, with anything in it; throws where there is no WebAssembly with SIMD, or not that much memory. */
export function simdMemory(bytes: number): SimdMemory {
  const known = idle;
  if (known && known.buffer.byteLength >= bytes) {
    idle = undefined;
    return known;
  }
  module ??= new WebAssembly.Module(assemble());
  const memory = new WebAssembly.Memory({ initial: Math.max(16, Math.ceil(bytes / 65536)) });
  const { exports } = new WebAssembly.Instance(module, { js: { memory } });
  return { kernel: exports as unknown as SimdKernel, buffer: memory.buffer };
}

/** Nobody reads or writes this memory any more. */
export function giveMemoryBack(memory: SimdMemory): void {
  const size = memory.buffer.byteLength;
  if (size <= mostKept && size >= (idle?.buffer.byteLength ?? 0)) idle = memory;
}
