import { parityTuples, thresholdFunctions } from "../../discrete/boolean/threshold-functions.ts";
import type { Figure } from "../../figure/figure.ts";
import { atLeast, checked, equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

/** Known counts of threshold functions of 1, 2, 3, 4 variables. */
const counts = [4, 14, 104, 1882];

/** Even strings that the signs of a random W h + b reach, at most over some draws. */
function reached(s: number, m: number, draws: number, random: { normal(): number }): number {
  let most = 0;
  for (let k = 0; k < draws; k++) {
    const rows = Array.from({ length: s }, () => Array.from({ length: m + 1 }, () => random.normal()));
    const seen = new Set<string>();
    for (let h = 0; h < 2 ** m; h++) {
      const signs = rows.map(([b, ...w]) => (w.reduce((z, v, j) => z + ((h >> j) & 1) * v, b!) > 0 ? 1 : 0));
      if (signs.reduce<number>((a, b) => a + b, 0) % 2 === 0) seen.add(signs.join(""));
    }
    most = Math.max(most, seen.size);
  }
  return most;
}

/** The least m with which signs of W h + b reach all even strings of s bits. */
const leastWidth = (s: number): number => (parityTuples(s).length > 0 ? s - 1 : s);

export default lemma({
  id: "C6-23",
  covers: ["C6-23"],
  kind: "bound",
  title: "Parities need a last hidden layer as wide as the output, or one unit less",
  source: "Book, chapter 6, Proposition 6.23",
  statement: String.raw`\{ \operatorname{sgn}(W h + b) : h \in \{0,1\}^m \} \supseteq \text{even strings of } s \text{ bits} \implies m \ge s - 1 \; (s \text{ even}), \quad m \ge s \; (s \text{ odd})`,
  parameters: {
    s: integer({ min: 2, max: 4, default: 4, label: "outputs s" }),
    draw: integer({ min: 1, max: 100, default: 1, label: "which random layers" }),
  },
  claims: {
    "least width of the last hidden layer": equals(
      String.raw`s - 1 \; (s \text{ even}), \; s \; (s \text{ odd})`,
    ),
    "unordered tuples of threshold functions of s - 1 bits": equals(
      String.raw`2, 0, 8 \text{ for } s = 2, 3, 4`,
    ),
    "threshold functions of s variables": equals(String.raw`14, 104, 1882`),
    "even strings that three random signs of two bits do not reach": atLeast("1"),
    "least width, as the proof has it": equals("s").printed({
      where: "proof of Proposition 6.23",
      printed: String.raw`The set of parameters  $\mathbf{Wh} + \mathbf{b}$ ,  $\mathbf{h} \in \{0, 1\}^m$ , intersects all even-parity orthants of  $\mathbb{R}^s$  only if  $m \geq s$`,
      corrected: String.raw`for even $s$ it does with $m = s - 1$, as the proposition itself says: 8 quadruples of threshold functions of three bits`,
    }),
    "dimension of the tables of four bits given one": equals("32").printed({
      where: "Figure 6.7, caption",
      printed: String.raw`this network is not a universal approximator of  $\Delta_{1,4}$ , although it has more than  $\dim(\Delta_{1,4}) = 32$  parameters.`,
      corrected: String.raw`$\dim(\Delta_{1,4}) = 2 (2^4 - 1) = 30$`,
    }),
  },
  mutants: {
    "all s alike": { "least width of the last hidden layer": ({ s }) => s },
    "ordered tuples": {
      "unordered tuples of threshold functions of s - 1 bits": ({ s }) => (s === 4 ? 192 : Number.NaN),
    },
    "one variable less": { "threshold functions of s variables": ({ s }) => counts[s - 2]! },
  },
  run({ s, draw }, { random, scale, budget }) {
    const tuples = parityTuples(s);
    return {
      figure: budget === "cheap" ? undefined : figure(random),
      claims: {
        "least width of the last hidden layer": proved(leastWidth(s), s % 2 === 0 ? s - 1 : s),
        "unordered tuples of threshold functions of s - 1 bits": proved(tuples.length, [2, 0, 8][s - 2]!),
        "threshold functions of s variables": proved(thresholdFunctions(s).length, counts[s - 1]!),
        "even strings that three random signs of two bits do not reach": checked(
          4 - reached(3, 2, scale(2000), random.split(draw)),
          1,
        ),
        "least width, as the proof has it": proved(leastWidth(s), s),
        "dimension of the tables of four bits given one": proved(2 * (2 ** 4 - 1), 32),
      },
    };
  },
});

function figure(random: { normal(): number }): Figure {
  const shapes = [
    [2, 1],
    [3, 2],
    [3, 3],
    [4, 3],
  ] as const;
  return {
    title: "Even strings that the signs of random layers reach",
    panels: [
      {
        title: "The most over 4000 draws",
        x: { label: "outputs s and units m", names: shapes.map(([s, m]) => `${s}, ${m}`) },
        y: { label: "part of all even strings" },
        series: [
          {
            name: "reached",
            mark: "dots",
            points: shapes.map(([s, m], k) => [k, reached(s, m, 4000, random) / 2 ** (s - 1)] as const),
          },
          {
            name: "theory: all of them",
            mark: "line",
            role: "theory",
            points: shapes.map((_, k) => [k, 1] as const),
          },
        ],
      },
    ],
  };
}
