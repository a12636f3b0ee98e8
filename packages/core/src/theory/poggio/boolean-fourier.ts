import { learnLowDegree, predict } from "../../discrete/boolean/low-degree.ts";
import {
  bitCount,
  degreeOf,
  influences,
  lowDegreeError,
  monomialCount,
  noiseStability,
  weightByDegree,
} from "../../discrete/boolean/spectrum.ts";
import { signsOf, valuesFrom, walshCoefficients } from "../../discrete/boolean/walsh.ts";
import { CircuitBuilder } from "../../discrete/circuit/builder.ts";
import { circuitNetwork } from "../../discrete/circuit/network.ts";
import { unitCount } from "../../discrete/circuit/plan.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const points = (n: number): number[] => Array.from({ length: 2 ** n }, (_, x) => x);
const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((a, b) => a + b, 0);
const binomial = (n: number, k: number): number =>
  Math.round(Array.from({ length: k }, (_, i) => (n - i) / (i + 1)).reduce((a, b) => a * b, 1));

/** E f(x) f(y) over all pairs, where a bit of y is that of x with chance (1 + rho) / 2. */
const correlation = (f: Float64Array, n: number, rho: number): number => {
  const chance = Array.from({ length: n + 1 }, (_, k) => ((1 - rho) / 2) ** k * ((1 + rho) / 2) ** (n - k));
  return (
    sum(points(n).map((x) => sum(points(n).map((y) => chance[bitCount(x ^ y)]! * f[x]! * f[y]!)))) / 2 ** n
  );
};

/** The conjunction of all bits, as a function with values 0 and 1. */
const conjunction = (n: number): number[] => points(n).map((x) => (x === 2 ** n - 1 ? 1 : 0));

function conjunctionUnits(n: number): number {
  const b = new CircuitBuilder(Array.from({ length: n }, (_, k) => `x${k}`));
  const circuit = b.finish([{ name: "y", literal: b.and(b.inputs.map((_, k) => b.input(k))) }]);
  return unitCount(circuitNetwork(circuit).plan);
}

export default lemma({
  id: "P-15",
  covers: ["P-15"],
  kind: "algorithm",
  title: "Boolean functions by their Walsh-Fourier coefficients",
  source: "Poggio, sections 6.7 and 6.7.1",
  statement: String.raw`f = \sum_{S} \hat f(S) \prod_{i \in S} x_i, \qquad \hat f(S) = 2^{-d} \sum_x f(x) \prod_{i \in S} x_i, \qquad \sum_S \hat f(S)^2 = \mathbb{E} f^2`,
  parameters: {
    d: integer({ min: 2, max: 8, default: 6, label: "variables d" }),
    ones: real({ min: 0.05, max: 0.95, default: 0.5, label: "share of points with f = -1" }),
    rho: real({ min: -1, max: 1, default: 0.8, label: "correlation ρ of the noise" }),
    k: integer({ min: 0, max: 3, default: 2, label: "degree of what is learned" }),
  },
  claims: {
    "sum of squares": equals(String.raw`\mathbb{E} f^2 = 1`),
    "values from coefficients, error": equals("0"),
    "influence of a variable, over the chance of a flip": equals("1"),
    "total influence": equals(String.raw`\sum_k k W_k`),
    "noise stability": equals(String.raw`\mathbb{E} f(x) f(y)`),
    "parity, monomials": equals("1"),
    "majority of three, coefficient of the product": equals("-1/2"),
    "squared error of the best polynomial of degree k": equals(String.raw`\sum_{|S| > k} \hat f(S)^2`),
    "learned coefficients, mean squared error": atMost(
      String.raw`\frac{\#S}{m} \log(\#S / \delta), \; \delta = 10^{-6}`,
    )
      .probable()
      .looseBy(3),
    "conjunction, monomials that are not zero": equals("2^d"),
    "monomials of a Boolean function, at most": equals(String.raw`\binom{2d}{d}`).printed({
      where: "section 6.7.1, before Theorem 9",
      printed: String.raw`the Fourier representation of a Boolean function in $d$ variables can have up to $N$ non-zero monomials where $N = \binom{2d}{d} = \frac{2d!}{d!d!}$. Thus $N > 2^d$.`,
      corrected: String.raw`a multilinear polynomial has at most $2^d$ monomials, and some Boolean functions have all of them`,
    }),
    "units of a function with all monomials": equals("1"),
    "units of a function with all monomials, as printed": equals(String.raw`2^d`).printed({
      where: "section 6.7.1, before Theorem 9",
      printed: "Clearly a Boolean functions with all non-zero monomials is not efficiently computable.",
      corrected: String.raw`the conjunction of $d$ bits has all $2^d$ monomials and is one gate`,
    }),
  },
  mutants: {
    "influences count a set twice": { "total influence": (_, { theory }) => 2 * theory },
    "noise of chance 1 - ρ for (1 - ρ) / 2": {
      "noise stability": (_, { measured, theory }) => (Math.abs(theory) < 1e-9 ? Number.NaN : measured * 0.9),
    },
    "the tail begins one degree lower": ({ k }) => ({ k: k + 1 }),
  },
  run({ d, ones, rho, k }, { random, scale, budget }) {
    const bits = points(d).map(() => (random.uniform() < ones ? 1 : 0));
    const f = signsOf(bits);
    const hat = walshCoefficients(f);
    const weights = weightByDegree(hat);
    const parity = walshCoefficients(points(d).map((x) => (-1) ** bitCount(x)));
    const majority = walshCoefficients(signsOf(points(3).map((x) => (bitCount(x) >= 2 ? 1 : 0))));
    const i = random.integer(0, d - 1);
    const flips = points(d).filter((x) => f[x] !== f[x ^ (1 << i)]).length / 2 ** d;
    const low = valuesFrom(hat.map((c, S) => (bitCount(S) <= k ? c : 0)));
    const examples = scale(4000);
    const learned = learnLowDegree((x) => f[x]!, d, k, examples, random);
    const spread = sum(learned.sets.map((S, s) => (learned.coefficients[s]! - hat[S]!) ** 2));
    const dense = walshCoefficients(conjunction(d));
    const small = 2 ** -44; // rounding of sums of 4^d products
    return {
      figure: budget === "cheap" ? undefined : figure(d, weights, hat, (x) => predict(learned, x), f),
      claims: {
        "sum of squares": proved(sum(weights), 1),
        "values from coefficients, error": proved(
          valuesFrom(hat).reduce((most, v, x) => Math.max(most, Math.abs(v - f[x]!)), 0),
          0,
        ),
        ...(flips > 0 && {
          "influence of a variable, over the chance of a flip": checked(influences(hat)[i]! / flips, 1, {
            tolerance: small,
          }),
        }),
        "total influence": checked(sum(influences(hat)), sum(weights.map((w, n) => n * w)), {
          tolerance: small,
        }),
        "noise stability": checked(noiseStability(hat, rho), correlation(f, d, rho), { tolerance: small }),
        "parity, monomials": proved(monomialCount(parity), 1),
        "majority of three, coefficient of the product": proved(majority[7]!, -1 / 2),
        "squared error of the best polynomial of degree k": checked(
          sum(f.map((v, x) => (v - low[x]!) ** 2)) / 2 ** d,
          lowDegreeError(hat, k),
          { tolerance: small },
        ),
        // Each estimate is a mean of m signs times f: variance at most 1/m, and Hoeffding for all at once.
        "learned coefficients, mean squared error": sampled(
          spread,
          ((2 * learned.sets.length) / examples) * Math.log((2 * learned.sets.length) / 1e-6),
          { delta: 1e-6 },
        ),
        "conjunction, monomials that are not zero": proved(monomialCount(dense), 2 ** d),
        "monomials of a Boolean function, at most": proved(monomialCount(dense), binomial(2 * d, d)),
        "units of a function with all monomials": checked(conjunctionUnits(d), 1),
        "units of a function with all monomials, as printed": checked(conjunctionUnits(d), 2 ** d),
      },
    };
  },
});

function figure(
  d: number,
  weights: Float64Array,
  hat: Float64Array,
  learned: (x: number) => number,
  f: Float64Array,
): Figure {
  return {
    title: `A Boolean function of ${d} variables, degree ${degreeOf(hat)}`,
    panels: [
      {
        title: "Weight by degree",
        x: { label: "degree" },
        y: { label: "sum of squared coefficients" },
        series: [
          { name: "this function", mark: "dots", points: Array.from(weights, (w, k) => [k, w] as const) },
          {
            name: "theory: a random one, C(d, k) 2^-d",
            mark: "line",
            role: "theory",
            points: Array.from(weights, (_, k) => [k, binomial(d, k) / 2 ** d] as const),
          },
        ],
      },
      {
        title: "Learned from examples",
        x: { label: "point" },
        y: { label: "value" },
        series: [
          { name: "f", mark: "dots", points: Array.from(f, (v, x) => [x, v] as const) },
          {
            name: "learned polynomial",
            mark: "line",
            points: Array.from(f, (_, x) => [x, learned(x)] as const),
          },
        ],
      },
    ],
  };
}
