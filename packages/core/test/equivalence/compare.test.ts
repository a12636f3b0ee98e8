import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  applySymmetry,
  compareNetworks,
  randomSymmetry,
  symmetryGroup,
} from "../../src/equivalence/index.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { patience } from "../patience.ts";

const f64 = { type: "float64" } as const;
const f32 = { type: "float32" } as const;
type Act = "Relu" | "Tanh" | "Sigmoid";

/** x -> sum of c_k act(w_k x + b_k) + d, of two numbers. */
const shallow = (act: Act, units: readonly (readonly [number, number, number, number])[], d = 0): Graph =>
  graph({ x: float64(1, 2) }, ({ x }) => ({
    y: x
      .affine(
        tensor(
          units.map(([u, v]) => [u, v]),
          f64,
        ),
        tensor(
          units.map(([, , b]) => b),
          f64,
        ),
      )
      .op(act)
      .affine(tensor([units.map(([, , , c]) => c)], f64), tensor([d], f64)),
  }));

const models = fileURLToPath(new URL("../../../../../shared/models/", import.meta.url));

describe("shallow networks, completely", () => {
  const units = [
    [1, 2, 0.5, 1],
    [-1, 0.25, 0, -2],
    [0.5, 0.5, -1, 3],
  ] as const;

  it("a unit doubled and its outgoing weight split, another scaled by 3: the same function, proved", async () => {
    const other = shallow("Relu", [
      [1.5, 1.5, -3, 1],
      [-1, 0.25, 0, -0.5],
      [1, 2, 0.5, 1],
      [-1, 0.25, 0, -1.5],
    ]);
    expect(await compareNetworks(shallow("Relu", units), other)).toMatchObject({
      verdict: "equivalent",
      strength: "proved",
    });
  });

  it("relu(h) - relu(-h) = h: no pairing of units shows it", async () => {
    const line = shallow("Relu", [
      [1, 1, 0, 1],
      [-1, -1, 0, -1],
    ]);
    const other = shallow("Relu", [
      [2, 1, 0, 1],
      [-2, -1, 0, -1],
      [1, 0, 0, -1],
      [-1, 0, 0, 1],
    ]);
    expect(await compareNetworks(line, other)).toMatchObject({ verdict: "equivalent", strength: "proved" });
  });

  it("units that are closed or open on the box only", async () => {
    const other = shallow("Relu", [...units, [1, 0, -5, 7]]);
    const box = { lower: [-1, -1], upper: [1, 1] };
    expect(await compareNetworks(shallow("Relu", units), other, { box })).toMatchObject({
      verdict: "equivalent",
      strength: "proved",
    });
    // Elsewhere they differ: nothing is said of that without a box, where -1..1 is looked at.
    const usual = await compareNetworks(shallow("Relu", units), other, { seconds: 60 });
    expect(usual).toMatchObject({ verdict: "within", strength: "proved" });
    const wide = { lower: [-8, -8], upper: [8, 8] };
    const { verdict, witness } = await compareNetworks(shallow("Relu", units), other, { box: wide });
    expect(verdict).toBe("different");
    expect(witness!.at[0]).toBeGreaterThan(5);
  });

  it("tanh and sigmoid units: flipped, doubled", async () => {
    const flipped = [[-1, -2, -0.5, -1], units[2], [1, -0.25, 0, 1.5], [-1, 0.25, 0, -0.5]] as const;
    expect((await compareNetworks(shallow("Tanh", units), shallow("Tanh", flipped))).strength).toBe("proved");
    // sigmoid(-h) = 1 - sigmoid(h)
    const logistic = shallow("Sigmoid", [[-1, -2, -0.5, -1], units[1], units[2]], 1);
    expect(await compareNetworks(shallow("Sigmoid", units), logistic)).toMatchObject({
      verdict: "equivalent",
      strength: "proved",
    });
  });

  it.each(["Relu", "Tanh", "Sigmoid"] as const)("%s: a weight changed by 1e-3 has a witness", async (act) => {
    const changed = units.map((u, k) => (k === 1 ? ([u[0], u[1] + 1e-3, u[2], u[3]] as const) : u));
    const { verdict, witness, maxDifference } = await compareNetworks(
      shallow(act, units),
      shallow(act, changed),
    );
    expect(verdict).toBe("different");
    expect(Math.abs(witness!.second[0]! - witness!.first[0]!)).toBe(witness!.difference);
    expect(maxDifference.lower).toBeGreaterThan(1e-5);
  });
});

describe("other layouts", () => {
  const random = createRandom(4);
  const [w, scale, bias, mean, variance] = [
    random.normal(new Float32Array(8 * 3 * 9)),
    ...Array.from({ length: 4 }, () => random.uniform(8).map((v) => v + 0.5)),
  ] as [Float32Array, Float64Array, Float64Array, Float64Array, Float64Array];
  const last = tensor(random.normal(8 * 16), { ...f32, dims: [8 * 16, 1] });
  const image = { x: float32(1, 3, 4, 4) };
  const plain = graph(image, ({ x }) => {
    const z = x.op("Conv", [tensor(w, { ...f32, dims: [8, 3, 3, 3] })], { pads: [1, 1, 1, 1] });
    const n = z.op(
      "BatchNormalization",
      [scale, bias, mean, variance].map((v) => tensor(v, { ...f32, dims: [8] })),
    );
    return { y: n.relu().reshape([1, -1]).matmul(last) };
  });
  const factor = scale.map((s, k) => Math.fround(s) / Math.sqrt(Math.fround(variance[k]!) + 1e-5));
  const folded = (change = 0) =>
    graph(image, ({ x }) => {
      const weights = w.map((v, k) => v * factor[Math.floor(k / 27)]! + (k === 40 ? change : 0));
      const shift = bias.map((b, k) => b - mean[k]! * factor[k]!);
      const z = x.op(
        "Conv",
        [tensor(weights, { ...f32, dims: [8, 3, 3, 3] }), tensor(shift, { ...f32, dims: [8] })],
        {
          pads: [1, 1, 1, 1],
        },
      );
      // The same values, with channels last; the weights follow them.
      const moved = z.relu().transpose([0, 2, 3, 1]).reshape([1, -1]);
      const rows = numbers(last);
      const order = Array.from({ length: 128 }, (_, k) => rows[(k % 8) * 16 + Math.floor(k / 8)]!);
      return { y: moved.matmul(tensor(order, { ...f32, dims: [128, 1] })) };
    });

  it("a folded batch norm and a moved Transpose: equivalent up to rounding", async () => {
    expect(await compareNetworks(plain, folded(), { seconds: 60 })).toMatchObject({
      verdict: "equivalent",
      strength: "checked",
    });
  });

  it("and within what bounds prove", async () => {
    const result = await compareNetworks(plain, folded(1e-4), { seconds: 60, tolerance: 0.05 });
    expect(result).toMatchObject({ verdict: "within", strength: "proved" });
    expect(result.maxDifference.upper).toBeLessThanOrEqual(0.05);
  });

  it("but not within a tolerance below rounding", async () => {
    const { verdict, witness } = await compareNetworks(plain, folded(), { seconds: 60, tolerance: 1e-9 });
    expect(verdict).toBe("different");
    expect(witness!.difference).toBeLessThan(1e-3);
  });

  it("a weight changed by 1e-3 behind it: different", async () => {
    const { verdict, witness } = await compareNetworks(plain, folded(1e-3), { seconds: 60 });
    expect(verdict).toBe("different");
    expect(witness!.difference).toBeGreaterThan(0);
  });

  it("networks of one number: the exact supremum", async () => {
    const hat = (peak: number) =>
      graph({ x: float64(1, 1) }, ({ x }) => ({
        y: x
          .affine(tensor([[1], [1]], f64), tensor([0, -0.5], f64))
          .relu()
          .affine(tensor([[2, -4 * peak]], f64))
          .relu()
          .affine(tensor([[1]], f64)),
      }));
    const box = { lower: [0], upper: [1] };
    const { verdict, maxDifference } = await compareNetworks(hat(1), hat(0.75), { box, tolerance: 0.75 });
    expect([verdict, maxDifference.upper]).toEqual(["within", 0.5]);
  });

  it("says what does not fit", async () => {
    const one = graph({ x: float64(1, 1) }, ({ x }) => ({ y: x.relu() }));
    const two = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.relu() }));
    await expect(compareNetworks(one, two)).rejects.toThrow(
      "the first network has 1 inputs and 1 outputs, the second 2 inputs and 2 outputs",
    );
  });
});

describe("rounding, and points without a value", () => {
  const random = createRandom(11);
  const matrix = (rows: number, columns: number): Tensor =>
    tensor(random.normal(rows * columns), { ...f32, dims: [rows, columns] });
  const [first, second] = [matrix(6, 3), matrix(2, 6)];
  const scaled = (w: Tensor, by: (k: number) => number): Tensor =>
    tensor(
      Float32Array.from(numbers(w), (v, k) => Number(v) * by(k)),
      { ...f32, dims: w.dims },
    );
  const net = (u: Tensor, v: Tensor, shift = 0): Graph =>
    graph({ x: float32(1, 3) }, ({ x }) => ({
      y: x
        .affine(u)
        .relu()
        .affine(v, tensor([shift, shift], f32))
        .relu(),
    }));

  it("outputs that are 0 on nearly all of the box: units scaled by 3 are no difference", async () => {
    const copy = [scaled(first, () => 3), scaled(second, () => 1 / 3)] as const;
    const result = await compareNetworks(net(first, second, -8), net(...copy, -8), { seconds: 60 });
    expect(["equivalent", "within"]).toContain(result.verdict);
    expect(result.tolerance).toBeGreaterThanOrEqual(2 ** -20);
  });

  it("products of units in single precision: no point outside of -1..1 decides", async () => {
    const squares = (c: number): Graph =>
      graph({ x: float32(1, 3) }, ({ x }) => {
        const z = x.affine(scaled(first, () => c));
        return { y: z.mul(z).affine(scaled(second, () => 1 / c ** 2)) };
      });
    for (const points of [[], [Float64Array.of(1e4, 1e4, -1e4)]]) {
      const { verdict } = await compareNetworks(squares(1), squares(3), { seconds: 20, points });
      expect(verdict).not.toBe("different");
    }
  });

  /** x / |x|, which has no value at 0, the middle of the box. */
  const normalized = (u: Tensor, change = 0): Graph =>
    graph({ x: float32(1, 3) }, ({ x }) => ({
      y: x
        .div(
          x
            .mul(x)
            .matmul(tensor([[1], [1], [1]], f32))
            .op("Sqrt"),
        )
        .affine(scaled(u, (k) => (k === 4 ? 1 + change : 1))),
    }));

  it("no bounds about a division by 0: no crash, and differences are still seen", async () => {
    expect(await compareNetworks(normalized(first), normalized(first))).toMatchObject({
      verdict: "equivalent",
      strength: "proved",
      maxDifference: { lower: 0, upper: 0 },
    });
    expect((await compareNetworks(normalized(first), normalized(first, 0.01))).verdict).toBe("different");
  });

  it("what is seen does not exceed what is proved", async () => {
    const third = tensor([[0.1, 0.7, -1.3]], f64);
    const line = (by: number): Graph =>
      graph({ x: float64(1, 3) }, ({ x }) => ({
        y: x
          .affine(tensor([[by, 2 * by, 0.5 * by]], f64))
          .relu()
          .affine(tensor([[1 / by]], f64))
          .add(x.affine(third)),
      }));
    for (const by of [2, 3, 10]) {
      const { verdict, maxDifference } = await compareNetworks(line(1), line(by), { seconds: 20 });
      expect(["equivalent", "within"]).toContain(verdict);
      expect(maxDifference.lower).toBeLessThanOrEqual(maxDifference.upper);
    }
  });
});

describe.skipIf(!existsSync(models))("networks that nobody here wrote", () => {
  it.each(["ACASXU_run2a_1_1_batch_2000", "mnist-net_256x2"])("%s after random symmetries", async (name) => {
    const model = await loadModel(`${models}${name}.onnx`);
    for (const exact of [true, false]) {
      const copy = applySymmetry(model, randomSymmetry(symmetryGroup(model), createRandom(3), { exact }));
      const result = await compareNetworks(model, copy, { seconds: 60 });
      expect(result).toMatchObject({ verdict: "equivalent", strength: exact ? "proved" : "checked" });
      expect(result.symmetry!.length).toBeGreaterThan(0);
    }
  });

  it(
    "ACASXU 1_1 and its perturbed copy: within 0.05, proved",
    async () => {
      const [a, b] = await Promise.all(
        ["batch_2000", "perturbed"].map((end) => loadModel(`${models}ACASXU_run2a_1_1_${end}.onnx`)),
      );
      const box = { lower: [0.6, -0.5, -0.5, 0.45, -0.5], upper: [0.679857769, 0.5, 0.5, 0.5, -0.45] };
      const result = await compareNetworks(a!, b!, { box, tolerance: 0.05, seconds: 100 });
      expect(result).toMatchObject({ verdict: "within", strength: "proved" });
      expect(result.maxDifference.lower).toBeGreaterThan(0.001);
    },
    patience(300_000),
  );

  it.each([
    ["ACASXU_run2a_1_2_batch_2000", "Operation_4_MatMul_W", 1250],
    ["mnist-net_256x2", "layers.2.weight", 32768],
    ["mnist-net_256x2", "layers.4.weight", 1429],
  ])(
    "%s: one weight of %s changed by 1e-3",
    async (file, name, at) => {
      const model = await loadModel(`${models}${file}.onnx`);
      const weight = model.initializers.get(name) as Tensor;
      const data = Float32Array.from(numbers(weight), (v, k) => (k === at ? v + 1e-3 : v));
      const changed = {
        ...model,
        initializers: new Map(model.initializers).set(name, { ...weight, data } as Tensor),
      };
      expect((await compareNetworks(model, changed, { seconds: 60 })).verdict).toBe("different");
    },
    90_000,
  );
});

describe("runs that are far from what was read", () => {
  it("give no tolerance", async () => {
    // In f32 the sum loses all but multiples of 8.
    const shifted = (by: number): Graph =>
      graph({ x: float32("N", 1) }, ({ x }) => ({ y: x!.add([1e8]).sub([1e8]).add([by]) }));
    const result = await compareNetworks(shifted(0), shifted(0.3));
    expect(["different", "unknown"]).toContain(result.verdict);
    expect(result.tolerance).toBeLessThan(0.1);
  });
  it("that draw numbers are no function, not even their own", async () => {
    const on = tensor([1], { type: "bool", dims: [] });
    const half = tensor([0.5], { type: "float32", dims: [] });
    const net = graph({ x: float32(1, 64) }, ({ x }) => ({ y: x!.op("Dropout", [half, on]) }));
    const { verdict, because } = await compareNetworks(net, net);
    expect([verdict, because]).toEqual(["unknown", "a network gives other outputs each time it runs"]);
  });
});

describe("the sign of zero", () => {
  const zero = (sign: 1 | -1) => tensor([sign * 0, sign * 0], f32);
  const nets: Readonly<Record<string, (sign: 1 | -1) => Graph>> = {
    "divided by": (sign) => graph({ x: float32(1, 2) }, ({ x }) => ({ y: x.div(zero(sign)) })),
    multiplied: (sign) =>
      graph({ x: float32(1, 2) }, ({ x }) => ({ y: x.abs().mul(zero(sign)).op("Reciprocal") })),
    "the greater": (sign) =>
      graph({ x: float32(1, 2) }, ({ x }) => ({ y: x.op("Max", [zero(sign)]).op("Reciprocal") })),
  };
  it.each(Object.entries(nets))("is seen at a pole: zero is %s", async (_, net) => {
    const found = await compareNetworks(net(1), net(-1), { box: { lower: [-1, -1], upper: [1, 1] } });
    expect(found).toMatchObject({ verdict: "different", strength: "checked" });
    expect(found.maxDifference.lower).toBe(Number.POSITIVE_INFINITY);
    expect(await compareNetworks(net(1), net(1))).toMatchObject({
      verdict: "equivalent",
      strength: "proved",
    });
  });

  it("is not seen where nothing is divided by", async () => {
    const net = (sign: 1 | -1) => graph({ x: float32(1, 2) }, ({ x }) => ({ y: x.mul(zero(sign)) }));
    expect(await compareNetworks(net(1), net(-1))).toMatchObject({
      verdict: "equivalent",
      strength: "proved",
    });
  });
});
