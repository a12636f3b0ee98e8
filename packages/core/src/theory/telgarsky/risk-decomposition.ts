import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { valuesAt } from "../line.ts";
import { choice, integer, real } from "../parameter.ts";

/** A continuous function, linear between its knots and constant beyond: values at knots. */
interface Broken {
  readonly knots: readonly number[];
  readonly values: readonly number[];
}
interface Example {
  readonly x: number;
  readonly y: number;
}

const targets = {
  wave: (x: number) => Math.sin(2 * Math.PI * x),
  hat: (x: number) => 1 - Math.abs(2 * x - 1),
} as const;

export default lemma({
  id: "T-02",
  covers: ["T-02"],
  kind: "measure",
  title: "The four terms of the risk, and interpolation",
  source: "Telgarsky, (1.4) and Remark 1.5",
  statement: String.raw`\mathcal R(\hat f) = [\mathcal R - \widehat{\mathcal R}](\hat f) + [\widehat{\mathcal R}(\hat f) - \widehat{\mathcal R}(\bar f)] + [\widehat{\mathcal R} - \mathcal R](\bar f) + \mathcal R(\bar f)`,
  parameters: {
    target: choice(["wave", "hat"], { label: "regression function" }),
    n: integer({ min: 2, max: 60, default: 20, label: "examples" }),
    noise: real({ min: 0, max: 1, default: 0.3, label: "noise, uniform on ± this" }),
    pieces: integer({ min: 1, max: 16, default: 8, label: "pieces of the reference network" }),
  },
  claims: {
    "risk of the interpolating network": equals("sum of the four terms"),
    "empirical risk of the interpolating network": equals("0"),
    "optimization term": equals(String.raw`-\widehat{\mathcal R}(\bar f)`),
    "mean loss on fresh examples less the risk": atMost(
      String.raw`M \sqrt{\ln(2/\delta) / (2N)}, \; \text{losses in } [0, M]`,
    ).probable(),
    "reference's empirical risk less its risk": atMost(
      String.raw`M \sqrt{\ln(2/\delta) / (2n)}, \; \text{losses in } [0, M]`,
    ).probable(),
    "network, run, against the broken line": equals("0"),
  },
  async run({ target, n, noise, pieces }, { random, scale, budget }) {
    const f = targets[target];
    const sample = drawSample(f, n, noise, random);
    const fitted: Broken = { knots: sample.map((e) => e.x), values: sample.map((e) => e.y) };
    const knots = Array.from({ length: pieces + 1 }, (_, k) => k / pieces);
    const reference: Broken = { knots, values: knots.map(f) };
    const risks = [fitted, reference].map((g) => risk(g, f, noise));
    const empirical = [fitted, reference].map((g) =>
      mean(sample.map(({ x, y }) => (valueAt(g, x) - y) ** 2)),
    );
    const terms = [
      risks[0]! - empirical[0]!,
      empirical[0]! - empirical[1]!,
      empirical[1]! - risks[1]!,
      risks[1]!,
    ];
    const network = asNetwork(fitted);
    const fresh = drawSample(f, scale(5000), noise, random);
    const points = Array.from(random.uniform(30));
    const run = await valuesAt(network, points);
    const off = Math.max(...run.map((v, k) => Math.abs(v - valueAt(fitted, points[k]!))));
    const delta = 0.05;
    const most = (1 + noise + 1) ** 2; // |reference - y| <= 2 + noise
    const steepest = Math.max(...slopesOf(fitted).map(Math.abs));
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: figure(f, sample, fitted, reference, terms) }),
      claims: {
        "risk of the interpolating network": checked(
          risks[0]!,
          terms.reduce((a, b) => a + b),
          {
            tolerance: 1e-13 * (1 + Math.max(...risks)), // sums of four
          },
        ),
        "empirical risk of the interpolating network": checked(empirical[0]!, 0, { tolerance: 1e-28 }), // squares of roundings
        "optimization term": checked(terms[1]!, -empirical[1]!, { tolerance: 1e-28 }),
        "mean loss on fresh examples less the risk": checked(
          Math.abs(mean(fresh.map(({ x, y }) => (valueAt(fitted, x) - y) ** 2)) - risks[0]!),
          4 * (1 + noise) ** 2 * Math.sqrt(Math.log(2 / delta) / (2 * fresh.length)), // |y| <= 1 + noise
          { delta },
        ),
        "reference's empirical risk less its risk": checked(
          Math.abs(terms[2]!),
          most * Math.sqrt(Math.log(2 / delta) / (2 * n)),
          { delta },
        ),
        // The network adds up n slopes, each as large as neighbours are close.
        "network, run, against the broken line": checked(off, 0, {
          tolerance: 2 ** -48 * n * (1 + steepest),
        }),
      },
    };
  },
});

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** Examples in ascending order of x; two in one place would have no interpolant. */
const drawSample = (f: (x: number) => number, n: number, noise: number, random: Random): readonly Example[] =>
  Array.from(random.uniform(n))
    .sort((a, b) => a - b)
    .map((x) => ({ x, y: f(x) + noise * (2 * random.uniform() - 1) }));

function valueAt({ knots, values }: Broken, x: number): number {
  if (x <= knots[0]!) return values[0]!;
  const k = knots.findIndex((t) => t >= x);
  if (k < 0) return values.at(-1)!;
  const t = (x - knots[k - 1]!) / (knots[k]! - knots[k - 1]!);
  return (1 - t) * values[k - 1]! + t * values[k]!;
}

const slopesOf = ({ knots, values }: Broken): readonly number[] =>
  knots.slice(1).map((t, k) => (values[k + 1]! - values[k]!) / (t - knots[k]!));

/** values[0] + sum of changes of slope times relu(x - knot), the last one back to slope 0. */
function asNetwork(g: Broken): Graph {
  const slopes = [0, ...slopesOf(g), 0];
  return denseNetwork(
    [
      { W: g.knots.map(() => [1]), b: g.knots.map((t) => -t) },
      { W: [g.knots.map((_, k) => slopes[k + 1]! - slopes[k]!)], b: [g.values[0]!] },
    ],
    "relu",
  );
}

/** E (g(X) - f(X))^2 + noise^2 / 3: Simpson's rule on pieces that are cut at knots, at the hat's tip and finely. */
function risk(g: Broken, f: (x: number) => number, noise: number): number {
  const cuts = [
    ...new Set([0, 1, 0.5, ...g.knots, ...Array.from({ length: 63 }, (_, k) => (k + 1) / 64)]),
  ].sort((a, b) => a - b);
  const square = (x: number): number => (valueAt(g, x) - f(x)) ** 2;
  const whole = cuts.slice(1).reduce((sum, to, k) => {
    const from = cuts[k]!;
    return sum + ((to - from) / 6) * (square(from) + 4 * square((from + to) / 2) + square(to));
  }, 0);
  return whole + noise ** 2 / 3;
}

function figure(
  f: (x: number) => number,
  sample: readonly Example[],
  fitted: Broken,
  reference: Broken,
  terms: readonly number[],
): Figure {
  const xs = Array.from({ length: 201 }, (_, k) => k / 200);
  const signed = terms.map((t, k) => `${t < 0 ? "− " : k === 0 ? "" : "+ "}${Math.abs(t).toPrecision(2)}`);
  return {
    title: `Risk = ${signed.join(" ")}, the four terms`,
    panels: [
      {
        title: "Interpolating network and reference",
        x: { label: "x" },
        y: { label: "y" },
        series: [
          { name: "examples", mark: "dots", points: sample.map(({ x, y }) => [x, y] as const) },
          {
            name: "interpolating network",
            mark: "line",
            points: xs.map((x) => [x, valueAt(fitted, x)] as const),
          },
          {
            name: "reference network",
            mark: "line",
            points: xs.map((x) => [x, valueAt(reference, x)] as const),
          },
          {
            name: "regression function",
            mark: "line",
            role: "theory",
            points: xs.map((x) => [x, f(x)] as const),
          },
        ],
      },
    ],
  };
}
