import type { Figure, Panel } from "../../figure/figure.ts";
import { between, betweenLog, inputAxis } from "./by-input.ts";
import { type DenseLayer, total } from "./dense-relu.ts";
import { byMessages, explainPlainly, gammaRule, type PlainRule, zeroRule } from "./plain-rules.ts";

/** gamma to infinity: of what agrees in sign with the neuron alone, which is z-plus for an open one. */
const favouredAlone = byMessages((a, w, z) => (a * w * z > 0 ? a * w : 0));

/** From LRP-0 to positive contributions alone; and how fast, for the neuron that is explained. */
export function figure(
  layers: readonly DenseLayer[],
  x: readonly number[],
  top: { readonly layer: DenseLayer; readonly a: readonly number[]; readonly f: number },
): Figure {
  const explained = (rule: PlainRule): readonly number[] =>
    explainPlainly(
      layers,
      x,
      layers.map(() => rule),
      0,
    ).relevance[0]!;
  const places = between(0, 0.995, 61);
  const ways = places.map((s) => explained(gammaRule(s / (1 - s))));
  const ends = [explained(zeroRule), explained(favouredAlone)];
  const distance = distancePanel(top);
  return {
    title: "LRP-γ, from LRP-0 to positive contributions alone",
    panels: [
      {
        title: "Relevance of each input of the network",
        x: { label: "γ / (1 + γ): 0 is LRP-0, 1 is z⁺" },
        y: { label: "relevance" },
        series: [
          ...inputAxis(x.length).names!.map((name, j) => ({
            ...{ name, mark: "line" as const },
            points: places.map((s, k) => [s, ways[k]![j]!] as const),
          })),
          {
            ...{ name: "LRP-0 and z⁺ by themselves", mark: "dots" },
            points: ends.flatMap((R, end) => R.map((v) => [end, v] as const)),
          },
        ],
      },
      ...(distance ? [distance] : []),
    ],
  };
}

/** Only where there are contributions for and against a positive score. */
function distancePanel({
  layer: { W, b },
  a,
  f,
}: {
  readonly layer: DenseLayer;
  readonly a: readonly number[];
  readonly f: number;
}): Panel | undefined {
  const contributions = [...W[0]!.map((w, j) => w * a[j]!), b[0]!];
  const P = total(contributions.filter((v) => v > 0));
  const N = -total(contributions.filter((v) => v < 0));
  if (!(f > 0 && N > 0)) return undefined;
  const alone = { W: [W[0]!], b: [b[0]!] };
  const limit = favouredAlone(alone, a, [f]);
  const apart = (gamma: number): number => {
    const { inputs, bias } = gammaRule(gamma)(alone, a, [f]);
    return total(inputs.map((v, j) => Math.abs(v - limit.inputs[j]!))) + Math.abs(bias - limit.bias);
  };
  return {
    title: "One layer: distance to z⁺",
    x: { label: "γ", scale: "log" },
    y: { label: "sum of |R(γ) - R(∞)|", scale: "log" },
    series: [
      {
        ...{ name: "measured", mark: "dots" },
        points: betweenLog(0.01, 1000, 21).map((g) => [g, apart(g)] as const),
      },
      {
        ...{ name: "2N f / ((1 + γ) P - N)", mark: "line", role: "theory" },
        points: betweenLog(0.01, 1000, 61).map((g) => [g, (2 * N * f) / ((1 + g) * P - N)] as const),
      },
    ],
  };
}
