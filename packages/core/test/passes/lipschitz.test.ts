// Lipschitz bounds against sampled quotients, closed forms and exact slopes.
import { describe, expect, it } from "vitest";
import { lipschitzBoundsInTime } from "../../src/bounds/lipschitz-in-time.ts";
import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { GraphError } from "../../src/graph/error.ts";
import type { Attribute, Graph } from "../../src/graph/graph.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { square } from "../../src/networks/square/square.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { outputBounds } from "../../src/passes/interval.ts";
import {
  exactLipschitzConstant,
  jacobianBounds,
  lipschitzBound,
  localLipschitzBound,
  type NormOrder,
} from "../../src/passes/lipschitz.ts";

const orders: readonly NormOrder[] = [1, 2, Infinity];
const size = (v: Float64Array, order: NormOrder): number =>
  order === 1
    ? v.reduce((s, a) => s + Math.abs(a), 0)
    : order === 2
      ? Math.sqrt(v.reduce((s, a) => s + a * a, 0))
      : v.reduce((s, a) => Math.max(s, Math.abs(a)), 0);

const random = createRandom(4);
const weight = (...dims: number[]) => tensor(random.normal(dims.reduce((n, d) => n * d, 1)), { dims });
const network = (last: (x: Value) => Value) =>
  graph({ x: float64("N", 4) }, ({ x }) => ({
    y: last(x.affine(weight(9, 4), weight(9)).relu().affine(weight(8, 9))),
  }));

const networks = {
  Relu: network((x) => x.relu().affine(weight(3, 8))),
  Tanh: network((x) => x.tanh().affine(weight(3, 8))),
  Sigmoid: network((x) => x.sigmoid().add(x.mul(0.5)).affine(weight(3, 8))),
  Gelu: network((x) => x.op("Gelu").affine(weight(3, 8))),
  Mish: network((x) => x.op("Mish")),
  Softmax: network((x) => x.op("Softmax")),
  Max: network((x) => x.max(x.mul(-0.3)).affine(weight(3, 8))),
  Conv: network((x) =>
    x
      .reshape([-1, 2, 2, 2])
      .op("Conv", [weight(3, 2, 2, 2)], { pads: [1, 1, 0, 0] })
      .op("MaxPool", [], { kernel_shape: [2, 2] })
      .reshape([-1, 3]),
  ),
  LeakyRelu: network((x) => x.op("LeakyRelu", [], { alpha: -1.5 }).slice(1, 2, 6)),
};

/** Quotients |f(a) - f(b)| / |a - b| for pairs of points of a box, near and far. */
async function quotients(net: (typeof networks)["Relu"], order: NormOrder, radius: number): Promise<number> {
  const count = 400;
  const a = random.uniform(4 * count).map((u) => radius * (2 * u - 1));
  const b = a.map((v, k) => {
    const other = radius * (2 * random.uniform() - 1);
    return k % 8 < 4 ? other : v + 1e-3 * (other - v);
  });
  const at = async (x: Float64Array) => numbers((await run(net, { x: tensor(x, { dims: [count, 4] }) })).y!);
  const [fa, fb] = [await at(a), await at(b)];
  const outputs = fa.length / count;
  let most = 0;
  for (let n = 0; n < count; n++) {
    const dx = a.slice(4 * n, 4 * n + 4).map((v, k) => v - b[4 * n + k]!);
    const dy = Float64Array.from({ length: outputs }, (_, k) => fa[n * outputs + k]! - fb[n * outputs + k]!);
    most = Math.max(most, size(dy, order) / size(dx, order));
  }
  return most;
}

describe("Lipschitz bounds", () => {
  it.each(Object.keys(networks) as (keyof typeof networks)[])(
    "of a network with %s hold sampled quotients",
    async (name) => {
      const net = networks[name];
      for (const order of orders) {
        const everywhere = lipschitzBound(net, order);
        for (const radius of [0.01, 1]) {
          const local = localLipschitzBound(net, { x: { lower: -radius, upper: radius } }, order);
          const sampled = await quotients(net, order, radius);
          // The quotients are differences in f64 over 1e-5 at least: off by 1e-10 or so.
          expect(sampled).toBeLessThanOrEqual(local * (1 + 1e-8) + 1e-8);
          expect(local).toBeLessThanOrEqual(everywhere);
          expect(sampled).toBeGreaterThan(0);
        }
      }
    },
  );

  it.each(
    "Relu Abs Neg Tanh Sin Cos Atan Asinh Softplus Softsign Sigmoid Erf HardSwish Gelu Mish Elu Selu Celu LeakyRelu HardSigmoid".split(
      " ",
    ) as OperatorName[],
  )("of %s alone is its greatest slope, to three digits", async (op) => {
    const net = graph({ x: float64("N", 1) }, ({ x }) => ({ y: x.op(op) }));
    const step = 2 ** -10;
    const grid = Float64Array.from({ length: 16 / step }, (_, k) => k * step - 8);
    const values = [...numbers((await run(net, { x: tensor(grid, { dims: [grid.length, 1] }) })).y!)];
    const slope = values.slice(1).reduce((most, y, k) => Math.max(most, Math.abs(y - values[k]!) / step), 0);
    const bound = lipschitzBound(net, 2);
    expect(bound).toBeGreaterThanOrEqual(slope - 1e-12 / step);
    expect(bound).toBeLessThanOrEqual(1.001 * slope);
  });

  it("of sums are sums: a constant adds nothing", () => {
    const moved = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.add(tensor([[3, -4]])) }));
    const thrice = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.add(x.mul(2)).relu() }));
    for (const order of [1, 2, Infinity] as const)
      expect([lipschitzBound(moved, order), lipschitzBound(thrice, order)]).toEqual([1, 3]);
  });

  it("of one affine map are its operator norms", () => {
    const W = tensor([
      [3, -4],
      [0, 5],
    ]);
    const net = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.affine(W) }));
    expect(lipschitzBound(net, 1)).toBe(9);
    expect(lipschitzBound(net, Infinity)).toBe(7);
    const spectral = Math.sqrt((50 + Math.sqrt(50 * 50 - 4 * 225)) / 2);
    for (const bound of [
      lipschitzBound(net, 2),
      localLipschitzBound(net, { x: { lower: 0, upper: 1 } }, 2),
    ]) {
      expect(bound).toBeGreaterThanOrEqual(spectral);
      expect(bound).toBeLessThan(1.01 * spectral);
    }
  });

  it("in one dimension are exact slopes, which the others hold", () => {
    for (const levels of [1, 3, 6]) {
      const net = square(levels);
      const exact = exactLipschitzConstant(net, 0, 1);
      expect(exact).toBe(2 - 2 ** -levels);
      expect(localLipschitzBound(net, { x: { lower: 0, upper: 1 } }, 2)).toBeGreaterThanOrEqual(exact);
    }
  });

  it("hold the derivatives of an f32 network, in a single point tightly", () => {
    const net = graph({ x: float32(1, 2) }, ({ x }) => ({ y: x.op("Gelu").mul(x).sum([1]) }));
    const { lower, upper } = jacobianBounds(net, { x: { lower: 0.5, upper: 0.5 } });
    const phi = Math.exp(-0.125) / Math.sqrt(2 * Math.PI);
    const Phi = 0.691462461274013; // of the normal distribution at 1/2
    const slope = 2 * 0.5 * Phi + 0.25 * phi;
    expect(lower[0]).toBeLessThanOrEqual(slope + 1e-14);
    expect(upper[0]).toBeGreaterThanOrEqual(slope - 1e-14);
    expect(upper[0]! - lower[0]!).toBeLessThan(1e-12);
  });

  it("do not exist for networks that jump, which is said", () => {
    const step = graph({ x: float64(1) }, ({ x }) => ({ y: x.op("Floor") }));
    const line = /^Floor node ".*" is not continuous, so that the network has no Lipschitz bound$/;
    expect(() => lipschitzBound(step, 2)).toThrow(line);
    expect(() => localLipschitzBound(step, { x: { lower: 0, upper: 1 } })).toThrow(line);
    expect(() => exactLipschitzConstant(step, 0, 2)).toThrow(line);
    const random = graph({ x: float64(1) }, ({ x }) => ({ y: x.op("RandomNormalLike") }));
    expect(() => lipschitzBound(random, 2)).toThrow(
      /^RandomNormalLike node ".*" is not known to be continuous, so that no Lipschitz bound can be given$/,
    );
    const product = graph({ x: float64(1) }, ({ x }) => ({ y: x.mul(x) }));
    expect(() => lipschitzBound(product, 2)).toThrow(/Mul node .*has no bound for all inputs/);
    expect(localLipschitzBound(product, { x: { lower: -1, upper: 2 } })).toBe(4);
  });

  it("are not given where two outputs have one name", () => {
    const net = graph({ x: float64(2) }, ({ x }) => ({ y: x.abs() }));
    const twice = { ...net, outputs: [...net.outputs, ...net.outputs] };
    const line = 'two outputs are named "y": results cannot be told apart';
    expect(() => lipschitzBound(twice, 1)).toThrow(line);
    expect(() => localLipschitzBound(twice, { x: { lower: 0, upper: 1 } }, 1)).toThrow(line);
    expect(() => outputBounds(twice, { x: { lower: 0, upper: 1 } })).toThrow(line);
  });

  it("do not exist where outputs are infinite", () => {
    for (const op of ["Add", "Max"] as const) {
      const net = graph({ x: float64(2) }, ({ x }) => ({ y: x.op(op, [tensor([1, Infinity])]) }));
      for (const order of orders) expect(() => lipschitzBound(net, order)).toThrow(/a constant is infinite/);
      expect(() => localLipschitzBound(net, { x: { lower: 0, upper: 1 } })).toThrow(/"y" is infinite/);
    }
    const masked = graph({ x: float64(2) }, ({ x }) => ({ y: x.op("Max", [tensor([0, -Infinity])]) }));
    expect(localLipschitzBound(masked, { x: { lower: -1, upper: 1 } }, 1)).toBe(1);
  });

  it("see jumps in cells, in branches and in casts", () => {
    const jump = /is not (known to be )?continuous/;
    const refused = (net: Graph) => {
      for (const order of orders) expect(() => lipschitzBound(net, order)).toThrow(jump);
      expect(() => localLipschitzBound(net, { x: { lower: -1, upper: 1 } })).toThrow(jump);
    };
    const cells = { hidden_size: 2, activations: ["ThresholdedRelu", "Tanh"], activation_alpha: [0.4] };
    refused(
      graph({ x: float64(2, 1, 2) }, ({ x }) => ({
        y: x.op("GRU", [weight(1, 6, 2), weight(1, 6, 2)], cells),
      })),
    );
    for (const type of ["int64", "float32"] as const)
      refused(
        graph({ x: float64(1, 2) }, ({ x }) => ({
          y: x.op("CastLike", [tensor([1], { type })]).cast("float64"),
        })),
      );
    refused(graph({ x: float32(1, 2) }, ({ x }) => ({ y: x.cast("float16").cast("float32") })));
    refused(graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.op("Mod", [0.75], { fmod: 1 }) })));
  });

  it("of a branch, though all that it reads is constant, are not read off", () => {
    const net = graph({ x: float64(2) }, ({ x }) => ({ y: x.mul(weight(2)) }));
    const [mul] = net.nodes;
    const inside: Graph = {
      ...net,
      inputs: [],
      nodes: [{ ...mul!, op: "Neg", inputs: [mul!.inputs[1]!], outputs: ["inner"] }],
      outputs: [{ ...net.outputs[0]!, name: "inner" }],
      initializers: new Map(),
    };
    const branch: Attribute = { type: "graph", value: inside };
    const attributes = new Map([
      ["then_branch", branch],
      ["else_branch", branch],
    ]);
    const chosen: Graph = {
      ...net,
      nodes: [
        { ...mul!, op: "If", inputs: ["flag"], outputs: ["w"], attributes },
        { ...mul!, inputs: [mul!.inputs[0]!, "w"] },
      ],
      initializers: new Map([...net.initializers, ["flag", tensor([1], { type: "bool", dims: [] })]]),
    };
    expect(() => lipschitzBound(chosen, 2)).toThrow(
      /cannot read If node.*: the graphs inside of it are not read/,
    );
  });

  it("of a mean over nothing end", () => {
    const net = graph({ x: float64(1, 3) }, ({ x }) => ({ y: x.slice(1, 3, 3).mean([1]) }));
    for (const order of orders) {
      const find = () => localLipschitzBound(net, { x: { lower: -1, upper: 1 } }, order);
      let bound = Number.POSITIVE_INFINITY;
      try {
        bound = find();
      } catch (error) {
        expect(error).toBeInstanceOf(GraphError);
      }
      // It is not a number: no bound, or any.
      expect(bound).toBeGreaterThanOrEqual(0);
    }
  });
});

describe("Lipschitz bounds in time", () => {
  const box = { x: { lower: -0.5, upper: 0.5 } };

  it.each(Object.entries(networks))("are the same as without a limit: %s", async (_, net) => {
    const { bounds, complete, reasons } = await lipschitzBoundsInTime(net, box, { seconds: 600 });
    expect([complete, reasons]).toEqual([true, []]);
    for (const { order, global, local } of bounds)
      expect([global, local]).toEqual([lipschitzBound(net, order), localLipschitzBound(net, box, order)]);
  });

  it("when the time is over, what holds everywhere stands on the box", async () => {
    const { bounds, complete } = await lipschitzBoundsInTime(networks.Relu, box, { seconds: 0 });
    expect(complete).toBe(false);
    for (const { order, global, local } of bounds)
      expect([global, local]).toEqual([
        lipschitzBound(networks.Relu, order),
        lipschitzBound(networks.Relu, order),
      ]);
  });

  it("of one variable: exact, unless the time is over", async () => {
    const line = { x: { lower: 0, upper: 1 } };
    expect(await lipschitzBoundsInTime(square(4), line)).toMatchObject({ exact: 1.9375, complete: true });
    expect(await lipschitzBoundsInTime(square(4), line, { seconds: 0 })).toMatchObject({
      exact: undefined,
      complete: false,
    });
  });
});
