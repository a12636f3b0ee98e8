// Images as inputs and outputs: PNG files.
import type { Picture } from "@lemmata/core/explain";
import { isTensorType, type Tensor, tensor, type ValueInfo } from "@lemmata/core/graph";
import { decode, encode } from "fast-png";
import { readBytes, writeWhole } from "./files.ts";
import { UsageError } from "./usage-error.ts";

/** What each channel is shifted and scaled by, as the network was trained: (v - mean) / deviation for v from 0 to 1. */
export interface Scaling {
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

export const isPng = (path: string): boolean => path.toLowerCase().endsWith(".png");
const mostPixels = 1e8;

/** Width and height as the file's head says them, before anything is unpacked. */
function checkSize(bytes: Uint8Array, path: string): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isImage = bytes.length > 24 && view.getUint32(0) === 0x89504e47;
  if (!isImage) throw new UsageError(`${path} is no PNG image`);
  const pixels = view.getUint32(16) * view.getUint32(20);
  if (pixels > mostPixels) throw new UsageError(`${path} has ${pixels} pixels, more than ${mostPixels}`);
}

/** Gray or colour from 0 to 1, [channels][rows][columns]; what is transparent lies on black. */
function readPng(path: string): {
  readonly width: number;
  readonly height: number;
  at(c: number, k: number): number;
  readonly channels: number;
} {
  const bytes = readBytes(path);
  checkSize(bytes, path);
  try {
    const { width, height, data, channels, depth, palette } = decode(bytes);
    const most = 2 ** depth - 1;
    if (palette) return { width, height, channels: 3, at: (c, k) => (palette[data[k]!]?.[c] ?? 0) / 255 };
    const colours = channels >= 3 ? 3 : 1;
    const opacity = (k: number): number => (channels === colours ? 1 : data[k * channels + colours]! / most);
    return { width, height, channels: colours, at: (c, k) => (data[k * channels + c]! / most) * opacity(k) };
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

/** An image as the input of a network. */
export function imageInput(path: string, input: ValueInfo, scaling: Scaling): Tensor {
  const { width, height, channels: own, at } = readPng(path);
  const { channels, dims, isLast } = layoutOf(input, width, height);
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

export const writePng = (path: string, { width, height, rgba }: Picture): void =>
  writeWhole(path, encode({ width, height, data: rgba, channels: 4, depth: 8 }));
