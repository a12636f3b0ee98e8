import type { Figure } from "../../figure/figure.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "P-23",
  covers: ["P-23"],
  kind: "bound",
  title: "What one layer of ReLU adds to the Rademacher complexity",
  source: "Poggio, Lemma 4",
  statement: String.raw`\mathcal H' = \bigl\{\sigma(\textstyle\sum_{j \le k} w_j h_j)\bigr\}, \; \mathcal H = -\mathcal H: \quad \mathcal R(\mathcal H') \le M \mathcal R(\mathcal H) \text{ if } \|w\|_1 \le M, \quad \mathcal R(\mathcal H') \le M \sqrt k \, \mathcal R(\mathcal H) \text{ if } \|w\|_2 \le M, \qquad \mathcal R = \tfrac1m \, \mathbb E \sup_h \textstyle\sum_i \epsilon_i h(x_i)`,
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
      printed: String.raw`Let $\mathcal{H}$ be a class of functions from $\mathbb{R}^d$ to $\mathbb{R}$. [...] define $\mathcal{H}' := \left\{ x \in \mathbb{R}^d \to \sigma\left(\sum_{j=1}^k w_j h_j(x)\right) \in \mathbb{R} : \|w\|_2 \leq M, h_1, \dots, h_k \in \mathcal{H} \right\}$. Then, for any $x_1, \dots, x_m \in \mathbb{R}^d$ $\mathcal{R}\left(\mathcal{H}' \circ \{x_1, \dots, x_m\}\right) \leq 2M\mathcal{R}\left(\mathcal{H} \circ \{x_1, \dots, x_m\}\right)$`,
      corrected: String.raw`$\|w\|_1 \le M$ and $\mathcal{H} = -\mathcal{H}$, or a factor $\sqrt k$: for all functions into $[-1, 1]$ and $k > 16$ it fails, with the absolute values of (12) for fewer`,
    }),
    "functions into [0, 2] and their negatives, 20 m examples: complexity with |w|_2 ≤ M": atMost(
      String.raw`M \sqrt k \, \mathcal R(\mathcal H)`,
    ),
    "finite class, |w|_1 ≤ M: complexity": atMost(String.raw`M \mathcal R(\mathcal H)`).looseBy(1.1),
    "finite class, |w|_2 ≤ M: complexity, from below": atMost(
      String.raw`M \sqrt k \, \mathcal R(\mathcal H)`,
    ).looseBy(1.1),
  },
  mutants: {
    "all signs positive": {
      "all functions into [-1, 1]: complexity with |w|_2 ≤ M": ({ k, M }) => M * Math.sqrt(k),
    },
    "the ReLU halves the complexity": {
      "functions into [0, 2] and their negatives, 20 m examples: complexity with |w|_2 ≤ M": (
        _,
        { theory },
      ) => theory / 2,
    },
    "the norm of k weights that is not above M / √k": {
      "finite class, |w|_2 ≤ M: complexity, from below": ({ k }, { theory }) => theory / Math.sqrt(k),
    },
  },
  run({ k, m, M, size }, { random, scale, budget }) {
    const all = allFunctions(m, k, M);
    const H = Array.from({ length: size }, () => random.normal(m));
    const R = overSigns(m, (eps) => Math.max(...H.map((h) => Math.abs(dot(eps, h)))));
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
        "functions into [0, 2] and their negatives, 20 m examples: complexity with |w|_2 ≤ M": checked(
          ...positiveFunctions(20 * m, k, M),
        ),
        "finite class, |w|_1 ≤ M: complexity": checked(
          rectified([...atUnits, ...mixtures(H, M, scale(300), random)], m),
          M * R,
        ),
        "finite class, |w|_2 ≤ M: complexity, from below": checked(
          rectified(combined, m),
          M * Math.sqrt(k) * R,
        ),
      },
    };
  },
});

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

/**
 * u and -u for all u into [0, 2]: equal weights on one u give sigma(M sqrt(k) u). The number p of positive signs decides:
 * the supremum is 2 p above the layer, 2 max(p, n - p) below; both in the mean over p, with chances C(n, p) / 2^n.
 */
function positiveFunctions(n: number, k: number, M: number): [number, number] {
  let [above, below, chance] = [0, 0, 2 ** -n];
  for (let p = 0; p <= n; p++, chance *= (n - p + 1) / p) {
    above += (chance * 2 * p) / n;
    below += (chance * 2 * Math.max(p, n - p)) / n;
  }
  return [M * Math.sqrt(k) * above, M * Math.sqrt(k) * below];
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
