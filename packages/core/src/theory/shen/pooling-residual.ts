import { logFactorial } from "../../capacity/combinatorics.ts";
import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const pools = {
  max: (rows: Value) => rows.op("ReduceMax", [tensor([2], { type: "int64" })], { keepdims: 0 }),
  min: (rows: Value) => rows.op("ReduceMin", [tensor([2], { type: "int64" })], { keepdims: 0 }),
  mean: (rows: Value) => rows.mean([2]),
} as const;

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
    "change of outputs, rows moved between two regions": atLeast("10^{-6}"),
    "orders of the rows that keep the regions": equals(String.raw`\prod_k |\mathcal I_k|!`),
    "difference of two residual layers less that of their F": equals("0"),
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
    const gap = async (order: readonly number[]) =>
      distance(before, await values(net(order), points, inputs));
    const [first, second] = [residual(inputs, random.split("a")), residual(inputs, random.split("b"))];
    const of = (which: Graph) => values(which, points, inputs);
    const plain = distance(await of(first.plain), await of(second.plain));
    return {
      graph: net(identity),
      claims: {
        "change of outputs, rows moved within their regions": sampled(await gap(within), 0, {
          tolerance: pool === "mean" ? 1e-12 : 0, // a sum in another order
        }),
        ...(regions > 1 && {
          "change of outputs, rows moved between two regions": sampled(await gap(between), 1e-6),
        }),
        ...(rows <= 8 && {
          "orders of the rows that keep the regions": checked(
            keepingOrders(rows, size),
            Math.round(Math.exp(regions * logFactorial(size))),
          ),
        }),
        "difference of two residual layers less that of their F": sampled(
          distance(await of(first.whole), await of(second.whole)) - plain,
          0,
          { tolerance: 1e-12 * (1 + plain) }, // x + F is rounded
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

/** F and x + F for a small F. */
function residual(d: number, random: Random): { readonly plain: Graph; readonly whole: Graph } {
  const [W, b, V] = [random.normal(5 * d), random.normal(5), random.normal(5 * d)];
  const F = (x: Value): Value =>
    x
      .affine(tensor(W, { dims: [5, d] }), tensor(b, { dims: [5] }))
      .relu()
      .matmul(tensor(V, { dims: [5, d] }));
  return {
    plain: graph({ x: float64("N", d) }, ({ x }) => ({ y: F(x) })),
    whole: graph({ x: float64("N", d) }, ({ x }) => ({ y: x.add(F(x)) })),
  };
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
