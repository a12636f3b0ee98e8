import type { Figure } from "../../figure/figure.ts";
import { ascend } from "../../generalization/local-kernels/rademacher-estimate.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "P-24",
  covers: ["P-24"],
  kind: "bound",
  title: "One convolution: its patches added up, or weighed",
  source: "Poggio, section 8.1, One-layer convolutional classifier",
  statement: String.raw`\sup_{\|w\| \le 1} \Bigl|\sum_k \langle w, x^k \rangle\Bigr| = \|x^1 + \dots + x^K\| \le \sqrt K \|x\|, \qquad \sup_{\|w\|, \|u\| \le 1} \Bigl|\sum_k u_k \langle w, x^k \rangle\Bigr| \le \|x\|`,
  parameters: {
    K: integer({ min: 1, max: 12, default: 8, label: "patches K" }),
    size: integer({ min: 1, max: 6, default: 3, label: "size of a patch" }),
    m: integer({ min: 1, max: 5, default: 3, label: "examples m" }),
    likeness: real({ min: 0, max: 1, default: 1, label: "how alike the patches are" }),
  },
  claims: {
    "sum of patches: complexity by ascent": equals(
      String.raw`\tfrac1m \, \mathbb E \, \bigl\|\sum_i \epsilon_i (x_i^1 + \dots + x_i^K)\bigr\|`,
    ),
    "sum of patches: complexity": atMost(String.raw`\tfrac{1}{m} \sqrt K \bigl(\sum_i \|x_i\|^2\bigr)^{1/2}`),
    "sum of patches, as printed": atMost(String.raw`\|w\| \, \bigl(\sum_i \|x_i\|^2\bigr)^{1/2} / m`).printed(
      {
        where: "section 8.1, One-layer convolutional classifier",
        printed: String.raw`$\hat{\mathcal R}_m \le \sqrt{\|w\|^2 \|x^1 + \dots + x^K\|^2} = \sqrt{\|w\|^2 \|x\|^2} = \|w\| \|x\|$`,
        corrected: String.raw`$\|x^1 + \dots + x^K\|$ is between 0 and $\sqrt K \|x\|$, and equals $\|x\|$ for orthogonal patches only; a last layer of norm 1 that weighs the patches gives $\|w\| \|x\|$`,
      },
    ),
    "weighed patches: complexity by ascent": atMost(String.raw`\tfrac1m \bigl(\sum_i \|x_i\|^2\bigr)^{1/2}`),
    "length of the sum over that of the patches": atMost(String.raw`\sqrt K`),
  },
  mutants: {
    "a patch left out": ({ K }) => ({ K: K - 1 }),
    "weights 1/√K for weights of norm 1": {
      "weighed patches: complexity by ascent": ({ K }, { theory }) => theory / Math.sqrt(K),
    },
    "the mean of the patches for their sum": {
      "sum of patches: complexity by ascent": ({ K }, { theory }) => theory / K,
    },
  },
  run({ K, size, m, likeness }, { random, scale, budget }) {
    const X = patchData({ K, size, m, likeness }, random);
    const sums = X.map((x) => added(x, K, size));
    const bound = Math.sqrt(X.reduce((s, x) => s + length(x) ** 2, 0)) / m;
    const exact = meanOverSigns(m, (eps) => length(signed(sums, eps))) / m;
    // Sum pooling is one linear layer on the sum of the patches.
    const summed = [{ fields: [indices(size)], shared: false, norm: 1 }];
    const found = meanOverSigns(m, (eps) => ascend(summed, sums, eps, { restarts: 1, steps: 2, random })) / m;
    const weighed = meanOverSigns(m, (eps) => bilinear(signed(X, eps), K, size, scale(20), random)) / m;
    const tolerance = 1e-12 * bound; // equality happens: one patch, or identical ones
    return {
      ...(budget === "cheap" ? {} : { figure: patchFigure(random) }),
      claims: {
        "sum of patches: complexity by ascent": checked(found, exact, { tolerance: tolerance * K }),
        "sum of patches: complexity": checked(exact, Math.sqrt(K) * bound, { tolerance: tolerance * K }),
        "sum of patches, as printed": checked(exact, bound, { tolerance }),
        "weighed patches: complexity by ascent": checked(weighed, bound, { tolerance }),
        "length of the sum over that of the patches": checked(
          Math.max(...X.map((x, i) => length(sums[i]!) / length(x))),
          Math.sqrt(K),
          { tolerance: 1e-12 * K },
        ),
      },
    };
  },
});

interface Patches {
  readonly K: number;
  readonly size: number;
  readonly m: number;
  readonly likeness: number;
}

/** Patches that share a part: identical ones for a likeness of 1. */
const patchData = ({ K, size, m, likeness }: Patches, random: Random): readonly Float64Array[] =>
  Array.from({ length: m }, () => {
    const common = random.normal(size);
    return Float64Array.from({ length: K * size }, (_, k) => {
      const own = random.normal();
      return likeness * common[k % size]! + (1 - likeness) * own;
    });
  });

const indices = (n: number): readonly number[] => Array.from({ length: n }, (_, k) => k);
const length = (v: Float64Array): number => Math.sqrt(v.reduce((s, x) => s + x * x, 0));
const added = (x: Float64Array, K: number, size: number): Float64Array =>
  Float64Array.from({ length: size }, (_, k) => indices(K).reduce((s, p) => s + x[p * size + k]!, 0));
const signed = (X: readonly Float64Array[], eps: readonly number[]): Float64Array =>
  X[0]!.map((_, k) => X.reduce((s, x, i) => s + eps[i]! * x[k]!, 0));

function meanOverSigns(m: number, f: (eps: readonly number[]) => number): number {
  let sum = 0;
  for (let s = 0; s < 2 ** m; s++) sum += f(Array.from({ length: m }, (_, i) => ((s >> i) & 1 ? -1 : 1)));
  return sum / 2 ** m;
}

/** The greatest u^T A w for the K x size matrix A, by turns: a singular value from below. */
function bilinear(A: Float64Array, K: number, size: number, steps: number, random: Random): number {
  let w = random.sphere(size);
  let best = 0;
  for (let step = 0; step < steps; step++) {
    const u = Float64Array.from({ length: K }, (_, p) =>
      indices(size).reduce((s, k) => s + A[p * size + k]! * w[k]!, 0),
    );
    best = Math.max(best, length(u));
    const back = Float64Array.from({ length: size }, (_, k) =>
      indices(K).reduce((s, p) => s + A[p * size + k]! * u[p]!, 0),
    );
    const norm = length(back);
    if (norm === 0) break;
    w = back.map((v) => v / norm);
  }
  return best;
}

function patchFigure(random: Random): Figure {
  const likenesses = Array.from({ length: 21 }, (_, k) => k / 20);
  const ratio = (K: number, likeness: number): number => {
    const X = patchData({ K, size: 16, m: 20, likeness }, random);
    const means = (f: (x: Float64Array) => number): number => Math.sqrt(X.reduce((s, x) => s + f(x) ** 2, 0));
    return means((x) => length(added(x, K, 16))) / means(length);
  };
  return {
    title: "The sum of K patches against the input that they make up",
    panels: [
      {
        title: "Patches of 16 numbers, from independent to identical",
        x: { label: "how alike the patches are" },
        y: { label: "|x¹ + ... + xᴷ| / |x|" },
        series: [
          ...[2, 4, 8].map((K) => ({
            name: `K = ${K}`,
            mark: "line" as const,
            points: likenesses.map((a) => [a, ratio(K, a)] as const),
          })),
          { name: "as printed: 1", mark: "line", role: "theory", points: likenesses.map((a) => [a, 1]) },
        ],
      },
    ],
  };
}
