import type { Explanation } from "../../explain/explanation.ts";
import type { Figure, Series } from "../../figure/figure.ts";

/** Node by node, which rule it met and what became of the relevance; and the parts of the score for every composite. */
export function figure(shown: Explanation, all: ReadonlyMap<string, Explanation>): Figure {
  const layers = shown.ledger!.filter(({ operator }) => operator === "Gemm" || operator === "Conv");
  /** The first of the rows is the highest. */
  const beside = (name: string, values: readonly number[]): Series => ({
    ...{ name, mark: "dots" },
    points: values.map((v, k) => [v, values.length - 1 - k] as const),
  });
  const score = (value: number, rows: number): Series => ({
    ...{ name: "score f(x)", mark: "line", role: "theory" },
    points: [-0.5, rows - 0.5].map((k) => [value, k] as const),
  });
  const parts = [...all.values()].map(({ ledger, sums }) => ({
    inputs: sums[0]!,
    bias: ledger!.reduce((s, row) => s + row.bias, 0),
    absorbed: ledger!.reduce((s, row) => s + row.absorbed, 0),
  }));
  const f = shown.scores[0]!;
  return {
    title: "Composites: which rule meets which layer, and where the score goes",
    panels: [
      {
        title: `The layers of ${shown.composite}`,
        x: { label: "relevance" },
        y: {
          label: "layer",
          names: layers.map(({ operator, rule }) => `${kind[operator]}: ${rule}`).reverse(),
        },
        series: [
          beside(
            "arrives",
            layers.map((row) => row.in),
          ),
          beside(
            "handed on",
            layers.map((row) => row.out),
          ),
          beside(
            "biases",
            layers.map((row) => row.bias),
          ),
          beside(
            "absorbed",
            layers.map((row) => row.absorbed),
          ),
          score(f, layers.length),
        ],
      },
      {
        title: "All composites on the same network",
        x: { label: "relevance" },
        y: { label: "composite", names: [...all.keys()].reverse() },
        series: [
          beside(
            "inputs",
            parts.map((part) => part.inputs),
          ),
          beside(
            "biases",
            parts.map((part) => part.bias),
          ),
          beside(
            "absorbed",
            parts.map((part) => part.absorbed),
          ),
          score(f, parts.length),
        ],
      },
    ],
  };
}

const kind: Readonly<Record<string, string>> = { Gemm: "dense", Conv: "conv" };
