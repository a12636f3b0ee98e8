// Jacobian-vector products: against central differences, and as the adjoint of the gradient.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { type Graph, isTensorType } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { jacobianVectorProduct } from "../../src/passes/tangent.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { randomTensor } from "./gradient-check.ts";

const inner = (a: Tensor, b: Tensor): number => {
  const q = numbers(b);
  return Array.from(numbers(a)).reduce((sum, v, k) => sum + v * q[k]!, 0);
};

/** A direction for every input `tangent_...` of the graph; open dimensions are those of x. */
const directions = (of: Graph, x: Tensor, seed: number): Record<string, Tensor> =>
  Object.fromEntries(
    of.inputs.flatMap(({ name, type }, k) => {
      if (!name.startsWith("tangent_") || !isTensorType(type)) return [];
      const dims = name === "tangent_x" ? x.dims : (type.shape as readonly number[]);
      return [[name, randomTensor(dims, seed + k)] as const];
    }),
  );

const networks: readonly (readonly [string, readonly number[]])[] = [
  ["3-5-tanh-4-sigmoid-2", [4, 3]],
  ["4-6-relu-6-gelu-1", [3, 4]],
  ["1x6x6-conv4k3-relu-maxpool2-flatten-5-softplus-3", [2, 1, 6, 6]],
];

describe("Jacobian-vector products", () => {
  it("of x -> (x y, sin x) along (u, v) are (u y + x v, u cos x)", async () => {
    const f = graph({ x: float64(3), y: float64(3) }, ({ x, y }) => ({ p: x.mul(y), s: x.sin() }));
    const [x, y, u, v] = [1, 2, 3, 4].map((k) => randomTensor([3], k)) as [Tensor, Tensor, Tensor, Tensor];
    const found = await run(jacobianVectorProduct(f), { x, y, tangent_x: u, tangent_y: v });
    const at = (t: Tensor, k: number): number => numbers(t)[k]!;
    for (let k = 0; k < 3; k++) {
      expect(at(found.tangent_p!, k)).toBeCloseTo(at(u, k) * at(y, k) + at(x, k) * at(v, k), 14);
      expect(at(found.tangent_s!, k)).toBeCloseTo(at(u, k) * Math.cos(at(x, k)), 14);
      expect(at(found.p!, k)).toBeCloseTo(at(x, k) * at(y, k), 14);
    }
  });

  it.each(networks)("of %s are the adjoint of the gradient: <s, J t> = <J^T s, t>", async (spec, dims) => {
    const net = initialNetwork(spec, { seed: 3, type: "float64" });
    const x = randomTensor(dims, 1);
    const forward = jacobianVectorProduct(net, { wrt: "both" });
    const along = directions(forward, x, 20);
    const { y, tangent_y: moved } = await run(forward, { x, ...along });
    const seed = randomTensor(y!.dims, 5);
    const back = await run(gradient(net, { wrt: "both" }), { x, seed_y: seed });
    const theirs = Object.entries(along).reduce(
      (sum, [name, t]) => sum + inner(back[name.replace("tangent_", "grad_")]!, t),
      0,
    );
    expect(moved!.dims).toEqual(y!.dims);
    expect(inner(seed, moved!)).toBeCloseTo(theirs, 11);
    expect(Math.abs(theirs)).toBeGreaterThan(1e-3);
  });

  it("are what differences say", async () => {
    const net = initialNetwork("3-5-tanh-4-sigmoid-2", { seed: 1, type: "float64" });
    const [x, t] = [randomTensor([4, 3], 1), randomTensor([4, 3], 2)];
    const { tangent_y: moved } = await run(jacobianVectorProduct(net), { x, tangent_x: t });
    const step = 1e-5;
    const at = async (h: number): Promise<ArrayLike<number>> => {
      const there = Array.from(numbers(x), (v, k) => v + h * numbers(t)[k]!);
      return numbers((await run(net, { x: tensor(there, { dims: [4, 3] }) })).y!);
    };
    const [up, down] = [await at(step), await at(-step)];
    numbers(moved!).forEach((v, k) => {
      expect(v).toBeCloseTo((up[k]! - down[k]!) / (2 * step), 8);
    });
  });

  it("are 0 where nothing depends on what moves", async () => {
    const f = graph({ x: float64(2), y: float64(2) }, ({ x, y }) => ({ p: x.mul(2), q: y.mul(3) }));
    const [x, y, u] = [1, 2, 3].map((k) => randomTensor([2], k)) as [Tensor, Tensor, Tensor];
    const found = await run(jacobianVectorProduct(f, { wrt: ["x"] }), { x, y, tangent_x: u });
    expect(Array.from(numbers(found.tangent_q!))).toEqual([0, 0]);
    expect(Array.from(numbers(found.tangent_p!))).toEqual(Array.from(numbers(u), (v) => 2 * v));
  });
});
