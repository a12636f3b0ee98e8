import {
  type ChartNetwork,
  circleAngle,
  circleCharts,
  type EmbeddedCircle,
  embeddedCircle,
  type TrigonometricSum,
  trigonometricSize,
} from "../../approximate/manifold/index.ts";
import { complexity } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { anglesOf, type ChartSetting, chartsOf, circleError, circleOutputs } from "./manifold-charts.ts";
import { manifoldFigure } from "./manifold-figure.ts";

export default lemma({
  id: "C1b-01",
  covers: ["C1b-01", "C1b-02"],
  kind: "construction",
  title: "A function on a curve, by charts",
  source: "Book, chapter 1, section 1.4.1, (1.34)",
  statement: String.raw`\Phi = \sum_{i=1}^p \phi_i \,\tilde\times\, \tilde f_i(V_i^T(x - c_i)), \quad \sum_i \phi_i = 1 \text{ on } \mathcal M: \qquad \|\Phi - g\|_{L^\infty(\mathcal M)} \le \frac{h^2}{8} \max_i \|f_i''\|_\infty + \kappa B^2 4^{-m-1}, \quad \text{the same in every } \mathbb R^d`,
  parameters: {
    d: integer({ min: 2, max: 100, default: 30, label: "dimension d around the circle" }),
    p: integer({ min: 8, max: 16, default: 8, label: "charts p" }),
    N: integer({ min: 2, max: 32, default: 16, label: "cells of a chart N" }),
    inner: real({ min: 0.46, max: 0.9, default: 0.6, label: "radius where a chart counts fully" }),
    outer: real({ min: 0.95, max: 1.4, default: 0.95, label: "radius where a chart ends" }),
  },
  claims: {
    "sup error on the circle": atMost(
      String.raw`\tfrac{h^2}{8} \max \|f_i''\| + \kappa B^2 4^{-m-1}`,
    ).looseBy(1.2),
    "error in the plane less that in dimension d, in size": equals("0"),
    "sum of the partition of unity, distance to 1": equals("0"),
    "least value of the partition of unity": equals("0"),
    "a partition function outside of its chart": equals("0"),
    "|γ(x) - γ(y)| / |x - y| in a chart": atLeast(String.raw`\cos \varphi_{\text{out}}`),
    "greatest |f''| in a chart, by differences": atMost(
      String.raw`\|g''\| / \cos^2 \varphi_{\text{out}} + \|g'\| \sin \varphi_{\text{out}} / \cos^3 \varphi_{\text{out}}, \text{ norms by sums of amplitudes}`,
    ).looseBy(1.1),
    "nonzero weights beyond the first layer less those in the plane": equals("0"),
    "nonzero weights of the first layer": atMost("4p(d + 1)"),
  },
  mutants: {
    "biases of the first layer forgotten": { "nonzero weights of the first layer": ({ d, p }) => 4 * p * d },
    "cells twice as wide": ({ N }) => ({ N: N >> 1 }),
    "a chart's stretch 1/2 too much": {
      "|γ(x) - γ(y)| / |x - y| in a chart": (_, { theory }) => (1 + theory) / 2,
    },
  },
  async run({ d, p, N, inner, outer }, { random, scale, budget }) {
    const g = randomSum(random.split("g"));
    const setting: ChartSetting = { g, p, N, inner, outer };
    const circle = embeddedCircle(d, random.split("plane"));
    const made = chartsOf(circle, setting);
    const flat = chartsOf(embeddedCircle(2, random.split("flat")), setting);
    const angles = anglesOf(scale(3000), p, circleAngle(outer));
    const error = await circleError(made, circle, g, angles);
    const inPlane = await circleError(flat, embeddedCircle(2, random.split("flat")), g, angles);
    const partition = await partitionOn(made, circle, setting, angles);
    const [own, other] = [complexity(made.network), complexity(flat.network)];
    // Sums of some thousand terms of size B / h at most, in doubles; d terms in the first layer.
    const tolerance = 2 ** -53 * (d + 8 * N * p) * trigonometricSize(g, 0) * 64 * N;
    return {
      graph: made.network,
      ...(budget === "cheap" ? {} : { figure: await manifoldFigure(setting, { circle, made, angles }) }),
      claims: {
        "sup error on the circle": sampled(error, made.error, { tolerance }),
        "error in the plane less that in dimension d, in size": sampled(Math.abs(error - inPlane), 0, {
          tolerance,
        }),
        "sum of the partition of unity, distance to 1": sampled(partition.sum, 0, { tolerance }),
        "least value of the partition of unity": sampled(Math.min(0, partition.least), 0, { tolerance }),
        "a partition function outside of its chart": sampled(partition.outside, 0, { tolerance }),
        "|γ(x) - γ(y)| / |x - y| in a chart": sampled(
          leastStretch(circleAngle(outer), random.split("pairs"), scale(2000)),
          Math.cos(circleAngle(outer)),
          { tolerance: 2 ** -40 },
        ),
        "greatest |f''| in a chart, by differences": sampled(...secondDifference(circle, setting)),
        "nonzero weights beyond the first layer less those in the plane": checked(
          own.weights - own.weightsByLayer[0]! - (other.weights - other.weightsByLayer[0]!),
          0,
        ),
        "nonzero weights of the first layer": checked(own.weightsByLayer[0]!, 4 * p * (d + 1)),
      },
    };
  },
});

/** Frequencies up to 5, at least one of them present. */
function randomSum(random: Random): TrigonometricSum {
  const amplitudes = () =>
    Array.from({ length: 5 }, () => (random.uniform() < 0.5 ? 0 : random.normal() / 2));
  return { sines: [...amplitudes().slice(0, 2), 1, ...amplitudes().slice(0, 2)], cosines: amplitudes() };
}

async function partitionOn(
  { partition }: ChartNetwork,
  circle: EmbeddedCircle,
  { p, outer }: ChartSetting,
  angles: readonly number[],
): Promise<{ readonly sum: number; readonly least: number; readonly outside: number }> {
  const phi = await circleOutputs(partition, circle, angles);
  let [sum, least, outside] = [0, Number.POSITIVE_INFINITY, 0];
  angles.forEach((theta, i) => {
    const own = phi.subarray(i * p, (i + 1) * p);
    sum = Math.max(sum, Math.abs(own.reduce((a, b) => a + b, 0) - 1));
    own.forEach((value, k) => {
      least = Math.min(least, value);
      const away = Math.acos(Math.cos(theta - (2 * Math.PI * k) / p));
      if (away > circleAngle(outer)) outside = Math.max(outside, Math.abs(value));
    });
  });
  return { sum, least, outside };
}

/** The least |sin a - sin b| / (2 |sin((a - b) / 2)|) over random pairs of a chart, the ends among them. */
function leastStretch(end: number, random: Random, count: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < count; k++) {
    const a = k % 4 === 0 ? end : end * (2 * random.uniform() - 1);
    const b = k % 8 === 0 ? end - 0.01 * random.uniform() : end * (2 * random.uniform() - 1);
    const chord = 2 * Math.abs(Math.sin((a - b) / 2));
    if (chord > 1e-6) least = Math.min(least, Math.abs(Math.sin(a) - Math.sin(b)) / chord);
  }
  return least;
}

/** The greatest second difference of f in a chart, and the bound; a second difference is a value of f'' in between. */
function secondDifference(
  circle: EmbeddedCircle,
  { g, p, inner, outer }: ChartSetting,
): readonly [number, number, { readonly tolerance: number }] {
  const h = 1e-3;
  let [most, bound] = [0, 0];
  for (const { local, reach, second } of circleCharts(circle, g, { count: p, inner, outer })) {
    bound = Math.max(bound, second);
    for (let u = -reach + h; u <= reach - h; u += reach / 40)
      most = Math.max(most, Math.abs(local(u + h) - 2 * local(u) + local(u - h)) / h ** 2);
  }
  // Values of size |g|_0 round, and are divided by h^2.
  return [most, bound, { tolerance: (16 * 2 ** -53 * trigonometricSize(g, 0)) / h ** 2 }];
}
