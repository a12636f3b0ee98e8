import type { Figure } from "../../figure/figure.ts";
import { between, byInput, curve, inputAxis } from "./by-input.ts";
import { type DenseLayer, forward, total } from "./dense-relu.ts";
import { explainPlainly, zeroRule } from "./plain-rules.ts";

/** Input by input; and on the ray through the input, where the score and the sum of the relevance part at every bend. */
export function figure(
  layers: readonly DenseLayer[],
  x: readonly number[],
  R: readonly number[],
  slopes: ArrayLike<number>,
): Figure {
  const ray = between(0, 2, 161);
  const at = (t: number): readonly number[] => x.map((v) => t * v);
  const rules = layers.map(() => zeroRule);
  const explained = ray.map((t) => explainPlainly(layers, at(t), rules, 0));
  const over = (name: string, of: (e: (typeof explained)[number]) => number) => ({
    ...{ name, mark: "line" as const },
    points: ray.map((t, k) => [t, of(explained[k]!)] as const),
  });
  return {
    title: "LRP-0 on a ReLU network is gradient times input",
    panels: [
      {
        title: "By input",
        x: inputAxis(x.length),
        y: { label: "value" },
        series: [
          byInput("LRP-0", R),
          byInput("gradient", slopes),
          byInput(
            "gradient times input",
            x.map((v, j) => v * slopes[j]!),
            { mark: "line", role: "theory" },
          ),
        ],
      },
      {
        title: "On the ray t x",
        x: { label: "t" },
        y: { label: "relevance" },
        series: [
          over("sum of the relevance", ({ relevance }) => total(relevance[0]!)),
          over("share of the biases", ({ biases }) => total(biases)),
          curve("score f(t x): both together", ray, (t) => forward(layers, at(t)).scores[0]!, {
            role: "theory",
          }),
        ],
      },
    ],
  };
}
