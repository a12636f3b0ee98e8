// Numbers as a person reads them: enough digits to compare, none to admire.
const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (exponent: number): string =>
  (exponent < 0 ? "⁻" : "") + [...String(Math.abs(exponent))].map((c) => superscripts[Number(c)]).join("");

/** `0.00390625`, `1.53 · 10⁻⁵`, `12,345`, `∞`. */
export function shown(value: number | null | undefined, digits = 6): string {
  if (value === undefined || value === null || Number.isNaN(value)) return "none";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return value.toLocaleString("en-US").replace("-", "−");
  if (size >= 1e-3 && size < 1e6)
    return Number(value.toPrecision(digits))
      .toLocaleString("en-US", { maximumSignificantDigits: digits })
      .replace("-", "−");
  const [mantissa, exponent] = value.toExponential(Math.min(digits, 4) - 1).split("e");
  return `${String(Number(mantissa)).replace("-", "−")} · 10${raised(Number(exponent))}`;
}

/** Two numbers side by side: more digits where fewer would make different ones look alike. */
export function shownPair(a: number, b: number): readonly [string, string] {
  for (const digits of [6, 9, 12, 17]) {
    const pair = [shown(a, digits), shown(b, digits)] as const;
    if (pair[0] !== pair[1] || Object.is(a, b)) return digits === 6 ? pair : pairExact(a, b, digits);
  }
  return [String(a), String(b)];
}

const pairExact = (a: number, b: number, digits: number): readonly [string, string] => {
  const text = (v: number): string => String(Number(v.toPrecision(digits))).replace("-", "−");
  return [text(a), text(b)];
};

/** What a relation reads like. */
export const relationSign = { "<=": "≤", "=": "=", ">=": "≥" } as const;
