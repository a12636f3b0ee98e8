import { allLemmata } from "@lemmata/core/theory";
import { describe, expect, it } from "vitest";
import { formulaText, proseText } from "../src/formula-text.ts";

describe("formulas in a terminal", () => {
  it.each([
    ["4^{-i-1}", "4⁻ⁱ⁻¹"],
    [String.raw`\tfrac{1}{8} 4^{-i}`, "1/8 4⁻ⁱ"],
    [String.raw`\frac{a+b}{2m} x`, "((a+b)/(2m)) x"],
    [String.raw`\left(\frac{2}{3N}\right)^n`, "(2/(3N))ⁿ"],
    [String.raw`\sup_{x \in [0,1]} |h_i(x) - x^2|`, "sup_(x ∈ [0,1]) |hᵢ(x) - x²|"],
    [String.raw`\sqrt{\ln(2/\delta) / (2n)}`, "√(ln(2/δ) / (2n))"],
    [String.raw`\sqrt m + \sqrt[3]{x}`, "√m + ∛x"],
    [
      String.raw`\widehat{\mathcal{R}}_S(f) \qquad \text{for all } f \in \mathcal F`,
      "ℛ̂_S(f)   for all f ∈ ℱ",
    ],
    [String.raw`\binom{n}{k} \to \infty`, "C(n, k) → ∞"],
    [String.raw`\begin{bmatrix} W & b \\ 0 & 1 \end{bmatrix}`, "[ W , b ; 0 , 1 ]"],
    ["k^(n-1)", "k^(n-1)"],
    [String.raw`\{x : \|x\| \le 1\}`, "{x : ‖x‖ ≤ 1}"],
    [String.raw`\unknown{x} and } more {`, String.raw`\unknownx and more`],
  ])("%s", (latex, text) => expect(formulaText(latex)).toBe(text));

  it("prose is left alone, but for formulas between dollars", () => {
    expect(proseText("only if $\\varrho(1) = 1$; a_b stays")).toBe("only if ϱ(1) = 1; a_b stays");
  });

  it("reads every formula of every lemma", async () => {
    const formulas = (await allLemmata()).flatMap((lemma) => [
      lemma.statement,
      ...Object.values(lemma.claims).map((claim) => claim.says),
    ]);
    const unread = formulas.flatMap((latex) => proseText(latex).match(/\\[a-zA-Z]*/g) ?? []);
    expect([...new Set(unread)]).toEqual([]);
  });
});
