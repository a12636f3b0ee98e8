import { float64, graph } from "../../graph/builder.ts";
import { numbers, tensor, view } from "../../graph/tensor.ts";
import { lengthOf } from "../../inverse/linear-map.ts";
import { untrainedNetwork } from "../../inverse/untrained.ts";
import type { Matrix } from "../../linear-algebra/matrix-norm.ts";
import { singularDecomposition } from "../../linear-algebra/svd.ts";
import { train } from "../../train/train.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C9-13",
  covers: ["C9-13", "C9-14", "C1b-50"],
  kind: "algorithm",
  title: "Untrained priors: descent on the weights filters singular values, so that noise is fitted last",
  source: "Book, chapter 9, (9.2); chapter 1, section 1.8.1; Van Veen et al. 2018, Heckel and Hand 2019",
  statement: String.raw`\Phi(\theta) = B \theta, \; \theta \leftarrow \theta - \eta \nabla \|A B \theta - y\|^2 \text{ from } 0: \quad \theta_t = \sum_i \frac{1 - (1 - 2 \eta s_i^2)^t}{s_i} \langle u_i, y \rangle v_i, \qquad A B = \sum_i s_i u_i v_i^T`,
  parameters: {
    n: integer({ min: 4, max: 12, default: 8, label: "numbers of a signal" }),
    weights: integer({ min: 4, max: 14, default: 10, label: "weights of the linear network" }),
    m: integer({ min: 2, max: 10, default: 6, label: "measurements" }),
    steps: integer({ min: 1, max: 60, default: 20, label: "steps" }),
    share: real({
      min: 0.05,
      max: 0.95,
      default: 0.5,
      label: "rate, as a share of the largest that converges",
    }),
    width: integer({ min: 2, max: 9, default: 6, label: "channels of the deep decoder" }),
  },
  claims: {
    "weights after the steps of our training loop: length": equals(String.raw`\|\theta_t\|`),
    "the same, less the filter": equals("0"),
    "loss before the last step": equals(
      String.raw`\|y\|^2 - \sum_i (1 - (1 - 2 \eta s_i^2)^{2 t}) \langle u_i, y \rangle^2`,
    ),
    "losses that are above the one before": atMost("0"),
    "weights of a deep decoder for 16 x 16 pixels": equals(String.raw`d k^2 + 2 d k + k, \; d = 3`),
  },
  mutants: {
    "a gradient without its factor 2": {
      "weights after the steps of our training loop: length": (_, { theory }) => theory * 0.98,
    },
    "losses that count from the first step": {
      "loss before the last step": (_, { theory, measured }) => theory + 0.02 * Math.abs(measured) + 1e-6,
    },
    "channels without a shift": {
      "weights of a deep decoder for 16 x 16 pixels": ({ width }) => 3 * width ** 2 + 3 * width + width,
    },
  },
  async run({ n, weights, m, steps, share, width }, { random }) {
    const [A, B] = [random.split("A").normal(m * n), random.split("B").normal(n * weights)];
    const y = random.split("y").normal(m);
    const product: Matrix = { rows: m, columns: weights, entries: new Float64Array(m * weights) };
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++)
        for (let k = 0; k < weights; k++)
          product.entries[i * weights + k]! += A[i * n + j]! * B[j * weights + k]!;
    const { values, left, right } = await singularDecomposition(product);
    const rate = share / values[0]! ** 2;
    const theta = tensor(new Float64Array(weights), { type: "float64", dims: [1, weights] });
    // Rows times transposed matrices: 1 -> theta -> B theta -> A B theta.
    const network = graph({ x: float64("N", 1) }, ({ x }) => ({
      y: x
        .matmul(x.builder.weight(theta, "theta"))
        .matmul(x.builder.weight(turned(B, n, weights), "B"))
        .matmul(x.builder.weight(turned(A, m, n), "A")),
    }));
    const run = await train(
      network,
      {
        x: tensor([[1]], { type: "float64" }),
        target: view("float64", [1, m], y),
      },
      { loss: "square", optimizer: "gd", rate, steps, weights: ["theta"] },
    );
    const found = Float64Array.from(numbers(run.model.initializers.get("theta") as never));
    const filtered = new Float64Array(weights);
    let loss = lengthOf(y) ** 2;
    for (const [i, s] of values.entries()) {
      const kept = 1 - 2 * rate * s * s;
      const along = y.reduce((sum, v, j) => sum + v * left.entries[i * m + j]!, 0);
      loss -= (1 - kept ** (2 * (steps - 1))) * along ** 2;
      // (1 - kept^t) / s is 0 with s.
      const factor = s < 1e-12 * values[0]! ? 0 : (1 - kept ** steps) / s;
      for (let j = 0; j < weights; j++) filtered[j]! += factor * along * right.entries[i * weights + j]!;
    }
    const size = lengthOf(filtered);
    return {
      claims: {
        "weights after the steps of our training loop: length": checked(lengthOf(found), size, {
          tolerance: 1e-11 * size,
        }),
        "the same, less the filter": checked(lengthOf(found.map((v, j) => v - filtered[j]!)) / size, 0, {
          tolerance: 1e-10,
        }),
        "loss before the last step": checked(run.losses.at(-1)!, loss, {
          tolerance: 1e-12 * lengthOf(y) ** 2,
        }),
        "losses that are above the one before": checked(
          run.losses.filter((v, k) => k > 0 && v > run.losses[k - 1]! * (1 + 1e-14)).length,
          0,
        ),
        "weights of a deep decoder for 16 x 16 pixels": checked(
          untrainedNetwork("deep-decoder", [16, 16], random.split("decoder"), { width }).count,
          3 * width ** 2 + 6 * width + width,
        ),
      },
    };
  },
});

/** A matrix of so many rows and columns, transposed. */
function turned(entries: Float64Array, rows: number, columns: number) {
  const data = new Float64Array(entries.length);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) data[j * rows + i] = entries[i * columns + j]!;
  return view("float64", [columns, rows], data);
}
