import type { Figure, Panel } from "../../figure/figure.ts";
import { between, byInput, inputAxis } from "./by-input.ts";
import { type DenseLayer, total } from "./dense-relu.ts";
import { boxRule } from "./plain-rules.ts";

interface Box {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

type Shares = (w: readonly number[], x: readonly number[], box: Box) => number;

/** The box is opened around the first input, from no width on. */
export function figure(layer: DenseLayer, x: readonly number[], box: Box, sharesAsPrinted: Shares): Figure {
  const halves = between(0, 3, 61);
  const moved = (half: number): Box => ({
    low: box.low.map((v, j) => (j === 0 ? x[0]! - half : v)),
    high: box.high.map((v, j) => (j === 0 ? x[0]! + half : v)),
  });
  // A score may hand nothing down to most neurons, and they may all be closed: each has a relevance of 1.
  const above = layer.b.map(() => 1);
  const at = halves.map((half) => {
    const { low, high } = moved(half);
    return boxRule(low, high)(layer, x, above).inputs;
  });
  return {
    title: "The rule of the box, and where the box ends",
    panels: [
      {
        title: "Relevance of each input, 1 at each neuron above",
        x: { label: "half of the width of the box at x₁" },
        y: { label: "relevance" },
        series: [
          ...inputAxis(x.length).names!.map((name, j) => ({
            ...{ name, mark: "line" as const },
            points: halves.map((half, k) => [half, at[k]![j]!] as const),
          })),
          {
            ...{ name: "all inputs together", mark: "dots" },
            points: halves.flatMap((half, k) => (k % 6 === 0 ? [[half, total(at[k]!)] as const] : [])),
          },
          {
            ...{ name: "relevance of the layer above", mark: "line", role: "theory" },
            points: halves.map((half) => [half, total(above)] as const),
          },
        ],
      },
      sharesPanel(layer, x, box, sharesAsPrinted),
    ],
  };
}

/** With the printed denominator the shares of a neuron sum to anything; near a pole to so much that nothing else is seen. */
function sharesPanel({ W }: DenseLayer, x: readonly number[], box: Box, sharesAsPrinted: Shares): Panel {
  // Rounded, or an axis would show nothing but rounding where the bounds are all the same.
  const printed = W.map((w, k) => [k, Number(sharesAsPrinted(w, x, box).toFixed(9))] as const);
  const shown = printed.filter(([, sum]) => Math.abs(sum) <= 4);
  const beyond = printed.length - shown.length;
  const rule = boxRule(box.low, box.high);
  return {
    title: "Sum of the shares that each neuron hands on",
    x: { label: "neuron", names: W.map((_, k) => String(k + 1)) },
    y: { label: "sum" },
    series: [
      {
        ...{
          name: `denominator with bounds of i, as printed${beyond ? ` (${beyond} beyond 4 left out)` : ""}`,
          mark: "dots",
        },
        points: shown,
      },
      byInput(
        "denominator with bounds of l",
        W.map((w) => Number(total(rule({ W: [w], b: [0] }, x, [1]).inputs).toFixed(9))),
        { mark: "line", role: "theory" },
      ),
    ],
  };
}
