// Hessians and per-example Jacobians against closed forms and central differences.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { hessianVectorProduct } from "../../src/passes/hessian.ts";
import { perExampleJacobian } from "../../src/passes/jacobian.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { randomTensor } from "./gradient-check.ts";

const values = (t: Tensor | undefined): number[] => Array.from(numbers(t!));
const gap = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((v, k) => Math.abs(v - b[k]!)));

describe("Hessian-vector products", () => {
  it("of x^T A x / 2 + sum of x^3 are (A + A^T)/2 v + 6 x v", async () => {
    const A = [
      [2, 1, 0],
      [-3, 4, 5],
      [0.5, 0, 1],
    ];
    const f = graph({ x: float64(3) }, ({ x }) => ({
      f: x
        .matmul(A)
        .mul(x)
        .sum([0])
        .mul(0.5)
        .add(x.pow(3).sum([0])),
    }));
    const [x, v] = [
      [0.3, -1, 2],
      [1, 0.5, -2],
    ];
    const found = await run(hessianVectorProduct(f), { x: tensor(x), vector_x: tensor(v) });
    const wanted = A.map((row, i) =>
      row.reduce((sum, a, j) => sum + ((a + A[j]![i]!) / 2) * v[j]!, 6 * x[i]! * v[i]!),
    );
    expect(gap(values(found.hessian_x), wanted)).toBeLessThan(1e-13);
    expect(found.f!.dims).toEqual([]);
    expect(found.grad_x!.dims).toEqual([3]);
  });

  it("of a network by weights and inputs are the derivative of the gradient along the direction", async () => {
    const net = initialNetwork("3-5-tanh-4-sigmoid-2", { seed: 1, type: "float64" });
    const x = randomTensor([4, 3], 1);
    const whole = hessianVectorProduct(net, { wrt: "both" });
    const directions = Object.fromEntries(
      whole.inputs.flatMap(({ name, type }, k) =>
        name.startsWith("vector_")
          ? [
              [
                name,
                randomTensor(
                  name === "vector_x" ? [4, 3] : (type as unknown as { shape: number[] }).shape,
                  9 + k,
                ),
              ],
            ]
          : [],
      ),
    );
    const found = await run(whole, { x, ...directions });
    const moved = (t: number): { net: Graph; x: Tensor } => {
      const plus = (value: Tensor, name: string) =>
        tensor(
          values(value).map((v, k) => v + t * values(directions[`vector_${name}`])[k]!),
          { dims: value.dims },
        );
      const initializers = new Map(
        [...net.initializers].map(([name, w]) => [name, plus(w as Tensor, name)] as const),
      );
      return { net: { ...net, initializers }, x: plus(x, "x") };
    };
    const at = async (t: number) => {
      const there = moved(t);
      return run(gradient(there.net, { wrt: "both", unitSeeds: true }), { x: there.x });
    };
    const step = 1e-5;
    const [ahead, behind] = [await at(step), await at(-step)];
    for (const name of Object.keys(found).filter((key) => key.startsWith("hessian_"))) {
      const key = name.replace("hessian_", "grad_");
      const difference = values(ahead[key]).map((v, k) => (v - values(behind[key])[k]!) / (2 * step));
      const scale = Math.max(1, ...difference.map(Math.abs));
      expect(gap(values(found[name]), difference) / scale).toBeLessThan(1e-8);
    }
  });
});

describe("Hessian-vector products of a graph whose names look like derivatives", () => {
  it("an output grad_x, an input vector_x, a slope", async () => {
    const f = graph({ x: float64(2), vector_x: float64(2), slope: float64(2) }, ({ x, vector_x, slope }) => ({
      grad_x: x.pow(3),
      hessian_x: x.mul(vector_x!).mul(slope!).mul(x),
    }));
    const whole = hessianVectorProduct(f, { wrt: ["x"] });
    expect(whole.inputs.map((i) => i.name)).toEqual(["x", "vector_x", "slope", "vector_x_2"]);
    expect(whole.outputs.map((o) => o.name)).toEqual(["grad_x", "hessian_x", "grad_x_2", "hessian_x_2"]);
    const found = await run(whole, {
      x: tensor([1, 2]),
      vector_x: tensor([3, 4]),
      slope: tensor([5, 6]),
      vector_x_2: tensor([1, -1]),
    });
    expect(values(found.grad_x_2)).toEqual([3 + 30, 12 + 96]);
    expect(values(found.hessian_x_2)).toEqual([6 + 30, -(12 + 48)]);
  });
  it("a weight that nothing reads has derivatives 0", async () => {
    const net = graph({ x: float64(2) }, ({ x }) => ({ y: x.mul(x) }));
    const idle = { ...net, initializers: new Map([["w", tensor([1, 2, 3])]]) };
    const found = await run(hessianVectorProduct(idle, { wrt: "both" }), {
      x: tensor([1, 2]),
      vector_x: tensor([1, 1]),
      vector_w: tensor([1, 1, 1]),
    });
    expect(values(found.hessian_x)).toEqual([2, 2]);
    expect(values(found.hessian_w)).toEqual([0, 0, 0]);
  });
});

describe("per-example Jacobians", () => {
  it.each([
    ["3-6-tanh-2", [3]],
    ["3-4-relu-1", [3]],
    ["1x6x6-conv2k3-relu-maxpool2-flatten-3", [1, 6, 6]],
  ])("of %s are the gradients of each output of each example by itself", async (spec, input) => {
    const type = spec.includes("conv") ? "float32" : "float64";
    const net = initialNetwork(spec, { seed: 3, type });
    const batch = { ...randomTensor([5, ...input], 4) };
    const x = tensor(values(batch), { type, dims: batch.dims });
    const found = await run(perExampleJacobian(net, { wrt: "both" }), { x });
    const one = gradient(net, { wrt: "both" });
    const outputs = found.y!.dims[1]!;
    const size = x.data.length / 5;
    for (let n = 0; n < 5; n++) {
      for (let k = 0; k < outputs; k++) {
        const seed = tensor(
          Array.from({ length: outputs }, (_, j) => Number(j === k)),
          { type, dims: [1, outputs] },
        );
        const row = tensor(values(x).slice(n * size, (n + 1) * size), { type, dims: [1, ...input] });
        const wanted = await run(one, { x: row, seed_y: seed });
        for (const name of Object.keys(wanted).filter((key) => key.startsWith("grad_"))) {
          const jacobian = found[name.replace("grad_", "jacobian_")]!;
          const width = wanted[name]!.data.length;
          const from = (n * outputs + k) * width;
          expect(jacobian.dims.slice(0, 2)).toEqual([5, outputs]);
          expect(gap(values(jacobian).slice(from, from + width), values(wanted[name]))).toBeLessThan(
            type === "float64" ? 1e-13 : 1e-5,
          );
        }
      }
    }
  });
});
