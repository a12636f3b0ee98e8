import { Worker } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { EngineError } from "../../src/engine/error.ts";
import { checkMemory } from "../../src/engine/memory.ts";
import { run } from "../../src/engine/run.ts";
import { release, Session, sessionOf } from "../../src/engine/session.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";

const double = graph({ x: float32("N", 2) }, ({ x }) => ({ y: x.add(x), z: x.mul(3) }));

describe("the engine", () => {
  it("runs f32 and f64, all outputs or some", async () => {
    const x = tensor([[1, 2]], { type: "float32" });
    expect(await run(double, { x })).toEqual({
      y: { type: "float32", dims: [1, 2], data: new Float32Array([2, 4]) },
      z: { type: "float32", dims: [1, 2], data: new Float32Array([3, 6]) },
    });
    expect(Object.keys(await run(double, { x }, { outputs: ["z"] }))).toEqual(["z"]);
    const third = graph({ x: float64(1) }, ({ x }) => ({ y: x.div(3) }));
    expect(numbers((await run(third, { x: tensor([1]) })).y!)[0]).toBe(1 / 3);
  });

  it("computes x sigmoid(1.702 x) in f64, for which the runtime fuses an operator that it does not have", async () => {
    const gelu = graph({ x: float64(1) }, ({ x }) => ({ y: x.mul(x.mul(1.702).sigmoid()) }));
    expect(numbers((await run(gelu, { x: tensor([1]) })).y!)[0]).toBeCloseTo(1 / (1 + Math.exp(-1.702)), 14);
  });

  it("takes and gives halves as their bits, whether or not the engine has Float16Array", async () => {
    const g = graph({ x: { type: "float16", shape: [3] } }, ({ x }) => ({ y: x.add(x) }));
    const { y } = await run(g, { x: tensor([1, 2.5, -3], { type: "float16" }) });
    expect(y!.data).toBeInstanceOf(Uint16Array);
    expect([...numbers(y!)]).toEqual([2, 5, -6]);
  });

  it("frees sessions that were not used lately, and none that is held or runs", async () => {
    const freed = vi.spyOn(Session.prototype, "release");
    const graphs = Array.from({ length: 150 }, (_, k) =>
      graph({ x: float64(1) }, ({ x }) => ({ y: x.mul(k) })),
    );
    const held = await sessionOf(graphs[0]!, { threads: 1 });
    const values = async (): Promise<number[]> =>
      Promise.all(
        graphs.map(async (g) => numbers((await run(g, { x: tensor([2]) }, { threads: 1 })).y!)[0]!),
      );
    const expected = graphs.map((_, k) => 2 * k);
    expect(await values()).toEqual(expected);
    for (const [k, g] of graphs.entries())
      expect(numbers((await run(g, { x: tensor([3]) }, { threads: 1 })).y!)[0]).toBe(3 * k);
    expect(freed.mock.calls.length).toBeGreaterThan(80);
    expect(freed.mock.contexts).not.toContain(held);
    expect(numbers((await held.run({ x: tensor([1]) }))["y"]!)[0]).toBe(0);
    expect(await values()).toEqual(expected);
  });

  it("keeps one session per graph and options", async () => {
    const g = graph({ x: float32(1) }, ({ x }) => ({ y: x.neg() }));
    expect(sessionOf(g)).toBe(sessionOf(g));
    expect(sessionOf(g)).not.toBe(sessionOf(g, { threads: 1 }));
    expect(sessionOf(g, { threads: 1 })).toBe(sessionOf(g, { threads: 1 }));
    const before = await sessionOf(g);
    await release(g);
    expect(await sessionOf(g)).not.toBe(before);
  });

  it("takes an input as it is, without a copy", async () => {
    const data = new Float32Array([1, 2]);
    const x: Tensor = { type: "float32", dims: [1, 2], data };
    await run(double, { x });
    data[0] = 10;
    expect((await run(double, { x })).y!.data).toEqual(new Float32Array([20, 4]));
  });

  it("says which input is wrong, and how", async () => {
    const given = (x: Tensor) => run(double, { x });
    await expect(run(double, {})).rejects.toThrow(new EngineError('input "x" is missing'));
    await expect(run(double, { w: tensor([1]) })).rejects.toThrow('input "x" is missing');
    await expect(given(tensor([[1, 2]]))).rejects.toThrow('input "x" is float32, not float64');
    await expect(given(tensor([[1, 2, 3]], { type: "float32" }))).rejects.toThrow(
      'input "x" has shape [N=1, 2], not [1, 3]',
    );
    await expect(given(tensor([1, 2], { type: "float32" }))).rejects.toThrow(
      'input "x" has shape [N, 2], not [2]',
    );
    const pair = graph({ a: float32("N"), b: float32("N") }, ({ a, b }) => ({ y: a.add(b) }));
    const [two, three] = [tensor([1, 2], { type: "float32" }), tensor([1, 2, 3], { type: "float32" })];
    await expect(run(pair, { a: two, b: three })).rejects.toThrow('input "b" has shape [N=2], not [3]');
    await expect(run(pair, { a: two, b: two, c: two })).rejects.toThrow(
      'the graph has no input "c"; its inputs: "a", "b"',
    );
  });

  it("gives one line for what the runtime refuses", async () => {
    // A draw from a distribution has no f64 kernel, and no definition by other operators.
    const draw = graph({ x: float64(1, 3) }, ({ x }) => ({ y: x.op("Multinomial") }));
    const error = await run(draw, { x: tensor([[1, 2, 3]]) }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EngineError);
    expect((error as Error).message).toMatch(/^ONNX Runtime refuses the model: [^\n]*Multinomial[^\n]*$/);
  });

  it("refuses a working set above the limit before it is allocated", () => {
    const big = graph({ x: float32("N", 1) }, ({ x }) => ({
      y: x.mul(tensor(new Float32Array(1000), { type: "float32", dims: [1, 1000] })),
    }));
    const x = tensor(new Float32Array(1000), { type: "float32", dims: [1000, 1] });
    expect(() => checkMemory(big, { x }, 1e6)).toThrow(/Mul node "mul" needs 0\.004\d* GB/);
    expect(() => checkMemory(big, { x }, 1e8)).not.toThrow();
    const reshaped = graph({ x: float64(2) }, ({ x }) => ({ y: x.op("Identity").reshape([2, 1]).relu() }));
    const nodes = reshaped.nodes.map((node, k) =>
      k === 0 ? { ...node, domain: "own", op: "Unheard" } : node,
    );
    const pair = tensor([1, 2]);
    expect(() => checkMemory({ ...reshaped, nodes }, { x: pair }, 1e8)).not.toThrow(); // a type that nobody knows
  });

  it("works in a worker thread", async () => {
    const entry = new URL("../../dist/index.js", import.meta.url).href;
    const code = `
      const { parentPort } = require("node:worker_threads");
      import(${JSON.stringify(entry)}).then(async ({ graph, float64, run, tensor }) => {
        const g = graph({ x: float64(2) }, ({ x }) => ({ y: x.mul(x) }));
        parentPort.postMessage((await run(g, { x: tensor([3, 4]) })).y.data);
      });`;
    const answers = await Promise.all(
      [1, 2].map(
        () =>
          new Promise((resolve, reject) => {
            new Worker(code, { eval: true, execArgv: [] }).on("message", resolve).on("error", reject);
          }),
      ),
    );
    expect(answers).toEqual([new Float64Array([9, 16]), new Float64Array([9, 16])]);
  });
});
