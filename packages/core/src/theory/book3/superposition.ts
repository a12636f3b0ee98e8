import {
  corners,
  exponentOf,
  furtherDigits,
  innerTable,
  plateauWidth,
  Round,
} from "../../discrete/representation/superposition.ts";
import type { Figure } from "../../figure/figure.ts";
import { div, type Exact, mul, reduce, sub, toNumber } from "../../numbers/exact/rational.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const shape = { d: 2, base: 6 } as const;
const power = (exponent: number): Exact => reduce(1n, 6n ** BigInt(exponent));

/** f lives on [0, side]^2: at 1 images would be nearer to each other than plateaus are wide. */
const side = 0.95;

/** Of psi on numbers of k digits: the least and the greatest increment. */
function increments(k: number): { readonly least: Exact; readonly most: Exact } {
  const { numerators, denominator } = innerTable(shape, k);
  const steps = numerators.slice(1).map((v, i) => v - numerators[i]!);
  const least = steps.reduce((m, v) => (v < m ? v : m));
  const most = steps.reduce((m, v) => (v > m ? v : m));
  return { least: reduce(least, denominator), most: reduce(most, denominator) };
}

/** D_1 = 1/g, D_k = (D_{k-1} - (g - 2) g^-beta(k)) / 2: the two cells beside the digit g - 1 share what the others leave. */
const greatest = (k: number): Exact =>
  k === 1 ? power(1) : div(sub(greatest(k - 1), mul(4, power(exponentOf(2, k)))), 2);

/** The most by which psi of k + 1 digits differs from psi of k where both are known. */
function change(k: number): Exact {
  const [coarse, fine] = [innerTable(shape, k), innerTable(shape, k + 1)];
  const scale = fine.denominator / coarse.denominator;
  const most = coarse.numerators.reduce((m, v, i) => {
    const by = fine.numerators[6 * i]! - v * scale;
    return by > m ? by : -by > m ? -by : m;
  }, 0n);
  return reduce(most, fine.denominator);
}

/** At the end of a plateau a rounded image, 2^-52, is divided by a gap of 2^-15. */
const partRounding = 2 ** -36;
/** A step is an eighth of a gap, heights are 2^-10 at least: ends of steps are off by 2^-52 of a gap of 2^-15. */
const rampRounding = 2 ** -22;

/**
 * At one point: how far outer functions are from f at the corner of the plateau that digits say, over 5, and the residual
 * over its bound sum_{on} |f(c) - f| / 5 + sum_{off} (|f| + ||f||) / 5.
 */
function atPoint(round: Round, f: (x: number, y: number) => number, x: number, y: number, size: number) {
  const digits = 2 + furtherDigits;
  const [cx, cy] = [x, y].map((v) => corners(shape, Math.floor(v * 6 ** digits), 2, digits)) as [
    (number | undefined)[],
    (number | undefined)[],
  ];
  const here = f(x, y);
  let [offCorner, bound] = [0, 0];
  round.parts(x, y).forEach((part, q) => {
    const [m, n] = [cx[q], cy[q]];
    if (m === undefined || n === undefined) {
      bound += (Math.abs(here) + size) / 5;
      return;
    }
    const corner = f(m / 36, n / 36);
    offCorner = Math.max(offCorner, Math.abs(part - corner / 5));
    bound += Math.abs(corner - here) / 5;
  });
  const residual = Math.abs(round.value(x, y) - here) - 5 * partRounding;
  return { offCorner, overBound: residual / bound };
}

export default lemma({
  id: "C3-10",
  covers: ["C3-10", "P-03"],
  kind: "construction",
  title: "Kolmogorov's superposition, run",
  source: "Book, (3.2); Poggio, Theorem 3",
  statement: String.raw`f(x_1, \dots, x_d) = \sum_{q=0}^{2d} \Phi_q \Bigl( \sum_{p=1}^{d} \lambda_p \psi(x_p + q a) \Bigr), \qquad \| f - f_1 \| \le \frac{(d + 1) \, \mathrm{osc} + 2d \, \| f \|}{2d + 1}`,
  parameters: {
    k: integer({ min: 1, max: 4, default: 3, label: "digits k of psi" }),
    a: real({ min: 1, max: 6, default: 3, label: "frequency in x" }),
    b: real({ min: 1, max: 6, default: 3, label: "frequency in y" }),
  },
  claims: {
    "psi, least increment": equals(String.raw`g^{-\beta(k)}, \; \beta(k) = 2^k - 1`),
    "psi, greatest increment": equals(String.raw`D_k = \tfrac12 (D_{k-1} - (g - 2) g^{-\beta(k)})`),
    "psi with a digit more, change on the grid": equals("0"),
    "shifts that leave the plateau of a number, at most": equals("1"),
    "plateaus that meet another one": equals("0"),
    "outer functions on plateaus and f at their corners, difference": equals("0"),
    "ramps between plateaus, least steepness over that of two straight ones": equals("1"),
    "ramps between plateaus, greatest steepness over that of two straight ones": equals("1"),
    "residual after one round, over its bound": atMost("1"),
    "residual after one round, over what was there": atLeast("1").printed({
      where: "section 3.3, after (3.2)",
      printed: String.raw`the “direct usefulness of this result is doubtful”, since it is not known how to construct the functions  $g, \phi_1, \dots, \phi_{2d+1}$`,
      corrected: `constructions are known (Sprecher 1996, Köppen 2002, Braun and Griebel 2009): the inner function does not depend on $f$, and each round leaves a part of the residual; what is doubtful is the roughness of both`,
    }),
  },
  mutants: {
    "the digit g - 1 like the others": {
      "psi, greatest increment": ({ k }) => (k === 1 ? Number.NaN : power(k)),
    },
    "exponents that grow linearly": { "psi, least increment": ({ k }) => power(2 * k - 1) },
    "a shift more that misses": { "shifts that leave the plateau of a number, at most": () => 2 },
  },
  run({ k, a, b }, { random, scale, budget }) {
    const f = (x: number, y: number): number =>
      Math.sin((a * Math.min(x, side)) / side) * Math.cos((b * Math.min(y, side)) / side);
    const first = new Round(f, 2);
    const points = Array.from(
      { length: scale(2000) },
      () => [side * random.uniform(), side * random.uniform()] as const,
    );
    const most = (g: (x: number, y: number) => number): number =>
      points.reduce((m, [x, y]) => Math.max(m, Math.abs(g(x, y))), 0);
    const residual = most((x, y) => f(x, y) - first.value(x, y));
    // |sin| reaches 1 from a = pi / 2 on, |cos| at 0.
    const size = a >= Math.PI / 2 ? 1 : Math.sin(a);
    const { least, most: greatestStep } = increments(k);
    const judged = points.map(([x, y]) => atPoint(first, f, x, y, size));
    const missed = Array.from({ length: 6 ** 4 }, (_, place) =>
      corners(shape, place, 1, 4).filter((c) => c === undefined),
    ).reduce((m, { length }) => Math.max(m, length), 0);
    return {
      figure: budget === "cheap" ? undefined : figure(f, first, points),
      claims: {
        "psi, least increment": proved(least, power(exponentOf(2, k))),
        "psi, greatest increment": proved(greatestStep, greatest(k)),
        "psi with a digit more, change on the grid": proved(change(k), 0),
        "shifts that leave the plateau of a number, at most": proved(missed, 1),
        "plateaus that meet another one": checked(first.separation > plateauWidth(shape, 2) ? 0 : 1, 0),
        "outer functions on plateaus and f at their corners, difference": sampled(
          judged.reduce((m, { offCorner }) => Math.max(m, offCorner), 0),
          0,
          { tolerance: partRounding },
        ),
        "ramps between plateaus, least steepness over that of two straight ones": checked(
          first.steepness.least,
          1,
          { tolerance: rampRounding },
        ),
        "ramps between plateaus, greatest steepness over that of two straight ones": checked(
          first.steepness.most,
          1,
          { tolerance: rampRounding },
        ),
        "residual after one round, over its bound": sampled(
          judged.reduce((m, { overBound }) => Math.max(m, overBound), 0),
          1,
        ),
        "residual after one round, over what was there": sampled(residual / size, 1),
      },
    };
  },
});

/** psi, its steepness, and what two rounds leave. */
function figure(
  f: (x: number, y: number) => number,
  first: Round,
  points: readonly (readonly [number, number])[],
): Figure {
  const { numerators, denominator } = innerTable(shape, 4);
  const second = new Round((x, y) => f(x, y) - first.value(x, y), 3);
  const most = (g: (x: number, y: number) => number): number =>
    points.reduce((m, [x, y]) => Math.max(m, Math.abs(g(x, y))), 0);
  const left = [
    most(f),
    most((x, y) => f(x, y) - first.value(x, y)),
    most((x, y) => f(x, y) - first.value(x, y) - second.value(x, y)),
  ];
  const levels = [1, 2, 3, 4, 5];
  return {
    title: "Kolmogorov's superposition for two variables, digits to the base 6",
    panels: [
      {
        title: "The inner function",
        x: { label: "x" },
        y: { label: "psi" },
        series: [
          {
            name: "psi, four digits",
            mark: "line",
            points: numerators.map((n, i) => [i / 6 ** 4, toNumber(reduce(n, denominator))] as const),
          },
        ],
      },
      {
        title: "Its steepest chord",
        x: { label: "digits" },
        y: { label: "slope", scale: "log" },
        series: [
          {
            name: "measured, exact",
            mark: "dots",
            points: levels.map((k) => [k, 6 ** k * toNumber(increments(k).most)] as const),
          },
          {
            name: "theory: D_k 6^k, near 3^k",
            mark: "line",
            role: "theory",
            points: levels.map((k) => [k, 6 ** k * toNumber(greatest(k))] as const),
          },
        ],
      },
      {
        title: "What is left",
        x: { label: "rounds" },
        y: { label: "greatest residual" },
        series: [{ name: "measured", mark: "dots", points: left.map((v, r) => [r, v] as const) }],
      },
    ],
  };
}
