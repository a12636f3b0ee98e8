import type { Figure } from "../../figure/figure.ts";
import { sauerCount } from "../../generalization/bounds/growth-function.ts";
import {
  logNetworkGrowth,
  vcDimensionBound,
  vcDimensionClosedForm,
} from "../../generalization/bounds/vc-dimension.ts";
import { denseParameterCount } from "../../generalization/covering.ts";
import type { Random } from "../../numbers/random.ts";
import { type DenseLayer, denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals } from "../claim.ts";
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
    m: integer({ min: 1, max: 2000, default: 500, label: "points beyond the bound, on the line" }),
  },
  claims: {
    "patterns of w + 1 points that networks on the line fail to have": equals("0"),
    "points shattered on the line": atMost(
      String.raw`\text{bound on the VC dimension of } (1, w, 1)`,
    ).looseBy(16),
    "ln of patterns on the line, m points more than that": atMost(String.raw`\ln \mathrm{growth}`).looseBy(5),
    "greatest m that the count allows": atMost(String.raw`L + \bar L W \log_2(4 e p R \log_2(2 e p R))`),
    "bound on the VC dimension": atMost(String.raw`c (P L \ln P + P L^2), \; c = 1.6 \text{ for ReLU}`).loose(
      {
        where: "Theorem 1.20",
        printed: String.raw`there exists a constant $c \in (0, \infty)$ such that for every $L \in \mathbb{N}$ and $N \in \mathbb{N}^{L+1}$, $\text{VCdim}(\mathcal{F}_{(N, \varrho), \text{sgn}}) \leq c(P(N)L \log(P(N)) + P(N)L^2)$`,
        corrected: String.raw`for piecewise linear activations $\mathrm{VCdim} \le L + \bar L W \log_2(4 e p R \log_2(2 e p R)) = O(P L \log P)$, explicit`,
      },
    ),
  },
  mutants: {
    "each layer's parameters counted once": {
      "greatest m that the count allows": ({ layers }, { theory }) => (2 * theory) / (layers + 2),
    },
    "natural logarithms": { "greatest m that the count allows": (_, { theory }) => theory * Math.LN2 },
    "VC dimension by the number of units": {
      "points shattered on the line": ({ units }) => units,
    },
  },
  async run({ units, inputs, width, layers, m }, { random, budget }) {
    const line = await shattering(units, random);
    const onLine = { widths: [1, units, 1] };
    const dimension = vcDimensionBound(onLine);
    const widths = [inputs, ...Array.from({ length: layers }, () => width), 1];
    const [counted, closed] = [vcDimensionBound({ widths }), vcDimensionClosedForm({ widths })];
    const [P, L] = [denseParameterCount(widths), widths.length - 1];
    return {
      graph: denseNetwork(line.network, "relu"),
      ...(budget === "cheap" ? {} : { figure: figure(inputs, width) }),
      claims: {
        "patterns of w + 1 points that networks on the line fail to have": checked(line.missed, 0),
        "points shattered on the line": checked(units + 1, dimension),
        // w kinks realize every pattern with at most w changes of sign.
        "ln of patterns on the line, m points more than that": checked(
          Math.log(2) + Math.log(sauerCount(dimension + m - 1, units)),
          logNetworkGrowth(onLine, dimension + m),
        ),
        ...(closed !== undefined && { "greatest m that the count allows": checked(counted, closed) }),
        ...(P > 2 && {
          "bound on the VC dimension": checked(counted, 1.6 * (P * L * Math.log(P) + P * L ** 2)),
        }),
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
