import type { Figure } from "../../figure/figure.ts";
import { between, betweenLog, curve } from "./by-input.ts";
import { type DenseLayer, total } from "./dense-relu.ts";
import { epsilonRule, explainPlainly, type PlainRule, unsignedEpsilonRule } from "./plain-rules.ts";

/** What the pass found at the epsilon of the run. */
export interface Found {
  readonly inputs: number;
  readonly bias: number;
  readonly absorbed: number;
}

/** What one neuron hands on by its pre-activation, and where the score of the whole network goes as epsilon grows. */
export function figure(
  layers: readonly DenseLayer[],
  x: readonly number[],
  epsilon: number,
  found: Found,
): Figure {
  const values = betweenLog(1e-3, 100, 61);
  const parts = values.map((e) => {
    const rules = layers.map(() => epsilonRule(e));
    const { relevance, biases, score } = explainPlainly(layers, x, rules, 0);
    const [inputs, bias] = [total(relevance[0]!), total(biases)];
    return { inputs, bias, absorbed: score - inputs - bias, score };
  });
  const over = (name: string, of: (part: (typeof parts)[number]) => number) => ({
    ...{ name, mark: "line" as const },
    points: parts.map((part, k) => [values[k]!, of(part)] as const),
  });
  return {
    title: `LRP-ε: what a neuron hands on, and what ε = ${Number(epsilon.toPrecision(3))} takes`,
    panels: [
      sharePanel(epsilon),
      {
        title: "Where the score of the network goes",
        x: { label: "ε", scale: "log" },
        y: { label: "relevance" },
        series: [
          over("inputs", (part) => part.inputs),
          over("biases", (part) => part.bias),
          over("absorbed", (part) => part.absorbed),
          {
            ...{ name: "by the pass, ε of this run", mark: "dots" },
            points: Object.values(found).map((v) => [epsilon, v] as const),
          },
          { ...over("score: all three together", (part) => part.score), role: "theory" },
        ],
      },
    ],
  };
}

/** z / (z + epsilon sign z) is between 0 and 1; without the sign there is a pole at -epsilon. */
function sharePanel(epsilon: number): Figure["panels"][number] {
  const share = (rule: PlainRule, z: number): number => rule({ W: [[1]], b: [0] }, [z], [1]).inputs[0]!;
  const grid = between(-5 * epsilon, 5 * epsilon, 201);
  const unsigned = (name: string, isMine: (z: number) => boolean) => ({
    ...{ name, mark: "line" as const },
    points: grid
      .filter(isMine)
      .map((z) => [z, share(unsignedEpsilonRule(epsilon), z)] as const)
      .filter(([, v]) => Math.abs(v) <= 4),
  });
  return {
    title: "Part of its relevance that one neuron hands on",
    x: { label: "pre-activation z" },
    y: { label: "part" },
    series: [
      curve(
        "ε with the sign of z",
        grid.filter((_, k) => k % 8 === 4),
        (z) => share(epsilonRule(epsilon), z),
        { mark: "dots" },
      ),
      unsigned("ε as printed, z < -ε: more than it has", (z) => z < -epsilon),
      unsigned("ε as printed, z > -ε", (z) => z > -epsilon),
      curve("|z| / (|z| + ε)", grid, (z) => Math.abs(z) / (Math.abs(z) + epsilon), { role: "theory" }),
    ],
  };
}
