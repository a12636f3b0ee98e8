import type { Figure, Panel } from "../../figure/figure.ts";
import { between, betweenLog, inputAxis } from "./by-input.ts";
import { type DenseLayer, total } from "./dense-relu.ts";
import { byMessages, explainPlainly, gammaRule, type PlainRule, zeroRule } from "./plain-rules.ts";

/** gamma to infinity: of what agrees in sign with the neuron alone, which is z-plus for an open one. */
const favouredAlone = byMessages((a, w, z) => (a * w * z > 0 ? a * w : 0));

interface OpenNeuron {
  readonly weights: readonly number[];
  readonly bias: number;
  readonly a: readonly number[];
  readonly z: number;
}

/** From LRP-0 to positive contributions alone; and how fast, for the neuron that has most against it. */
export function figure(
  layers: readonly DenseLayer[],
  x: readonly number[],
  open: readonly OpenNeuron[],
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
  return {
    title: "LRP-γ, from LRP-0 to positive contributions alone",
    panels: [
      {
        title: "Relevance of each input of the network",
        x: { label: "γ / (1 + γ): 0 is LRP-0, 1 is γ = ∞" },
        y: { label: "relevance" },
        series: [
          ...inputAxis(x.length).names!.map((name, j) => ({
            ...{ name, mark: "line" as const },
            points: places.map((s, k) => [s, ways[k]![j]!] as const),
          })),
          {
            ...{ name: "LRP-0 and γ = ∞ by themselves", mark: "dots" },
            points: ends.flatMap((R, end) => R.map((v) => [end, v] as const)),
          },
        ],
      },
      ...distancePanels(open),
    ],
  };
}

/** Contributions for and against, bias included. */
function sides({ weights, bias, a }: OpenNeuron): { readonly P: number; readonly N: number } {
  const contributions = [...weights.map((w, j) => w * a[j]!), bias];
  return {
    P: total(contributions.filter((v) => v > 0)),
    N: -total(contributions.filter((v) => v < 0)),
  };
}

/** None where no open neuron has anything against it: there is no distance. */
function distancePanels(open: readonly OpenNeuron[]): readonly Panel[] {
  const [neuron] = open.toSorted((u, v) => sides(v).N - sides(u).N);
  if (!neuron || sides(neuron).N === 0) return [];
  const { weights, bias: b, a, z: f } = neuron;
  const { P, N } = sides(neuron);
  const alone = { W: [weights], b: [b] };
  const limit = favouredAlone(alone, a, [f]);
  const apart = (gamma: number): number => {
    const { inputs, bias } = gammaRule(gamma)(alone, a, [f]);
    return total(inputs.map((v, j) => Math.abs(v - limit.inputs[j]!))) + Math.abs(bias - limit.bias);
  };
  const panel: Panel = {
    title: "One open neuron with relevance z: distance to z⁺",
    x: { label: "γ", scale: "log" },
    y: { label: "sum of |R(γ) - R(∞)|", scale: "log" },
    series: [
      {
        ...{ name: "measured", mark: "dots" },
        points: betweenLog(0.01, 1000, 21).map((g) => [g, apart(g)] as const),
      },
      {
        ...{ name: "2N z / ((1 + γ) P - N)", mark: "line", role: "theory" },
        points: betweenLog(0.01, 1000, 61).map((g) => [g, (2 * N * f) / ((1 + g) * P - N)] as const),
      },
    ],
  };
  return [panel];
}
