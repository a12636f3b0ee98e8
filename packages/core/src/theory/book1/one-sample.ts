import type { Figure } from "../../figure/figure.ts";
import { minimumNormRisk } from "../../generalization/double-descent/bias-variance.ts";
import {
  copiedFeaturesVariance,
  copiesFirst,
  oneSampleVariance,
  varianceOfGroups,
} from "../../generalization/double-descent/one-sample.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { type LemmaTable, lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

type Rows = readonly (readonly number[])[];

export default lemma({
  id: "C1a-46",
  covers: ["C1a-46"],
  kind: "experiment",
  title: "One example: a feature may lower the variance, or raise it",
  source: "Book, chapter 1, (1.29) and Figure 1.7",
  statement: String.raw`m = 1, \; X \in \{-1, 1\}^d: \quad \mathbb E[\operatorname{Tr}(\Sigma^+ \mathbb E[XX^T])] = \frac{1}{d^2} \|\mathbb E[XX^T]\|_F^2`,
  parameters: {
    d: integer({ min: 2, max: 150, default: 50, label: "features of Figure 1.7" }),
    points: integer({ min: 1, max: 5, default: 4, label: "pairs of points of a drawn law" }),
    n: integer({ min: 1, max: 8, default: 5, label: "features of the drawn law" }),
  },
  claims: {
    "expected variance of the drawn law": equals(String.raw`\|\mathbb E[XX^T]\|_F^2 / n^2`),
    "groups of copies": equals(String.raw`\sum_g g^2 / n^2`),
    "Figure 1.7 at d": equals(String.raw`(g^2 + d - g) / d^2`),
    "Figure 1.7, an independent feature more": atMost(String.raw`\text{what it was}`),
    "Figure 1.7, first local minimum": equals("9"),
    "Figure 1.7, first local maximum": equals("20"),
    "Figure 1.7, second local minimum": equals("29"),
    "Figure 1.7, second local maximum": equals("50"),
    "Figure 1.7, least value at": equals("150"),
  },
  mutants: {
    "divided by d": { "expected variance of the drawn law": ({ n }, { theory }) => theory * n },
    "a copy not counted": {
      "Figure 1.7 at d": ({ d }, { theory }) => theory - (d >= 10 ? 1 / d ** 2 : 0),
    },
    "one feature too many": ({ d }) => ({ d: d + 1 }),
  },
  async run({ d, points, n }, { random, budget }) {
    const law = drawnLaw(points, n, random);
    const covariance = Array.from({ length: n }, (_, i) =>
      Array.from({ length: n }, (__, j) => law.reduce((sum, { x, p }) => sum + p * x[i]! * x[j]!, 0)),
    );
    let expected = 0;
    for (const { x, p } of law) expected += p * (await varianceOf(x, covariance));
    const sizes = Array.from({ length: n }, () => random.integer(1, 4));
    const copies = sizes.flatMap((size, k) => Array.from({ length: size }, () => k));
    const curve = countedCurve(150);
    const at = (k: number): number => curve[k - 1]!;
    const turns = curve.flatMap((_, k) =>
      k > 0 && k < 149 && (at(k + 1) - at(k)) * (at(k + 2) - at(k + 1)) < 0 ? [k + 1] : [],
    );
    const source = Array.from({ length: d }, (_, i) => (copiesFirst(i + 1) ? 0 : i));
    const drawn = source.map(() => (random.uniform() < 0.5 ? -1 : 1));
    const rounding = { tolerance: 2 ** -46 }; // sums of at most 150^2 terms of size 1/150^2, and a pseudoinverse
    return {
      ...(budget === "cheap" ? {} : shown(curve)),
      claims: {
        "expected variance of the drawn law": checked(expected, oneSampleVariance(covariance), rounding),
        "groups of copies": checked(
          oneSampleVariance(copies.map((a) => copies.map((b) => Number(a === b)))),
          varianceOfGroups(sizes),
          rounding,
        ),
        "Figure 1.7 at d": checked(
          await varianceOf(
            source.map((s) => drawn[s]!),
            source.map((a) => source.map((b) => Number(a === b))),
          ),
          copiedFeaturesVariance(d),
          rounding,
        ),
        ...(d < 150 && !copiesFirst(d + 1)
          ? { "Figure 1.7, an independent feature more": checked(at(d + 1), at(d)) }
          : {}),
        "Figure 1.7, first local minimum": checked(turns[0]!, 9),
        "Figure 1.7, first local maximum": checked(turns[1]!, 20),
        "Figure 1.7, second local minimum": checked(turns[2]!, 29),
        "Figure 1.7, second local maximum": checked(turns[3]!, 50),
        "Figure 1.7, least value at": checked(curve.indexOf(Math.min(...curve)) + 1, 150),
      },
    };
  },
});

/** Tr(Sigma^+ C) by the pseudoinverse of the one example. */
const varianceOf = async (x: readonly number[], covariance: Rows): Promise<number> =>
  (
    await minimumNormRisk(matrixOfRows([x]), {
      ...{ covariance: matrixOfRows(covariance), target: x.map(() => 0), noise: 1 },
    })
  ).variance;

/** Points of {-1, 1}^n with their opposites, so that the mean is 0. */
function drawnLaw(pairs: number, n: number, random: Random) {
  const shares = random.uniform(pairs);
  const total = 2 * shares.reduce((a, b) => a + b, 0);
  return Array.from(shares).flatMap((share) => {
    const x = Array.from({ length: n }, () => (random.uniform() < 0.5 ? -1 : 1));
    return [x, x.map((v) => -v)].map((point) => ({ x: point, p: share / total }));
  });
}

/** |C|_F^2 / d^2 for d = 1, 2, ...: pairs of coordinates that are the same, counted one by one. */
function countedCurve(until: number): readonly number[] {
  let same = 0;
  return Array.from({ length: until }, (_, k) => {
    const d = k + 1;
    for (let i = 1; i <= d; i++) if (i === d || (copiesFirst(i) && copiesFirst(d))) same += i === d ? 1 : 2;
    return same / d ** 2;
  });
}

function shown(curve: readonly number[]): { figure: Figure; table: LemmaTable } {
  const copied = curve.flatMap((v, k) => (copiesFirst(k + 1) ? [[k + 1, v] as const] : []));
  return {
    figure: {
      title: "Figure 1.7: copies of the first feature raise the variance, independent ones lower it",
      panels: [
        {
          title: "One example, features ±1",
          x: { label: "features d" },
          y: { label: "expected variance" },
          series: [
            { name: "(1.29)", mark: "line", points: curve.map((v, k) => [k + 1, v]) },
            { name: "the last feature is a copy", mark: "dots", points: copied },
          ],
        },
      ],
    },
    table: {
      title: "The curve of Figure 1.7 (the book prints no numbers)",
      columns: ["d", "expected variance", "here"],
      rows: [1, 2, 9, 20, 29, 50, 100, 150].map((d) => [d, curve[d - 1]!, placeOf(d)]),
    },
  };
}

const placeOf = (d: number): string =>
  ({ 9: "local minimum", 20: "local maximum", 29: "local minimum", 50: "local maximum", 150: "least" })[d] ??
  "";
