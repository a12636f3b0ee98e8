import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { applySymmetry } from "../../symmetry/apply.ts";
import { randomSymmetry } from "../../symmetry/element.ts";
import { symmetryGroup } from "../../symmetry/group.ts";
import { inverseTransposed, randomOrthogonal } from "../../symmetry/matrix.ts";
import { atLeast, checked, equals, type Measurement, sampled } from "../claim.ts";
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
    "dimension of that group": atLeast("d_k^2 + d_v^2"),
    "change of outputs, W^Q P and W^K P, another W^V": equals("0").printed({
      where: "Example (Permutation within Attention map)",
      printed: String.raw`$f(\cdot; \theta_1)$ and $f(\cdot; \theta_2)$, with $W_i^V$ each, are equivalent if $W_2^Q P = W_1^Q$ and $W_2^K P = W_1^K$ for a permutation $P$`,
      corrected: String.raw`also $W_2^V = W_1^V$; and not only permutations: $W_2^Q A = W_1^Q$, $W_2^K A^{-\top} = W_1^K$ for any invertible $A$`,
    }),
  },
  async run({ d, dk, dv, n }, { random }) {
    const own = randomHead(d, dk, dv, random);
    const net = attention(own);
    const x = random.normal(n * d);
    const before = await outputs(net, x, n, d);
    const changed = async (other: Graph): Promise<Measurement> =>
      sampled(
        (await outputs(other, x, n, d)).reduce((most, v, k) => Math.max(most, Math.abs(v - before[k]!)), 0),
        0,
        { tolerance: 1e-9 * (1 + before.reduce((most, v) => Math.max(most, Math.abs(v)), 0)) }, // rounding of two runs
      );
    const P = permutationMatrix(random.permutation(dk));
    const A = randomOrthogonal(random, dk).map((v, k) => v * Math.exp(0.3 * Math.sin(Math.floor(k / dk))));
    const permuted = { ...own, Q: times(own.Q, P, dk), K: times(own.K, P, dk) };
    const turned = { ...own, Q: times(own.Q, A, dk), K: times(own.K, inverseTransposed(A, dk), dk) };
    const group = symmetryGroup(net);
    return {
      graph: net,
      claims: {
        "change of outputs, W^Q P and W^K P": await changed(attention(permuted)),
        "change of outputs, W^Q A and W^K A^{-T}": await changed(attention(turned)),
        "change of outputs, a bias of all keys": await changed(
          attention({ ...own, bias: random.normal(dk) }),
        ),
        "change of outputs, a random element of the group that the graph shows": await changed(
          applySymmetry(net, randomSymmetry(group, random)),
        ),
        "dimension of that group": checked(group.dimension, dk ** 2 + dv ** 2),
        "change of outputs, W^Q P and W^K P, another W^V": await changed(
          attention({ ...permuted, V: random.normal(d * dv) }),
        ),
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
