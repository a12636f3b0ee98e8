import { digitPolynomial, digitSizes } from "../../discrete/representation/bit-expansion.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { grid, valuesAt } from "../line.ts";
import { integer } from "../parameter.ts";

const monomial = (p: number): number[] => Array.from({ length: p + 1 }, (_, k) => (k === p ? 1 : 0));
const cut = (x: number, n: number): number => Math.min(Math.floor(x * 2 ** n), 2 ** n - 1) / 2 ** n;

export default lemma({
  id: "C3-29",
  covers: ["C3-29"],
  kind: "construction",
  title: "Powers by binary digits, with logarithmically many steps",
  source: "Book, section 3.6.1 (Liang and Srikant)",
  statement: String.raw`\tilde x = \sum_{i \le n} b_i 2^{-i}, \quad \tilde x y = \sum_{i \le n} 2^{-i} \varrho(2(b_i - 1) + y): \qquad \sup_{x \in [0,1]} |\tilde x^p - x^p| = 1 - (1 - 2^{-n})^p \le p 2^{-n}`,
  parameters: {
    n: integer({ min: 1, max: 12, default: 6, label: "digits n" }),
    p: integer({ min: 2, max: 4, default: 2, label: "power p" }),
  },
  claims: {
    "sup error": equals("1 - (1 - 2^{-n})^p"),
    "sup error, against the count of digits": atMost("p 2^{-n}"),
    "network and the power of the digits, difference": equals("0"),
    "digits themselves, error": equals("2^{-n}"),
    "steps and ReLUs": equals("n p"),
    layers: equals("n + p - 1"),
    "neurons of a network with 1/ε layers, one each": atMost(
      String.raw`n p \text{ at } \epsilon = p 2^{-n}`,
    ).printed({
      where: "section 3.6.1",
      printed: String.raw`neural networks with  $L \sim 1/\epsilon$  layers only require  $N \lesssim \text{polylog}(1/\epsilon)$  neurons`,
      corrected: String.raw`$L \sim \log(1/\epsilon)$ layers: a network of $1/\epsilon$ layers has $1/\epsilon$ neurons at least`,
    }),
  },
  mutants: {
    "a digit lost": ({ n }) => ({ n: n - 1 }),
    "digits rounded, not cut": { "digits themselves, error": ({ n }) => 2 ** -(n + 1) },
    "errors of factors squared": { "sup error": ({ n, p }) => 1 - (1 - 4 ** -n) ** (p - 1) },
  },
  async run({ n, p }, { random, budget }) {
    const network = digitPolynomial(monomial(p), n);
    const { steps, relus, layers } = digitSizes(network, n);
    // A piece begins at k / 2^n, where the error is 0, and grows to its end: the greatest error is at ends of pieces, and 1 is one.
    const below = Math.min(2 ** n, 256);
    const ends = Array.from({ length: below }, (_, k) => (2 ** n - k) / 2 ** n);
    const inside = Array.from({ length: 64 }, () => random.uniform());
    const at = [...ends.map((x) => (x === 1 ? 1 : x - 2 ** -50)), ...inside];
    const values = await valuesAt(network, at);
    const digits = await valuesAt(digitPolynomial([0, 1], n), at);
    const worst = (found: readonly number[], f: (x: number) => number): number =>
      found.reduce((most, v, k) => Math.max(most, Math.abs(v - f(at[k]!))), 0);
    const units = n * p;
    return {
      graph: network,
      figure: budget === "cheap" ? undefined : await figure(n, p),
      claims: {
        "sup error": sampled(
          worst(values, (x) => x ** p),
          1 - (1 - 2 ** -n) ** p,
          { tolerance: 2 ** -48 },
        ),
        "sup error, against the count of digits": sampled(
          worst(values, (x) => x ** p),
          p * 2 ** -n,
        ),
        "network and the power of the digits, difference": sampled(
          worst(values, (x) => cut(x, n) ** p),
          0,
        ),
        "digits themselves, error": sampled(
          worst(digits, (x) => x),
          2 ** -n,
        ),
        "steps and ReLUs": checked(steps + relus, units),
        layers: checked(layers, n + p - 1),
        "neurons of a network with 1/ε layers, one each": checked(Math.ceil(2 ** n / p), units),
      },
    };
  },
});

async function figure(n: number, p: number): Promise<Figure> {
  const points = grid(512);
  const few = Math.min(n, 3);
  const values = await valuesAt(digitPolynomial(monomial(p), few), points);
  const levels = Array.from({ length: 12 }, (_, k) => k + 1);
  const errors = await Promise.all(
    levels.map(async (k) => 1 - (await valuesAt(digitPolynomial(monomial(p), k), [1]))[0]!),
  );
  return {
    title: `x to the power ${p} by its binary digits`,
    panels: [
      {
        title: `${few} digits`,
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "network", mark: "line", points: points.map((x, k) => [x, values[k]!] as const) },
          {
            name: "theory: the power",
            mark: "line",
            role: "theory",
            points: points.map((x) => [x, x ** p] as const),
          },
        ],
      },
      {
        title: "Error against units",
        x: { label: "steps and ReLUs" },
        y: { label: "sup error", scale: "log" },
        series: [
          {
            name: "measured, at x = 1",
            mark: "dots",
            points: levels.map((k, i) => [k * p, errors[i]!] as const),
          },
          {
            name: "theory: at most p 2^-n with n p units",
            mark: "line",
            role: "theory",
            points: levels.map((k) => [k * p, p * 2 ** -k] as const),
          },
        ],
      },
    ],
  };
}
