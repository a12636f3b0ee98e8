import type { Figure } from "../../figure/figure.ts";
import { between, curve } from "./by-input.ts";
import { type DenseLayer, total } from "./dense-relu.ts";
import { alphaBetaRule, explainPlainly } from "./plain-rules.ts";

/** What the pass found at the beta of the run: inputs and biases together. */
export interface Found {
  readonly plain: number;
  /** Only where there is something to balance. */
  readonly balanced?: number;
}

/** Both parts of the relevance grow with beta; the sum is that of the score where each neuron has both signs. */
export function figure(
  layers: readonly DenseLayer[],
  x: readonly number[],
  beta: number,
  found: Found,
): Figure {
  const betas = between(0, 2, 41);
  const at = betas.map((b) => {
    const rules = layers.map(() => alphaBetaRule(1 + b, b));
    const { relevance, biases, score } = explainPlainly(layers, x, rules, 0);
    const R = relevance[0]!;
    const part = (sign: number): number => total(R.filter((v) => v * sign > 0));
    return { positive: part(1), negative: part(-1), sum: total(R) + total(biases), score };
  });
  const over = (name: string, of: (part: (typeof at)[number]) => number) => ({
    ...{ name, mark: "line" as const },
    points: at.map((part, k) => [betas[k]!, of(part)] as const),
  });
  return {
    title: "LRP-αβ with α = 1 + β: more for, more against, and a sum that may drift",
    panels: [
      {
        title: "The whole network",
        x: { label: "β" },
        y: { label: "relevance" },
        series: [
          over("inputs, positive part", (part) => part.positive),
          over("inputs, negative part", (part) => part.negative),
          over("inputs and biases together", (part) => part.sum),
          { name: "together, by the pass", mark: "dots", points: [[beta, found.plain]] },
          ...(found.balanced === undefined
            ? []
            : [
                {
                  ...{ name: "together, balanced at each neuron", mark: "dots" as const },
                  points: [[beta, found.balanced] as const],
                },
              ]),
          { ...over("score f(x)", (part) => part.score), role: "theory" },
        ],
      },
      {
        title: "One neuron: handed on, of what it has",
        x: { label: "β" },
        y: { label: "part" },
        series: [
          curve("contributions of both signs", sparse, (b) => handedOn([2, -1], b), { mark: "dots" }),
          curve("nothing against it", sparse, (b) => handedOn([2, 1], b), { mark: "dots" }),
          curve("nothing for it", sparse, (b) => handedOn([-2, -1], b), { mark: "dots" }),
          curve("1", betas, () => 1, { role: "theory" }),
          curve("α", betas, (b) => 1 + b, { role: "theory" }),
          curve("-β", betas, (b) => -b, { role: "theory" }),
        ],
      },
    ],
  };
}

const sparse = between(0, 2, 11);

/** By a neuron with these contributions and a relevance of 1. */
const handedOn = (contributions: readonly number[], beta: number): number =>
  total(
    alphaBetaRule(1 + beta, beta)(
      { W: [contributions], b: [0] },
      contributions.map(() => 1),
      [1],
    ).inputs,
  );
