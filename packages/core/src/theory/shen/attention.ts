import { run } from "../../engine/run.ts";
import { applySymmetry } from "../../equivalence/apply.ts";
import { randomSymmetry } from "../../equivalence/element.ts";
import { symmetryGroup } from "../../equivalence/group.ts";
import { inverseTransposed, randomOrthogonal } from "../../equivalence/matrix.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { matrixOfRows, pivotedQr } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "S-22",
  covers: ["S-22"],
  kind: "algorithm",
  title: "Other queries and keys, the same attention",
  source: "Shen, Extension to Attention Model",
  statement: String.raw`\operatorname{softmax}\Bigl( \tfrac{X W^Q (W^K)^\top X^\top}{\sqrt{d_k}} \Bigr) X W^V W^O \text{ is unchanged by } (W^Q A, \, W^K A^{-\top}, \, W^V C, \, C^{-1} W^O), \quad A \in GL(d_k), \; C \in GL(d_v)`,
  parameters: {
    d: integer({ min: 2, max: 8, default: 6, label: "width d of the sequence" }),
    dk: integer({ min: 2, max: 5, default: 3, label: "width d_k of queries and keys" }),
    dv: integer({ min: 2, max: 5, default: 4, label: "width d_v of values" }),
    n: integer({ min: 2, max: 8, default: 5, label: "length n of the sequence" }),
  },
  claims: {
    "change of outputs, W^Q P and W^K P": equals("0"),
    "change of outputs, W^Q A and W^K A^{-T}": equals("0"),
    "change of outputs, a bias of all keys": equals("0"),
    "change of outputs, a random element of the group that the graph shows": equals("0"),
    "dimension of that group": equals("d_k^2 + d_v^2"),
    "parameters less the rank of (W^Q, W^K) ↦ W^Q (W^K)ᵀ": equals(
      String.raw`2 d d_k - r (2d - r), \; r = \min(d, d_k) \quad (d_k^2 \text{ if } d_k \le d)`,
    ),
    "change of outputs, W^Q P and W^K P, another W^V": equals("0").printed({
      where: "Example (Permutation within Attention map)",
      printed: String.raw`Consider two attention maps $f(x; \theta_1)$ and $f(x; \theta_2)$ with $f(x; \theta_i) = \text{Softmax}(X W_i^Q (W_i^K)' X' / \sqrt{d_k}) X W_i^V$ for $i = 1, 2$. Then $f(\cdot; \theta_1)$ and $f(\cdot; \theta_2)$ are functionally equivalent if there exists $d_k \times d_k$ permutation matrix $P$ such that $W_2^Q P = W_1^Q$ and $W_2^K P = W_1^K$`,
      corrected: "$W_2^Q P = W_1^Q$, $W_2^K P = W_1^K$ and $W_2^V = W_1^V$",
    }),
  },
  mutants: {
    "orthogonal matrices for invertible ones": {
      "dimension of that group": ({ dk, dv }) => (dk * (dk - 1)) / 2 + dv ** 2,
      "parameters less the rank of (W^Q, W^K) ↦ W^Q (W^K)ᵀ": ({ dk }) => (dk * (dk - 1)) / 2,
    },
    "values forgotten": { "dimension of that group": ({ dk }) => dk ** 2 },
  },
  async run({ d, dk, dv, n }, { random }) {
    const own = randomHead(d, dk, dv, random);
    const net = attention(own);
    const x = random.normal(n * d);
    const before = await outputs(net, x, n, d);
    const size = before.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    // Sums of at most 40 products, exponentials of scores up to some tens, and A whose condition is at most 2.
    const rounding = { tolerance: 1e-12 * (1 + size) };
    const gap = (after: Float64Array, own: Float64Array): Measurement =>
      sampled(
        after.reduce((most, v, k) => Math.max(most, Math.abs(v - own[k]!)), 0),
        0,
        rounding,
      );
    const plain = attentionValue(own, x, n); // the runtime may round 1 / sqrt(d_k) to float32
    const changed = (head: Head): Measurement => gap(attentionValue(head, x, n), plain);
    const P = permutationMatrix(random.permutation(dk));
    const A = randomOrthogonal(random, dk).map((v, k) => v * Math.exp(0.3 * Math.sin(Math.floor(k / dk))));
    const permuted = { ...own, Q: times(own.Q, P, dk), K: times(own.K, P, dk) };
    const turned = { ...own, Q: times(own.Q, A, dk), K: times(own.K, inverseTransposed(A, dk), dk) };
    const group = symmetryGroup(net);
    return {
      graph: net,
      claims: {
        "change of outputs, W^Q P and W^K P": changed(permuted),
        "change of outputs, W^Q A and W^K A^{-T}": changed(turned),
        "change of outputs, a bias of all keys": changed({ ...own, bias: random.normal(dk) }),
        "change of outputs, a random element of the group that the graph shows": gap(
          await outputs(applySymmetry(net, randomSymmetry(group, random)), x, n, d),
          before,
        ),
        "dimension of that group": checked(group.dimension, dk ** 2 + dv ** 2),
        "parameters less the rank of (W^Q, W^K) ↦ W^Q (W^K)ᵀ": checked(
          2 * d * dk - productRank(own),
          2 * d * dk - Math.min(d, dk) * (2 * d - Math.min(d, dk)),
        ),
        "change of outputs, W^Q P and W^K P, another W^V": changed({ ...permuted, V: random.normal(d * dv) }),
      },
    };
  },
});

interface Head {
  readonly d: number;
  readonly dk: number;
  readonly dv: number;
  readonly Q: Float64Array;
  readonly K: Float64Array;
  readonly V: Float64Array;
  readonly O: Float64Array;
  /** Of the keys. */
  readonly bias?: Float64Array;
}

const randomHead = (d: number, dk: number, dv: number, random: Random): Head => {
  const weight = (rows: number, columns: number) =>
    random.normal(rows * columns).map((v) => v / Math.sqrt(rows));
  return { d, dk, dv, Q: weight(d, dk), K: weight(d, dk), V: weight(d, dv), O: weight(dv, d) };
};

/** One head, from a sequence [n, d] to [n, d]. */
const attention = ({ d, dk, dv, Q, K, V, O, bias }: Head): Graph =>
  graph({ x: float64("n", d) }, ({ x }) => {
    const by = (weights: Float64Array, width: number) => x.matmul(tensor(weights, { dims: [d, width] }));
    const keys = bias ? by(K, dk).add(tensor(bias, { dims: [dk] })) : by(K, dk);
    const scores = by(Q, dk)
      .matmul(keys.transpose([1, 0]))
      .mul(1 / Math.sqrt(dk));
    const mixed = scores.op("Softmax", [], { axis: -1 }).matmul(by(V, dv));
    return { y: mixed.matmul(tensor(O, { dims: [dv, d] })) };
  });

/** The same by plain sums. */
function attentionValue({ d, dk, dv, Q, K, V, O, bias }: Head, x: Float64Array, n: number): Float64Array {
  const product = (a: Float64Array, b: Float64Array, inner: number, columns: number): Float64Array =>
    Float64Array.from({ length: (a.length / inner) * columns }, (_, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += a[row * inner + k]! * b[k * columns + column]!;
      return sum;
    });
  const [queries, plain, values] = [product(x, Q, d, dk), product(x, K, d, dk), product(x, V, d, dv)];
  const keys = plain.map((v, at) => v + (bias?.[at % dk] ?? 0));
  const mixed = new Float64Array(n * dv);
  for (let i = 0; i < n; i++) {
    const scores = Array.from({ length: n }, (_, j) => {
      let sum = 0;
      for (let k = 0; k < dk; k++) sum += queries[i * dk + k]! * keys[j * dk + k]!;
      return sum / Math.sqrt(dk);
    });
    const top = Math.max(...scores);
    const shares = scores.map((s) => Math.exp(s - top));
    const all = shares.reduce((a, b) => a + b);
    for (let k = 0; k < dv; k++)
      mixed[i * dv + k] = shares.reduce((sum, s, j) => sum + (s / all) * values[j * dv + k]!, 0);
  }
  return product(mixed, O, dv, d);
}

/** Of the derivative of (Q, K) -> Q K^T, by a pivoted QR factorization: its rows are moved entries of Q and of K. */
function productRank({ d, dk, Q, K }: Head): number {
  const rows: number[][] = [];
  for (let i = 0; i < d; i++)
    for (let k = 0; k < dk; k++) {
      const [byQ, byK] = [new Array<number>(d * d).fill(0), new Array<number>(d * d).fill(0)];
      for (let j = 0; j < d; j++) {
        byQ[i * d + j] = K[j * dk + k]!;
        byK[j * d + i] = Q[j * dk + k]!;
      }
      rows.push(byQ, byK);
    }
  return pivotedQr(matrixOfRows(rows)).rank;
}

/** W A for W with rows of n numbers. */
function times(W: Float64Array, A: Float64Array, n: number): Float64Array {
  return W.map((_, at) => {
    const [row, column] = [Math.floor(at / n), at % n];
    let sum = 0;
    for (let k = 0; k < n; k++) sum += W[row * n + k]! * A[k * n + column]!;
    return sum;
  });
}

function permutationMatrix(to: Int32Array): Float64Array {
  const P = new Float64Array(to.length ** 2);
  to.forEach((j, i) => {
    P[i * to.length + j] = 1;
  });
  return P;
}

async function outputs(net: Graph, x: Float64Array, n: number, d: number): Promise<Float64Array> {
  const { y } = await run(net, { x: tensor(x, { dims: [n, d] }) });
  return Float64Array.from(numbers(y!));
}
