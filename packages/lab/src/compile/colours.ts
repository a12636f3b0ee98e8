// Viridis: perceptually uniform, and readable for colour-blind people, by its values at eleven equal steps.

export const viridis = [
  ...["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c"],
  ...["#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"],
] as const;

const channels = viridis.map((hex) => [1, 3, 5].map((k) => Number.parseInt(hex.slice(k, k + 2), 16)));

/** Values as pixels: `lower` is dark, `upper` is bright. Rows go up in a plot, and down in an image. */
export function pixels(
  values: Float64Array,
  size: number,
  lower: number,
  upper: number,
): Uint8ClampedArray<ArrayBuffer> {
  const found = new Uint8ClampedArray(4 * values.length);
  const steps = channels.length - 1;
  for (let k = 0; k < values.length; k++) {
    const value = values[k]!;
    const share = upper > lower ? Math.min(1, Math.max(0, (value - lower) / (upper - lower))) : 0;
    const low = Math.min(steps - 1, Math.floor(share * steps));
    const part = share * steps - low;
    const [a, b] = [channels[low]!, channels[low + 1]!];
    const pixel = 4 * ((values.length / size - 1 - Math.floor(k / size)) * size + (k % size));
    for (let c = 0; c < 3; c++) found[pixel + c] = a[c]! + part * (b[c]! - a[c]!);
    found[pixel + 3] = 255;
  }
  return found;
}
