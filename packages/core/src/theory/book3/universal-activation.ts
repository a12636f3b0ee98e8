import {
  activationAt,
  bernsteinKink,
  evaluate,
  indexOf,
  oneUnit,
  oneUnitValue,
  polynomialOf,
} from "../../discrete/representation/universal-activation.ts";
import type { Figure } from "../../figure/figure.ts";
import { abs, compare, type Exact, max, reduce, sub, toNumber } from "../../numbers/exact/rational.ts";
import { atLeast, atMost, equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const bits = (k: bigint): number => k.toString(2).length;
/** |k/n - 1/2| for a fair coin thrown n times, on average: C(n, n/2) / 2^(n+1). */
function meanDeviation(n: number): Exact {
  let binomial = 1n;
  for (let k = 1; k <= n / 2; k++) binomial = (binomial * BigInt(n - k + 1)) / BigInt(k);
  return reduce(binomial, 2n ** BigInt(n + 1));
}
/** 4k: two bits, the leading 1, and a field for each number v of the polynomial; a coefficient c is 2c, or -2c - 1 below 0. */
function shiftBits(n: number): number {
  const { numerators, places } = bernsteinKink(n);
  const field = (v: bigint): number => 2 * (bits(v + 1n) - 1) + 1;
  const coefficients = numerators.map((c) => field(c >= 0n ? 2n * c : -2n * c - 1n));
  return 3 + field(BigInt(n + 1)) + field(BigInt(places)) + coefficients.reduce((a, b) => a + b, 0);
}
const points = (count: number): Exact[] =>
  Array.from({ length: count + 1 }, (_, k) => reduce(BigInt(k), BigInt(count)));
const kink = (x: Exact): Exact => abs(sub(x, 1 / 2));

export default lemma({
  id: "C3-49",
  covers: ["C3-49"],
  kind: "construction",
  title: "A universal activation: one hidden unit for any function of a variable",
  source: "Book, sections 3.2.3 and 3.3 (Maiorov and Pinkus; Guliyev and Ismailov)",
  statement: String.raw`\sigma(4k + t) = 1 - \frac{1 - u_k(t) / B_k}{2(k + 1)}, \; 0 \le t \le 1: \qquad c_1 \sigma(x + 4k) + c_2 = u_k(x)`,
  parameters: {
    e: integer({ min: 1, max: 5, default: 4, label: "log2 of the degree n" }),
    drawn: integer({ min: 1, max: 4000, default: 48, label: "a number k" }),
  },
  claims: {
    "one unit and its polynomial, greatest difference": equals("0"),
    "number of the polynomial of a number, if it is one": equals("k"),
    "one unit and |x - 1/2|, sup error": equals(String.raw`\binom{n}{n/2} 2^{-n-1}`),
    "activation on an interval, least value": atLeast("1 - 1/(k + 1)"),
    "activation on an interval, greatest value": atMost("1"),
    "bits of the shift that one unit needs": equals(
      String.raw`3 + \sum_v (2 \lfloor \log_2 (v + 1) \rfloor + 1)`,
    ),
  },
  mutants: {
    "a polynomial of half the degree": {
      "one unit and |x - 1/2|, sup error": ({ e }) => meanDeviation(2 ** (e - 1) || 1),
    },
    "the next number": { "number of the polynomial of a number, if it is one": ({ drawn }) => drawn + 1 },
    "squeezed half as much": {
      "activation on an interval, least value": ({ drawn }) => 1 - 1 / (4 * drawn + 4),
    },
  },
  run({ e, drawn }, { budget }) {
    const n = 2 ** e;
    const u = bernsteinKink(n);
    const unit = oneUnit(u);
    const at = points(32);
    const difference = at.reduce<Exact>((m, x) => max(m, abs(sub(oneUnitValue(unit, x), evaluate(u, x)))), 0);
    const error = at.reduce<Exact>((m, x) => max(m, abs(sub(oneUnitValue(unit, x), kink(x)))), 0);
    const k = BigInt(drawn);
    const read = polynomialOf(k);
    const isNumber = indexOf(read) === k;
    const values = at.map((t) => activationAt(k, t));
    const least = values.reduce((m, v) => (compare(v, m) < 0 ? v : m));
    return {
      figure: budget === "cheap" ? undefined : figure(),
      table: {
        title: "What one unit costs: bits of the shift 4k for Bernstein's polynomials of |x - 1/2|",
        columns: ["degree", "sup error", "bits of the shift"],
        rows: [2, 4, 8, 16, 32].map((m) => [
          m,
          Number(toNumber(meanDeviation(m)).toPrecision(3)),
          2 + bits(oneUnit(bernsteinKink(m)).k),
        ]),
      },
      claims: {
        "one unit and its polynomial, greatest difference": proved(difference, 0),
        ...(isNumber && {
          "number of the polynomial of a number, if it is one": proved(Number(indexOf(read)), drawn),
        }),
        "one unit and |x - 1/2|, sup error": proved(error, meanDeviation(n)),
        "activation on an interval, least value": proved(least, sub(1, reduce(1n, k + 1n))),
        "activation on an interval, greatest value": proved(values.reduce(max), 1),
        "bits of the shift that one unit needs": proved(2 + bits(unit.k), shiftBits(n)),
      },
    };
  },
});

function figure(): Figure {
  const degrees = [2, 8, 32];
  const at = points(128);
  return {
    title: "|x - 1/2| by one hidden unit with a universal activation",
    panels: [
      {
        title: "Bernstein's polynomials, each one unit",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          ...degrees.map((n) => ({
            name: `degree ${n}`,
            mark: "line" as const,
            points: at.map(
              (x) => [toNumber(x), toNumber(oneUnitValue(oneUnit(bernsteinKink(n)), x))] as const,
            ),
          })),
          {
            name: "theory: |x - 1/2|",
            mark: "line",
            role: "theory",
            points: at.map((x) => [toNumber(x), toNumber(kink(x))] as const),
          },
        ],
      },
      {
        title: "What the weight carries",
        x: { label: "degree", scale: "log" },
        y: { label: "bits of the shift", scale: "log" },
        series: [
          {
            name: "measured",
            mark: "dots",
            points: [2, 4, 8, 16, 32].map((n) => [n, 2 + bits(oneUnit(bernsteinKink(n)).k)] as const),
          },
        ],
      },
    ],
  };
}
