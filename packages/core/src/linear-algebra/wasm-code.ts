// The part of WebAssembly that the kernels here are written in: instructions as bytes, so that every one can be read.

export type Code = readonly number[];

export const [i32, f64, v128] = [0x7f, 0x7c, 0x7b];

function unsigned(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];
}

export const get = (local: number): Code => [0x20, local];
export const set = (local: number): Code => [0x21, local];
/** What is on the stack goes into a local, and stays. */
export const keep = (local: number): Code => [0x22, local];
export const constant = (value: number): Code => [0x41, ...signed(value)];
export const add: Code = [0x6a];
export const times: Code = [0x6c];
export const and: Code = [0x71];
export const shiftLeft: Code = [0x74];

/** local <- local + what */
export const advance = (local: number, what: Code): Code => [...get(local), ...what, ...add, ...set(local)];

/** while (local < end) { content }, unsigned */
export const whileBelow = (local: number, end: number, content: Code): Code => [
  ...[0x02, 0x40, 0x03, 0x40, ...get(local), ...get(end), 0x4f, 0x0d, 1],
  ...[...content, 0x0c, 0, 0x0b, 0x0b],
];

const simd = (code: number, ...rest: Code): Code => [0xfd, ...unsigned(code), ...rest];
const at = (offset: number): Code => [3, ...unsigned(offset)]; // addresses need not be multiples of 16: alignment 8

/** Two numbers at once. */
export const pair = {
  load: (offset: number) => simd(0, ...at(offset)),
  store: (offset: number) => simd(0x0b, ...at(offset)),
};
/** One number: the other half is zero, and is not written. */
export const single = {
  load: (offset: number) => simd(0x5d, ...at(offset)),
  store: (offset: number) => simd(0x5b, ...at(offset), 0),
};
/** Half 0 or 1 of a pair. */
export const storeLane = (half: 0 | 1): Code => simd(0x5b, ...at(0), half);
/** One number in both halves. */
export const loadTwice = (offset: number): Code => simd(0x0a, ...at(offset));
export const twice = simd(0x14);
export const zeros = simd(0x0c, ...new Array<number>(16).fill(0));
export const [plus, minus, multiplied, divided] = [simd(0xf0), simd(0xf1), simd(0xf2), simd(0xf3)];
export const squareRoot = simd(0xef);
/** x where it is not above y, or not below; else y. */
export const [lesser, greater] = [simd(0xf6), simd(0xf7)];
/** The first number of a pair. */
export const firstHalf = simd(0x21, 0);
/** The sum of both halves of a local. */
export const sumOfHalves = (local: number): Code => [
  ...[...get(local), ...simd(0x21, 0), ...get(local), ...simd(0x21, 1)],
  0xa0,
];
export const number = {
  load: (offset: number): Code => [0x2b, ...at(offset)],
  store: (offset: number): Code => [0x39, ...at(offset)],
  of: (value: number): Code => [0x44, ...new Uint8Array(Float64Array.of(value).buffer)],
  add: [0xa0] as Code,
  subtract: [0xa1] as Code,
  multiply: [0xa2] as Code,
  divide: [0xa3] as Code,
};

/** A function: what it takes, its other locals (so many of a type, in turn), and what it does. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: Code;
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly code: Code;
}

const sized = (content: Code): Code => [...unsigned(content.length), ...content];
const text = (name: string): Code => sized([...new TextEncoder().encode(name)]);
const list = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const section = (id: number, content: Code): Code => [id, ...sized(content)];

/** A module of functions that return nothing, on the memory `js.memory`. */
export function assemble(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const bodies = functions.map(({ locals, code }) => sized([...list(locals), ...code, 0x0b]));
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(functions.map(({ parameters }) => [0x60, ...sized(parameters), 0]))),
    ...section(2, list([[...text("js"), ...text("memory"), 2, 0, 1]])),
    ...section(3, list(functions.map((_, k) => unsigned(k)))),
    ...section(7, list(functions.map(({ name }, k) => [...text(name), 0, ...unsigned(k)]))),
    ...section(10, list(bodies)),
  ]);
}
