import { sauerCount } from "../../capacity/bounds/growth-function.ts";
import {
  logNetworkGrowth,
  vcDimensionBound,
  vcDimensionClosedForm,
} from "../../capacity/bounds/vc-dimension.ts";
import { denseParameterCount } from "../../capacity/covering.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import { type DenseLayer, denseNetwork } from "../../train/dense-network.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { valuesAt } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C1a-21",
  covers: ["C1a-21"],
  kind: "bound",
  title: "VC dimension of ReLU networks, with constants",
  source: "Book, chapter 1, Theorem 1.20; Bartlett, Harvey, Liaw and Mehrabian 2019",
  statement: String.raw`\mathrm{growth}(m) \le \prod_{i=1}^{L} 2 \Bigl(\frac{2 e m k_i p \, (1 + (i-1) q^{i-1})}{W_i}\Bigr)^{W_i}, \; m \ge \textstyle\sum_i W_i; \qquad \mathrm{VCdim} \le L + \bar L W \log_2\bigl(4 e p R \log_2(2 e p R)\bigr)`,
  parameters: {
    units: integer({ min: 1, max: 8, default: 5, label: "hidden units on the line" }),
    inputs: integer({ min: 1, max: 50, default: 10, label: "inputs" }),
    width: integer({ min: 1, max: 200, default: 50, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 8, default: 3, label: "hidden layers" }),
    m: integer({ min: 1, max: 2000, default: 500, label: "points" }),
  },
  claims: {
    "patterns of w + 1 points that networks on the line fail to have": equals("0"),
    "points shattered on the line": atMost(String.raw`\text{bound on the VC dimension of } (1, w, 1)`),
    "ln of patterns on the line": atMost(String.raw`\ln \mathrm{growth}(m)`),
    "greatest m that the count allows": atMost(String.raw`L + \bar L W \log_2(4 e p R \log_2(2 e p R))`),
    "bound on the VC dimension": atMost(String.raw`c (P L \log P + P L^2), \; c = 10`).loose({
      where: "Theorem 1.20",
      printed: String.raw`\mathrm{VCdim} \le c \, (P(N) L \log P(N) + P(N) L^2), \; c \text{ not given}`,
      corrected: String.raw`for piecewise linear activations $\mathrm{VCdim} \le L + \bar L W \log_2(4 e p R \log_2(2 e p R)) = O(P L \log P)$, explicit`,
    }),
    "bound, at least": atLeast(String.raw`P(N) \text{ of a layer: affine classifiers have } d + 1`),
  },
  async run({ units, inputs, width, layers, m }, { random, budget }) {
    const line = await shattering(units, random);
    const onLine = { widths: [1, units, 1] };
    const widths = [inputs, ...Array.from({ length: layers }, () => width), 1];
    const [counted, closed] = [vcDimensionBound({ widths }), vcDimensionClosedForm({ widths })];
    const [P, L] = [denseParameterCount(widths), widths.length - 1];
    return {
      graph: denseNetwork(line.network, "relu"),
      ...(budget === "cheap" ? {} : { figure: figure(inputs, width) }),
      claims: {
        "patterns of w + 1 points that networks on the line fail to have": checked(line.missed, 0),
        "points shattered on the line": checked(units + 1, vcDimensionBound(onLine)),
        // w kinks realize every pattern with at most w changes of sign.
        "ln of patterns on the line": checked(
          Math.log(2) + Math.log(sauerCount(Math.min(m, 300) - 1, units)),
          logNetworkGrowth(onLine, Math.min(m, 300)),
        ),
        ...(closed !== undefined && { "greatest m that the count allows": checked(counted, closed) }),
        ...(P > 2 && {
          "bound on the VC dimension": checked(counted, 10 * (P * L * Math.log(P) + P * L ** 2)),
        }),
        "bound, at least": checked(counted, inputs + 1),
      },
    };
  },
});

/**
 * All patterns of w + 1 points by networks that interpolate them, with kinks at the first w of the points. They share
 * the hidden layer: one network with an output for each pattern runs them all.
 */
async function shattering(
  units: number,
  random: Random,
): Promise<{ readonly missed: number; readonly network: readonly DenseLayer[] }> {
  const points = Array.from(random.uniform(units + 1), (u, i) => i + 0.8 * u);
  const patterns = Array.from({ length: 2 ** (units + 1) }, (_, mask) =>
    points.map((__, i) => ((mask >> i) & 1 ? 1 : -1)),
  );
  const readout = (targets: readonly number[]): readonly number[] => {
    const slopes = targets.slice(1).map((y, i) => (y - targets[i]!) / (points[i + 1]! - points[i]!));
    return slopes.map((s, i) => s - (slopes[i - 1] ?? 0));
  };
  const hidden = { W: points.slice(1).map(() => [1]), b: points.slice(0, units).map((x) => -x) };
  const network = [hidden, { W: patterns.map(readout), b: patterns.map((targets) => targets[0]!) }];
  const values = await valuesAt(denseNetwork(network, "relu"), points);
  const missed = patterns.filter((targets, k) =>
    targets.some((y, i) => Math.sign(values[i * patterns.length + k]!) !== y),
  );
  return { missed: missed.length, network };
}

function figure(inputs: number, width: number): Figure {
  const depths = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16];
  const deep = (l: number) => [inputs, ...Array.from({ length: l }, () => width), 1];
  const grow = Array.from({ length: 40 }, (_, k) => Math.round(10 ** (1 + k / 8)));
  const small = { widths: [2, 3, 1] };
  return {
    title: "VC dimension of ReLU networks",
    panels: [
      {
        title: `${inputs} inputs, layers of ${width}`,
        x: { label: "hidden layers", scale: "log" },
        y: { label: "points", scale: "log" },
        series: [
          {
            name: "closed form",
            mark: "line",
            role: "theory",
            points: depths.map((l) => [l, vcDimensionClosedForm({ widths: deep(l) })!]),
          },
          {
            name: "greatest m that the count allows",
            mark: "line",
            points: depths.map((l) => [l, vcDimensionBound({ widths: deep(l) })]),
          },
          {
            name: "parameters P",
            mark: "dots",
            points: depths.map((l) => [l, denseParameterCount(deep(l))]),
          },
        ],
      },
      {
        title: "ln of patterns, widths 2-3-1",
        x: { label: "points m", scale: "log" },
        y: { label: "ln growth(m)", scale: "log" },
        series: [
          { name: "all, m ln 2", mark: "line", role: "theory", points: grow.map((m) => [m, m * Math.LN2]) },
          { name: "bound", mark: "line", points: grow.map((m) => [m, logNetworkGrowth(small, m)]) },
        ],
      },
    ],
  };
}
