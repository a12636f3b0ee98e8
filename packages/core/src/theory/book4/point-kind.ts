import type { Figure } from "../../figure/figure.ts";
import { tensor } from "../../graph/tensor.ts";
import { type Covariances, covariancesOf } from "../../landscape/linear/covariances.ts";
import { criticalWeights, linearLandscape } from "../../landscape/linear/critical-points.ts";
import { describePoint } from "../../landscape/point/describe-point.ts";
import { doubles, matrixAlgebra } from "../../linear-algebra/matrix-algebra.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { criticalPoints, figureLabels, figureLine, type Line, type LinePoint } from "./eight-points.ts";

export default lemma({
  id: "C4-11",
  covers: ["C4-11"],
  kind: "measure",
  title: "What kind of critical point, by Hessian-vector products of the network",
  source: "Book, chapter 4, Figure 4.1 and Theorem 4.2",
  statement: String.raw`\nabla \mathcal R = 0: \quad \lambda_{\min} < 0 \text{ strict saddle}, \quad \lambda_{\min} > 0 \text{ minimum}, \quad \lambda_{\min} = 0 \text{ degenerate}`,
  parameters: {
    n1: integer({ min: 1, max: 3, default: 2, label: "hidden units" }),
    more: integer({ min: 0, max: 2, default: 1, label: "outputs more than hidden units" }),
    free: integer({ min: 0, max: 2, default: 1, label: "inputs more than outputs" }),
    which: real({ min: 0, max: 1, default: 0.5, label: "which critical point" }),
    decay: real({ min: 0.01, max: 2, default: 0.5, label: "weight decay" }),
  },
  claims: {
    "norm of the gradient, on ONNX Runtime": equals("0"),
    "loss, on ONNX Runtime": equals(String.raw`\operatorname{tr} \Sigma_{yy} - \sum_{j \in J} \lambda_j`),
    "negative eigenvalues": equals(
      String.raw`\#\{(j, k): j \in J, k \notin J, \lambda_k > \lambda_j\} + (n_1 - |J|)(n_2 - |J|)`,
    ),
    "zero eigenvalues": equals("|J|^2 + (n_1 - |J|)(n_0 - n_2 + 2|J|)"),
    "strict saddle": equals("1 where there is a negative eigenvalue"),
    "least eigenvalue at the origin, with decay": equals(String.raw`\lambda - 2 \|\Sigma_{yx}\|`),
    "critical points of a function as in Figure 4.1": equals("8"),
    "of these, with the labels (a) to (h)": equals("8"),
  },
  mutants: {
    "every critical point but the last class is a saddle": {
      "strict saddle": (_, { theory }) => 1 - theory,
    },
    "no plateaus, which second derivatives do not decide": {
      "of these, with the labels (a) to (h)": () => 6,
    },
    "decay without its half": {
      "least eigenvalue at the origin, with decay": ({ decay }, { theory }) => theory + decay,
    },
    "half of the Hessian": {
      "least eigenvalue at the origin, with decay": ({ decay }, { theory }) => (theory - decay) / 2 + decay,
    },
  },
  async run({ n1, more, free, which, decay }, { random, budget }) {
    const n2 = n1 + more;
    const n0 = n2 + free;
    const rows = (n: number, label: string) =>
      Array.from({ length: 4 * n0 }, (_, i) => [...random.split(`${label} ${i}`).normal(n)]);
    const [x, y] = [rows(n0, "x"), rows(n2, "y")];
    const covariances = covariancesOf(x, y);
    const { classes, vectors } = linearLandscape(covariances, n1);
    const { chosen, index, nullity, risk } =
      classes[Math.min(classes.length - 1, Math.floor(which * classes.length))]!;
    const algebra = matrixAlgebra(doubles);
    const gauge = algebra
      .identity(n1)
      .map((row, i) => row.map((v, j) => v + 0.2 * random.split(`gauge ${i} ${j}`).normal()));
    const weights = criticalWeights(algebra, covariances, { vectors: chosen.map((j) => vectors[j]!), gauge });
    const net = denseNetwork(
      weights.map((W) => ({ W })),
      "linear",
    );
    const data = { x: tensor(x), target: tensor(y) };
    const point = await describePoint(net, data, { loss: "square", curvatureTolerance: 1e-8 });
    const origin = denseNetwork(
      weights.map((W) => ({ W: W.map((row) => row.map(() => 0)) })),
      "linear",
    );
    const atOrigin = await describePoint(origin, data, { loss: "square", decay });
    const { product, transpose } = algebra;
    const gram = product(covariances.yx, transpose(covariances.yx));
    const line = figureLine(random.split("line"));
    const points = criticalPoints(line);
    const zeros = point.hessian.points.filter(([v]) => Math.abs(v) <= point.tolerances.curvature).length;
    return {
      graph: net,
      ...(budget !== "cheap" && { figure: await figure({ n1, n2, data, covariances, line, points }) }),
      claims: {
        // Some hundred roundings, of numbers that the gauge may enlarge.
        "norm of the gradient, on ONNX Runtime": checked(point.gradientNorm, 0, { tolerance: 1e-10 }),
        "loss, on ONNX Runtime": checked(point.loss, risk, { tolerance: 1e-11 * n2 }),
        "negative eigenvalues": checked(point.hessian.negative, index),
        "zero eigenvalues": checked(zeros, nullity),
        "strict saddle": checked(point.kind === "strict saddle" ? 1 : 0, index > 0 ? 1 : 0),
        "least eigenvalue at the origin, with decay": checked(
          atOrigin.hessian.min,
          decay - 2 * Math.sqrt(powerNorm(gram)),
          { tolerance: 1e-9 },
        ),
        "critical points of a function as in Figure 4.1": checked(points.length, 8),
        "of these, with the labels (a) to (h)": checked(
          points.filter(({ label }, k) => label === figureLabels[k]).length,
          8,
        ),
      },
    };
  },
});

/** The greatest eigenvalue of a Gram matrix, by its powers: tr(G^k)^(1/k) with k a power of two. */
function powerNorm(gram: readonly (readonly number[])[]): number {
  const { product, trace, times } = matrixAlgebra(doubles);
  let [g, log] = [gram, 0];
  for (let k = 0; k < 40; k++) {
    const size = trace(g);
    log += Math.log(size) / 2 ** k;
    g = times(1 / size, g);
    g = product(g, g);
  }
  return Math.exp(log);
}

interface Drawn {
  readonly n1: number;
  readonly n2: number;
  readonly data: Parameters<typeof describePoint>[1];
  readonly covariances: Covariances;
  readonly line: Line;
  readonly points: readonly LinePoint[];
}

/** Directions down by class, by the Hessian of the network and as counted; the origin by decay; and the eight points of a line. */
async function figure({ n1, n2, data, covariances, line, points }: Drawn): Promise<Figure> {
  const algebra = matrixAlgebra(doubles);
  const { classes, vectors } = linearLandscape(covariances, n1);
  // Of many classes some, from the minimum to the origin.
  const shown = Array.from(
    { length: Math.min(8, classes.length) },
    (_, k, count = Math.min(8, classes.length)) =>
      Math.round((k * (classes.length - 1)) / Math.max(1, count - 1)),
  )
    .map((k) => classes[k]!)
    .sort((a, b) => a.risk - b.risk);
  const networkOf = (weights: readonly (readonly (readonly number[])[])[]) =>
    denseNetwork(
      weights.map((W) => ({ W })),
      "linear",
    );
  const negative: (readonly [number, number])[] = [];
  for (const { chosen, risk } of shown) {
    const at = { vectors: chosen.map((j) => vectors[j]!), gauge: algebra.identity(n1) };
    const net = networkOf(criticalWeights(algebra, covariances, at));
    const { hessian } = await describePoint(net, data, { loss: "square", curvatureTolerance: 1e-8 });
    negative.push([risk, hessian.negative]);
  }
  const zero = (rows: number, columns: number) =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => 0));
  const origin = networkOf([zero(n1, covariances.xx.length), zero(n2, n1)]);
  const norm = Math.sqrt(powerNorm(algebra.product(covariances.yx, algebra.transpose(covariances.yx))));
  const least: (readonly [number, number])[] = [];
  for (const part of [0, 0.5, 1, 1.5]) {
    const decay = part * 2 * norm;
    least.push([decay, (await describePoint(origin, data, { loss: "square", decay })).hessian.min]);
  }
  const [counted, form] = ["counted by eigenvalues", "λ - 2 |Σyx|"];
  const kinds = ["plateau", "global minimum", "local maximum", "local minimum"] as const;
  return {
    title: "Kinds of critical points",
    panels: [
      {
        title: "Directions down, by class of critical points",
        x: { label: "risk" },
        y: { label: "negative eigenvalues" },
        series: [
          {
            name: counted,
            mark: "line",
            role: "theory",
            points: shown.map(({ risk, index }) => [risk, index] as const),
          },
          { name: "of the network", mark: "dots", like: counted, points: negative },
        ],
      },
      {
        title: "At the origin",
        x: { label: "weight decay λ" },
        y: { label: "least eigenvalue" },
        series: [
          {
            name: form,
            mark: "line",
            role: "theory",
            points: [0, 3 * norm].map((decay) => [decay, decay - 2 * norm] as const),
          },
          { name: "of the network", mark: "dots", like: form, points: least },
        ],
      },
      {
        title: "A function as in Figure 4.1",
        x: { label: "w" },
        y: { label: "value" },
        series: [
          {
            name: "function",
            mark: "line",
            points: Array.from({ length: 301 }, (_, k) => (line.end * k) / 300).map(
              (w) => [w, line.value(w)] as const,
            ),
          },
          ...kinds.map((kind) => ({
            name: kind,
            mark: "dots" as const,
            points: points.filter(({ label }) => label === kind).map(({ w, value }) => [w, value] as const),
          })),
        ],
      },
    ],
  };
}
