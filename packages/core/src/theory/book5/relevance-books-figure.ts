import type { Figure } from "../../figure/figure.ts";
import { type BookRow, type DenseLayer, total } from "./dense-relu.ts";
import { explainPlainly, type PlainRule } from "./plain-rules.ts";

/** The books from the score down to the inputs, and what of the score comes down by each rule. */
export function figure(
  layers: readonly DenseLayer[],
  x: readonly number[],
  index: number,
  books: readonly BookRow[],
  rules: Readonly<Record<string, PlainRule>>,
): Figure {
  const dense = books.filter(({ node }) => node.op === "Gemm");
  const score = books[0]!.arrived;
  const hidden = layers.slice(1).map((_, l) => `layer ${l + 1}`);
  const names = ["score", ...hidden.reverse(), "inputs"];
  /** What the layers from the top have taken together, before the first and behind each. */
  const running = (of: (row: BookRow) => number): readonly number[] =>
    names.map((_, k) => total(dense.slice(0, k).map(of)));
  const [bias, absorbed] = [running((row) => row.bias), running((row) => row.absorbed)];
  const arrives = names.map((_, k) => (k === 0 ? score : dense[k - 1]!.handed));
  const down = (name: string, values: readonly number[]) => ({
    ...{ name, mark: "line" as const },
    points: values.map((v, k) => [k, v] as const),
  });
  return {
    title: "The books of relevance propagation, from the score down",
    panels: [
      {
        title: "What arrives, and who took the rest",
        x: { label: "place", names },
        y: { label: "relevance" },
        series: [
          down("arrives", arrives),
          down("taken by biases above", bias),
          down("absorbed above", absorbed),
          {
            ...{ name: "all three together", mark: "dots" },
            points: arrives.map((v, k) => [k, v + bias[k]! + absorbed[k]!] as const),
          },
          {
            ...down(
              "score",
              names.map(() => score),
            ),
            role: "theory",
          },
        ],
      },
      {
        title: "What arrives, by rule",
        x: { label: "place", names },
        y: { label: "relevance" },
        series: Object.entries(rules).map(([name, rule]) => {
          const { relevance } = explainPlainly(
            layers,
            x,
            layers.map(() => rule),
            index,
          );
          return down(name, [score, ...relevance.map(total).reverse()]);
        }),
      },
    ],
  };
}
