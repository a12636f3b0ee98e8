// Panels of `lemmata recover --png`: pictures side by side, enlarged, with the greys of one range.
import type { Picture } from "@lemmata/core/explain";
import { pictureOf } from "@lemmata/core/inverse";
import { UsageError } from "../usage-error.ts";

const [gap, wanted] = [8, 160];

/** Pixels beyond the range are shown at its ends. */
export function panels(
  pictures: readonly Float64Array[],
  shape: readonly number[],
  [low, high]: readonly [number, number],
): Picture {
  const { channels, rows, columns } = pictureOf(shape);
  if (channels !== 1 && channels !== 3) throw new UsageError(`--png draws 1 or 3 channels, not ${channels}`);
  const factor = Math.max(1, Math.round(wanted / Math.max(rows, columns)));
  const [panelWidth, height] = [factor * columns, factor * rows];
  const width = pictures.length * (panelWidth + gap) - gap;
  const rgba = new Uint8Array(4 * width * height).fill(255);
  for (const [p, x] of pictures.entries())
    for (let i = 0; i < height; i++)
      for (let j = 0; j < panelWidth; j++) {
        const pixel = Math.floor(i / factor) * columns + Math.floor(j / factor);
        const at = 4 * (i * width + p * (panelWidth + gap) + j);
        for (let c = 0; c < 3; c++) {
          const v = x[(channels === 1 ? 0 : c) * rows * columns + pixel]!;
          rgba[at + c] = Math.round(255 * Math.min(1, Math.max(0, (v - low) / (high - low))));
        }
      }
  return { width, height, rgba };
}
