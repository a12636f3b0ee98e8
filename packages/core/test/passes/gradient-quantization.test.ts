// Gradients through quantizers are straight-through: 1 inside the range of the type, 0 where a number is cut off.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float32, graph } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { gradient } from "../../src/passes/gradient.ts";

const int8 = (values: readonly number[], dims: readonly number[]) => tensor(values, { type: "int8", dims });
const single = (values: readonly number[], dims: readonly number[] = [values.length]) =>
  tensor(values, { type: "float32", dims });

describe("gradients of quantization", () => {
  const [scale, zero] = [0.1, 3];
  const net = graph({ x: float32(5), s: float32() }, ({ x, s }) => ({
    y: x.op("QuantizeLinear", [s, int8([zero], [])]).op("DequantizeLinear", [s, int8([zero], [])]),
  }));
  const x = [0.26, -1.234, 12.3, -100, 50];

  it("are those of the identity inside, of a constant outside, and by the scale what rounding leaves", async () => {
    const results = await run(gradient(net), {
      x: single(x),
      s: single([scale], []),
      seed_y: single([1, 2, 3, 4, 5]),
    });
    const s = Math.fround(scale);
    const q = x.map((v) => Math.max(-128, Math.min(127, Math.round(Math.fround(v) / s) + zero)));
    const inside = q.map((v) => v > -128 && v < 127);
    const seeds = [1, 2, 3, 4, 5];
    expect([...numbers(results["grad_x"]!)]).toEqual(seeds.map((g, k) => (inside[k] ? g : 0)));
    // d(s (q - z)) / ds = q - z, and inside less x / s by what dq / ds gives.
    const byScale = seeds.reduce((sum, g, k) => sum + g * (q[k]! - zero - (inside[k] ? x[k]! / s : 0)), 0);
    expect(numbers(results["grad_s"]!)[0]).toBeCloseTo(byScale, 3);
  });

  it("go through products of whole numbers as through those of real ones", async () => {
    const w = int8([1, -2, 3, 4, -5, 6], [3, 2]);
    const product = graph({ x: float32(1, 3) }, ({ x: input }) => {
      const [q, s, z] = input.builder.apply("DynamicQuantizeLinear", [input], {}, 3);
      const sums = q!.op("MatMulInteger", [w, z, int8([1], [])]);
      return { y: sums.cast("float32").mul(s!) };
    });
    const results = await run(gradient(product), {
      x: single([0.5, -1, 2], [1, 3]),
      seed_y: single([1, 10], [1, 2]),
    });
    // y = x (w - 1): the range moves with its ends, whose roundings alone differ from that.
    const expected = [0 * 1 + -3 * 10, 2 * 1 + 3 * 10, -6 * 1 + 5 * 10];
    const found = [...numbers(results["grad_x"]!)];
    found.forEach((g, k) => {
      expect(Math.abs(g - expected[k]!)).toBeLessThan(1);
    });
  });
});
