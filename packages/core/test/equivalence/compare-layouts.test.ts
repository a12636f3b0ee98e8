// The same function, or nearly, from another writer, type or layout.
import { onnx } from "onnx-proto";
import { describe, expect, it } from "vitest";
import { loweringError } from "../../src/bounds/difference/lowering-error.ts";
import { networkOf } from "../../src/bounds/linear.ts";
import {
  applySymmetry,
  compareNetworks,
  nodeDifferences,
  randomSymmetry,
  symmetryGroup,
} from "../../src/equivalence/index.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";

const f32 = { type: "float32" } as const;
const random = createRandom(8);
const widths = [3, 6, 5, 2];
const layers = widths.slice(1).map((rows, l) => ({
  w: Float32Array.from(random.normal(rows * widths[l]!)),
  b: Float32Array.from(random.normal(rows)),
  dims: [rows, widths[l]!] as const,
}));
type Layers = typeof layers;

const gemms = (given: Layers): Graph =>
  graph({ x: float32(1, 3) }, ({ x }) => ({
    y: given.reduce((v, { w, b, dims }, l) => {
      const z = v.affine(tensor(w, { ...f32, dims }), tensor(b, f32));
      return l + 1 < given.length ? z.relu() : z;
    }, x),
  }));
const net = gemms(layers);
const proved = { verdict: "equivalent", strength: "proved" };

/** Weights as float16 tensors that a Cast makes float32. */
function halved(model: Graph): Graph {
  const initializers = new Map(model.initializers);
  const casts = [...model.initializers].map(([name, weight]) => {
    const { dims } = weight as { readonly dims: readonly number[] };
    initializers.delete(name);
    initializers.set(
      `${name} half`,
      tensor([...numbers(weight as never)] as number[], { type: "float16", dims }),
    );
    return {
      op: "Cast",
      domain: "",
      name: `cast ${name}`,
      inputs: [`${name} half`],
      outputs: [name],
      attributes: new Map([["to", { type: "int" as const, value: 1n }]]),
    };
  });
  return { ...model, initializers, nodes: [...casts, ...model.nodes] } as unknown as Graph;
}

describe("the same function", () => {
  it("a fused Gemm, and MatMul with Add", async () => {
    const apart = graph({ x: float32(1, 3) }, ({ x }) => ({
      y: layers.reduce((v, { w, b, dims: [rows, columns] }, l) => {
        const turned = w.map((_, k) => w[(k % rows) * columns + Math.floor(k / rows)]!);
        const z = v.matmul(tensor(turned, { ...f32, dims: [columns, rows] })).add(tensor(b, f32));
        return l + 1 < layers.length ? z.relu() : z;
      }, x),
    }));
    expect(await compareNetworks(net, apart)).toMatchObject(proved);
  });

  it("a deep unit that nothing reads, removed", async () => {
    const [first, second, third] = layers as [Layers[0], Layers[0], Layers[0]];
    const unread = third.w.map((v, k) => (k % 5 === 2 ? 0 : v));
    const without = <T extends Float32Array>(values: T, isGone: (k: number) => boolean) =>
      values.filter((_, k) => !isGone(k));
    const pruned: Layers = [
      first,
      {
        w: without(second.w, (k) => Math.floor(k / 6) === 2),
        b: without(second.b, (k) => k === 2),
        dims: [4, 6],
      },
      { w: without(unread, (k) => k % 5 === 2), b: third.b, dims: [2, 4] },
    ];
    const whole = gemms([first, second, { ...third, w: unread }]);
    expect(await compareNetworks(whole, gemms(pruned))).toMatchObject(proved);
    expect(await compareNetworks(gemms(pruned), whole)).toMatchObject(proved);
  });

  it("decoded and encoded by another library", async () => {
    const other = onnx.ModelProto.encode(onnx.ModelProto.decode(writeModel(net))).finish();
    expect(await compareNetworks(net, await readModel(other))).toMatchObject(proved);
  });

  it("weights that float16 holds, as float16 with Casts", async () => {
    const short = layers.map((layer) => ({ ...layer, w: layer.w.map((v) => Math.round(64 * v) / 64) }));
    const exact = gemms(short.map((layer) => ({ ...layer, b: layer.b.map((v) => Math.round(8 * v) / 8) })));
    expect(await compareNetworks(exact, halved(exact))).toMatchObject(proved);
  });

  it("the terms of a softmax in another order: canonical forms say so", async () => {
    const terms = (order: readonly number[]): Graph =>
      graph({ x: float32(1, 2) }, ({ x }) => ({
        y: x
          .affine(
            tensor(
              order.map((k) => [k - 0.5, 1 / (1 + k)]),
              f32,
            ),
            tensor(
              order.map((k) => 0.25 * k),
              f32,
            ),
          )
          .op("Softmax", [], { axis: 1 })
          .affine(tensor([order.map((k) => (k * k) / 4)], f32)),
      }));
    expect(await compareNetworks(terms([0, 1, 2, 3]), terms([2, 0, 3, 1]), { seconds: 60 })).toMatchObject({
      verdict: "equivalent",
      strength: "checked",
    });
    const other = await compareNetworks(terms([0, 1, 2, 3]), terms([2, 0, 3, 1.25]), { seconds: 60 });
    expect(other.verdict).toBe("different");
  });

  it("hidden nodes agree once units are beside those that they stand for", async () => {
    const symmetry = randomSymmetry(symmetryGroup(net), createRandom(1), { exact: true });
    const copy = applySymmetry(net, symmetry);
    const result = await compareNetworks(net, copy);
    expect(result).toMatchObject(proved);
    const points = [[0.1, -0.7, 0.4] as const, [1, 1, -1] as const];
    const close = { atol: 1e-5, rtol: 0 };
    const as = async (options: object) =>
      (await nodeDifferences(net, copy, points, close, options))!.map(({ agrees }) => agrees);
    expect(await as({})).toContain(false);
    expect(await as({ symmetry: result.symmetry })).not.toContain(false);
  });
});

describe("not the same function", () => {
  it("weights rounded to float16: different, and within what bounds prove", async () => {
    const { verdict, maxDifference } = await compareNetworks(net, halved(net), { seconds: 10 });
    expect(verdict).toBe("different");
    const tolerance = 50 * maxDifference.lower;
    const box = { lower: [-1, -1, -1], upper: [1, 1, 1] };
    expect(await compareNetworks(net, halved(net), { box, tolerance, seconds: 10 })).toMatchObject({
      verdict: "within",
      strength: "proved",
    });
  });

  /** Beside 20 ordinary units one that is open only near a corner of the cube; its bias, its weights out. */
  const rare = (bias: number, out: number): Graph => {
    const w = createRandom(2).normal(400);
    const first = [
      ...Array.from({ length: 20 }, (_, k) => [...w.subarray(20 * k, 20 * k + 20)]),
      Array(20).fill(1),
    ];
    return graph({ x: float32(1, 20) }, ({ x }) => ({
      y: x
        .affine(tensor(first, f32), tensor([...Array(20).fill(0), bias], f32))
        .relu()
        .affine(tensor([[...Array(20).fill(0.1), out]], f32)),
    }));
  };
  it.each([
    ["bias", rare(-19 + 1e-2, 1)],
    ["outgoing weight", rare(-19, 1 + 1e-2)],
  ])("a changed %s that only a corner of the box shows", async (_, changed) => {
    const box = { lower: Array(20).fill(0), upper: Array(20).fill(1) };
    const { verdict, witness } = await compareNetworks(rare(-19, 1), changed, { box, seconds: 20 });
    expect(verdict).toBe("different");
    expect(witness!.difference).toBeGreaterThan(1e-4);
  });

  const bent = (op: "Elu" | "Clip", ...parameters: readonly number[]): Graph =>
    graph({ x: float64(1, 1) }, ({ x }) => {
      const curve =
        op === "Elu"
          ? x.op("Elu", [], { alpha: parameters[0] })
          : x.op(
              "Clip",
              parameters.map((p) => tensor(p)),
            );
      return { y: curve.mul(2) };
    });

  it("curves of one family with other parameters, however near or far", async () => {
    const box = { lower: [-10], upper: [10] };
    const clips = await compareNetworks(bent("Clip", -5000, 5000), bent("Clip", -6000, 6000));
    expect(clips.verdict).not.toBe("equivalent");
    const elus = await compareNetworks(bent("Elu", 0.5), bent("Elu", 0.5 + 2 ** -20), { box, seconds: 60 });
    expect(elus.verdict).toBe("different");
    expect(await compareNetworks(bent("Elu", 0.5), bent("Elu", 0.5))).toMatchObject(proved);
  });
});

describe("weights that are rounded when a graph is read", () => {
  const normed = (variance: number, shift = 0): Graph =>
    graph({ x: float64(1, 1) }, ({ x }) => ({
      y: x
        .op(
          "BatchNormalization",
          [[1.5], [0.25], [0.5], [variance]].map((v) => tensor(v)),
        )
        .relu()
        .affine(tensor([[1]]), tensor([shift])),
    }));
  /** Two variances whose factors are the same double. */
  const factor = (v: number): number => 1.5 / Math.sqrt(v + Math.fround(1e-5));
  const v = Array.from({ length: 64 }, (_, k) => 1 + k * 2 ** -52).find(
    (u) => factor(u) === factor(u + 2 ** -52) && u + Math.fround(1e-5) !== u + 2 ** -52 + Math.fround(1e-5),
  )!;
  const box = { lower: [-1024], upper: [1024] };

  it("two real factors that are one double are not proved to be equal, and the bound holds their difference", async () => {
    const result = await compareNetworks(normed(v), normed(v + 2 ** -52), { box });
    expect(result).toMatchObject({ verdict: "equivalent", strength: "checked" });
    // d/dv of 1.5 / sqrt(v): 0.75 v^-1.5, on 1023.5 numbers.
    const least = 0.7 * 1023.5 * 2 ** -52;
    expect(result.maxDifference.upper).toBeGreaterThan(least);
    expect(result.maxDifference.upper).toBeLessThan(1e-11);
    const shifted = await compareNetworks(normed(v), normed(v + 2 ** -52, 2 ** -30), {
      box,
      tolerance: 1e-6,
    });
    expect(shifted).toMatchObject({ verdict: "within", strength: "proved" });
    expect(shifted.maxDifference.upper).toBeGreaterThan(2 ** -30 + least);
  });

  it("no rounding, no error", () => {
    expect([
      ...loweringError(networkOf(net), { lower: new Float64Array(3), upper: new Float64Array(3) }),
    ]).toEqual([0, 0]);
  });
});
