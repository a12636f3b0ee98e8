import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "P-23",
  covers: ["P-23"],
  kind: "bound",
  title: "What one layer of ReLU adds to the Rademacher complexity",
  source: "Poggio, Lemma 4",
  statement: String.raw`\mathcal H' = \bigl\{\sigma(\textstyle\sum_{j \le k} w_j h_j)\bigr\}, \; \mathcal H = -\mathcal H: \quad \mathcal R(\mathcal H') \le 2 M \mathcal R(\mathcal H) \text{ if } \|w\|_1 \le M, \quad \mathcal R(\mathcal H') \le 2 M \sqrt k \, \mathcal R(\mathcal H) \text{ if } \|w\|_2 \le M`,
  parameters: {
    k: integer({ min: 1, max: 40, default: 25, label: "functions k below" }),
    m: integer({ min: 1, max: 6, default: 4, label: "examples m" }),
    M: real({ min: 0.1, max: 10, default: 1, label: "norm M of the weights" }),
    size: integer({ min: 1, max: 6, default: 3, label: "functions, up to sign, of a finite class" }),
  },
  claims: {
    "all functions into [-1, 1]: complexity with |w|_2 ≤ M": equals(String.raw`M \sqrt k / 2`),
    "the same, as Lemma 4 bounds it": atMost(String.raw`2 M \mathcal R(\mathcal H) = 2M`).printed({
      where: "Lemma 4",
      printed: String.raw`$\|w\|_2 \le M$ gives $\mathcal R(\mathcal H') \le 2 M \mathcal R(\mathcal H)$`,
      corrected: String.raw`$\|w\|_1 \le M$, or a factor $\sqrt k$: for all functions into $[-1, 1]$ and $k > 16$ it fails`,
    }),
    "the same, with the root of k": atMost(String.raw`2 M \sqrt k \, \mathcal R(\mathcal H)`),
    "finite class, |w|_1 ≤ M: complexity": atMost(String.raw`2 M \mathcal R(\mathcal H)`),
    "finite class, |w|_2 ≤ M: complexity, from below": atMost(
      String.raw`2 M \sqrt k \, \mathcal R(\mathcal H)`,
    ),
  },
  run({ k, m, M, size }, { random, scale, budget }) {
    const all = allFunctions(m, k, M);
    const H = Array.from({ length: size }, () => random.normal(m));
    const R = overSigns(m, (eps) => Math.max(...H.map((h) => Math.abs(inner(eps, h)))));
    const combined = combinations(H, k, M, scale(300), random);
    const atUnits = H.flatMap((h) => [h.map((v) => M * v), h.map((v) => -M * v)]);
    return {
      ...(budget === "cheap" ? {} : { figure: peelingFigure() }),
      claims: {
        // One rounding in each of a few products.
        "all functions into [-1, 1]: complexity with |w|_2 ≤ M": checked(all, (M * Math.sqrt(k)) / 2, {
          tolerance: 1e-13 * all,
        }),
        "the same, as Lemma 4 bounds it": checked(all, 2 * M, { tolerance: 1e-13 * all }),
        "the same, with the root of k": checked(all, 2 * M * Math.sqrt(k)),
        "finite class, |w|_1 ≤ M: complexity": checked(
          rectified([...atUnits, ...mixtures(H, M, scale(300), random)], m),
          2 * M * R,
        ),
        "finite class, |w|_2 ≤ M: complexity, from below": checked(
          rectified(combined, m),
          2 * M * Math.sqrt(k) * R,
        ),
      },
    };
  },
});

const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

/** (1/m) times the mean of f over all signs. */
function overSigns(m: number, f: (eps: readonly number[]) => number): number {
  let sum = 0;
  for (let s = 0; s < 2 ** m; s++) sum += f(Array.from({ length: m }, (_, i) => ((s >> i) & 1 ? -1 : 1)));
  return sum / 2 ** m / m;
}

/** E sup (1/m) sum_i eps_i relu(f(x_i)) over a list of functions, by their values; 0 is among them. */
const rectified = (list: readonly ArrayLike<number>[], m: number): number =>
  overSigns(m, (eps) =>
    list.reduce((most, f) => {
      let sum = 0;
      for (let i = 0; i < m; i++) sum += eps[i]! * Math.max(0, f[i]!);
      return Math.max(most, sum);
    }, 0),
  );

/**
 * All functions into [-1, 1]: with w = M / sqrt(k) (1, ..., 1) and all h_j alike, sigma(M sqrt(k) h) can be anything
 * from 0 to M sqrt(k) at each example, and by Cauchy and Schwarz nothing more: the supremum takes the positive signs.
 */
function allFunctions(m: number, k: number, M: number): number {
  const w = M / Math.sqrt(k);
  let most = 0;
  for (let j = 0; j < k; j++) most += w;
  return overSigns(m, (eps) => eps.reduce((sum, e) => sum + (e > 0 ? most : 0), 0));
}

/** Random members of H' before the ReLU, |w|_2 = M: for each, k functions of +-H. */
const combinations = (
  H: readonly Float64Array[],
  k: number,
  M: number,
  count: number,
  random: Random,
): readonly Float64Array[] =>
  Array.from({ length: count }, (_, t) => {
    const chosen = Array.from({ length: k }, () => H[random.integer(0, H.length - 1)]!);
    // A third of them with equal weights on one function: the longest sums.
    const w = t % 3 === 0 ? new Float64Array(k).fill(1 / Math.sqrt(k)) : random.sphere(k);
    const used = t % 3 === 0 ? chosen.map(() => chosen[0]!) : chosen;
    const sign = random.uniform() < 0.5 ? -1 : 1;
    return H[0]!.map((_, i) => sign * M * used.reduce((s, h, j) => s + w[j]! * h[i]!, 0));
  });

/** Random points of M conv(+-H). */
const mixtures = (
  H: readonly Float64Array[],
  M: number,
  count: number,
  random: Random,
): readonly Float64Array[] =>
  Array.from({ length: count }, () => {
    const w = H.map(() => random.normal());
    const length = w.reduce((s, v) => s + Math.abs(v), 0);
    return H[0]!.map((_, i) => (M / length) * H.reduce((s, h, j) => s + w[j]! * h[i]!, 0));
  });

function peelingFigure(): Figure {
  const ks = [1, 2, 4, 8, 16, 25, 32, 40];
  return {
    title: "A layer of ReLU on all functions into [-1, 1]",
    panels: [
      {
        title: "Weights of Euclidean norm 1",
        x: { label: "functions k that the layer reads" },
        y: { label: "Rademacher complexity" },
        series: [
          { name: "complexity", mark: "dots", points: ks.map((k) => [k, allFunctions(3, k, 1)]) },
          { name: "√k / 2", mark: "line", role: "theory", points: ks.map((k) => [k, Math.sqrt(k) / 2]) },
          { name: "Lemma 4: 2", mark: "line", role: "theory", points: ks.map((k) => [k, 2]) },
          { name: "2 √k", mark: "line", role: "theory", points: ks.map((k) => [k, 2 * Math.sqrt(k)]) },
        ],
      },
    ],
  };
}
