import type { Figure } from "../../figure/figure.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { scoreMatrix } from "../../sparse/attention.ts";
import {
  binomial,
  coherence,
  gram,
  isometryOn,
  normalizedGram,
  restrictedIsometry,
  subsets,
} from "../../sparse/restricted-isometry.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const delta = 0.01;
/** How loose the bound for normal keys is said to be. */
const spare = 1.1;
type Rows = readonly (readonly number[])[];

export default lemma({
  id: "P-32",
  covers: ["P-32"],
  kind: "measure",
  title: "When the score matrix of attention is a near isometry on sparse vectors",
  source: "Poggio, section 6.10.1, Lemma 3",
  statement: String.raw`M = X W_Q W_K^T X^T, \quad \delta_s = \max_{|S| = s} \|M_S^T M_S - I\|, \qquad \delta_2 = \mu \le \delta_s \le (s - 1) \mu, \qquad d_k < s \Rightarrow \delta_s \ge 1`,
  parameters: {
    T: integer({ min: 4, max: 9, default: 8, label: "tokens" }),
    dk: integer({ min: 1, max: 12, default: 6, label: "numbers in a key" }),
    s: integer({ min: 2, max: 4, default: 3, label: "nonzeros" }),
  },
  claims: {
    "delta of pairs": equals(String.raw`\mu`),
    "delta against coherence": atMost(String.raw`(s - 1) \mu`),
    "delta against coherence, columns with equal products": equals(String.raw`(s - 1) \mu`),
    "delta as s grows": atLeast(String.raw`\delta_{s-1}`),
    "delta when d_k < s": atLeast("1"),
    "|M x|^2 for the worst sparse x": equals(String.raw`1 \pm \delta_s`),
    "W_Q orthonormal: delta of the scores": equals(String.raw`\delta_s(W_K^T)`),
    "X orthonormal, W_Q and W_K its inverse: delta": equals("0"),
    "normal W_K of variance 1/d_k: delta": atMost(
      String.raw`(1 + \sqrt{s / d_k} + t)^2 - 1, \; t = \sqrt{2 \ln(2 \tbinom{T}{s} / \delta) / d_k}`,
    )
      .probable()
      .looseBy(spare),
    "least rank of s columns": equals("s").printed({
      where: "section 6.10.1, Lemma 3",
      printed:
        "The matrix $XW_QW_K^TX^T \\in \\mathcal{R}^{T,T}$ can be a RIP matrix with appropriate choices of $W_K, W_Q$.",
      corrected:
        "It can for $s$-sparse vectors if $\\min(d_k, \\operatorname{rank} X) \\ge s$. With $d_k < s$ no choice will do: every $s$ columns are dependent and $\\delta_s \\ge 1$.",
    }),
  },
  mutants: {
    "s for s - 1": {
      "delta against coherence, columns with equal products": ({ s }, { theory }) => (theory * s) / (s - 1),
    },
    "the columns counted once too few": { "delta of pairs": (_, { theory }) => theory / 2 },
    "the deviation of the norm left out": {
      "normal W_K of variance 1/d_k: delta": ({ s, dk }) => (1 + Math.sqrt(s / dk)) ** 2 - 1 - s / dk,
    },
  },
  run({ T, dk, s }, { random, budget }) {
    const normal = (rows: number, columns: number): number[][] =>
      Array.from({ length: rows }, () => Array.from(random.normal(columns)));
    const [X, WQ, WK] = [normal(T, T), normal(T, dk), normal(T, dk)];
    const scores = scoreMatrix(X, WQ, WK);
    const G = normalizedGram(scores);
    const [pairs, sparse] = [restrictedIsometry(G, 2), restrictedIsometry(G, s)];
    const worst = worstVector(G, sparse.support);
    const simplex = equalProducts(s + 1, 0.9 * random.uniform() - 0.45 / s, s);
    // M_S^T M_S = (W_K^T)_S^T W_Q^T W_Q (W_K^T)_S for X = I: an isometry in front changes nothing.
    const frame = orthonormalColumns(T, Math.min(dk, T), random);
    const keys = WK.map((row) => row.slice(0, Math.min(dk, T)).map((v) => v / Math.sqrt(dk)));
    const identity = frame.map((_, i) => frame.map((__, j) => Number(i === j)));
    const framed = gram(transpose(scoreMatrix(identity, frame, keys)));
    const scaled = WK.map((row) => row.map((v) => v / Math.sqrt(dk)));
    const normalDelta = restrictedIsometry(gram(scaled), s).delta;
    const ofNormalKeys = normalKeys(T, dk, s);
    const orthonormal = orthonormalColumns(T, T, random);
    const exact = scoreMatrix(orthonormal, transpose(orthonormal), transpose(orthonormal));
    // Jacobi's eigenvalues of Gram matrices of T columns with T or d_k products each.
    const rounding = 2 ** -46 * (T + dk);
    return {
      ...(budget === "cheap" ? {} : { figure: figure(T, s, random) }),
      claims: {
        "delta of pairs": checked(pairs.delta, coherence(G), { tolerance: rounding }),
        "delta against coherence": checked(sparse.delta, (s - 1) * coherence(G), { tolerance: s * rounding }),
        "delta against coherence, columns with equal products": checked(
          restrictedIsometry(simplex, s).delta,
          (s - 1) * coherence(simplex),
          { tolerance: s * rounding },
        ),
        "delta as s grows": checked(sparse.delta, s === 2 ? 0 : restrictedIsometry(G, s - 1).delta, {
          tolerance: rounding,
        }),
        ...(dk < s ? { "delta when d_k < s": checked(sparse.delta, 1, { tolerance: s * rounding }) } : {}),
        "|M x|^2 for the worst sparse x": sampled(Math.abs(lengthSquared(scores, worst) - 1), sparse.delta, {
          tolerance: s * rounding,
        }),
        "W_Q orthonormal: delta of the scores": checked(
          restrictedIsometry(framed, s).delta,
          restrictedIsometry(gram(keys), s).delta,
          { tolerance: rounding * 4 * (1 + normalDelta) },
        ),
        "X orthonormal, W_Q and W_K its inverse: delta": checked(
          restrictedIsometry(gram(transpose(exact)), s).delta,
          0,
          { tolerance: s * rounding },
        ),
        "normal W_K of variance 1/d_k: delta": sampled(normalDelta, ofNormalKeys.bound, {
          delta: ofNormalKeys.spareDelta,
        }),
        "least rank of s columns": checked(leastRank(G, s), s),
      },
    };
  },
});

/**
 * The greatest singular value of s columns is above 1 + sqrt(s / d_k) + t with probability at most e^(-d_k t^2 / 2) (Davidson
 * and Szarek), on each of binom(T, s) supports; the least one takes no more than 1, and the bound is above 4 here. By the same
 * inequality delta is above bound / 1.1 with probability at most `spareDelta`, 0.029 for the greatest T, d_k and s.
 */
function normalKeys(T: number, dk: number, s: number) {
  const [supports, mean] = [binomial(T, s), 1 + Math.sqrt(s / dk)];
  const bound = (mean + Math.sqrt((2 * Math.log((2 * supports) / delta)) / dk)) ** 2 - 1;
  const t = Math.sqrt(1 + bound / spare) - mean;
  return { bound, spareDelta: supports * Math.exp((-dk * t ** 2) / 2) };
}

const transpose = (a: Rows): number[][] => a[0]!.map((_, j) => a.map((row) => row[j]!));

/** The eigenvector on the support where the length changes most, as a vector for columns of length 1. */
function worstVector(G: Rows, support: readonly number[]): ReadonlyMap<number, number> {
  const { values, vectors } = symmetricEigen(support.map((i) => support.map((j) => G[i]![j]!)));
  const k = values.at(-1)! - 1 >= 1 - values[0]! ? values.length - 1 : 0;
  return new Map(support.map((i, place) => [i, vectors[k]![place]!]));
}

/** |M x|^2 with the columns of M scaled to length 1. */
function lengthSquared(M: Rows, x: ReadonlyMap<number, number>): number {
  const lengths = transpose(M).map((column) => Math.hypot(...column));
  return M.reduce((sum, row) => {
    let product = 0;
    for (const [j, v] of x) product += (row[j]! / lengths[j]!) * v;
    return sum + product ** 2;
  }, 0);
}

/** n vectors of length 1 with the same inner product c, which is at least -1 / (s - 1) so that any s of them exist. */
const equalProducts = (n: number, c: number, s: number): Rows => {
  const product = Math.max(c, -1 / (s - 1));
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => (i === j ? 1 : product)));
};

function orthonormalColumns(rows: number, count: number, random: Random): Rows {
  const found: number[][] = [];
  while (found.length < count) {
    let next = Array.from(random.normal(rows));
    for (let again = 0; again < 2; again++) {
      for (const other of found) {
        const share = next.reduce((sum, v, k) => sum + v * other[k]!, 0);
        next = next.map((v, k) => v - share * other[k]!);
      }
      const length = Math.hypot(...next);
      next = next.map((v) => v / length);
    }
    found.push(next);
  }
  return transpose(found);
}

/** Eigenvalues of G_S that are not zero up to rounding, at the fewest. */
function leastRank(G: Rows, s: number): number {
  let least = s;
  for (const support of subsets(G.length, s)) {
    const { values } = symmetricEigen(support.map((i) => support.map((j) => G[i]![j]!)));
    least = Math.min(least, values.filter((v) => v > 2 ** -40).length);
  }
  return least;
}

function figure(T: number, s: number, random: Random): Figure {
  const sizes = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
  const points = sizes.map((dk) => {
    const keys = Array.from({ length: T }, () => Array.from(random.normal(dk)));
    const G = normalizedGram(transpose(keys));
    const drawn = Array.from({ length: 20 }, () =>
      isometryOn(G, Array.from(random.permutation(T).subarray(0, s))),
    );
    return {
      ...{ dk, exact: restrictedIsometry(G, s).delta, bound: (s - 1) * coherence(G) },
      drawn: Math.max(...drawn),
    };
  });
  const line = (of: (p: (typeof points)[number]) => number) => points.map((p) => [p.dk, of(p)] as const);
  return {
    title: `Scores of ${T} tokens on vectors with ${s} nonzeros`,
    panels: [
      {
        title: "An isometry needs keys that are long enough",
        x: { label: "numbers in a key, dₖ", scale: "log" },
        y: { label: "δ" },
        series: [
          { name: "δ, all supports", mark: "dots", points: line((p) => p.exact) },
          { name: "20 supports drawn", mark: "dots", points: line((p) => p.drawn) },
          { name: "(s - 1) times the coherence", mark: "line", role: "theory", points: line((p) => p.bound) },
          { name: "1: no isometry", mark: "line", role: "theory", points: [1, 128].map((x) => [x, 1]) },
        ],
      },
    ],
  };
}
