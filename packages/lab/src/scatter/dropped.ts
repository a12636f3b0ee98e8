// A dropped picture or sound as what is scattered; in the page, which has the decoders.
import { pictureSide, signalLength } from "./source.ts";

export interface Source {
  readonly kind: "signal" | "picture";
  readonly x: Float64Array;
}

/** A picture in greys from 0 to 1, its middle square. */
async function pictureOf(file: File): Promise<Float64Array> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new Error(`${file.name}: this is no picture that the browser can read`);
  }
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [pictureSide, pictureSide];
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const side = Math.min(bitmap.width, bitmap.height);
  const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2];
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, left, top, side, side, 0, 0, pictureSide, pictureSide);
  bitmap.close();
  const { data } = context.getImageData(0, 0, pictureSide, pictureSide);
  return Float64Array.from(
    { length: pictureSide ** 2 },
    (_, k) => (0.299 * data[4 * k]! + 0.587 * data[4 * k + 1]! + 0.114 * data[4 * k + 2]!) / 255,
  );
}

/** The loudest stretch of a sound, 128 samples of 4,000 a second, the greatest of them 1. */
async function soundOf(file: File): Promise<Float64Array> {
  let sound: AudioBuffer;
  try {
    sound = await new OfflineAudioContext(1, 1, 4000).decodeAudioData(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name}: this is no sound that the browser can read`);
  }
  const all = sound.getChannelData(0);
  if (all.length < signalLength)
    throw new Error(`${file.name}: ${all.length} samples are fewer than ${signalLength}`);
  let [start, loudest] = [0, -1];
  for (let at = 0; at + signalLength <= all.length; at += signalLength / 2) {
    const energy = all.subarray(at, at + signalLength).reduce((sum, v) => sum + v * v, 0);
    if (energy > loudest) [start, loudest] = [at, energy];
  }
  const part = Float64Array.from(all.subarray(start, start + signalLength));
  const most = Math.max(...part.map(Math.abs)) || 1;
  return part.map((v) => v / most);
}

/** What a file is, by its type. */
export async function readSource(file: File): Promise<Source> {
  if (file.type.startsWith("audio/")) return { kind: "signal", x: await soundOf(file) };
  return { kind: "picture", x: await pictureOf(file) };
}
