// Interval bounds of whole networks: sampled points never leave them; monotone functions have tight ones; what is wrong
// with a network or box is said in one line.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { release } from "../../src/engine/session.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { isTensorType } from "../../src/graph/graph.ts";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { inputShapes } from "../../src/passes/affine/compile.ts";
import { intervalBounds, outputBounds } from "../../src/passes/interval.ts";
import { layers, randomNetwork, width } from "./interval-networks.ts";

const points = Number(process.env.LEMMATA_FUZZ_POINTS ?? 1e5);
const pointsPerNetwork = 500;

/**
 * A network of some ten layers, each with slopes up to 3 or so, in f64: roundings of 2^-53 grow to no more than this,
 * beside numbers of size 1.
 */
const runRounding = 1e-10;

describe("interval bounds of random networks", () => {
  it(`hold ${points} sampled points`, { timeout: 3_600_000 }, async () => {
    const random = createRandom("interval fuzz");
    const used = new Set<string>();
    let narrowest = Infinity;
    for (let n = 0; n < points / pointsPerNetwork; n++) {
      const { graph: net, ops } = randomNetwork(random, random.integer(1, 9));
      const radius = 10 ** random.integer(-6, 0);
      const center = random.normal(width);
      const box = { lower: center.map((c) => c - radius), upper: center.map((c) => c + radius) };
      const bounds = outputBounds(net, { x: box });
      const data = Float64Array.from({ length: width * pointsPerNetwork }, (_, k) => {
        const t = random.uniform();
        const [l, u] = [box.lower[k % width]!, box.upper[k % width]!];
        return k % 3 === 0 ? (t < 0.5 ? l : u) : Math.min(u, Math.max(l, l + t * (u - l)));
      });
      const results = await run(
        net,
        { x: tensor(data, { dims: [pointsPerNetwork, width] }) },
        { optimization: "none", threads: 1 },
      );
      await release(net);
      for (const [name, output] of Object.entries(results)) {
        const { lower, upper } = bounds.get(name)!;
        numbers(output).forEach((value, k) => {
          const room = runRounding * (1 + Math.abs(value));
          const [l, u] = [lower[k % width]!, upper[k % width]!];
          if (!(l - room <= value && value <= u + room))
            expect.fail(`${ops.join(" -> ")}, radius ${radius}: ${name} is ${value}, outside ${l} to ${u}`);
          narrowest = Math.min(narrowest, u - l);
        });
      }
      for (const op of ops) used.add(op);
    }
    expect(narrowest).toBeLessThan(1e-3); // the bounds say something
    expect(Object.keys(layers).filter((op) => !used.has(op))).toEqual([]);
  });
});

describe("interval bounds", () => {
  const boundsOf = (net: ReturnType<typeof graph>, lower: number, upper: number) => {
    const y = outputBounds(net, { x: { lower, upper } }).get("y")!;
    return [y.lower[0]!, y.upper[0]!] as const;
  };

  it.each([
    ["Tanh", Math.tanh],
    ["Sigmoid", (x: number) => 1 / (1 + Math.exp(-x))],
    ["Exp", Math.exp],
    ["Softplus", (x: number) => Math.log1p(Math.exp(x))],
    ["Relu", (x: number) => Math.max(0, x)],
    ["Atan", Math.atan],
    ["Asinh", Math.asinh],
    ["Softsign", (x: number) => x / (1 + Math.abs(x))],
    ["Floor", Math.floor],
  ] as const)("of %s are its values at the ends", (op, f) => {
    const net = graph({ x: float64(1) }, ({ x }) => ({ y: x.op(op) }));
    for (const [l, u] of [
      [-2, 1],
      [0.25, 0.75],
      [-3, -1.5],
    ] as const) {
      const [lower, upper] = boundsOf(net, l, u);
      for (const [bound, value] of [
        [lower, f(l)],
        [upper, f(u)],
      ] as const)
        expect(Math.abs(bound - value)).toBeLessThanOrEqual(32 * 2 ** -52 * Math.abs(value));
    }
  });

  it("of an affine layer are attained", () => {
    const W = tensor([[1, -2, 3]]);
    const net = graph({ x: float64(1, 3) }, ({ x }) => ({ y: x.affine(W, tensor([0.5])) }));
    const [lower, upper] = boundsOf(net, -1, 2);
    expect(lower).toBeCloseTo(1 * -1 - 2 * 2 + 3 * -1 + 0.5, 12);
    expect(upper).toBeCloseTo(1 * 2 - 2 * -1 + 3 * 2 + 0.5, 12);
  });

  it("know squares, and softmax as a whole", () => {
    const square = graph({ x: float64(1) }, ({ x }) => ({ y: x.mul(x) }));
    expect(boundsOf(square, -1, 2)).toEqual([0, 4]);
    const soft = graph({ x: float64(1, 3) }, ({ x }) => ({ y: x.op("Softmax") }));
    const [lower, upper] = boundsOf(soft, -1, 1);
    expect(lower).toBeCloseTo(Math.exp(-1) / (Math.exp(-1) + 2 * Math.E), 12);
    expect(upper).toBeCloseTo(Math.E / (Math.E + 2 * Math.exp(-1)), 12);
  });

  it("keep shape arithmetic exact, and take an open batch as 1", () => {
    const net = graph({ x: float64("N", 2, 3) }, ({ x }) => {
      const shape = x.op("Shape");
      return {
        y: x.op("Reshape", [
          shape.gather([0], 0).concat([shape.gather([1], 0).mul(shape.gather([2], 0))], 0),
        ]),
      };
    });
    expect(intervalBounds(net, { x: { lower: 0, upper: 1 } }).get("y")!.dims).toEqual([1, 6]);
  });

  it.each([
    [
      "a weight that is NaN",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.add(tensor([1, Number.NaN])) })),
          { x: { lower: 0, upper: 1 } },
        ),
      /^the weight ".*" holds NaN, which has no bounds$/,
    ],
    [
      "an empty box",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.relu() })),
          { x: { lower: 1, upper: 0 } },
        ),
      /^the box is empty: x\[0\] from 1 to 0$/,
    ],
    [
      "a box with NaN",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.relu() })),
          { x: { lower: [0, Number.NaN], upper: [1, 1] } },
        ),
      /^the box is empty: x\[1\]/,
    ],
    [
      "a box of another size",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.relu() })),
          { x: { lower: [0], upper: [1] } },
        ),
      /has 2 numbers, not 1/,
    ],
    [
      "a box without an input",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.relu() })),
          {},
        ),
      /^the box says nothing of input "x"$/,
    ],
    [
      "a box with another input",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.relu() })),
          { x: { lower: 0, upper: 1 }, z: { lower: 0, upper: 1 } },
        ),
      /^the graph has no input "z"/,
    ],
    [
      "a division by zero",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.div(x.sub(0.5)) })),
          { x: { lower: 0, upper: 1 } },
        ),
      /^the interval pass cannot read Div node ".*": it divides by a number between -0.5 and 0.5, which may be zero$/,
    ],
    [
      "a weight without bound",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.mul(tensor([1, Infinity])) })),
          { x: { lower: 0, upper: 1 } },
        ),
      /one of its factors is infinite$/,
    ],
    [
      "an attribute that is NaN",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.op("LeakyRelu", [], { alpha: Number.NaN }) })),
          { x: { lower: -1, upper: 1 } },
        ),
      /^the interval pass cannot read LeakyRelu node ".*": it gives NaN$/,
    ],
    [
      "random numbers",
      () =>
        outputBounds(
          graph({ x: float64(2) }, ({ x }) => ({ y: x.op("RandomNormalLike") })),
          { x: { lower: 0, upper: 1 } },
        ),
      /^the interval pass cannot read RandomNormalLike node/,
    ],
  ] as const)("refuse %s in one line", (_, attempt, message) => {
    expect(attempt).toThrow(message);
  });
});

const models = new URL("../../../../../shared/models/", import.meta.url);
const files = [
  "ACASXU_run2a_1_1_batch_2000.onnx",
  "ACASXU_run2a_2_3_batch_2000.onnx",
  "mnist-net_256x2.onnx",
  "Convnet_avgpool.onnx",
  "Convnet_maxpool.onnx",
  "resnet_2b.onnx",
];

describe("interval bounds of models", () => {
  it.each(files)("%s hold 1000 sampled outputs", async (file) => {
    const path = new URL(file, models);
    if (!existsSync(path)) return console.warn(`skipped: ${path.pathname} is missing`);
    const net = await loadModel(path.pathname);
    const random = createRandom(file);
    const [{ name, dims, type }] = inputShapes(net) as [ReturnType<typeof inputShapes>[number]];
    const count = dims.reduce((n, d) => n * d, 1);
    for (const radius of [1e-3, 0.1]) {
      const center = random.uniform(count).map((u) => u - 0.5);
      const box = {
        lower: center.map((c) => Math.fround(c - radius)),
        upper: center.map((c) => Math.fround(c + radius)),
      };
      const bounds = [...outputBounds(net, { [name]: box }).values()][0]!;
      for (let k = 0; k < 500; k++) {
        const values = box.lower.map((l, i) => {
          const t = random.uniform();
          return k % 2 === 0
            ? t < 0.5
              ? l
              : box.upper[i]!
            : Math.min(box.upper[i]!, Math.max(l, l + t * (box.upper[i]! - l)));
        });
        const [output] = Object.values(
          await run(
            net,
            { [name]: tensor(values, { type: "float32", dims: isTensorType(type) ? dims : [] }) },
            { threads: 1 },
          ),
        );
        // The model runs in f32: sums of a few thousand numbers, 2^-24 each, grown by the layers behind.
        numbers(output!).forEach((value, i) => {
          const room = 1e-3 * (1 + Math.abs(value));
          expect(value).toBeGreaterThanOrEqual(bounds.lower[i]! - room);
          expect(value).toBeLessThanOrEqual(bounds.upper[i]! + room);
        });
      }
      await release(net);
    }
  });
});
