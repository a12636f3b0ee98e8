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

/** Numbers from 0 to 1 as letters. */
const lettersOf = (shares: ArrayLike<number>): string =>
  Array.from(shares, (v) => letters[Math.round(Math.min(1, Math.max(0, v)) * (letters.length - 1))]).join("");
const sharesOf = (text: string): Float64Array =>
  Float64Array.from(text, (letter) => Math.max(0, letters.indexOf(letter)) / (letters.length - 1));

/** A signal between -1 and 1 as letters, one a sample. */
export const encodeSignal = (x: ArrayLike<number>): string => lettersOf(Array.from(x, (v) => (v + 1) / 2));

/** The signal of a link: a letter a sample, or every second one and straight lines between; nothing, if it is none. */
export function decodeSignal(text: string): Float64Array | undefined {
  const every = signalLength / text.length;
  if (every !== 1 && every !== 2) return undefined;
  const kept = sharesOf(text).map((v) => 2 * v - 1);
  const at = (k: number): number => kept[Math.min(kept.length - 1, k)]!;
  return Float64Array.from({ length: signalLength }, (_, u) => {
    const below = Math.floor(u / every);
    return at(below) + (u / every - below) * (at(below + 1) - at(below));
  });
}

/** A picture's greys as letters, row by row. */
export const encodePicture = lettersOf;

/** The picture of a link; nothing, if it is none. */
export const decodePicture = (text: string): Float64Array | undefined =>
  text.length === pictureSide ** 2 ? sharesOf(text) : undefined;
