// Memory that the kernels in WebAssembly work on, and the kernels with it.
import { type BlockKernel, blockFunctions } from "./block-kernel.ts";
import { type MatrixKernel, matrixFunctions } from "./matrix-kernel.ts";
import { type RankOneKernel, rankOneFunctions } from "./rank-one-kernel.ts";
import { type SubstitutionKernel, substitutionFunctions } from "./substitution-kernel.ts";
import { type VectorKernel, vectorFunctions } from "./vector-kernel.ts";
import { assemble } from "./wasm-code.ts";

export interface SimdMemory {
  readonly kernel: VectorKernel & MatrixKernel & BlockKernel & RankOneKernel & SubstitutionKernel;
  readonly buffer: ArrayBuffer;
  /** All of it. */
  readonly numbers: Float64Array;
  /** A part for what is passing by: operands and products of ONNX Runtime. */
  readonly room: Float64Array;
}

/** Numbers at the start of each memory that products of matrices pack their operands into: 1.2 MB, as large as a cache. */
export const packingSpace = 152 * 1024;
const roomSize = 2 ** 20;
/** Numbers at the start that are taken. */
export const reserved = packingSpace + roomSize;
/** Numbers at the end that may be read, since kernels take four at once. */
const readBeyond = 8;

const code = () =>
  assemble([
    ...vectorFunctions,
    ...matrixFunctions,
    ...blockFunctions,
    ...rankOneFunctions,
    ...substitutionFunctions,
  ]);
let module: WebAssembly.Module | undefined;
const memories = new WeakMap<ArrayBuffer, SimdMemory>();

/** The memory that an array is in; undefined for an array of JavaScript's own. */
export const memoryOf = ({ buffer }: Float64Array): SimdMemory | undefined =>
  memories.get(buffer as ArrayBuffer);

/** Kept for those who need them next, the smallest first: a new memory of some MB takes longer than what is done in it. */
let idle: SimdMemory[] = [];
/** Bytes that are kept at most. */
const mostKept = 2 ** 28;

let hasSimd: boolean | undefined;

/** Whether there is WebAssembly with two numbers an instruction. */
export function isSimdThere(): boolean {
  if (typeof WebAssembly === "undefined") return false;
  hasSimd ??= WebAssembly.validate(code());
  return hasSimd;
}

/** A memory with room for so many numbers, with anything in it; throws where there is no SIMD, or not that much memory. */
export function simdMemory(numbers: number): SimdMemory {
  if (!isSimdThere()) throw new RangeError("no WebAssembly with SIMD");
  const bytes = 8 * (reserved + numbers + readBeyond);
  const known = idle.find(({ buffer }) => buffer.byteLength >= bytes);
  if (known) {
    idle = idle.filter((memory) => memory !== known);
    return known;
  }
  module ??= new WebAssembly.Module(code());
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
  const { exports } = new WebAssembly.Instance(module, { js: { memory } });
  const made: SimdMemory = {
    kernel: exports as unknown as SimdMemory["kernel"],
    buffer: memory.buffer,
    numbers: new Float64Array(memory.buffer),
    room: new Float64Array(memory.buffer, 8 * packingSpace, roomSize),
  };
  memories.set(memory.buffer, made);
  return made;
}

/** Nobody reads or writes this memory any more. Where there are too many, the smallest are forgotten. */
export function giveMemoryBack(memory: SimdMemory): void {
  idle = [...idle, memory].sort((a, b) => a.buffer.byteLength - b.buffer.byteLength);
  const bytes = (): number => idle.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  while (bytes() > mostKept) idle.shift();
}
