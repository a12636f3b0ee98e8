// A formula in TeX as plain HTML: letters, superscripts and subscripts. Enough for the formulas of measures.
import { type Html, html } from "./html.ts";

const symbols: Readonly<Record<string, string>> = {
  omega: "ω",
  gamma: "γ",
  alpha: "α",
  sigma: "σ",
  delta: "δ",
  epsilon: "ε",
  lambda: "λ",
  ell: "ℓ",
  nabla: "∇",
  sum: "∑",
  prod: "∏",
  ln: "ln ",
  min: "min ",
  max: "max",
  le: " ≤ ",
  ge: " ≥ ",
  sim: " ∼ ",
  langle: "⟨",
  rangle: "⟩",
  quad: "  ",
  "{": "{",
  "}": "}",
};

/** Commands, braces, script marks, and single characters. */
const tokensOf = (tex: string): readonly string[] => tex.match(/\\[a-zA-Z]+|\\.|./gsu) ?? [];

/**
 * The formula as HTML; a command that is not known shows its name.
 * @example formulaHtml("|W_i|_F^2").html // "|W<sub>i</sub>|<sub>F</sub><sup>2</sup>"
 */
export function formulaHtml(tex: string): Html {
  const tokens = tokensOf(tex);
  let at = 0;

  const argument = (): Html => {
    while (tokens[at] === " ") at++;
    return tokens[at] === "{" ? group() : one();
  };
  const group = (): Html => {
    at++;
    const inside = until("}");
    at++;
    return inside;
  };
  const until = (end: string | undefined): Html => {
    const parts: Html[] = [];
    while (at < tokens.length && tokens[at] !== end) parts.push(one());
    return html`${parts}`;
  };
  const fraction = (): Html => {
    const [above, below] = [argument(), argument()];
    const grouped = (part: Html): Html => (/^[\wα-ω]$/u.test(part.html) ? part : html`(${part})`);
    return html`${grouped(above)}/${grouped(below)} `;
  };
  const text = (): Html => {
    let inside = "";
    at++; // the brace
    while (at < tokens.length && tokens[at] !== "}") inside += tokens[at++];
    at++;
    return html`${inside}`;
  };
  const one = (): Html => {
    const token = tokens[at++];
    if (token === undefined) return html``;
    if (token === "{") {
      at--;
      return group();
    }
    if (token === "^") return html`<sup>${argument()}</sup>`;
    if (token === "_") return html`<sub>${argument()}</sub>`;
    if (token === "-") return html`−`;
    if (token === "'") return html`′`;
    if (!token.startsWith("\\")) return html`${token}`;
    const name = token.slice(1);
    if (name === "frac") return fraction();
    if (name === "text") return text();
    if (name === "hat") return html`${argument()}\u0302`;
    return html`${symbols[name] ?? name}`;
  };
  return until(undefined);
}
