import { countOf } from "../../approximate/sobolev/multi-index.ts";
import { taylorData } from "../../approximate/sobolev/taylor-data.ts";
import { graphOnBox, localPolynomials } from "../../approximate/sobolev/yarotsky.ts";
import type { Figure } from "../../figure/figure.ts";
import { factorial } from "../../numbers/factorial.ts";
import { atMost, checked, fitted, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
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
    r: integer({ min: 1, max: 3, default: 2, label: "smoothness r" }),
    s: integer({ min: 1, max: 4, default: 4, label: "cells a side s" }),
    k: integer({ min: 4, max: 8, default: 6, label: "levels k" }),
  },
  claims: {
    "certified error": atMost("M r d^r (s^{-r} + 4 d 2^d 4^{-k}) + 3 d 2^d 4^{-k}").loose({
      where: "Theorem 5.4",
      printed: String.raw`|f(x) - g(x)| \leq Mrd^r \left( s^{-r} + 4d2^d \cdot 4^{-k} \right) + 3d2^d \cdot 4^{-k}`,
      corrected: String.raw`M \left[\tfrac{d^r}{r!} (2s)^{-r} + (2e)^d (d + r) 4^{-k}\right] \text{ for } r \le 6`,
    }),
    "certified error, against the sharper bound": atMost(
      String.raw`M \left[\tfrac{d^r}{r!} (2s)^{-r} + (2e)^d (d+r) 4^{-k}\right]`,
    ),
    "error on ONNX Runtime over the certified one, of g or of x² with r = 2": atMost("1"),
    "hidden layers": atMost(String.raw`2 + (k+1)(1 + \lceil \log_2 \max(d, r) \rceil)`),
    "hidden units": atMost(
      String.raw`9d(s+1) + (s+1)^d (d + N)\left[5k + 4 + (k+1)(1 + \lceil \log_2 \max(d,r) \rceil)\right], \; N = \tbinom{d+r-1}{d}`,
    ).looseBy(2),
    "bound on the Taylor remainder against s, exponent": atMost("-r").rate(),
    "wave of steepness a s, r = 1: error of its Taylor polynomial of degree 1 at 1/s": atMost(
      String.raw`\tfrac{M}{s}, \; M = \max(1, \tfrac{as}{2})`,
    ).printed({
      where: "proof of Theorem 5.4, first display",
      printed: String.raw`let $p_v : \mathbb{R}^d \rightarrow \mathbb{R}$ denote the Taylor expansion of degree $r$ at $v$; by a standard form of the Taylor error, for any $x \in [0, 1]^d$ with $\|x - v\|_\infty \leq 1/s$, $|p_v(x) - g(x)| \leq \frac{Md^r}{r!} \|v - x\|_\infty^r \leq \frac{Md^r}{r!s^r}$`,
      corrected: String.raw`of degree $r - 1$: with bounds up to the order $r$ only, degree $r$ may err twice as much (here $g(x) = (1 + \sin(a s x)) / 2$, $v = 0$, $x = 1/s$, $d = r = 1$)`,
    }),
    "wave of steepness a s, r = 1: error of its Taylor polynomial of degree 0 at 1/s": atMost(
      String.raw`\tfrac{\sup |g'|}{s} = \tfrac{a}{2}`,
    ),
  },
  mutants: {
    "a cell of half the width and a bit": {
      "certified error, against the sharper bound": ({ r, s }, { theory }) =>
        theory * ((2 * s) / (2 * s + 1)) ** r,
    },
    "Taylor polynomials of degree r": {
      "bound on the Taylor remainder against s, exponent": ({ r }) => -(r + 1),
    },
    "hats and products in one layer": { "hidden layers": (_, { theory }) => theory - 1 },
  },
  async run({ g, a, d, r, s, k }, { random, scale, budget, progress }) {
    const formula = smoothFormula[g](d, Number(a.toPrecision(6)));
    const graph = graphOnBox(formula, unitSides(d));
    const M = Math.max(1, derivativeBound(formula, d, [0, r], s));
    const made = localPolynomials(taylorData(graph, unitSides(d), r, s), k, "products");
    await progress(0.5);
    const points = gridPoints(d, s, scale(1000), random);
    const seen = await smoothErrorSeen(made.network, formula, points);
    const stages = 1 + Math.ceil(Math.log2(Math.max(d, r)));
    const count = countOf(d, r - 1);
    const part = 4 ** -k;
    const taylor = (M * d ** r) / factorial(r) / (2 * s) ** r;
    const isQuick = budget === "cheap" && d > 1; // jets on some thousand cells
    const errors = isQuick
      ? undefined
      : remainderSizes(d).map((n) => [n, remainderBound(graph, d, r, n)] as const);
    return {
      graph: made.network,
      ...(budget !== "cheap" && errors && { figure: figure(formula, r, k, M, d, errors) }),
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
        "error on ONNX Runtime over the certified one, of g or of x² with r = 2": sampled(
          Math.max(seen / made.certificate.runError, await parabolaRatio(s, k)),
          1,
          { tolerance: 2 ** -44 / made.certificate.runError },
        ),
        "hidden layers": checked(made.depth, 2 + (k + 1) * stages),
        "hidden units": checked(
          made.units,
          9 * d * (s + 1) + (s + 1) ** d * (d + count) * (5 * k + 4 + (k + 1) * stages),
        ),
        ...(errors && { "bound on the Taylor remainder against s, exponent": fitted(errors, -r) }),
        "wave of steepness a s, r = 1: error of its Taylor polynomial of degree 1 at 1/s": checked(
          Math.abs((Math.sin(a) - a) / 2),
          Math.max(1, (a * s) / 2) / s,
        ),
        "wave of steepness a s, r = 1: error of its Taylor polynomial of degree 0 at 1/s": checked(
          Math.abs(Math.sin(a)) / 2,
          a / 2,
        ),
      },
    };
  },
});

/** The Taylor polynomials of x^2 of degree 1 at neighbouring nodes err equally in the middle: what is certified is seen. */
async function parabolaRatio(s: number, k: number): Promise<number> {
  const formula = "x1^2";
  const data = taylorData(graphOnBox(formula, unitSides(1)), unitSides(1), 2, s);
  const { network, certificate } = localPolynomials(data, k, "products");
  const middles = Array.from({ length: s }, (_, i) => [(2 * i + 1) / (2 * s)]);
  return (await smoothErrorSeen(network, formula, middles)) / certificate.runError;
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
