import type { Figure } from "../../figure/figure.ts";
import { dyadicTree } from "../../generalization/local-kernels/patch-network.ts";
import { ascend, rademacherEstimate } from "../../generalization/local-kernels/rademacher-estimate.ts";
import type { Random } from "../../numbers/random.ts";
import { studentTQuantile } from "../../numbers/statistics.ts";
import { atLeast, atMost, checked, equals, fitted } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** Of the estimator: sign vectors drawn, its confidence; and angles of the grid that checks its ascent. */
const [draws, delta, angles] = [200, 0.05, 2000];
const quantile = studentTQuantile(draws - 1, 1 - delta / 2);

export default lemma({
  id: "P-26",
  covers: ["P-26"],
  kind: "algorithm",
  title: "Empirical Rademacher complexity, from below",
  source: "Poggio, Theorem 11, (12)",
  statement: String.raw`\mathcal R_X(\mathcal H) = \mathbb E_\epsilon \sup_{h \in \mathcal H} \Bigl|\frac1m \sum_{i=1}^m \epsilon_i h(x_i)\Bigr|, \qquad \text{linear of norm } \rho: \; \frac{\rho}{m} \, \mathbb E_\epsilon \Bigl\|\sum_i \epsilon_i x_i\Bigr\|`,
  parameters: {
    m: integer({ min: 1, max: 6, default: 5, label: "examples m, all signs" }),
    many: integer({ min: 9, max: 11, default: 11, label: "examples, drawn signs" }),
    d: integer({ min: 1, max: 10, default: 6, label: "inputs of the linear class" }),
    rho: real({ min: 0.1, max: 10, default: 1, label: "norm ρ" }),
  },
  claims: {
    "linear class: complexity by ascent": equals(
      String.raw`(\rho / m) \, \mathbb E \, \|\sum_i \epsilon_i x_i\|`,
    ),
    "linear class, drawn signs: distance from the complexity, in standard errors": atMost(
      String.raw`\text{Student's quantile of } 1 - \delta/2`,
    ).probable(),
    "equal inputs, 10 times as many: distance from the complexity, in standard errors": atMost(
      String.raw`\text{Student's quantile}; \; \tfrac{\rho \|x\|}{n} \, \mathbb E |\epsilon_1 + \dots + \epsilon_n|`,
    ).probable(),
    "tree of two levels: greatest by ascent": atMost(
      String.raw`\text{greatest on a grid of angles, and its mesh}`,
    ),
    "the same, from below": atLeast(String.raw`\text{greatest on the grid, less its mesh}`),
    "tree: complexity, norms twice as large": equals(String.raw`4 \cdot \text{complexity}`),
    "linear class, ρ = 1, d = 3: exponent in m": equals("-1/2").rate(),
  },
  mutants: {
    "the number of draws for its root": {
      "linear class, drawn signs: distance from the complexity, in standard errors": (_, { theory }) =>
        theory / Math.sqrt(draws),
    },
    "one norm, not one of each layer": {
      "tree: complexity, norms twice as large": (_, { theory }) => theory / 2,
    },
    "a mean over the examples, not over the signs": {
      "linear class, ρ = 1, d = 3: exponent in m": () => -1,
    },
  },
  run({ m, many, d, rho }, { random, scale, budget }) {
    const X = Array.from({ length: m }, () => random.normal(d));
    const linear = [{ fields: [Array.from({ length: d }, (_, k) => k)], shared: false, norm: rho }];
    const exact = (rho * meanLength(X)) / m;
    const byAscent = rademacherEstimate(linear, X, { signs: 64, restarts: 1, steps: 2, random }).estimate;
    const drawn = (inputs: readonly Float64Array[], complexity: number) => {
      const options = { signs: draws, restarts: 1, steps: 2, random };
      const { estimate, standardError } = rademacherEstimate(linear, inputs, options);
      return checked(Math.abs(estimate - complexity) / standardError, quantile, { delta });
    };
    const Z = Array.from({ length: many }, () => random.normal(d));
    const z = random.normal(d);
    const equal = Array.from({ length: 10 * many }, () => z);
    const Y = Array.from({ length: m }, () => random.normal(4));
    const eps = Array.from({ length: m }, () => (random.uniform() < 0.5 ? -1 : 1));
    const found = ascend(dyadicTree(2, rho, true), Y, eps, { restarts: 64, steps: 12, moves: 400, random });
    const grid = gridMaximum(Y, eps, angles) * rho * rho;
    const mesh = gridSlack(Y, angles) * rho * rho;
    const twice = (norm: number): number =>
      rademacherEstimate(dyadicTree(2, norm, true), Y, {
        ...{ signs: 64, restarts: 2, steps: 6, random: random.split("same") },
      }).estimate;
    const once = twice(rho);
    const points = ratePoints(scale(2000), random);
    return {
      ...(budget === "cheap" ? {} : { figure: estimateFigure(points) }),
      claims: {
        // Sums of a few products, each rounded.
        "linear class: complexity by ascent": checked(byAscent, exact, { tolerance: 1e-12 * exact }),
        "linear class, drawn signs: distance from the complexity, in standard errors": drawn(
          Z,
          (rho * meanLength(Z)) / many,
        ),
        "equal inputs, 10 times as many: distance from the complexity, in standard errors": drawn(
          equal,
          (rho * length(z) * meanSize(equal.length)) / equal.length,
        ),
        "tree of two levels: greatest by ascent": checked(found, grid + mesh, { tolerance: 1e-12 * grid }),
        "the same, from below": checked(found, grid - mesh),
        "tree: complexity, norms twice as large": checked(twice(2 * rho), 4 * once, {
          tolerance: 1e-12 * once,
        }),
        "linear class, ρ = 1, d = 3: exponent in m": fitted(points, -0.5),
      },
    };
  },
});

const length = (v: ArrayLike<number>): number => Math.hypot(...Array.from(v));
const signedSum = (X: readonly Float64Array[], eps: readonly number[]): Float64Array =>
  X[0]!.map((_, k) => X.reduce((s, x, i) => s + eps[i]! * x[k]!, 0));

/** E |sum eps_i x_i| over all signs; the last is 1, as eps and -eps give one length. */
function meanLength(X: readonly Float64Array[]): number {
  let sum = 0;
  const count = 2 ** (X.length - 1);
  for (let s = 0; s < count; s++)
    sum += length(
      signedSum(
        X,
        X.map((_, i) => ((s >> i) & 1 ? -1 : 1)),
      ),
    );
  return sum / count;
}

/** E |S_n| of a sum of n signs: E |S_(2k + 1)| = E |S_(2k)| (1 + 1 / 2k), and E |S_(2k)| = E |S_(2k - 1)|. */
function meanSize(n: number): number {
  let value = 1;
  for (let k = 3; k <= n; k += 2) value *= k / (k - 1);
  return value;
}

/** Both nodes of a first kernel (cos t, sin t), for all t of a grid; the second kernel is best along its inputs. */
function gridMaximum(Y: readonly Float64Array[], eps: readonly number[], count: number): number {
  let best = 0;
  for (let a = 0; a < count; a++) {
    const [c, s] = [Math.cos((2 * Math.PI * a) / count), Math.sin((2 * Math.PI * a) / count)];
    const node = (from: number): number =>
      Y.reduce((sum, y, i) => sum + eps[i]! * Math.max(0, c * y[from]! + s * y[from + 1]!), 0);
    best = Math.max(best, Math.hypot(node(0), node(2)));
  }
  return best;
}

/** The value moves by at most sum_i |y_i| a radian, and no angle is farther than pi / count from the grid. */
const gridSlack = (Y: readonly Float64Array[], count: number): number =>
  (Math.PI / count) * Y.reduce((s, y) => s + length(y), 0);

/** Complexities of the linear class on m normal inputs in three dimensions, by drawn signs and inputs. */
function ratePoints(draws: number, random: Random): readonly (readonly [number, number])[] {
  return [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192].map((m) => {
    let sum = 0;
    const count = Math.max(100, Math.round(draws / 8));
    for (let k = 0; k < count; k++) {
      const X = Array.from({ length: m }, () => random.normal(3));
      sum +=
        length(
          signedSum(
            X,
            X.map(() => (random.uniform() < 0.5 ? -1 : 1)),
          ),
        ) / m;
    }
    return [m, sum / count] as const;
  });
}

function estimateFigure(points: readonly (readonly [number, number])[]): Figure {
  return {
    title: "Rademacher complexity of linear functions of norm 1",
    panels: [
      {
        title: "Normal inputs in three dimensions",
        x: { label: "examples m", scale: "log" },
        y: { label: "complexity", scale: "log" },
        series: [
          { name: "mean over drawn signs", mark: "dots", points },
          {
            name: "√(3 / m), its bound",
            mark: "line",
            role: "theory",
            points: points.map(([m]) => [m, Math.sqrt(3 / m)]),
          },
        ],
      },
    ],
  };
}
