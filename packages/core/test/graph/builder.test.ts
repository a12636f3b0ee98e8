import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { Builder, bool, float32, float64, graph, int64 } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";

describe("the builder", () => {
  it("reads like mathematics", async () => {
    const norm = graph({ x: float64("N", 3) }, ({ x }) => ({ y: x.mul(x).sum([1]).sqrt() }));
    const { y } = await run(norm, {
      x: tensor([
        [3, 4, 0],
        [1, 2, 2],
      ]),
    });
    expect([...numbers(y!)]).toEqual([5, 3]);
    expect(norm.outputs[0]).toEqual({ name: "y", type: { type: "float64", shape: ["N"] } });
  });

  it("gives numbers the element type of their partner", async () => {
    const g = graph({ x: float32(2) }, ({ x }) => ({ y: x.mul([2, 3]).add(1) }));
    const { y } = await run(g, { x: tensor([1, 1], { type: "float32" }) });
    expect(y).toEqual({ type: "float32", dims: [2], data: new Float32Array([3, 4]) });
  });

  it("says what does not fit, where it is written", () => {
    expect(() => graph({ x: float64(2, 3) }, ({ x }) => ({ y: x.matmul([[1, 2]]) }))).toThrow(
      /MatMul.*\[2, ?3\].*\[1, ?2\]/,
    );
    expect(() =>
      graph({ x: float64(2) }, ({ x }) => ({ y: x.op("LeakyRelu", [], { alhpa: 1 } as object) })),
    ).toThrow(/alhpa/);
  });

  it("may give an input, a weight or one value twice as outputs", async () => {
    const g = graph({ x: float64(1) }, ({ x }) => {
      const twice = x.add(x);
      return { same: x, a: twice, b: twice };
    });
    const { same, a, b } = await run(g, { x: tensor([2]) });
    expect([same, a, b].map((t) => numbers(t!)[0])).toEqual([2, 4, 4]);
  });

  it("stores a shared weight once", () => {
    const shared = tensor([1, 2, 3]);
    const g = graph({ x: float64(3) }, ({ x }) => ({ y: x.mul(shared).add(shared) }));
    expect(g.initializers.size).toBe(1);
  });

  it("inlines one graph in another", async () => {
    const increment = graph({ x: float64(1) }, ({ x }) => ({ y: x.add(1) }));
    const twice = graph({ x: float64(1) }, ({ x }) => {
      const once = x.builder.inline(increment, { x }).y!;
      return { y: x.builder.inline(increment, { x: once }).y! };
    });
    const { y } = await run(twice, { x: tensor([5]) });
    expect(numbers(y!)[0]).toBe(7);
  });

  it("writes loops and branches that use values from outside", async () => {
    // y = x 2^trips, by a Loop whose body reads the outer factor; inlined in another graph it still works.
    const power = graph({ x: float64(1), trips: int64() }, ({ x, trips }) => {
      const factor = x.mul(0).add(2);
      const body = x.builder.subgraph({ k: int64(), go: bool(), state: float64(1) }, ({ go, state }) => ({
        more: go!.op("Identity"),
        next: state!.mul(factor),
      }));
      return { y: trips.op("Loop", [tensor(1, { type: "bool", dims: [] }), x], { body }) };
    });
    const inputs = { x: tensor([3]), trips: tensor(4, { type: "int64" }) };
    expect(numbers((await run(power, inputs)).y!)[0]).toBe(48);
    const outer = graph({ x: float64(1), trips: int64() }, ({ x, trips }) => ({
      z: x.builder.inline(power, { x: x.neg(), trips }).y!,
    }));
    expect(numbers((await run(outer, inputs)).z!)[0]).toBe(-48);
  });

  it("never reuses a name", () => {
    const builder = new Builder();
    expect(new Set([builder.fresh("a"), builder.fresh("a"), builder.fresh("a_2")]).size).toBe(3);
  });
});
