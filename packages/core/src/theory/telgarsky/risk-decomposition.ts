import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { integralBetween } from "../../networks/spline/quadrature.ts";
import type { Random } from "../../numbers/random.ts";
import { mean } from "../../numbers/sum.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { checked, equals } from "../claim.ts";
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

/** Chebyshev's inequality says little about rare failures. */
const delta = 0.25;

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
    "risk of the interpolating network, run": equals(
      String.raw`\text{the sum of the four terms, of the broken line}`,
    ),
    "empirical risk of the interpolating network, run": equals("0"),
    "mean loss on fresh examples": equals(
      String.raw`\mathcal R(\hat f) \pm \sqrt{\mathrm{Var} / N\delta} \quad (\text{Chebyshev})`,
    ).probable(),
    "reference's empirical risk": equals(
      String.raw`\mathcal R(\bar f) \pm \sqrt{\mathrm{Var} / n\delta} \quad (\text{Chebyshev})`,
    ).probable(),
    "network, run, against the broken line": equals("0"),
  },
  mutants: {
    "noise of variance 1/2, not 1/3": {
      "mean loss on fresh examples": ({ noise }, { theory }) => theory + noise ** 2 / 6,
      "risk of the interpolating network, run": ({ noise }, { theory }) => theory + noise ** 2 / 6,
    },
    "the risk without the noise": {
      "mean loss on fresh examples": ({ noise }, { theory }) => theory - noise ** 2 / 3,
      "reference's empirical risk": ({ noise }, { theory }) => theory - noise ** 2 / 3,
    },
    "an example lost": ({ n }) => ({ n: n - 1 }),
  },
  async run({ target, n, noise, pieces }, { random, scale, budget }) {
    const f = targets[target];
    const sample = drawSample(f, n, noise, random);
    const fitted: Broken = { knots: sample.map((e) => e.x), values: sample.map((e) => e.y) };
    const knots = Array.from({ length: pieces + 1 }, (_, k) => k / pieces);
    const reference: Broken = { knots, values: knots.map(f) };
    const [ofFitted, ofReference] = [fitted, reference].map((g) =>
      moments((x) => valueAt(g, x), g, f, noise),
    ) as [Moments, Moments];
    const risks = [ofFitted.risk, ofReference.risk];
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
    const points = [...quadraturePoints(fitted), ...fitted.knots];
    const run = new Map((await valuesAt(network, points)).map((v, k) => [points[k]!, v]));
    const off = Math.max(...points.map((x) => Math.abs(run.get(x)! - valueAt(fitted, x))));
    const steepest = Math.max(...slopesOf(fitted).map(Math.abs));
    const rounding = 2 ** -48 * n * (1 + steepest); // the network adds up n slopes, each as large as neighbours are close
    const lost = rounding * (2 + noise + rounding); // in squares of numbers up to 2 + noise
    const within = (variance: number, count: number) => ({
      delta,
      tolerance: Math.sqrt(variance / (count * delta)),
    });
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: figure(f, sample, fitted, reference, terms) }),
      claims: {
        "risk of the interpolating network, run": checked(
          moments((x) => run.get(x)!, fitted, f, noise).risk,
          terms.reduce((a, b) => a + b),
          { tolerance: 2 * lost },
        ),
        "empirical risk of the interpolating network, run": checked(
          mean(sample.map(({ x, y }) => (run.get(x)! - y) ** 2)),
          0,
          { tolerance: rounding ** 2 },
        ),
        "mean loss on fresh examples": checked(
          mean(fresh.map(({ x, y }) => (valueAt(fitted, x) - y) ** 2)),
          ofFitted.risk,
          within(ofFitted.variance, fresh.length),
        ),
        "reference's empirical risk": checked(
          empirical[1]!,
          ofReference.risk,
          within(ofReference.variance, n),
        ),
        "network, run, against the broken line": checked(off, 0, { tolerance: rounding }),
      },
    };
  },
});

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

interface Moments {
  /** E (g(X) - Y)^2, and the variance of (g(X) - Y)^2. */
  readonly risk: number;
  readonly variance: number;
}

/** Pieces that are cut at knots, at the hat's tip and finely: on them everything is smooth. */
const cutsOf = (g: Broken): readonly number[] =>
  [...new Set([0, 1, 0.5, ...g.knots, ...Array.from({ length: 15 }, (_, k) => (k + 1) / 16)])].sort(
    (a, b) => a - b,
  );

/** Where the quadrature looks. */
function quadraturePoints(g: Broken): readonly number[] {
  const points: number[] = [];
  integralBetween((x) => points.push(x), cutsOf(g));
  return points;
}

/** With D = value - f and U uniform on +-noise: E (D - U)^2 = D^2 + noise^2 / 3, E (D - U)^4 = D^4 + 2 D^2 noise^2 + noise^4 / 5. */
function moments(value: (x: number) => number, g: Broken, f: (x: number) => number, noise: number): Moments {
  const mean = (of: (square: number) => number): number =>
    integralBetween((x) => of((value(x) - f(x)) ** 2), cutsOf(g));
  const risk = mean((q) => q + noise ** 2 / 3);
  return { risk, variance: mean((q) => q ** 2 + 2 * q * noise ** 2 + noise ** 4 / 5) - risk ** 2 };
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
