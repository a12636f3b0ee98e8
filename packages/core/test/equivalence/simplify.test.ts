// Reduced networks are the function that they were, on the box, as ONNX Runtime runs both; and what was planted is gone.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { type Simplification, simplify } from "../../src/equivalence/index.ts";
import type { ActivationName } from "../../src/functions/activation.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { type Graph, requiredInputs, type TensorType } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import type { Layer } from "../../src/networks/layers/layered.ts";
import { layer, network } from "../../src/networks/layers/layers.ts";
import { square } from "../../src/networks/square/square.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

interface Sides {
  readonly lower: number[];
  readonly upper: number[];
}

const cube = (dimension: number, lower = -1, upper = 1): Sides => ({
  lower: new Array<number>(dimension).fill(lower),
  upper: new Array<number>(dimension).fill(upper),
});

/** The greatest difference on points of the box, every other one a corner, and the greatest output. */
async function seenChange(a: Graph, b: Graph, { lower, upper }: Sides, random: Random, count = 200) {
  const [input] = requiredInputs(a);
  const { type, shape } = input!.type as TensorType;
  let [worst, size] = [0, 0];
  const isBatched = typeof shape![0] !== "number";
  const batch = isBatched ? count : 1;
  for (let n = 0; n < (isBatched ? 1 : Math.min(count, 40)); n++) {
    const x = Array.from({ length: batch }, (_, k) =>
      lower.map((l, i) => {
        const share = random.uniform();
        return Math.fround(l + ((n + k) % 2 ? share : Math.round(share)) * (upper[i]! - l));
      }),
    );
    const dims = shape!.map((d) => (typeof d === "number" ? d : batch));
    const given = { [input!.name]: tensor(x.flat(), { type: type as "float64", dims }) };
    const [ya, yb] = await Promise.all(
      [a, b].map(async (net) => numbers((await run(net, given))[net.outputs[0]!.name]!)),
    );
    expect(yb!.length).toBe(ya!.length);
    for (let k = 0; k < ya!.length; k++) {
      worst = Math.max(worst, Math.abs(Number(ya![k]) - Number(yb![k])));
      size = Math.max(size, Math.abs(Number(ya![k])));
    }
  }
  return { worst, size };
}

/** Runs round: products of sums of tens of terms, a few layers deep. */
const runRounding = { float64: 2 ** -44, float32: 2 ** -15 };

async function expectSame(a: Graph, found: Simplification, box: Sides, random: Random): Promise<void> {
  const { type } = a.inputs[0]!.type as TensorType;
  const { worst, size } = await seenChange(a, found.graph, box, random);
  expect(found.strength).toBe("proved");
  expect(worst).toBeLessThanOrEqual(found.change! + runRounding[type as "float64"] * (1 + size));
  expect(found.seen!).toBeLessThanOrEqual(found.change!);
  expect(found.graph.inputs.map(({ name }) => name)).toEqual(requiredInputs(a).map(({ name }) => name));
  expect(found.graph.outputs.map(({ name }) => name)).toEqual(a.outputs.map(({ name }) => name));
}

const normals = (random: Random, rows: number, columns: number, scale = 1): number[][] =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => scale * random.normal()));

/** Hidden layers with a dead, an always-active, a constant, an unread unit and two multiples among `width` others. */
function planted(random: Random, dimension: number, width: number, depth: number, outputs: number): Layer[] {
  const layers: Layer[] = [];
  let [before, bound] = [dimension, 1];
  for (let l = 0; l < depth; l++) {
    const rows = normals(random, width, before, 0.5);
    const bias = rows.map(() => 0.3 * random.normal());
    const reach = (row: readonly number[]): number => bound * row.reduce((s, w) => s + Math.abs(w), 0);
    const [dead, active] = normals(random, 2, before, 0.5) as [number[], number[]];
    const all = [
      ...rows,
      dead,
      active,
      new Array<number>(before).fill(0),
      rows[0]!,
      rows[1]!.map((w) => 4 * w),
    ];
    const biases = [...bias, -reach(dead) - 0.1, reach(active) + 0.1, 0.75, bias[0]!, 4 * bias[1]!];
    const unread = normals(random, 1, before)[0]!;
    const mixed = random.permutation(all.length);
    layers.push(
      layer([...Array.from(mixed, (k) => all[k]!), unread], [...Array.from(mixed, (k) => biases[k]!), 0]),
    );
    bound = Math.max(...all.map((row, k) => reach(row) + Math.abs(biases[k]!)));
    before = all.length + 1;
  }
  layers.push(layer(normals(random, outputs, before), normals(random, 1, outputs)[0]!));
  // Nobody reads the last unit of a hidden layer.
  return layers.map(({ weights, bias }, l) => {
    if (l === 0) return { weights, bias };
    const rows = Array.from({ length: weights.rows }, (_, r) =>
      Array.from(weights.values.subarray(weights.starts[r]!, weights.starts[r + 1]!)),
    );
    const dense = rows.map((row, r) => {
      const full = new Array<number>(weights.columns).fill(0);
      row.forEach((w, k) => {
        full[weights.columnOf[weights.starts[r]! + k]!] = w;
      });
      return full.with(weights.columns - 1, 0);
    });
    return layer(dense, bias);
  });
}

describe("simplify, chains of layers", () => {
  it.each([
    [1, "float64"],
    [2, "float64"],
    [3, "float64"],
    [4, "float32"],
    [5, "float32"],
  ] as const)("takes out what was planted, seed %i in %s", async (seed, precision) => {
    const random = createRandom(seed);
    const [dimension, width, depth] = [random.integer(1, 4), random.integer(3, 9), random.integer(1, 3)];
    const net = network(planted(random, dimension, width, depth, 2), { precision });
    const box = cube(dimension);
    const found = await simplify(net, { box });
    await expectSame(net, found, box, random);
    for (const { removed, after } of found.layers) {
      // One dead, one constant, one unread, two multiples; more may be dead by chance.
      expect(removed.dead ?? 0).toBeGreaterThanOrEqual(1);
      expect((removed.unused ?? 0) + (removed.merged ?? 0) + (removed.constant ?? 0)).toBeGreaterThanOrEqual(
        3,
      );
      expect(after).toBeLessThanOrEqual(width + 1);
    }
    expect(found.after.nonzeros).toBeLessThan(found.before.nonzeros);
    expect(found.removed.every(({ unit }) => unit! >= 0 && unit! < width + 6)).toBe(true);
  });

  it("changes nothing at all when asked to be exact", async () => {
    for (const precision of ["float64", "float32"] as const) {
      const random = createRandom(`exact ${precision}`);
      const net = network(planted(random, 3, 6, 2, 2), { precision });
      const found = await simplify(net, { box: cube(3), exactOnly: true });
      expect(found.change).toBe(0);
      expect(found.after.hiddenUnits!).toBeLessThanOrEqual(found.before.hiddenUnits! - 2 * 2);
      await expectSame(net, found, cube(3), random);
    }
  });

  it("is proved equal by the exact kind of rounding only: dyadic multiples and dead units cost nothing", async () => {
    const net = network([
      layer(
        [
          [1, 2],
          [2, 4],
          [1, 1],
        ],
        [0.5, 1, -9],
      ),
      layer([[1, 0.25, 3]]),
    ]);
    const found = await simplify(net, { box: cube(2) });
    expect(found.change).toBe(0);
    expect(found.removed.map(({ unit, reason }) => [unit, reason])).toEqual(
      expect.arrayContaining([
        [1, "merged"],
        [2, "dead"],
      ]),
    );
    expect(found.after).toMatchObject({ hiddenUnits: 1, nonzeros: 4 });
  });

  it("merges two affine maps when all units between them are active", async () => {
    const random = createRandom(8);
    const far = layer(normals(random, 9, 3), new Array<number>(9).fill(60));
    const net = network([
      far,
      layer(normals(random, 7, 9), new Array<number>(7).fill(0)),
      layer([[1, 2, 3, 4, 5, 6, 7]]),
    ]);
    const found = await simplify(net, { box: cube(3) });
    await expectSame(net, found, cube(3), random);
    expect(found.layers[0]).toMatchObject({ before: 9, after: 0, removed: { active: 9 } });
  });

  it("says many always-active units by as many linear ones as they read", async () => {
    const random = createRandom(9);
    const rows = normals(random, 20, 2);
    const bias = rows.map((_, k) => (k < 15 ? 30 : 0));
    const net = network([layer(rows, bias), layer(normals(random, 12, 20)), layer(normals(random, 1, 12))]);
    const found = await simplify(net, { box: cube(2) });
    await expectSame(net, found, cube(2), random);
    expect(found.layers[0]!.after).toBeLessThanOrEqual(7);
    expect(found.layers[0]!.added).toBe(2);
  });

  it("says always-active units by one linear unit for each row that reads them, also where a row reads none", async () => {
    const random = createRandom(10);
    const rows = normals(random, 12, 6);
    const bias = rows.map((_, k) => (k < 10 ? 40 : 0));
    const outputs = normals(random, 3, 12).map((row, r) =>
      r === 1 ? row.map((w, k) => (k < 10 ? 0 : w)) : row,
    );
    const net = network([layer(rows, bias), layer(outputs, [1, 2, 3])]);
    const found = await simplify(net, { box: cube(6) });
    await expectSame(net, found, cube(6), random);
    expect(found.layers[0]).toMatchObject({ before: 12, after: 4, added: 2 });
  });

  it("is a constant where all units of a layer are dead", async () => {
    const net = network([
      layer([[1], [-1]], [-5, -5]),
      layer(
        [
          [1, 1],
          [2, 3],
        ],
        [1, -1],
      ),
      layer([[1, 1]], [3]),
    ]);
    const found = await simplify(net, { box: cube(1) });
    await expectSame(net, found, cube(1), createRandom(1));
    expect(found).toMatchObject({ change: 0, after: { hiddenUnits: 0, nonzeros: 1 } });
  });

  it("keeps the layers behind one that is constant, where their values would have to be rounded", async () => {
    const net = network(
      [layer([[0], [0]], [0, 0]), layer([[1, 2]], [0.3]), layer([[3]], [0.5]), layer([[2]], [1])],
      {
        activation: "tanh",
      },
    );
    const found = await simplify(net, { box: cube(1), exactOnly: true });
    await expectSame(net, found, cube(1), createRandom(1));
    expect(found).toMatchObject({ change: 0, after: { hiddenUnits: 2 } });
  });

  it.each(["tanh", "logistic"] as const)(
    "merges equal and opposite units of %s",
    async (activation: ActivationName) => {
      const random = createRandom(activation);
      const rows = normals(random, 4, 2);
      const bias = [0.1, -0.2, 0.3, 0];
      const all = layer([...rows, rows[0]!, rows[1]!.map((w) => -w)], [...bias, 0.1, 0.2]);
      const net = network([all, layer(normals(random, 2, 6))], { activation });
      const found = await simplify(net, { box: cube(2) });
      await expectSame(net, found, cube(2), random);
      expect(found.layers[0]).toMatchObject({ before: 6, after: 4, removed: { merged: 2 } });
      expect(found.change!).toBeLessThan(1e-12);
    },
  );

  it("uses without a box only what holds everywhere", async () => {
    const net = network([layer([[1], [2], [1]], [0, 0, -9]), layer([[1, 1, 1]])]);
    const found = await simplify(net);
    expect(found.layers[0]).toMatchObject({ after: 2, removed: { merged: 1 } });
    expect(found.change).toBe(0);
    await expectSame(net, found, cube(1, -20, 20), createRandom(2));
  });

  it("leaves a network alone that has nothing to spare", async () => {
    const net = square(4);
    const found = await simplify(net, { box: cube(1, 0, 1) });
    expect(found).toMatchObject({ change: 0, strength: "proved" });
    expect(found.removed).toEqual([]);
    expect(found.graph).toBe(net);
  });

  it("spends an error budget, and no more than that", async () => {
    const random = createRandom(12);
    const net = network([
      layer(normals(random, 30, 2), new Array<number>(30).fill(0.1)),
      layer(normals(random, 1, 30).map((row) => row.map((w, k) => (k < 15 ? w : 1e-5 * w)))),
    ]);
    const box = cube(2);
    const exact = await simplify(net, { box });
    let units = exact.after.hiddenUnits!;
    for (const within of [1e-3, 1e-1, 100]) {
      const found = await simplify(net, { box, within });
      expect(found.change!).toBeLessThanOrEqual(within);
      await expectSame(net, found, box, random);
      expect(found.after.hiddenUnits!).toBeLessThanOrEqual(units);
      units = found.after.hiddenUnits!;
    }
    expect((await simplify(net, { box, within: 1e-3 })).after.hiddenUnits!).toBeLessThanOrEqual(15);
    expect(units).toBe(0);
  });

  it("refines what relaxation leaves open, when there is time", async () => {
    // |x| - |x| + relu(...) : z = relu(x) + relu(-x) - 1.01 <= 0 on [-1, 1] is not seen by lines through both hinges.
    const net = network([
      layer([
        [1, 1],
        [-1, -1],
        [1, -1],
        [-1, 1],
      ]),
      layer(
        [
          [1, 1, 1, 1],
          [1, 0, 1, 0],
        ],
        [-2.05, 0],
      ),
      layer([[1, 1]]),
    ]);
    const plain = await simplify(net, { box: cube(2) });
    const refined = await simplify(net, { box: cube(2), seconds: 5 });
    expect(plain.layers[1]!.after).toBe(2);
    expect(refined.layers[1]!.removed.dead).toBe(1);
    await expectSame(net, refined, cube(2), createRandom(3));
  });

  it("says what is wrong with a box or a budget", async () => {
    await expect(simplify(square(2), { box: cube(2) })).rejects.toThrow(
      "the network has 1 inputs, the box 2",
    );
    await expect(simplify(square(2), { within: -1 })).rejects.toThrow("below 0");
  });
});

const weight = (random: Random, ...dims: number[]): number[] =>
  Array.from({ length: dims.reduce((a, b) => a * b, 1) }, () => 0.5 * random.normal());

/** A filter bank in which channel 1 is dead on inputs in [-1, 1], channel 3 twice channel 0. */
function plantChannels(values: number[], bias: number[], inner: number): void {
  bias[1] = -values.slice(inner, 2 * inner).reduce((s, w) => s + Math.abs(w), 0.5);
  for (let k = 0; k < inner; k++) values[3 * inner + k] = 2 * values[k]!;
  bias[3] = 2 * bias[0]!;
}

describe("simplify, other graphs", () => {
  it.each([1, 2, 3])(
    "takes channels out of convolutions with a residual connection, seed %i",
    async (seed) => {
      const random = createRandom(`channels ${seed}`);
      const [w1, b1] = [weight(random, 6, 2, 3, 3), weight(random, 6)];
      plantChannels(w1, b1, 18);
      const pads = [1, 1, 1, 1];
      const t = (values: number[], ...dims: number[]) => tensor(values, { dims });
      const net = graph({ x: float64(1, 2, 5, 5) }, ({ x }) => {
        const h = x.op("Conv", [t(w1, 6, 2, 3, 3), t(b1, 6)], { pads }).relu();
        const g = h
          .op("Conv", [t(weight(random, 2, 6, 3, 3), 2, 6, 3, 3)], { pads })
          .add(x)
          .relu();
        const p = g.op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] }).op("Flatten");
        return { y: p.op("Gemm", [t(weight(random, 3, 8), 3, 8), t(weight(random, 3), 3)], { transB: 1 }) };
      });
      const box = cube(50);
      const found = await simplify(net, { box });
      await expectSame(net, found, box, random);
      expect(found.removed).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ unit: 1, reason: "dead" }),
          expect.objectContaining({ unit: 3, reason: "merged", into: 0 }),
        ]),
      );
      expect(found.layers[0]!.after).toBeLessThanOrEqual(4);
    },
  );

  it.each(["Conv", "Gemm"] as const)(
    "folds BatchNormalization into %s, and drops Identity and Dropout",
    async (op) => {
      const random = createRandom(op);
      const isConv = op === "Conv";
      const dims = isConv ? [5, 2, 3, 3] : [2, 5];
      const vector = (from: (v: number) => number = (v) => v) => tensor(weight(random, 5).map(from));
      const shape = isConv ? [1, 2, 4, 4] : ["N", 2];
      const net = graph({ x: float64(...shape) }, ({ x }) => {
        const z = x.op("Identity").op(op, [tensor(weight(random, ...dims), { dims }), vector()]);
        const n = z.op("BatchNormalization", [vector(), vector(), vector(), vector((v) => v * v + 0.1)]);
        return { y: n.relu().op("Dropout").mul(2) };
      });
      const box = cube(isConv ? 32 : 2);
      const found = await simplify(net, { box });
      await expectSame(net, found, box, random);
      expect(found.removed.filter(({ reason }) => reason === "folded")).toHaveLength(3);
      expect(found.graph.nodes.some((node) => node.op === "BatchNormalization")).toBe(false);
      expect(found.change!).toBeLessThan(1e-9);
      const everywhere = await simplify(net);
      expect(everywhere).toMatchObject({ change: undefined, strength: "none" });
    },
  );

  it("drops a Cast to the type that its input has, and no other", async () => {
    const cast = (type: "float32" | "float64") => ({ to: type === "float32" ? 1 : 11 });
    const net = graph({ x: float64("N", 2) }, ({ x }) => ({
      y: x.op("Cast", [], cast("float64")).mul(3).op("Cast", [], cast("float32")).add(1),
    }));
    const { graph: small } = await simplify(net, { box: cube(2) });
    expect(small.nodes.map(({ op }) => op)).toEqual(["Mul", "Cast", "Add"]);
  });

  it.each([1, 2, 3])("takes units out of a residual network of dense layers, seed %i", async (seed) => {
    const random = createRandom(`residual ${seed}`);
    const f32 = { type: "float32" } as const;
    const [w, b] = [weight(random, 8, 3), weight(random, 8)];
    plantChannels(w, b, 3);
    b[5] = w.slice(15, 18).reduce((s, v) => s + Math.abs(v), 0.5); // always active
    const net = graph({ x: float32("N", 3) }, ({ x }) => {
      const t = (values: number[], ...dims: number[]) => tensor(values, { ...f32, dims });
      const h = x.op("Gemm", [t(w, 8, 3), t(b, 8)], { transB: 1 }).relu();
      const s = x.add(h.op("Gemm", [t(weight(random, 3, 8), 3, 8), t(weight(random, 3), 3)], { transB: 1 }));
      return { y: s.relu().op("Gemm", [t(weight(random, 2, 3), 2, 3)], { transB: 1 }) };
    });
    const found = await simplify(net, { box: cube(3) });
    await expectSame(net, found, cube(3), random);
    expect(found.layers[0]!.after).toBeLessThanOrEqual(6);
  });
});
