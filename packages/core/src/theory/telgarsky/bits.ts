import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { bits } from "../../networks/bits.ts";
import { affine, compose } from "../../networks/calculus/calculus.ts";
import { add, compare, type Exact, sub } from "../../numbers/exact/rational.ts";
import { evaluate, linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { checked, equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { triangleOf, unitCurve, valuesAt } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "T-26",
  covers: ["T-26"],
  kind: "construction",
  title: "Binary digits from iterated triangles",
  source: "Telgarsky, section 4.1, applications of the fractal property, item 4",
  statement: String.raw`\mathbf{1}[\Delta^i(x) \ge \tfrac12] = b_i \oplus b_{i+1}, \qquad x = \sum_i b_i 2^{-i}`,
  parameters: {
    n: integer({ min: 2, max: 5, default: 4, label: "digits" }),
    g: integer({ min: 1, max: 6, default: 2, label: "guard 2^(-n-g)" }),
  },
  claims: {
    "wrong digits at the middles (2k + 1) / 2^{n+1}": equals("0"),
    "wrong digits of the Gray code there": equals("0"),
    "intervals on which the number read is wrong": equals("0"),
    "length on which the number read moves": equals("(2^n - 1) 2^{-n-g}"),
    "hidden units": equals(String.raw`3n - 3 + \tfrac12 (n+1)(n+2)`),
    "hidden layers": equals("n + 1"),
    "hidden units for the Gray code": equals(String.raw`3n - 1 + \tfrac12 n(n-1)`),
    "hidden layers for the Gray code": equals("n"),
    "thresholds of iterates that are not the Gray code": equals("0"),
  },
  mutants: {
    "a guard on both sides": {
      "length on which the number read moves": ({ n, g }) => (2 ** n - 1) * 2 ** (1 - n - g),
    },
    "digits carried from the next layer on": { "hidden units": ({ n }) => 3 * n - 3 + (n * (n + 1)) / 2 },
    "a digit lost": ({ n }) => ({ n: n - 1 }),
  },
  async run({ n, g }, { progress, budget }) {
    const guard = 2 ** -(n + g);
    const network = bits(n, { guard });
    const gray = bits(n, { guard, code: "gray" });
    const read = linearPieces(numberRead(network, n), 0, 1);
    await progress(0.6);
    const binary = (code: number) => Array.from({ length: n }, (_, i) => (code >> (n - 1 - i)) & 1);
    const reflected = (code: number) => binary(code).map((b, i, all) => b ^ (all[i - 1] ?? 0));
    const thresholds = thresholdsOf(n);
    const count = (right: (digits: readonly number[], i: number) => number) =>
      thresholds.filter(({ i, code, value }) => value !== right(binary(code), i)).length;
    return {
      graph: network,
      ...(budget !== "cheap" && { figure: figure(n, network) }),
      claims: {
        "wrong digits at the middles (2k + 1) / 2^{n+1}": checked(await wrongDigits(network, n, binary), 0),
        "wrong digits of the Gray code there": checked(await wrongDigits(gray, n, reflected), 0),
        "intervals on which the number read is wrong": proved(wrongIntervals(read, n, guard), 0),
        "length on which the number read moves": proved(lengthOfRamps(read), (2 ** n - 1) * guard),
        "hidden units": checked(sizes(network).hiddenUnits!, 3 * n - 3 + ((n + 1) * (n + 2)) / 2),
        "hidden layers": checked(sizes(network).depth, n + 1),
        "hidden units for the Gray code": checked(sizes(gray).hiddenUnits!, 3 * n - 1 + (n * (n - 1)) / 2),
        "hidden layers for the Gray code": checked(sizes(gray).depth, n),
        "thresholds of iterates that are not the Gray code": checked(
          count((b, i) => b[i - 1]! ^ b[i]!),
          0,
        ),
      },
    };
  },
});

/** sum_i b_i 2^-i, the number that the digits say. */
const numberRead = (network: Graph, n: number): Graph =>
  compose(affine([Array.from({ length: n }, (_, i) => 2 ** -(i + 1))]), network);

const middles = (n: number): number[] => Array.from({ length: 2 ** n }, (_, k) => (2 * k + 1) / 2 ** (n + 1));

async function wrongDigits(network: Graph, n: number, digits: (code: number) => number[]): Promise<number> {
  const values = await valuesAt(network, middles(n));
  return values.filter((value, k) => value !== digits(Math.floor(k / n))[k % n]).length;
}

/** 1[D^i(x) >= 1/2] at the middles, i = 1, ..., n - 1. */
function thresholdsOf(n: number) {
  const found: { readonly i: number; readonly code: number; readonly value: number }[] = [];
  let iterates = middles(n);
  for (let i = 1; i < n; i++) {
    iterates = iterates.map(triangleOf);
    found.push(...iterates.map((value, code) => ({ i, code, value: Number(value >= 1 / 2) })));
  }
  return found;
}

/** How long the pieces are on which f is not constant. */
const lengthOfRamps = ({ knots, values }: PiecewiseLinear): Exact =>
  knots
    .slice(1)
    .reduce<Exact>(
      (sum, t, k) => (compare(values[k]!, values[k + 1]!) === 0 ? sum : add(sum, sub(t, knots[k]!))),
      0,
    );

/** Intervals [k / 2^n + guard, (k + 1) / 2^n - guard] on which the number read is not k / 2^n throughout. */
function wrongIntervals(read: PiecewiseLinear, n: number, guard: number): number {
  return Array.from({ length: 2 ** n }, (_, k) => k).filter((k) => {
    const [from, to] = [k === 0 ? 0 : k / 2 ** n + guard, k + 1 === 2 ** n ? 1 : (k + 1) / 2 ** n - guard];
    const isRight = (x: Parameters<typeof evaluate>[1]) => compare(evaluate(read, x), k / 2 ** n) === 0;
    const inner = read.knots.filter((t) => compare(t, from) > 0 && compare(t, to) < 0);
    return ![from, ...inner, to].every(isRight);
  }).length;
}

function figure(n: number, network: Graph): Figure {
  const digit = (i: number): Graph =>
    compose(affine([Array.from({ length: n }, (_, j) => (i === j ? 1 : 0))]), network);
  const shown = Math.min(n, 4);
  return {
    title: `${n} binary digits with ${sizes(network).hiddenUnits} units`,
    panels: [
      {
        title: "Digits, one above the other",
        x: { label: "x" },
        y: { label: "digit i, drawn at height 1.3 (n - i)" },
        series: Array.from({ length: shown }, (_, i) => ({
          name: `b${i + 1}`,
          mark: "line" as const,
          points: unitCurve(digit(i)).map(([x, y]) => [x, y + 1.3 * (shown - 1 - i)] as const),
        })),
      },
      {
        title: "The number that the digits say",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          {
            name: "x",
            mark: "line",
            role: "theory",
            points: [
              [0, 0],
              [1, 1],
            ],
          },
          { name: `floor(2^${n} x) / 2^${n}`, mark: "line", points: unitCurve(numberRead(network, n)) },
        ],
      },
    ],
  };
}
