import type { Random } from "../../numbers/random.ts";
import { analysisLasso, analysisPursuit, cosparseProjection } from "../../sparse/pursuit/analysis-pursuit.ts";
import type { Dictionary } from "../../sparse/pursuit/dictionary.ts";
import { subsets } from "../../sparse/restricted-isometry.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { solveSymmetric } from "./normal-equations.ts";

export default lemma({
  id: "C7-05",
  covers: ["C7-05"],
  kind: "algorithm",
  title: "Co-sparse signals: projections on what vanishes, and total variation",
  source: "Book, chapter 7, (7.5)",
  statement: String.raw`\min_a \|y - a\|^2 \text{ with } \Omega_\Lambda a = 0 \text{ is } y - \Omega_\Lambda^+ \Omega_\Lambda y, \qquad \min_a \tfrac12 \|y - a\|^2 + \lambda \|\Omega a\|_1`,
  parameters: {
    n: integer({ min: 4, max: 9, default: 8, label: "numbers of a signal" }),
    jumps: integer({ min: 1, max: 2, default: 2, label: "jumps of the signal" }),
    noise: real({ min: 0, max: 0.1, default: 0.05, label: "deviation of the noise" }),
    lambda: real({ min: 0.02, max: 1, default: 0.3, label: "λ" }),
  },
  claims: {
    "projection on a co-support, less that by normal equations": equals("0"),
    "co-support of a signal without noise, found greedily": equals("n - 1 - jumps"),
    "greedy: |y - a|, against the best of all co-supports": atLeast("1"),
    "total variation, less the taut string": equals("0"),
    "duality gap, relative": equals("0"),
    "λ beyond which only the mean is left": equals(String.raw`\max_k |\sum_{i \le k} (y_i - \bar y)|`),
  },
  mutants: {
    "a row lost": { "co-support of a signal without noise, found greedily": ({ n, jumps }) => n - 2 - jumps },
    "a λ of half the size": { "λ beyond which only the mean is left": (_, { theory }) => Number(theory) / 2 },
    "a better co-support": { "greedy: |y - a|, against the best of all co-supports": () => 1e3 },
  },
  async run({ n, jumps, noise, lambda }, { random }) {
    const omega = differences(n);
    const drawn = random.split("signal");
    const clean = steps(n, jumps, drawn);
    const y = clean.map((v) => v + noise * drawn.normal());
    const size = y.reduce((sum, v) => sum + v * v, 0) / 2;
    const cosupport = drawn.shuffle(Array.from({ length: n - 1 }, (_, i) => i)).slice(0, n - 1 - jumps);
    const projected = cosparseProjection(omega, y, cosupport);
    const greedy = analysisPursuit(omega, y, n - 1 - jumps);
    const exact = analysisPursuit(omega, clean, n - 1 - jumps);
    const best = Math.min(
      ...[...subsets(n - 1, n - 1 - jumps)].map((set) => distance(y, cosparseProjection(omega, y, set))),
    );
    const flat = await analysisLasso(omega, y, lambda, { gap: 1e-13 });
    const string = tautString(y, lambda);
    const greatest = greatestUseful(y);
    const [below, above] = await Promise.all(
      [0.99, 1.01].map((share) => analysisLasso(omega, y, share * greatest, { gap: 1e-14 })),
    );
    const spread = (a: Float64Array): number => Math.max(...a) - Math.min(...a);
    return {
      claims: {
        "projection on a co-support, less that by normal equations": checked(
          distance(projected, byNormalEquations(omega, y, cosupport)),
          0,
          { tolerance: 1e-12 * (1 + size) },
        ),
        "co-support of a signal without noise, found greedily": checked(
          exact.cosupport.filter((i) => Math.abs(clean[i + 1]! - clean[i]!) < 1e-12).length,
          n - 1 - jumps,
        ),
        "greedy: |y - a|, against the best of all co-supports": checked(
          noise === 0 ? 1 : distance(y, greedy.a) / best,
          1,
          { tolerance: 1e-9 },
        ),
        // The gap bounds |a - a*|^2 / 2.
        "total variation, less the taut string": checked(distance(flat.x, string), 0, {
          tolerance: 2 * Math.sqrt(1e-12 * size) + 1e-9,
        }),
        "duality gap, relative": checked(flat.dualityGap / size, 0, { tolerance: 1e-10 }),
        "λ beyond which only the mean is left": checked(
          spread(above!.x) < 1e-5 * greatest && spread(below!.x) > 1e-5 * greatest ? greatest : 0,
          greatest,
        ),
      },
      figure: {
        title: "A step with noise, and what total variation makes of it",
        panels: [
          {
            ...{ title: `λ = ${lambda}`, x: { label: "place" }, y: { label: "value" } },
            series: [
              { name: "noisy", mark: "dots", points: points(y) },
              { name: "total variation", mark: "step", points: points(flat.x) },
              { name: "the signal", mark: "step", role: "theory", points: points(clean) },
            ],
          },
        ],
      },
    };
  },
});

const points = (v: Float64Array): (readonly [number, number])[] => Array.from(v, (e, i) => [i, e] as const);
const distance = (a: Float64Array, b: Float64Array): number => Math.hypot(...a.map((v, i) => v - b[i]!));

/** (Omega a)_i = a_(i+1) - a_i: n - 1 rows. */
function differences(n: number): Dictionary {
  const atoms = new Float64Array((n - 1) * n);
  for (let i = 0; i < n - 1; i++) {
    atoms[i * (n - 1) + i] = -1;
    atoms[(i + 1) * (n - 1) + i] = 1;
  }
  return { size: n - 1, count: n, atoms };
}

function steps(n: number, jumps: number, random: Random): Float64Array {
  const places = new Set(random.shuffle(Array.from({ length: n - 1 }, (_, i) => i + 1)).slice(0, jumps));
  let height = 0;
  return Float64Array.from({ length: n }, (_, i) => {
    if (places.has(i)) height += (random.uniform() < 0.5 ? -1 : 1) * (1 + random.uniform());
    return height;
  });
}

/** y - W^T (W W^T)^-1 W y with the rows W of the co-support. */
function byNormalEquations(omega: Dictionary, y: Float64Array, rows: readonly number[]): Float64Array {
  const row = (i: number): number[] =>
    Array.from({ length: omega.count }, (_, j) => omega.atoms[j * omega.size + i]!);
  const all = rows.map(row);
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
    Array.from(a).reduce((sum, v, i) => sum + v * b[i]!, 0);
  const weights = solveSymmetric(
    all.map((a) => all.map((b) => dot(a, b))),
    all.map((a) => dot(a, y)),
  );
  return y.map((v, j) => v - all.reduce((sum, a, k) => sum + weights[k]! * a[j]!, 0));
}

/**
 * Total variation of a line, exactly, by another way: piecewise constant minimizers for all sets of jumps and signs, of which the
 * one with the least objective is taken (n is small).
 */
function tautString(y: Float64Array, lambda: number): Float64Array {
  const n = y.length;
  let [best, least] = [y, Number.POSITIVE_INFINITY];
  for (let set = 0; set < 2 ** (n - 1); set++) {
    const ends = Array.from({ length: n - 1 }, (_, i) => i).filter((i) => (set >> i) & 1);
    for (let signs = 0; signs < 2 ** ends.length; signs++) {
      const sign = (k: number): number => (k < 0 || k >= ends.length ? 0 : (signs >> k) & 1 ? 1 : -1);
      const a = new Float64Array(n);
      let from = 0;
      for (let k = 0; k <= ends.length; k++) {
        const to = k < ends.length ? ends[k]! + 1 : n;
        // A piece lies at its mean, pulled by the jumps at both of its ends: up before a rise, down after it.
        const pull = lambda * (sign(k) - sign(k - 1));
        const mean = y.subarray(from, to).reduce((sum, v) => sum + v, 0) / (to - from) + pull / (to - from);
        a.fill(mean, from, to);
        from = to;
      }
      let value = 0;
      for (let i = 0; i < n; i++)
        value += (y[i]! - a[i]!) ** 2 / 2 + (i > 0 ? lambda * Math.abs(a[i]! - a[i - 1]!) : 0);
      if (value < least) [best, least] = [a, value];
    }
  }
  return best;
}

function greatestUseful(y: Float64Array): number {
  const mean = y.reduce((sum, v) => sum + v, 0) / y.length;
  let [sum, greatest] = [0, 0];
  for (const v of y) {
    sum += v - mean;
    greatest = Math.max(greatest, Math.abs(sum));
  }
  return greatest;
}
