// Expressions as formulas, with as few brackets as their operators allow.
import type { Expression } from "../../formula/formula.ts";

const strength: Readonly<Record<Expression["kind"], number>> = {
  sum: 1,
  product: 2,
  power: 3,
  number: 4,
  name: 4,
  index: 4,
  range: 0,
  vector: 4,
  call: 4,
};

/** In brackets where it binds less than its place asks for. */
const within = (e: Expression, least: number): string => {
  const negative = e.kind === "number" && e.value < 0;
  const text = expressionText(e);
  return strength[e.kind] < least || (negative && least > 1) ? `(${text})` : text;
};

/**
 * An expression as a formula that `parseFormula` reads.
 * @example expressionText(parseFormula("(x+1)*y^2")) // "(x + 1) * y^2"
 */
export function expressionText(e: Expression): string {
  switch (e.kind) {
    case "number":
      return String(e.value);
    case "name":
      return e.name;
    case "index":
      return `${e.name}[${expressionText(e.index)}]`;
    case "range":
      return `${within(e.from, 1)}:${within(e.to, 1)}`;
    case "vector":
      return `[${e.entries.map(expressionText).join(", ")}]`;
    case "call":
      return `${e.name}(${e.args.map(expressionText).join(", ")})`;
    case "power":
      return `${within(e.base, 4)}${e.elementwise ? ".^" : "^"}${within(e.exponent, 4)}`;
    case "sum":
      return e.terms
        .map(({ negative, of }, k) => `${negative ? (k ? " - " : "-") : k ? " + " : ""}${within(of, 2)}`)
        .join("");
    case "product":
      return e.factors
        .map(({ inverse, elementwise, of }, k) => {
          const sign = `${elementwise ? "." : ""}${inverse ? "/" : "*"}`;
          return k === 0 ? `${inverse ? "1 / " : ""}${within(of, 2)}` : ` ${sign} ${within(of, 3)}`;
        })
        .join("");
  }
}
