import type { TaylorStep } from "../../explain/deep-taylor.ts";
import type { Figure } from "../../figure/figure.ts";
import { between, inputAxis } from "./by-input.ts";
import { total } from "./dense-relu.ts";

interface Shown {
  readonly weights: readonly number[];
  readonly bias: number;
  readonly steps: Readonly<Record<string, TaylorStep>>;
}

const label: Readonly<Record<string, string>> = {
  gamma: "γ",
  "z-plus": "z⁺",
  box: "box",
  "w-square": "w²",
  zero: "LRP-0",
  epsilon: "LRP-ε",
};

/** One open neuron: its relevance on the way from the input to each reference point, and the messages that follow. */
export function figure({ weights, bias, steps }: Shown, x: readonly number[]): Figure {
  const rules = Object.entries(steps);
  const furthest = Math.max(...rules.map(([, { distance }]) => distance));
  const relevanceAt = (p: ArrayLike<number>): number =>
    Math.max(0, total(weights.map((w, j) => w * p[j]!)) + bias);
  const onTheWay = ({ root, distance }: TaylorStep) =>
    between(0, furthest, 81).map((s) => {
      const t = s / distance;
      return [s, relevanceAt(x.map((v, j) => v + t * (root[j]! - v)))] as const;
    });
  return {
    title: "Deep Taylor decomposition of the most open neuron, by rule",
    panels: [
      {
        title: "Relevance on the way to the reference points",
        x: { label: "distance from x" },
        y: { label: "max(0, w x + b)" },
        series: [
          // LRP-0 and LRP-ε look on one line, towards the origin.
          ...rules
            .filter(([name]) => name !== "epsilon")
            .map(([name, step]) => ({
              ...{ name: name === "zero" ? "LRP-0 and LRP-ε" : label[name]!, mark: "line" as const },
              points: onTheWay(step),
            })),
          {
            ...{ name: "reference points", mark: "dots" },
            points: rules.map(([, { root, distance }]) => [distance, relevanceAt(root)] as const),
          },
        ],
      },
      {
        title: "Messages to the inputs; r: the zeroth-order term",
        x: { label: "input", names: [...inputAxis(x.length).names!, "r"] },
        y: { label: "relevance" },
        series: rules.map(([name, { messages, residual }]) => ({
          ...{ name: label[name]!, mark: "dots" as const },
          points: [...messages, residual].map((v, j) => [j, v] as const),
        })),
      },
    ],
  };
}
