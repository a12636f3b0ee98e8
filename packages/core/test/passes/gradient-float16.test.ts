// Gradients in half precision, against the same in single precision.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { elementCount, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { type LossName, losses, objective } from "../../src/train/loss.ts";

type Precision = "float16" | "float32";
const rounding = 2 ** -11;

/** Random numbers that both types hold. */
function draw(dims: readonly number[], seed: number): (type: Precision) => Tensor {
  const random = createRandom(seed);
  const drawn = Array.from({ length: elementCount(dims) }, () => random.uniform() * 2 - 1);
  const half = Array.from(numbers(tensor(drawn, { type: "float16", dims })));
  return (type) => tensor(half, { type, dims });
}

const x = draw([6, 5], 1);
const [W1, b1, W2] = [draw([5, 8], 2), draw([8], 3), draw([8, 3], 4)];

const network = (type: Precision): Graph =>
  graph({ x: { type, shape: ["N", 5] } }, ({ x }) => {
    const weight = (values: (type: Precision) => Tensor, name: string) =>
      x.builder.weight(values(type), name);
    return {
      y: x
        .op("Gemm", [weight(W1, "W1"), weight(b1, "b1")])
        .relu()
        .matmul(weight(W2, "W2")),
    };
  });

const largest = (values: Iterable<number>): number => Math.max(...Array.from(values, Math.abs));

/** The largest difference of two runs, relative to the largest number of each output. */
function gap(a: Record<string, Tensor>, b: Record<string, Tensor>): number {
  return Math.max(
    ...Object.keys(b).map((name) => {
      const [u, v] = [numbers(a[name]!), numbers(b[name]!)];
      return largest(Array.from(v, (value, k) => value - u[k]!)) / Math.max(1e-3, largest(v));
    }),
  );
}

describe("a network with ReLU units", () => {
  const seed = draw([6, 3], 5);
  it("has the gradient of single precision, up to roundings", async () => {
    const found = (type: Precision) =>
      run(gradient(network(type), { wrt: "both" }), { x: x(type), seed_y: seed(type) });
    const half = await found("float16");
    expect(half.grad_W1!.type).toBe("float16");
    // Sums of up to 8 numbers, three layers deep.
    expect(gap(half, await found("float32"))).toBeLessThan(8 * rounding);
  });
  it.each(Object.keys(losses) as LossName[])("has that of its %s loss", async (loss) => {
    const target = (type: Precision) =>
      losses[loss].target === "class" ? tensor([0, 1, 2, 0, 1, 2], { type: "int64" }) : seed(type);
    const found = (type: Precision) =>
      run(
        gradient(objective(network(type), loss), {
          wrt: ["x", "W1", "b1", "W2"],
          of: ["loss"],
          unitSeeds: true,
        }),
        {
          x: x(type),
          target: target(type),
        },
      );
    const half = await found("float16");
    expect(half.loss!.type).toBe("float16");
    expect(gap(half, await found("float32"))).toBeLessThan(16 * rounding);
  });
});

describe("operators whose cotangents add up at their places", () => {
  const at = (indices: readonly number[], dims: readonly number[]) =>
    tensor([...indices], { type: "int64", dims });
  it.each([
    ["Gather", (v: Value) => v.op("Gather", [at([0, 2, 0], [3])])],
    ["Gather along an axis", (v: Value) => v.op("Gather", [at([0, 2, 0], [3])], { axis: 1 })],
    ["GatherElements", (v: Value) => v.op("GatherElements", [at([0, 0, 1, 1, 2], [1, 5])])],
    ["GatherND", (v: Value) => v.op("GatherND", [at([0, 1, 0, 1], [2, 2])])],
    [
      "Slice",
      (v: Value) =>
        v.op(
          "Slice",
          [[0], [5], [1], [2]].map((n) => at(n, [1])),
        ),
    ],
    ["Pad", (v: Value) => v.op("Pad", [at([1, 1, 1, 1], [4])], { mode: "reflect" })],
    ["MaxPool", (v: Value) => v.reshape([1, 1, 6, 5]).op("MaxPool", [], { kernel_shape: [3, 3] })],
  ] as const)("%s", async (_, f) => {
    const found = (type: Precision) => {
      const net = graph({ x: { type, shape: [6, 5] } }, ({ x }) => ({ y: f(x).mul(f(x)) }));
      return run(gradient(net, { unitSeeds: true }), { x: x(type) });
    };
    expect(gap(await found("float16"), await found("float32"))).toBeLessThan(4 * rounding);
  });
});
