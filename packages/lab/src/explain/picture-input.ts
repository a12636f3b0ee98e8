// A drawing or an image file as the input of a network; only in a worker.
import { ExplainError } from "@lemmata/core/explain";
import { type Tensor, tensor, type ValueInfo } from "@lemmata/core/graph";
import { normalizedDigit } from "../train/digit.ts";
import { boardSide, type Drawing, inkOf } from "./drawing.ts";
import { type ImageLayout, imageLayout } from "./image-layout.ts";
import { type PixelScale, scaled } from "./pixel-scale.ts";

export interface Picture {
  readonly drawing: Drawing;
  /** In place of the drawing. */
  readonly image?: File;
  /** Ink becomes light, paper dark, as MNIST has it. */
  readonly invert: boolean;
  /** A drawing in the middle, as MNIST has it. */
  readonly centre: boolean;
}

export interface PictureInput {
  readonly tensor: Tensor;
  readonly layout: ImageLayout;
  /** What the network sees: red, green, blue, opacity. */
  readonly seen: Uint8ClampedArray<ArrayBuffer>;
}

/** The longest side of an image where the network takes any. */
const longest = 320;

async function bitmapOf(file: File): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file);
  } catch {
    throw new ExplainError(`${file.name}: this is no image that the browser can read`);
  }
}

/** Ink as an image: white on black. */
function drawnBitmap({ drawing, centre }: Picture): Promise<ImageBitmap> {
  const ink = inkOf(drawing);
  const digit = (centre ? normalizedDigit({ width: boardSide, height: boardSide, ink }) : undefined) ?? ink;
  const image = new ImageData(boardSide, boardSide);
  digit.forEach((v, k) => {
    const grey = Math.round(255 * v);
    image.data.set([grey, grey, grey, 255], 4 * k);
  });
  return createImageBitmap(image);
}

function pixelsOf(bitmap: ImageBitmap, width: number, height: number): Uint8ClampedArray<ArrayBuffer> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.imageSmoothingQuality = "high";
  context.fillRect(0, 0, width, height); // what is transparent lies on black
  context.drawImage(bitmap, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data;
}

function valuesOf(
  rgba: Uint8ClampedArray,
  { channels, isLast }: ImageLayout,
  scale: PixelScale,
): Float64Array {
  const pixels = rgba.length / 4;
  const values = new Float64Array(channels * pixels);
  for (let k = 0; k < pixels; k++) {
    const [r, g, b] = [rgba[4 * k]! / 255, rgba[4 * k + 1]! / 255, rgba[4 * k + 2]! / 255];
    const own = channels === 3 ? [r, g, b] : [r === g && g === b ? r : 0.299 * r + 0.587 * g + 0.114 * b];
    for (let c = 0; c < channels; c++)
      values[isLast ? k * channels + c : c * pixels + k] = scaled(scale, c, own[c]!);
  }
  return values;
}

/** A picture in the size, layout and numbers that an input takes. */
export async function pictureInput(
  picture: Picture,
  input: ValueInfo,
  scale: PixelScale,
): Promise<PictureInput> {
  const bitmap = picture.image ? await bitmapOf(picture.image) : await drawnBitmap(picture);
  const shrink = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  const layout = imageLayout(input, {
    width: Math.max(1, Math.round(bitmap.width * shrink)),
    height: Math.max(1, Math.round(bitmap.height * shrink)),
  });
  const seen = pixelsOf(bitmap, layout.width, layout.height);
  bitmap.close();
  if (picture.image && picture.invert)
    for (let k = 0; k < seen.length; k++) if (k % 4 !== 3) seen[k] = 255 - seen[k]!;
  const type = input.type.type as "float32";
  return { tensor: tensor(valuesOf(seen, layout, scale), { type, dims: [...layout.dims] }), layout, seen };
}
