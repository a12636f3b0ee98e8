import { tensor } from "../../graph/tensor.ts";
import { covariancesOf } from "../../landscape/linear/covariances.ts";
import { criticalWeights, linearLandscape } from "../../landscape/linear/critical-points.ts";
import { describePoint } from "../../landscape/point/describe-point.ts";
import { doubles, matrixAlgebra } from "../../linear-algebra/matrix-algebra.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

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
  },
  mutants: {
    "every critical point but the last class is a saddle": {
      "strict saddle": (_, { theory }) => 1 - theory,
    },
    "decay without its half": {
      "least eigenvalue at the origin, with decay": ({ decay }, { theory }) => theory + decay,
    },
    "half of the Hessian": {
      "least eigenvalue at the origin, with decay": ({ decay }, { theory }) => (theory - decay) / 2 + decay,
    },
  },
  async run({ n1, more, free, which, decay }, { random }) {
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
    const zeros = point.hessian.points.filter(([v]) => Math.abs(v) <= point.tolerances.curvature).length;
    return {
      graph: net,
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
