import type { Figure } from "../../figure/figure.ts";
import { between, curve, inputAxis } from "./by-input.ts";
import { type DenseLayer, total } from "./dense-relu.ts";
import { boxRule, explainPlainly, zPlusRule } from "./plain-rules.ts";

interface Box {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** The box's lower end at the first input is moved from far below to the input itself. */
export function figure(
  layers: readonly DenseLayer[],
  x: readonly number[],
  box: Box,
  sharesAsPrinted: (w: readonly number[], x: readonly number[], box: Box) => number,
): Figure {
  const ends = between(x[0]! - 3, x[0]!, 61);
  const moved = (end: number): Box => ({ ...box, low: box.low.map((v, j) => (j === 0 ? end : v)) });
  const at = ends.map((end) => {
    const { low, high } = moved(end);
    return explainPlainly(layers, x, [boxRule(low, high), zPlusRule], 0).relevance;
  });
  const w = layers[0]!.W[0]!;
  const printed = curve("bounds of i in the denominator, as printed", ends, (end) =>
    sharesAsPrinted(w, x, moved(end)),
  );
  return {
    title: "The rule of the box, and where the box ends",
    panels: [
      {
        title: "Relevance of each input",
        x: { label: "lower end at x₁: the last point is x₁ itself" },
        y: { label: "relevance" },
        series: [
          ...inputAxis(x.length).names!.map((name, j) => ({
            ...{ name, mark: "line" as const },
            points: ends.map((end, k) => [end, at[k]![0]![j]!] as const),
          })),
          {
            ...{ name: "all inputs together", mark: "dots" },
            points: ends.flatMap((end, k) => (k % 6 === 0 ? [[end, total(at[k]![0]!)] as const] : [])),
          },
          {
            ...{ name: "relevance of the layer above", mark: "line", role: "theory" },
            points: ends.map((end, k) => [end, total(at[k]![1]!)] as const),
          },
        ],
      },
      {
        title: "Sum of the shares of one neuron",
        x: { label: "lower end at x₁" },
        y: { label: "sum" },
        series: [
          { ...printed, points: printed.points.filter(([, v]) => Math.abs(v) <= 10) },
          curve("bounds of l in the denominator", ends, (end) => sharesOf(w, x, moved(end)), {
            role: "theory",
          }),
        ],
      },
    ],
  };
}

const sharesOf = (w: readonly number[], x: readonly number[], { low, high }: Box): number =>
  total(boxRule(low, high)({ W: [w], b: [0] }, x, [1]).inputs);
