// Images as inputs and outputs: PNG files.
import type { Picture } from "@lemmata/core/explain";
import { isTensorType, type Tensor, tensor, type ValueInfo } from "@lemmata/core/graph";
import { type DecodedPng, decode, encode } from "fast-png";
import { readBytes } from "./files.ts";
import { UsageError } from "./usage-error.ts";

/** What each channel is shifted and scaled by, as the network was trained: (v - mean) / deviation for v from 0 to 1. */
export interface Scaling {
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

export const isPng = (path: string): boolean => path.toLowerCase().endsWith(".png");
const mostPixels = 1e8;

/** Width, height and packing as the file's head says them, before anything is unpacked. */
function checkHead(bytes: Uint8Array, path: string): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isImage = bytes.length > 28 && view.getUint32(0) === 0x89504e47;
  if (!isImage) throw new UsageError(`${path} is no PNG image`);
  const pixels = view.getUint32(16) * view.getUint32(20);
  if (pixels > mostPixels) throw new UsageError(`${path} has ${pixels} pixels, more than ${mostPixels}`);
  const [depth, isInterlaced] = [bytes[24]!, bytes[28] === 1];
  if (isInterlaced && depth < 8)
    throw new UsageError(
      `${path} is interlaced with ${depth} bits a pixel: write it without, or with 8 bits`,
    );
}

/** The number of channel c of pixel k; less than a byte each, they are packed row by row. */
function samplesOf({ width, data, channels, depth }: DecodedPng): (c: number, k: number) => number {
  if (depth >= 8) return (c, k) => data[k * channels + c]!;
  const rowBytes = Math.ceil((width * depth) / 8);
  return (_, k) => {
    const bit = (k % width) * depth;
    const byte = data[Math.floor(k / width) * rowBytes + (bit >> 3)]!;
    return (byte >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
  };
}

/** Gray or colour from 0 to 1, [channels][rows][columns]; what is transparent lies on black. */
function readPng(path: string): {
  readonly width: number;
  readonly height: number;
  at(c: number, k: number): number;
  readonly channels: number;
} {
  const bytes = readBytes(path);
  checkHead(bytes, path);
  try {
    const image = decode(bytes, { checkCrc: true });
    const { width, height, channels, depth, palette } = image;
    const sample = samplesOf(image);
    if (palette) {
      const opaque = (k: number): number => (palette[sample(0, k)]?.[3] ?? 255) / 255;
      const at = (c: number, k: number): number => ((palette[sample(0, k)]?.[c] ?? 0) / 255) * opaque(k);
      return { width, height, channels: 3, at };
    }
    const most = 2 ** depth - 1;
    const colours = channels >= 3 ? 3 : 1;
    const opacity = (k: number): number => (channels === colours ? 1 : sample(colours, k) / most);
    return { width, height, channels: colours, at: (c, k) => (sample(c, k) / most) * opacity(k) };
  } catch (error) {
    throw new UsageError(`${path} is no PNG image that can be read: ${(error as Error).message}`);
  }
}

/** Where rows, columns and channels are in what a network takes. */
function layoutOf(
  { name, type }: ValueInfo,
  width: number,
  height: number,
): { readonly channels: number; readonly dims: number[]; readonly isLast: boolean } {
  const shape = isTensorType(type) ? type.shape : undefined;
  if (!shape) throw new UsageError(`input "${name}" has no known shape: give it as .npy`);
  const [rest, rank] = [shape.slice(1), shape.length];
  const isSize = (d: unknown, n: number): boolean => typeof d !== "number" || d === n;
  if (
    rank === 4 &&
    isSize(rest[1], height) &&
    isSize(rest[2], width) &&
    typeof rest[0] === "number" &&
    rest[0] <= 4
  )
    return { channels: rest[0], dims: [1, rest[0], height, width], isLast: false };
  if (
    rank === 4 &&
    isSize(rest[0], height) &&
    isSize(rest[1], width) &&
    typeof rest[2] === "number" &&
    rest[2] <= 4
  )
    return { channels: rest[2], dims: [1, height, width, rest[2]], isLast: true };
  if (rank === 3 && isSize(rest[0], height) && isSize(rest[1], width))
    return { channels: 1, dims: [1, height, width], isLast: false };
  const size = rest.reduce<number>((n, d) => n * (typeof d === "number" ? d : Number.NaN), 1);
  for (const channels of [1, 3])
    if (size === channels * width * height)
      return { channels, dims: [1, ...rest.map(Number)], isLast: false };
  throw new UsageError(
    `the image has ${width} x ${height} pixels, input "${name}" takes [${shape.map((d) => d ?? "?").join(", ")}]`,
  );
}

/** One number for all channels or one for each, and nothing is divided by 0. */
function checkScaling({ mean, deviation }: Scaling, channels: number): void {
  for (const [option, { length }] of [
    ["--mean", mean],
    ["--deviation", deviation],
  ] as const)
    if (length !== 1 && length !== channels)
      throw new UsageError(`${option} has ${length} numbers, the image ${channels} channels`);
  if (!deviation.every((v) => v > 0)) throw new UsageError("--deviation takes numbers above 0");
}

/** An image as the input of a network. */
export function imageInput(path: string, input: ValueInfo, scaling: Scaling): Tensor {
  const { width, height, channels: own, at } = readPng(path);
  const { channels, dims, isLast } = layoutOf(input, width, height);
  checkScaling(scaling, channels);
  const pixels = width * height;
  const gray = (k: number): number =>
    own === 1 ? at(0, k) : 0.299 * at(0, k) + 0.587 * at(1, k) + 0.114 * at(2, k);
  const data = new Float64Array(channels * pixels);
  for (let c = 0; c < channels; c++) {
    const [mean, deviation] = [
      scaling.mean[c] ?? scaling.mean[0] ?? 0,
      scaling.deviation[c] ?? scaling.deviation[0] ?? 1,
    ];
    for (let k = 0; k < pixels; k++) {
      const v = channels === 1 ? gray(k) : at(own === 1 ? 0 : Math.min(c, 2), k);
      data[isLast ? k * channels + c : c * pixels + k] = (v - mean) / deviation;
    }
  }
  return tensor(data, { type: input.type.type as "float32", dims });
}

export const pngBytes = ({ width, height, rgba }: Picture): Uint8Array =>
  encode({ width, height, data: rgba, channels: 4, depth: 8 });
