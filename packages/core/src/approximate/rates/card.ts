// The rate card: the exponent e of every theorem, size ~ eps^-e, for given dimension and smoothness.
import { ConstructError } from "../../functions/error.ts";

/** What is approximated. */
export interface RateQuestion {
  /** Variables. */
  readonly d: number;
  /** Bounded derivatives. */
  readonly n: number;
  /** The error is measured in W^{r,p}, 0 <= r <= 1, r < n. */
  readonly r?: number;
  /** For errors in L_p. */
  readonly p?: number;
}

/** A lower and an upper bound are about the same thing only if they share a model. */
export type RateModel =
  | "shallow"
  | "continuous weights"
  | "ReLU"
  | "encodable weights"
  | "mixed"
  | "Barron"
  | "tree";

export interface RateRow {
  readonly theorem: string;
  readonly class: string;
  readonly bound: "lower" | "upper";
  readonly counts: "units" | "weights";
  readonly models: readonly RateModel[];
  /** In LaTeX. */
  readonly formula: string;
  readonly exponent: number;
  /** The power of log(1/eps) next to it. */
  readonly logarithms: number;
  readonly hypothesis: string;
  /** The lemma that measures it, if one does. */
  readonly lemma?: string;
}

type Entry = Omit<RateRow, "exponent" | "logarithms"> & {
  exponent(question: Required<RateQuestion>): number;
  logarithms?(question: Required<RateQuestion>): number;
  applies?(question: Required<RateQuestion>): boolean;
};

const entries: readonly Entry[] = [
  {
    theorem: "Theorem 3.6",
    class: "W^{n,2} ball, L_2",
    bound: "lower",
    counts: "units",
    models: ["shallow"],
    formula: "(d-1)/n",
    exponent: ({ d, n }) => (d - 1) / n,
    applies: ({ d, r }) => d >= 2 && r === 0,
    hypothesis: "one hidden layer, any continuous activation, d >= 2",
  },
  {
    theorem: "Theorem 3.7",
    class: "W^{n,p} ball, L_p",
    bound: "lower",
    counts: "weights",
    models: ["continuous weights"],
    formula: "d/n",
    exponent: ({ d, n }) => d / n,
    applies: ({ r }) => r === 0,
    hypothesis: "weights depend continuously on the function",
    lemma: "C3-17",
  },
  {
    theorem: "Theorem 3.8, Theorem 1.18",
    class: "W^{n,p} ball, L_p",
    bound: "upper",
    counts: "units",
    models: ["shallow", "continuous weights"],
    formula: "d/n",
    exponent: ({ d, n }) => d / n,
    applies: ({ r }) => r === 0,
    hypothesis: "one hidden layer, smooth activation that is no polynomial",
    lemma: "C3-07",
  },
  {
    theorem: "Theorem 3.9",
    class: "finite first Fourier moment, L_2 on a ball",
    bound: "upper",
    counts: "units",
    models: ["Barron"],
    formula: "2d/(d+1)",
    exponent: ({ d }) => (2 * d) / (d + 1),
    applies: ({ r }) => r === 0,
    hypothesis: "one hidden layer, bounded sigmoidal activation, bounded domain",
    lemma: "C3-08",
  },
  {
    theorem: "Theorem 3.10",
    class: "W^{n,p} ball, W^{r,p}",
    bound: "upper",
    counts: "weights",
    models: ["continuous weights", "ReLU"],
    formula: "d/(n-r)",
    exponent: ({ d, n, r }) => d / (n - r),
    logarithms: () => 2,
    hypothesis: "deep ReLU, layers ~ log(1/eps), 0 <= r <= 1, r < n",
    lemma: "C3-15",
  },
  {
    theorem: "Theorem 3.12",
    class: "W^{n,inf} ball, W^{r,inf}",
    bound: "lower",
    counts: "weights",
    models: ["ReLU"],
    formula: "d/(2(n-r))",
    exponent: ({ d, n, r }) => d / (2 * (n - r)),
    applies: ({ r }) => r === 0 || r === 1,
    hypothesis: "one ReLU architecture for all functions, weights as one likes",
    lemma: "C3-17",
  },
  {
    theorem: "Theorem 3.14",
    class: "C^beta ball, beta = n, L_p",
    bound: "upper",
    counts: "weights",
    models: ["encodable weights", "ReLU"],
    formula: String.raw`d/\beta`,
    exponent: ({ d, n }) => d / n,
    applies: ({ r }) => r === 0,
    hypothesis: "ReLU of fixed depth, p finite, weights of O(log(1/eps)) bits",
  },
  {
    theorem: "Theorem 3.18 with Example 3.17",
    class: "C^n ball, L_2",
    bound: "lower",
    counts: "weights",
    models: ["encodable weights"],
    formula: "d/n",
    exponent: ({ d, n }) => d / n,
    applies: ({ r }) => r === 0,
    hypothesis: "weights of O(log(1/eps)) bits; every smaller exponent",
  },
  {
    theorem: "Poggio et al., Theorems 1 and 2",
    class: "binary tree of functions of two variables",
    bound: "upper",
    counts: "weights",
    models: ["tree"],
    formula: "2/n",
    exponent: ({ n }) => 2 / n,
    applies: ({ d, r }) => d >= 2 && r === 0,
    hypothesis: "a network that follows the tree; factor d - 1",
    lemma: "P-02",
  },
  {
    theorem: "Montanelli and Du",
    class: "mixed derivatives of order 2 bounded, zero boundary, sup norm",
    bound: "upper",
    counts: "units",
    models: ["mixed"],
    formula: "1/2",
    exponent: () => 1 / 2,
    logarithms: ({ d }) => 1.5 * (d - 1) + 1,
    applies: ({ n, r }) => n === 2 && r === 0,
    hypothesis: "deep ReLU, p = inf",
    lemma: "C3-30",
  },
];

/**
 * All theorems that speak about such functions: lower and upper exponents side by side.
 * @example rateCard({ d: 4, n: 2 }).find((row) => row.theorem === "Theorem 3.12").exponent // 1
 */
export function rateCard({ d, n, r = 0, p = Number.POSITIVE_INFINITY }: RateQuestion): RateRow[] {
  if (!Number.isSafeInteger(d) || d < 1) throw new ConstructError(`a rate card needs a dimension, not ${d}`);
  if (!(n > 0)) throw new ConstructError(`a rate card needs a positive smoothness, not ${n}`);
  if (!(r >= 0 && r <= 1 && r < n))
    throw new ConstructError(`errors are measured with 0 <= r <= 1 and r < n = ${n} derivatives, not ${r}`);
  const question = { d, n, r, p };
  return entries
    .filter(({ applies }) => applies?.(question) ?? true)
    .map(({ exponent, logarithms, applies: _, ...row }) => ({
      ...row,
      exponent: exponent(question),
      logarithms: logarithms?.(question) ?? 0,
    }));
}

/**
 * The least gap between an upper and a lower exponent of the same model and count; negative if two theorems disagree.
 * @example exponentGap(rateCard({ d: 3, n: 2 })) // 0
 */
export function exponentGap(rows: readonly RateRow[]): number {
  let least = Number.POSITIVE_INFINITY;
  // Weights are at least as many as units: a lower bound of units is one of weights, too.
  for (const low of rows.filter((row) => row.bound === "lower"))
    for (const high of rows.filter((row) => row.bound === "upper"))
      if (
        low.models.some((m) => high.models.includes(m)) &&
        (low.counts === high.counts || low.counts === "units")
      )
        least = Math.min(least, high.exponent - low.exponent);
  return least;
}
