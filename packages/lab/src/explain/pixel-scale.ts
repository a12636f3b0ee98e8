// The numbers that a network takes for pixels: (v - mean) / deviation of v from 0 to 1, as it was trained.
export interface PixelScale {
  readonly label: string;
  /** One for all channels, or one each. */
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

export const pixelScales = {
  unit: { label: "0 to 1", mean: [0], deviation: [1] },
  symmetric: { label: "−1 to 1", mean: [0.5], deviation: [0.5] },
  byte: { label: "0 to 255", mean: [0], deviation: [1 / 255] },
  mnist: { label: "MNIST: mean 0, deviation 1", mean: [0.1307], deviation: [0.3081] },
  imagenet: {
    label: "ImageNet: mean 0, deviation 1",
    mean: [0.485, 0.456, 0.406],
    deviation: [0.229, 0.224, 0.225],
  },
} as const satisfies Record<string, PixelScale>;

export type PixelScaleName = keyof typeof pixelScales;
export const pixelScaleNames = Object.keys(pixelScales) as readonly PixelScaleName[];

export const scaled = ({ mean, deviation }: PixelScale, channel: number, v: number): number =>
  (v - (mean[channel] ?? mean[0]!)) / (deviation[channel] ?? deviation[0]!);

/** The box of all images. */
export function pixelBounds(scale: PixelScale, channels: number) {
  const all = (v: number): number | readonly number[] =>
    scale.mean.length === 1
      ? scaled(scale, 0, v)
      : Array.from({ length: channels }, (_, c) => scaled(scale, c, v));
  return { low: all(0), high: all(1) };
}
