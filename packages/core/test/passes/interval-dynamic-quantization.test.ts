// Bounds of products that are quantized while the network runs: what the runtime gives never leaves them, and they are
// those of the numbers before up to the steps.
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../src/bounds/linear.ts";
import { run } from "../../src/engine/run.ts";
import { float32, graph } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { outputBounds } from "../../src/passes/interval.ts";

const random = createRandom("dynamic quantization");
const size = 6;
const wholeMatrix = (rows: number, columns: number) =>
  tensor(
    Array.from({ length: rows * columns }, () => random.integer(-90, 90)),
    { type: "int8", dims: [rows, columns] },
  );
const scales = (count: number) =>
  tensor(
    Array.from({ length: count }, () => 0.002 + 0.01 * random.uniform()),
    { type: "float32", dims: [count] },
  );

/** x W as exporters write it: quantized, multiplied in whole numbers, scaled back. */
function dynamicProduct(x: Value, columns: number, withZero: boolean): Value {
  const { builder } = x;
  const [q, scale, zero] = builder.apply("DynamicQuantizeLinear", [x], {}, 3) as [Value, Value, Value];
  const weights = builder.weight(wholeMatrix(size, columns));
  const own = withZero ? [builder.weight(tensor([3], { type: "int8", dims: [] }))] : [];
  const sums = q.op("MatMulInteger", [weights, zero, ...own]).cast("float32");
  return sums.mul(scale.mul(builder.weight(scales(columns))));
}

const net = graph({ x: float32(1, size) }, ({ x }) => ({
  y: dynamicProduct(dynamicProduct(x, size, true).relu(), 3, false),
}));
/** The same numbers without rounding: what bounds of the steps must be near to. */
describe("DynamicQuantizeLinear and MatMulInteger", () => {
  it.each([2, 0.3, 0.01, 0])("boxes of width %f: 300 points and corners stay inside", async (width) => {
    const centre = Array.from({ length: size }, () => 2 * random.uniform() - 1);
    const lower = Float64Array.from(centre, (c) => Math.fround(c - width / 2));
    const upper = Float64Array.from(centre, (c) => Math.fround(c + width / 2));
    const interval = outputBounds(net, { x: { lower, upper } }).get("y")!;
    const linear = await linearBounds(net, { lower, upper });
    const count = 300;
    for (let k = 0; k < count; k++) {
      const x = lower.map((l, j) => {
        const share = k % 2 === 0 ? random.integer(0, 1) : random.uniform();
        return Math.fround(l + share * (upper[j]! - l));
      });
      const inside = x.map((v, j) => Math.min(Math.max(v, lower[j]!), upper[j]!));
      const given = tensor(inside, { type: "float32", dims: [1, size] });
      numbers((await run(net, { x: given })).y!).forEach((y, j) => {
        const room = 1e-5 * (1 + Math.abs(y)); // the runtime rounds to 32 bits
        for (const bounds of [interval, linear]) {
          expect(y).toBeGreaterThanOrEqual(bounds.lower[j]! - room);
          expect(y).toBeLessThanOrEqual(bounds.upper[j]! + room);
        }
      });
    }
    // A step of 1/255 of the range moves a sum by half of it for each weight: bounds of a point are no wider.
    if (width === 0) {
      const most = interval.upper.map((u, j) => u - interval.lower[j]!);
      for (const gap of most) expect(gap).toBeLessThan(0.5);
    }
  });

  it("of a box with 0 alone give a point", () => {
    const zero = new Float64Array(size);
    const { lower, upper } = outputBounds(net, { x: { lower: zero, upper: zero } }).get("y")!;
    for (const end of [...lower, ...upper]) expect(Math.abs(end)).toBeLessThan(1e-300);
  });

  it("gives scale and whole numbers in their ranges", async () => {
    const parts = graph({ x: float32(4) }, ({ x }) => {
      const [q, s, z] = x.builder.apply("DynamicQuantizeLinear", [x], {}, 3) as [Value, Value, Value];
      return { q: q.cast("float32"), s: s.mul(1), z: z.cast("float32") };
    });
    const box = { lower: Float64Array.of(1, -1, 0, 2), upper: Float64Array.of(2, 3, 0.5, 2.5) };
    const bounds = outputBounds(parts, { x: box });
    for (let k = 0; k < 100; k++) {
      const x = box.lower.map((l, j) => Math.fround(l + random.uniform() * (box.upper[j]! - l)));
      const found = await run(parts, { x: tensor(x, { type: "float32" }) });
      for (const name of ["q", "s", "z"] as const)
        numbers(found[name]!).forEach((v, j) => {
          expect(v).toBeGreaterThanOrEqual(bounds.get(name)!.lower[j]! - 1e-7);
          expect(v).toBeLessThanOrEqual(bounds.get(name)!.upper[j]! + 1e-7);
        });
    }
    expect(bounds.get("s")!.lower[0]).toBeGreaterThan(0);
  });
});
