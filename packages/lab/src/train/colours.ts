// Colours of canvases, from the tokens of the page.
export type Rgb = readonly [red: number, green: number, blue: number];

/** "rgb(0, 114, 178)", as a computed style has it. */
export function parseRgb(text: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

export const mix = (from: Rgb, to: Rgb, share: number): Rgb =>
  from.map((value, k) => value + (to[k]! - value) * share) as unknown as Rgb;

/** Two ends and the colour between them. */
export interface DivergingPalette {
  readonly negative: Rgb;
  readonly zero: Rgb;
  readonly positive: Rgb;
}

/** From -1 to 1. */
export const diverging = ({ negative, zero, positive }: DivergingPalette, value: number): Rgb =>
  mix(zero, value < 0 ? negative : positive, Math.min(1, Math.abs(value)));

/** A picture of scores: tanh(s/2) = 2p - 1 with p the logistic probability, softened so that points stand out. */
export function heatImage(
  scores: Float32Array,
  palette: DivergingPalette,
  strength = 0.6,
): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * scores.length);
  scores.forEach((score, k) => {
    const [red, green, blue] = diverging(palette, strength * Math.tanh(score / 2));
    pixels.set([red, green, blue, 255], 4 * k);
  });
  return pixels;
}

/** A picture of weights, the greatest in size at full colour. */
export function weightImage(
  weights: ArrayLike<number>,
  palette: DivergingPalette,
): Uint8ClampedArray<ArrayBuffer> {
  let greatest = 0;
  for (let k = 0; k < weights.length; k++) greatest = Math.max(greatest, Math.abs(weights[k]!));
  const pixels = new Uint8ClampedArray(4 * weights.length);
  for (let k = 0; k < weights.length; k++)
    pixels.set([...diverging(palette, greatest > 0 ? weights[k]! / greatest : 0), 255], 4 * k);
  return pixels;
}
