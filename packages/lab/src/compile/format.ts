// Numbers as people write them.

const raised: Readonly<Record<string, string>> = {
  "-": "⁻",
  ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((c, k) => [k, c])),
};
const minus = (text: string): string => text.replace("-", "−");

/** Mantissa and exponent as people write them. */
function scientific(digits: string, exponent: number): string {
  const power = `10${[...String(exponent)].map((c) => raised[c] ?? c).join("")}`;
  return digits === "1" ? power : digits === "-1" ? `−${power}` : `${minus(digits)} × ${power}`;
}

function written(rounded: number): string {
  const size = Math.abs(rounded);
  if (rounded === 0 || (size >= 1e-3 && size < 1e6)) return minus(String(rounded));
  const [digits, exponent] = rounded.toExponential().split("e") as [string, string];
  return scientific(digits, Number(exponent));
}

/** A number with few digits: −1.23 × 10⁻⁵. */
export const short = (x: number, digits = 3): string =>
  Number.isFinite(x) ? written(Number(x.toPrecision(digits))) : minus(String(x).replace("Infinity", "∞"));

/** Three digits, rounded up, so that the bound that is shown holds. */
export function atMost(x: number): string {
  const text = x.toExponential(2);
  const [digits, exponent] = text.split("e") as [string, string];
  return written(
    Number(text) >= x ? Number(text) : Number(`${(Number(digits) + 0.01).toFixed(2)}e${exponent}`),
  );
}

const thousands = new Intl.NumberFormat("en-US"); // made once: it is slow to make

/** Whole numbers with a thin space between thousands. */
export const counted = (n: number): string => thousands.format(n).replaceAll(",", "\u202f");

/** A part of one, in per cent. */
export const percent = (share: number): string =>
  share >= 0.0995 || share === 0
    ? `${Math.round(100 * share)} %`
    : share < 0.001
      ? "< 0.1 %"
      : `${(100 * share).toFixed(1)} %`;

/** A time as a person would say it. */
export const duration = (seconds: number): string =>
  seconds < 1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`;
