// What is scattered: a signal of 128 samples that was chosen or drawn, or a picture of 32 x 32.
export const signalLength = 128;
export const pictureSide = 32;

export const signalNames = ["chirp", "packet", "steps", "clicks"] as const;
export type SignalName = (typeof signalNames)[number];

/** A signal between -1 and 1. */
export function signalOf(name: SignalName): Float64Array {
  return Float64Array.from({ length: signalLength }, (_, u) => {
    const t = u / signalLength;
    const bell = Math.exp(-(((t - 0.5) / 0.16) ** 2));
    if (name === "chirp") return Math.sin(Math.PI * t) ** 2 * Math.cos(2 * Math.PI * (6 * t + 20 * t * t));
    if (name === "packet") return bell * Math.cos(2 * Math.PI * 28 * t);
    if (name === "clicks") return [17, 49, 55, 60, 101].includes(u) ? 1 : 0;
    return t < 0.2 ? -0.5 : t < 0.45 ? 0.8 : t < 0.6 ? 0.1 : t < 0.85 ? -0.9 : 0.4;
  });
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Samples of a drawn signal that a link keeps. */
const keptSamples = 64;

/** A drawn signal as letters, one for every second sample. */
export const encodeSignal = (x: ArrayLike<number>): string =>
  Array.from({ length: keptSamples }, (_, k) => {
    const value = x[Math.floor((k * x.length) / keptSamples)]!;
    return letters[Math.round(((Math.min(1, Math.max(-1, value)) + 1) / 2) * (letters.length - 1))];
  }).join("");

/** The signal of a link, straight between the samples that it keeps; nothing, if it is none. */
export function decodeSignal(text: string): Float64Array | undefined {
  if (text.length !== keptSamples) return undefined;
  const at = (k: number): number => {
    const code = letters.indexOf(text[Math.min(keptSamples - 1, k)]!);
    return (2 * Math.max(0, code)) / (letters.length - 1) - 1;
  };
  return Float64Array.from({ length: signalLength }, (_, u) => {
    const place = (u * keptSamples) / signalLength;
    const below = Math.floor(place);
    return at(below) + (place - below) * (at(below + 1) - at(below));
  });
}
