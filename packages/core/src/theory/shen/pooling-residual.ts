import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { logFactorial } from "../../numbers/combinatorics.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const pools = {
  max: (rows: Value) => rows.op("ReduceMax", [tensor([2], { type: "int64" })], { keepdims: 0 }),
  min: (rows: Value) => rows.op("ReduceMin", [tensor([2], { type: "int64" })], { keepdims: 0 }),
  mean: (rows: Value) => rows.mean([2]),
} as const;

const plainPools: Readonly<Record<keyof typeof pools, (z: readonly number[]) => number>> = {
  max: (z) => Math.max(...z),
  min: (z) => Math.min(...z),
  mean: (z) => z.reduce((a, b) => a + b) / z.length,
};

export default lemma({
  id: "S-20",
  covers: ["S-20", "S-21"],
  kind: "algorithm",
  title: "Rows within a pooling region; a residual layer",
  source: "Shen, Examples (Permutation within Pooling Regions; Equivalence of Residual Layer)",
  statement: String.raw`f = \operatorname{Pool}(Wx + b), \text{ regions } \mathcal I_1, \dots, \mathcal I_K: \; \prod_k |\mathcal I_k|! \text{ orders of the rows give } f; \qquad \|(x + F_1) - (x + F_2)\|_\infty = \|F_1 - F_2\|_\infty`,
  parameters: {
    pool: choice(["max", "min", "mean"], { label: "pooling" }),
    inputs: integer({ min: 1, max: 5, default: 3, label: "inputs" }),
    regions: integer({ min: 1, max: 4, default: 2, label: "regions K" }),
    size: integer({ min: 2, max: 4, default: 3, label: "rows of a region" }),
  },
  claims: {
    "change of outputs, rows moved within their regions": equals("0"),
    "change of the first output, first rows of two regions exchanged": equals(
      String.raw`(z_{s+1} - z_1) / s \text{ for means; by plain sums for the others}`,
    ),
    "orders of the rows that keep the regions": equals(String.raw`\prod_k |\mathcal I_k|!`),
    "difference of two residual layers": equals(String.raw`\|F_1 - F_2\|_\infty`),
  },
  mutants: {
    "all orders of the rows": {
      "orders of the rows that keep the regions": ({ regions, size }) =>
        Math.round(Math.exp(logFactorial(regions * size))),
    },
    "regions of the same size exchanged too": {
      "orders of the rows that keep the regions": ({ regions }, { theory }) =>
        Math.round(theory * Math.exp(logFactorial(regions))),
    },
    "means over all rows": {
      "change of the first output, first rows of two regions exchanged": ({ pool, regions }, { theory }) =>
        pool === "mean" ? theory / regions : theory,
    },
  },
  async run({ pool, inputs, regions, size }, { random }) {
    const rows = regions * size;
    const [W, b] = [random.normal(rows * inputs), random.normal(rows)];
    const points = random.normal(40 * inputs);
    const net = (order: ArrayLike<number>) => pooled(pool, W, b, order, { inputs, regions, size });
    const identity = Array.from({ length: rows }, (_, k) => k);
    const before = await values(net(identity), points, inputs);
    const within = identity.map((k) => k);
    for (let r = 0; r < regions; r++)
      random.permutation(size).forEach((to, k) => {
        within[r * size + k] = r * size + to;
      });
    const between = identity.map((k) => (k === 0 ? size : k === size ? 0 : k));
    const [first, second] = [residual(inputs, random.split("a")), residual(inputs, random.split("b"))];
    const of = (which: Graph) => values(which, points, inputs);
    const x = points.subarray(0, inputs);
    const z = identity.map((k) => x.reduce((sum, v, j) => sum + v * W[k * inputs + j]!, b[k]!));
    const pooledBy = (order: readonly number[]): number =>
      plainPools[pool](order.slice(0, size).map((k) => z[k]!));
    const reach = z.reduce((sum, v) => sum + Math.abs(v), 1);
    return {
      graph: net(identity),
      claims: {
        "change of outputs, rows moved within their regions": sampled(
          distance(before, await values(net(within), points, inputs)),
          0,
          { tolerance: pool === "mean" ? 1e-14 : 0 }, // a sum of four in another order
        ),
        ...(regions > 1 && {
          "change of the first output, first rows of two regions exchanged": sampled(
            (await values(net(between), x, inputs))[0]! - before[0]!,
            pool === "mean" ? (z[size]! - z[0]!) / size : pooledBy(between) - pooledBy(identity),
            { tolerance: 1e-14 * reach }, // sums of at most six terms
          ),
        }),
        ...(rows <= 8 && {
          "orders of the rows that keep the regions": checked(
            keepingOrders(rows, size),
            Math.round(Math.exp(regions * logFactorial(size))),
          ),
        }),
        "difference of two residual layers": sampled(
          distance(await of(first.whole), await of(second.whole)),
          distance(first.plain(points), second.plain(points)),
          { tolerance: 1e-12 }, // x + F is rounded, |F| is at most some hundreds
        ),
      },
    };
  },
});

interface Sizes {
  readonly inputs: number;
  readonly regions: number;
  readonly size: number;
}

function pooled(
  pool: keyof typeof pools,
  W: Float64Array,
  b: Float64Array,
  order: ArrayLike<number>,
  { inputs, regions, size }: Sizes,
): Graph {
  const rows = Array.from(order, (k) => [...W.subarray(k * inputs, (k + 1) * inputs)]);
  return graph({ x: float64("N", inputs) }, ({ x }) => ({
    y: pools[pool](
      x
        .affine(
          tensor(rows),
          Array.from(order, (k) => b[k]!),
        )
        .reshape([-1, regions, size]),
    ),
  }));
}

/** x + F for a small F, and F itself by plain sums. */
function residual(d: number, random: Random) {
  const [W, b, V] = [random.normal(5 * d), random.normal(5), random.normal(5 * d)];
  const F = (x: Value): Value =>
    x
      .affine(tensor(W, { dims: [5, d] }), tensor(b, { dims: [5] }))
      .relu()
      .matmul(tensor(V, { dims: [5, d] }));
  const plain = (points: Float64Array): Float64Array =>
    points.map((_, at) => {
      const [start, j] = [at - (at % d), at % d];
      return b.reduce((sum, bias, i) => {
        let z = bias;
        for (let k = 0; k < d; k++) z += W[i * d + k]! * points[start + k]!;
        return sum + Math.max(0, z) * V[i * d + j]!;
      }, 0);
    });
  return { plain, whole: graph({ x: float64("N", d) }, ({ x }) => ({ y: x.add(F(x)) })) };
}

async function values(net: Graph, points: Float64Array, d: number): Promise<Float64Array> {
  const { y } = await run(net, { x: tensor(points, { dims: [points.length / d, d] }) });
  return Float64Array.from(numbers(y!));
}

const distance = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, v, k) => Math.max(most, Math.abs(v - b[k]!)), 0);

/** Counted one by one: orders of n rows in which each stays within its region. */
function keepingOrders(n: number, size: number): number {
  const taken = new Set<number>();
  const place = (row: number): number => {
    if (row === n) return 1;
    let count = 0;
    for (let to = 0; to < n; to++) {
      if (taken.has(to) || Math.floor(to / size) !== Math.floor(row / size)) continue;
      taken.add(to);
      count += place(row + 1);
      taken.delete(to);
    }
    return count;
  };
  return place(0);
}
