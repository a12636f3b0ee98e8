// The phase transition of graph recovery by l1, and what thresholds make of l1 and l2.
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { edgeRecovery } from "../../sparse/attention.ts";
import { lasso } from "../../sparse/lasso.ts";
import type { LemmaTable } from "../lemma.ts";
import { type Planted, plantedGraph } from "./planted-graph.ts";

type Rows = readonly (readonly number[])[];

/** How often all edges of an output are found and no other, by the number of examples over 2 s ln(p - s). */
export function recoveryFigure(
  { p, s }: { readonly p: number; readonly s: number },
  repeats: number,
  random: Random,
): Figure {
  const ratios = [0.2, 0.4, 0.6, 0.8, 1, 1.3, 1.6, 2, 2.5, 3];
  const curve = (inputs: number): [number, number][] =>
    ratios.map((ratio) => {
      const n = Math.max(2, Math.round(ratio * 2 * s * Math.log(inputs - s)));
      let exact = 0;
      for (let r = 0; r < repeats; r++) {
        const { X, Y, graph } = plantedGraph({ n, p: inputs, s, k: 1 }, random);
        const y = Y.map((row) => row[0]!);
        // The usual penalty for noise sigma: 2 sigma sqrt(2 ln p / n), twice for |.|^2 / n; and some for the signal.
        const w = lasso(X, y, 0.4 * Math.sqrt((2 * Math.log(inputs)) / n), 300);
        exact += Number(edgeRecovery([w], graph, 0.05).f1 === 1);
      }
      return [ratio, exact / repeats];
    });
  return {
    title: `Outputs that read ${s} inputs: l1 finds the graph beyond some number of examples`,
    panels: [
      {
        title: "Share of graphs found without an error",
        x: { label: "examples / (2 s ln(p - s))" },
        y: { label: "share" },
        series: [
          { name: `p = ${p}`, mark: "line", points: curve(p) },
          { name: `p = ${2 * p}`, mark: "line", points: curve(2 * p) },
          { name: `p = ${4 * p}`, mark: "line", points: curve(4 * p) },
          {
            name: "Wainwright's threshold",
            ...{ mark: "line", role: "theory" },
            points: [0, 1].map((y) => [1, y]),
          },
        ],
      },
    ],
  };
}

/** Precision and recall of edges for penalties; with l2, for thresholds that somebody would have to know. */
export function recoveryTable(X: Rows, columns: Rows, graph: Planted["graph"], ridge: Rows): LemmaTable {
  const row = (name: string, weights: Rows, threshold: number): (string | number)[] => {
    const { precision, recall, f1 } = edgeRecovery(weights, graph, threshold);
    const zeros = weights.flat().filter((w) => w === 0).length;
    return [name, zeros, ...[precision, recall, f1].map((v) => Number(v.toFixed(3)))];
  };
  return {
    title: "Edges found",
    columns: ["how", "zeros", "precision", "recall", "F1"],
    rows: [
      ...[0.01, 0.03, 0.1, 0.3, 1].map((lambda) =>
        row(
          `l1, λ = ${lambda}`,
          columns.map((y) => lasso(X, y, lambda)),
          0,
        ),
      ),
      ...[0, 0.01, 0.1].map((threshold) => row(`l2, weights above ${threshold}`, ridge, threshold)),
    ],
  };
}
