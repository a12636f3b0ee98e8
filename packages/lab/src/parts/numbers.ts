// Numbers as a person reads them, written alike on every page.

const raised: Readonly<Record<string, string>> = {
  "-": "⁻",
  ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((c, k) => [k, c])),
};
const minus = (text: string): string => text.replace("-", "−");
const grouped = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 17 }); // made once: it is slow to make

/** `1.53 × 10⁻⁵`, `10⁻⁴`. */
function scientific(rounded: number): string {
  const [digits, exponent] = rounded.toExponential().split("e") as [string, string];
  const power = `10${[...String(Number(exponent))].map((c) => raised[c] ?? c).join("")}`;
  return digits === "1" ? power : digits === "-1" ? `−${power}` : `${minus(digits)} × ${power}`;
}

const isPlain = (size: number): boolean => size === 0 || (size >= 1e-3 && size < 1e6);

/** A number with all of its digits: what was to be rounded is rounded already. */
const written = (rounded: number): string =>
  isPlain(Math.abs(rounded)) ? minus(grouped.format(rounded)) : scientific(rounded);

/** What is no finite number has a sign of its own. */
const strange = (value: number | null | undefined): string | undefined =>
  value === undefined || value === null || Number.isNaN(value)
    ? "–"
    : Number.isFinite(value)
      ? undefined
      : value > 0
        ? "∞"
        : "−∞";

/** A whole number: `12,345`. */
export const counted = (value: number): string => minus(grouped.format(value));

/** A number with few digits: `−1.23 × 10⁻⁵`; without one, a bar. */
export const short = (value: number | null | undefined, digits = 3): string =>
  strange(value) ?? written(Number(value!.toPrecision(digits)));

/** Enough digits to compare, none to admire: `0.00390625`, `6.104 × 10⁻⁵`, `1,234,567`. */
export function shown(value: number | null | undefined, digits = 6): string {
  const sign = strange(value);
  if (sign !== undefined) return sign === "–" ? "none" : sign;
  if (Number.isInteger(value) && Math.abs(value!) < 1e9) return counted(value!);
  return short(value, isPlain(Math.abs(value!)) ? digits : Math.min(digits, 4));
}

/** Two numbers side by side: more digits where fewer would make different ones look alike. */
export function shownPair(a: number, b: number): readonly [string, string] {
  const text = (v: number, digits: number): string => minus(String(Number(v.toPrecision(digits))));
  if (shown(a) !== shown(b) || Object.is(a, b)) return [shown(a), shown(b)];
  const digits = [9, 12].find((n) => text(a, n) !== text(b, n)) ?? 17;
  return [text(a, digits), text(b, digits)];
}

/** The nearest number of so many digits on one side of the value. */
function rounded(value: number, digits: number, side: 1 | -1): number {
  const near = Number(value.toPrecision(digits));
  if (side * (near - value) >= 0) return near;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) + 1 - digits);
  return Number((near + side * step).toPrecision(digits));
}

/** Rounded up, so that the upper bound that is shown holds. */
export const atMost = (value: number, digits = 3): string =>
  Number.isFinite(value) ? written(rounded(value, digits, 1)) : short(value);

/** Rounded down, so that the lower bound that is shown holds. */
export const atLeast = (value: number, digits = 3): string =>
  Number.isFinite(value) ? written(rounded(value, digits, -1)) : short(value);

/** A part of one, in per cent, with a digit after the point unless it is asked for none. */
export const percent = (share: number, digits = 1): string =>
  share === 0 ? "0%" : share < 0.001 ? "< 0.1%" : `${(100 * share).toFixed(digits)}%`;

/** A time as a person would say it. */
export const duration = (seconds: number): string =>
  seconds < 1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`;

/** `1.4 MB` */
export const fileSize = (bytes: number): string =>
  bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${short(bytes / 1e3)} KB` : `${short(bytes / 1e6)} MB`;

/** What a relation reads like. */
export const relationSign = { "<=": "≤", "=": "=", ">=": "≥" } as const;
