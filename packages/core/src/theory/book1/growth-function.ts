import type { Figure } from "../../figure/figure.ts";
import {
  affinePatterns,
  coverCount,
  intervalPatterns,
  type Patterns,
  rectanglePatterns,
  sauerCount,
  shatteredSize,
  thresholdPatterns,
} from "../../generalization/bounds/growth-function.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

interface PatternClass {
  readonly patterns: Patterns;
  readonly inputs: number;
  readonly vcDimension: number;
  /** The growth function, where it is known in closed form. */
  readonly growth?: (m: number) => number;
}

const classes = {
  thresholds: { patterns: thresholdPatterns, inputs: 1, vcDimension: 1, growth: (m) => m + 1 },
  intervals: { patterns: intervalPatterns, inputs: 1, vcDimension: 2, growth: (m) => (m * (m + 1)) / 2 + 1 },
  "half-lines, both ways": {
    patterns: affinePatterns,
    inputs: 1,
    vcDimension: 2,
    growth: (m) => coverCount(m, 1),
  },
  "half-planes": { patterns: affinePatterns, inputs: 2, vcDimension: 3, growth: (m) => coverCount(m, 2) },
  "half-spaces of R³": {
    patterns: affinePatterns,
    inputs: 3,
    vcDimension: 4,
    growth: (m) => coverCount(m, 3),
  },
  rectangles: { patterns: rectanglePatterns, inputs: 2, vcDimension: 4 },
} as const satisfies Record<string, PatternClass>;
type ClassName = keyof typeof classes;

/** A diamond: rectangles shatter it. */
const diamond = [
  [1, 0.01],
  [-1, -0.01],
  [0.02, 1],
  [-0.02, -1],
];

export default lemma({
  id: "C1a-20",
  covers: ["C1a-20"],
  kind: "measure",
  title: "Growth function and VC dimension, by enumeration",
  source: "Book, chapter 1, growth function and VC-dimension, before Theorem 1.20",
  statement: String.raw`\mathrm{growth}(m, \mathcal F) \le \sum_{i=0}^{D} \binom{m}{i}, \; D = \mathrm{VCdim}(\mathcal F); \qquad \text{affine classifiers, } m \text{ points of } \mathbb R^d \text{ in general position: exactly } 2 \sum_{k=0}^{d} \binom{m-1}{k}`,
  parameters: {
    of: choice(
      ["half-planes", "thresholds", "intervals", "half-lines, both ways", "half-spaces of R³", "rectangles"],
      { label: "class" },
    ),
    m: integer({ min: 1, max: 8, default: 6, label: "points" }),
  },
  claims: {
    "patterns on random points": equals("growth function"),
    "patterns, at most": atMost(String.raw`\sum_{i \le D} \binom{m}{i}`),
    "patterns of random members that enumeration misses": equals("0"),
    "greatest shattered subset of random points": atMost(String.raw`\mathrm{VCdim}`),
    "greatest shattered set": equals(String.raw`\mathrm{VCdim}`),
    "patterns short of all 2^m, m ≤ VCdim points in the right place": equals("0"),
  },
  mutants: {
    "one binomial too few": {
      "patterns on random points": ({ of, m }) => (of === "half-planes" ? coverCount(m, 1) : Number.NaN),
      "patterns, at most": ({ of, m }) => sauerCount(m, classes[of].vcDimension - 1),
    },
    "dimension d for d + 1": { "greatest shattered set": ({ of }) => classes[of].inputs },
    "a point lost": ({ m }) => ({ m: m - 1 }),
  },
  run({ of, m }, { random, scale, budget }) {
    const { patterns, inputs, vcDimension, growth }: PatternClass = classes[of];
    const points = Array.from({ length: m }, () => [...random.normal(inputs)]);
    const found = patterns(points);
    const missed = randomMembers(of, points, scale(4000), random).filter((mask) => !found.has(mask)).length;
    // Points in general position are as good as any, but rectangles need a diamond.
    const good = (count: number) =>
      of === "rectangles"
        ? diamond.slice(0, count)
        : Array.from({ length: count }, () => [...random.normal(inputs)]);
    const least = Math.min(m, vcDimension);
    const searched = [good(vcDimension), good(vcDimension + 1)].map((set) =>
      shatteredSize(patterns(set), set.length),
    );
    return {
      ...(budget === "cheap" ? {} : { figure: figure(random) }),
      claims: {
        ...(growth && { "patterns on random points": checked(found.size, growth(m)) }),
        "patterns, at most": checked(found.size, sauerCount(m, vcDimension)),
        "patterns of random members that enumeration misses": sampled(missed, 0),
        "greatest shattered subset of random points": checked(shatteredSize(found, m), vcDimension),
        "greatest shattered set": checked(Math.max(...searched), vcDimension),
        "patterns short of all 2^m, m ≤ VCdim points in the right place": checked(
          2 ** least - patterns(good(least)).size,
          0,
        ),
      },
    };
  },
});

/** Patterns of members of the class drawn at random: enumeration must know them all. */
function randomMembers(
  of: ClassName,
  points: readonly (readonly number[])[],
  tries: number,
  random: Random,
): readonly number[] {
  const mask = (contains: (x: readonly number[]) => boolean): number =>
    points.reduce((bits, x, i) => (contains(x) ? bits | (1 << i) : bits), 0);
  return Array.from({ length: tries }, () => {
    const [a, b, c, d] = random.normal(4) as unknown as [number, number, number, number];
    if (of === "thresholds") return mask(([x]) => x! >= a);
    if (of === "intervals") return mask(([x]) => x! >= a && x! <= b);
    if (of === "rectangles") return mask(([x, y]) => x! >= a && x! <= b && y! >= c && y! <= d);
    return mask((x) => x.reduce((sum, v, k) => sum + v * [a, b, c][k]!, d) > 0);
  });
}

function figure(random: Random): Figure {
  const sizes = [1, 2, 3, 4, 5, 6, 7, 8];
  const names = ["thresholds", "intervals", "half-planes", "rectangles"] as const;
  return {
    title: "Patterns on m random points",
    panels: [
      {
        title: "Found by enumeration",
        x: { label: "points m" },
        y: { label: "patterns", scale: "log" },
        series: [
          { name: "all, 2^m", mark: "line", role: "theory", points: sizes.map((m) => [m, 2 ** m]) },
          ...names.map((name) => ({
            name: `${name}, VC dimension ${classes[name].vcDimension}`,
            mark: "dots" as const,
            points: sizes.map(
              (m) =>
                [
                  m,
                  classes[name].patterns(
                    Array.from({ length: m }, () => [...random.normal(classes[name].inputs)]),
                  ).size,
                ] as const,
            ),
          })),
        ],
      },
    ],
  };
}
