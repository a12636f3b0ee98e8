import { float64, graph } from "../../graph/builder.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { lasso, lassoViolation } from "../../sparse/lasso.ts";
import { softThreshold } from "../../sparse/pursuit/thresholds.ts";
import { train } from "../../train/train.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { recoveryFigure, recoveryTable } from "./graph-recovery-figure.ts";
import { plantedGraph } from "./planted-graph.ts";

type Rows = readonly (readonly number[])[];

export default lemma({
  id: "P-28",
  covers: ["P-28"],
  kind: "experiment",
  title: "l1 finds the graph of connections, l2 does not",
  source: "Poggio, sections 4.1, 4.2.1 and 6.9",
  statement: String.raw`\min_W \tfrac1n \|X W - Y\|^2 + \lambda \|W\|_1 : \quad \|X_{S^c}^T X_S (X_S^T X_S)^{-1}\|_\infty < 1 \Rightarrow \operatorname{supp} W \subseteq S; \qquad \text{with } \tfrac\lambda2 \|W\|_2^2 \text{ no weight is } 0`,
  parameters: {
    p: integer({ min: 6, max: 14, default: 12, label: "inputs" }),
    s: integer({ min: 1, max: 3, default: 3, label: "inputs that an output reads" }),
    k: integer({ min: 1, max: 3, default: 3, label: "outputs" }),
    perInput: integer({ min: 3, max: 8, default: 5, label: "examples an input" }),
    lambda: real({ min: 0.02, max: 1.5, default: 0.3, label: "penalty" }),
  },
  claims: {
    "l1, orthogonal inputs, against the soft threshold": equals("0"),
    "l1, violation of optimality": equals("0"),
    "proximal steps of train, against coordinate descent": equals("0"),
    "decay in train, against its closed form": equals("0"),
    "zeros with decay": equals("0"),
    "false edges with l1 where the inputs are incoherent": equals("0"),
    "edges missed with l1 where the weights are large enough": equals("0"),
  },
  mutants: {
    "the penalty for its half": {
      "l1, orthogonal inputs, against the soft threshold": ({ lambda }) => lambda / 4,
    },
    "decay cuts too": { "zeros with decay": ({ p, s, k }) => k * (p - s) },
    "one false edge allowed for": { "false edges with l1 where the inputs are incoherent": () => 1 },
  },
  async run({ p, s, k, perInput, lambda }, { random, scale, budget, progress }) {
    const n = p * perInput;
    const { X, Y, graph: planted } = plantedGraph({ n, p, s, k }, random);
    const columns = Array.from({ length: k }, (_, o) => Y.map((row) => row[o]!));
    const found = columns.map((y) => lasso(X, y, lambda));
    const violations = columns.map((y, o) => lassoViolation(X, y, lambda, found[o]!));
    const orthogonal = orthogonalInputs(p);
    const target = Array.from(random.normal(p));
    const expected = target.map((_, j) =>
      softThreshold(orthogonal.reduce((sum, row, i) => sum + row[j]! * target[i]!, 0) / p, lambda / 2),
    );
    await progress(0.2);
    const spectrum = symmetricEigen(gramOf(X)).values.map((v) => 2 * v); // the second derivative of the loss
    const [mu, L] = [spectrum[0]!, spectrum.at(-1)!];
    const steps = 300;
    const proximal = await trainLinear(X, Y, { proximalL1: lambda, rate: 1 / L, steps });
    const decayed = await trainLinear(X, Y, { weightDecay: lambda, rate: 1 / (L + lambda), steps });
    const ridge = ridgeOf(X, Y, lambda);
    await progress(0.5);
    const witness = found.map((w, o) => witnessOf(X, columns[o]!, planted[o]!, w, lambda));
    const size = Math.hypot(...found.flat(), ...ridge.flat(), 1);
    const rounding = 2 ** -40 * n * size;
    const drawn =
      budget === "cheap" ? undefined : recoveryFigure({ p, s }, scale(10), random.split("figure"));
    return {
      ...(drawn ? { figure: drawn, table: recoveryTable(X, columns, planted, ridge) } : {}),
      claims: {
        "l1, orthogonal inputs, against the soft threshold": checked(
          distance([lasso(orthogonal, target, lambda)], [expected]),
          0,
          { tolerance: 2 ** -44 * p },
        ),
        "l1, violation of optimality": checked(Math.max(...violations), 0, { tolerance: rounding }),
        // A proximal step of size 1 / L shortens the way to the solution by 1 - mu / L.
        "proximal steps of train, against coordinate descent": sampled(distance(proximal, found), 0, {
          tolerance: (1 - mu / L) ** steps * size + rounding,
        }),
        "decay in train, against its closed form": sampled(distance(decayed, ridge), 0, {
          tolerance: (1 - (mu + lambda) / (L + lambda)) ** steps * size + rounding,
        }),
        "zeros with decay": checked(decayed.flat().filter((w) => w === 0).length, 0),
        ...(witness.some((w) => w.isIncoherent)
          ? {
              "false edges with l1 where the inputs are incoherent": checked(
                witness.reduce((sum, w) => sum + (w.isIncoherent ? w.falseEdges : 0), 0),
                0,
              ),
            }
          : {}),
        ...(witness.some((w) => w.isIncoherent && w.isLarge)
          ? {
              "edges missed with l1 where the weights are large enough": checked(
                witness.reduce((sum, w) => sum + (w.isIncoherent && w.isLarge ? w.missed : 0), 0),
                0,
              ),
            }
          : {}),
      },
    };
  },
});

const gramOf = (X: Rows): number[][] =>
  X[0]!.map((_, a) => X[0]!.map((__, b) => X.reduce((sum, row) => sum + row[a]! * row[b]!, 0) / X.length));

const distance = (a: Rows, b: Rows): number =>
  Math.hypot(...a.flatMap((row, i) => row.map((v, j) => v - b[i]![j]!)));

/** X^T X = p I: a reflection, times sqrt(p). */
const orthogonalInputs = (p: number): Rows =>
  Array.from({ length: p }, (_, i) =>
    Array.from({ length: p }, (__, j) => Math.sqrt(p) * (Number(i === j) - 2 / p)),
  );

interface LinearTraining {
  readonly rate: number;
  readonly steps: number;
  readonly proximalL1?: number;
  readonly weightDecay?: number;
}

/** The weights of each output of a linear network after gradient descent from 0. */
async function trainLinear(X: Rows, Y: Rows, options: LinearTraining): Promise<Rows> {
  const [p, k] = [X[0]!.length, Y[0]!.length];
  const zeros = tensor(new Float64Array(p * k), { dims: [p, k] });
  const net = graph({ x: float64("N", p) }, ({ x }) => ({ y: x.matmul(x.builder.weight(zeros, "W")) }));
  const data = { x: tensor(X.map((r) => [...r])), target: tensor(Y.map((r) => [...r])) };
  const { model } = await train(net, data, { loss: "square", optimizer: "gd", ...options });
  const values = numbers(model.initializers.get("W") as Tensor);
  return Array.from({ length: k }, (_, o) => Array.from({ length: p }, (__, j) => values[j * k + o]!));
}

/** (2/n X^T X + lambda) w = 2/n X^T y. */
function ridgeOf(X: Rows, Y: Rows, lambda: number): Rows {
  const G = gramOf(X).map((row, i) => row.map((v, j) => 2 * v + (i === j ? lambda : 0)));
  const found: number[][] = [];
  for (let o = 0; o < Y[0]!.length; o++) {
    const b = G.map((_, j) => (2 / X.length) * X.reduce((sum, row, i) => sum + row[j]! * Y[i]![o]!, 0));
    found.push(solved(G, b));
  }
  return found;
}

/** By the eigenvalues, as the matrix is symmetric and small. */
function solved(G: Rows, b: readonly number[]): number[] {
  const { values, vectors } = symmetricEigen(G);
  return b.map((_, i) =>
    values.reduce(
      (sum, value, k) => sum + (vectors[k]![i]! * vectors[k]!.reduce((a, v, j) => a + v * b[j]!, 0)) / value,
      0,
    ),
  );
}

/** The primal-dual witness (Wainwright 2009): what the inputs must be like for l1 to find the edges of one output. */
function witnessOf(
  X: Rows,
  y: readonly number[],
  S: readonly number[],
  w: readonly number[],
  lambda: number,
) {
  const n = X.length;
  const inverseTimes = (b: readonly number[]): number[] =>
    solved(
      S.map((i) => S.map((j) => X.reduce((sum, row) => sum + row[i]! * row[j]!, 0))),
      b,
    );
  const outside = X[0]!.map((_, j) => j).filter((j) => !S.includes(j));
  const product = (i: number, v: readonly number[]): number =>
    X.reduce((sum, row, r) => sum + row[i]! * v[r]!, 0);
  const column = (j: number): number[] => X.map((row) => row[j]!);
  const rowSums = outside.map((j) =>
    inverseTimes(S.map((i) => product(i, column(j)))).reduce((sum, v) => sum + Math.abs(v), 0),
  );
  const fit = inverseTimes(S.map((i) => product(i, y)));
  const residual = y.map((v, r) => v - S.reduce((sum, j, a) => sum + X[r]![j]! * fit[a]!, 0));
  const noise = Math.max(...outside.map((j) => Math.abs((2 / n) * product(j, residual))));
  // |dual_j| <= rowSum + noise_j / lambda < 1 for inputs that are not read.
  const isIncoherent = Math.max(...rowSums) + noise / lambda < 1;
  // w_S = fit - (lambda / 2) (X_S^T X_S / n)^-1 sign: no weight can cross 0 that is further from it than that.
  const pull = S.map((_, a) =>
    S.reduce((sum, __, b) => sum + Math.abs(inverseTimes(S.map((___, c) => Number(c === b)))[a]!), 0),
  );
  return {
    isIncoherent,
    isLarge: S.every((_, a) => Math.abs(fit[a]!) > (lambda / 2) * n * Math.max(...pull)),
    falseEdges: outside.filter((j) => w[j] !== 0).length,
    missed: S.filter((j) => w[j] === 0).length,
  };
}
