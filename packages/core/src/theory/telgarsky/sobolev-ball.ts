import { countOf } from "../../approximate/sobolev/multi-index.ts";
import { taylorData } from "../../approximate/sobolev/taylor-data.ts";
import { graphOnBox, localPolynomials } from "../../approximate/sobolev/yarotsky.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, fitted, proved, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import {
  derivativeBound,
  gridPoints,
  remainderBound,
  remainderSizes,
  smoothErrorSeen,
  smoothFormula,
  smoothNames,
  unitSides,
} from "./sobolev-targets.ts";

/** Nodes that are tried at most: a falsifier's trial is to be quick. */
const mostNodes = { cheap: 36, live: 100, thorough: 400 };
const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

export default lemma({
  id: "T-37",
  covers: ["T-37"],
  kind: "construction",
  title: "Smooth functions by local Taylor polynomials, as the theorem builds them",
  source: "Telgarsky, Theorem 5.4 (and 5.3), after Yarotsky",
  statement: String.raw`|f(x) - g(x)| \le M r d^r \left(s^{-r} + 4 d 2^d 4^{-k}\right) + 3 d 2^d 4^{-k}, \qquad f = \sum_v \mathrm{prod}_{k,2}(p_v, \mathrm{part}_v)`,
  parameters: {
    g: choice(smoothNames, { label: "function" }),
    a: real({ min: 0.25, max: 4, default: 1, label: "steepness" }),
    d: integer({ min: 1, max: 2, default: 2, label: "variables d" }),
    r: integer({ min: 1, max: 4, default: 2, label: "smoothness r" }),
    s: integer({ min: 1, max: 32, default: 5, label: "cells a side s" }),
    k: integer({ min: 2, max: 10, default: 6, label: "levels k" }),
  },
  claims: {
    "certified error": atMost("M r d^r (s^{-r} + 4 d 2^d 4^{-k}) + 3 d 2^d 4^{-k}").loose({
      where: "Theorem 5.4",
      printed: "M r d^r (s^{-r} + 4 d 2^d 4^{-k}) + 3 d 2^d 4^{-k}",
      corrected: String.raw`M \left[\tfrac{d^r}{r!} (2s)^{-r} + (2e)^d (d + r) 4^{-k}\right] \text{ for } r \le 6`,
    }),
    "certified error, against the sharper bound": atMost(
      String.raw`M \left[\tfrac{d^r}{r!} (2s)^{-r} + (2e)^d (d+r) 4^{-k}\right]`,
    ),
    "error on ONNX Runtime": atMost(String.raw`\text{the certified error of a run in f64}`),
    "hidden layers": atMost(String.raw`2 + (k+1)(1 + \lceil \log_2 \max(d, r) \rceil)`),
    "hidden units": atMost(
      String.raw`9d(s+1) + (s+1)^d (d + N)\left[5k + 4 + (k+1)(1 + \lceil \log_2 \max(d,r) \rceil)\right], \; N = \tbinom{d+r-1}{d}`,
    ),
    "bound on the Taylor remainder against s, exponent": atMost("-r").rate(),
    "error of a Taylor polynomial of degree r, for r = 1": atMost(String.raw`\tfrac{M d^r}{r! s^r}`).printed({
      where: "proof of Theorem 5.4, first display",
      printed: String.raw`|p_v(x) - g(x)| \le \tfrac{M d^r}{r! s^r} \text{ for the Taylor expansion } p_v \text{ of degree } r`,
      corrected: String.raw`\text{of degree } r - 1: \text{ with bounds up to order } r \text{ only, degree } r \text{ may err twice as much}`,
    }),
    "error of a Taylor polynomial of degree r - 1, for r = 1": atMost(String.raw`\tfrac{M d^r}{r! s^r}`),
  },
  async run({ g, a, d, r, s, k }, { random, scale, budget, progress }) {
    if ((s + 1) ** d > mostNodes[budget])
      throw new HypothesisError(
        `T-37: (${s} + 1)^${d} nodes are more than are tried here, ${mostNodes[budget]}`,
      );
    const formula = smoothFormula[g](d, Number(a.toPrecision(6)));
    const graph = graphOnBox(formula, unitSides(d));
    const M = Math.max(1, derivativeBound(formula, d, [0, r], s));
    const made = localPolynomials(taylorData(graph, unitSides(d), r, s), k, "products");
    await progress(0.5);
    const points = gridPoints(d, s, scale(1500), random);
    const seen = await smoothErrorSeen(made.network, formula, points);
    const stages = 1 + Math.ceil(Math.log2(Math.max(d, r)));
    const count = countOf(d, r - 1);
    const part = 4 ** -k;
    const taylor = (M * d ** r) / factorial(r) / (2 * s) ** r;
    const errors = remainderSizes(d).map((n) => [n, remainderBound(graph, d, r, n)] as const);
    return {
      graph: made.network,
      figure: budget === "cheap" ? undefined : figure(formula, r, k, M, d, errors),
      claims: {
        "certified error": proved(
          made.certificate.error,
          M * r * d ** r * (s ** -r + 4 * d * 2 ** d * part) + 3 * d * 2 ** d * part,
        ),
        // The mean of the distances' powers is bounded on 256 slices of a ramp.
        "certified error, against the sharper bound": proved(
          made.certificate.error,
          taylor * (1 + r / 64) + M * (2 * Math.E) ** d * (d + r) * part,
        ),
        // The formula itself is computed in doubles.
        "error on ONNX Runtime": sampled(seen, made.certificate.runError, { tolerance: 2 ** -44 }),
        "hidden layers": checked(made.depth, 2 + (k + 1) * stages),
        "hidden units": checked(
          made.units,
          9 * d * (s + 1) + (s + 1) ** d * (d + count) * (5 * k + 4 + (k + 1) * stages),
        ),
        "bound on the Taylor remainder against s, exponent": fitted(errors, -r),
        "error of a Taylor polynomial of degree r, for r = 1": checked(bendError(s, 1), 1 / s),
        "error of a Taylor polynomial of degree r - 1, for r = 1": checked(bendError(s, 0), 1 / s),
      },
    };
  },
});

/**
 * g(x) = sqrt((x - 1/8s)^2 + (1/64s)^2) - 1/64s has values in [0, 1] and slopes in (-1, 1), so M = 1 for r = 1: what its
 * Taylor polynomial of this degree at 0 errs by at x = 1/s.
 */
function bendError(s: number, degree: 0 | 1): number {
  const [bend, width, x] = [1 / (8 * s), 1 / (64 * s), 1 / s];
  const g = (t: number): number => Math.hypot(t - bend, width) - width;
  const slope = -bend / Math.hypot(bend, width);
  return Math.abs(g(x) - g(0) - degree * slope * x);
}

function figure(
  formula: string,
  r: number,
  k: number,
  M: number,
  d: number,
  errors: readonly (readonly [number, number])[],
): Figure {
  const graph = graphOnBox(formula, unitSides(d));
  const orders = [1, 2, 3, 4];
  const sizes = d === 1 ? [2, 4, 8, 16, 32] : [2, 3, 4, 6, 8, 12];
  const printed = (s: number): number =>
    M * r * d ** r * (s ** -r + 4 * d * 2 ** d * 4 ** -k) + 3 * d * 2 ** d * 4 ** -k;
  return {
    title: `Local Taylor polynomials, ${d} variable${d > 1 ? "s" : ""}`,
    panels: [
      {
        title: `Smoothness r = ${r}, ${k} levels`,
        x: { label: "cells a side s", scale: "log" },
        y: { label: "error", scale: "log" },
        series: [
          { name: "bound on the Taylor remainder", mark: "dots", points: errors },
          {
            name: "theorem's bound, as printed",
            mark: "line",
            role: "theory",
            points: errors.map(([s]) => [s, printed(s)]),
          },
          {
            name: "M d^r / r! (2s)^-r",
            mark: "line",
            role: "theory",
            points: errors.map(([s]) => [s, (M * d ** r) / factorial(r) / (2 * s) ** r]),
          },
        ],
      },
      {
        title: "Certified Taylor error by smoothness",
        x: { label: "cells a side s", scale: "log" },
        y: { label: "error", scale: "log" },
        series: orders.map((order) => ({
          name: `r = ${order}`,
          mark: "line" as const,
          points: sizes.map((s) => [s, taylorData(graph, unitSides(d), order, s).error] as const),
        })),
      },
    ],
  };
}
