// Every operator in every way that the operator tests use it, with each of its inputs varying, and all at once: no pair of
// points is stretched by more than a Lipschitz bound says. What jumps, or has no bound, is refused.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { GraphError } from "../../src/graph/error.ts";
import type { Graph } from "../../src/graph/graph.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { cast, elementCount, isFloat, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { lipschitzBound, localLipschitzBound, type NormOrder } from "../../src/passes/lipschitz.ts";
import { operatorCases } from "../graph/operators-cases.ts";
import { graphOfCase, inputName, int64, type OperatorCase, ramp } from "../graph/operators-runtime.ts";
import { withFloatOutputs } from "./gradient-cases.ts";

const orders: readonly NormOrder[] = [1, 2, Number.POSITIVE_INFINITY];
const norm = (v: readonly number[], order: NormOrder): number =>
  order === 1
    ? v.reduce((s, a) => s + Math.abs(a), 0)
    : order === 2
      ? Math.sqrt(v.reduce((s, a) => s + a * a, 0))
      : v.reduce((s, a) => Math.max(s, Math.abs(a)), 0);

const f64 = (dims: number[]): Tensor => ramp(dims, "float64");
const some = (values: number[], ...dims: number[]): Tensor => tensor(values, { type: "float64", dims });
/** Uses at their edges: attributes and operands for which a rule that is right in general is false. */
const further: Partial<Record<OperatorName, readonly OperatorCase[]>> = {
  MatMul: [
    { inputs: [f64([2, 3]), f64([4, 3, 2])] },
    { inputs: [f64([4, 2, 3]), f64([3, 2])] },
    { inputs: [f64([3]), f64([4, 3, 2])] },
    { inputs: [f64([1, 2, 3]), f64([4, 3, 2])] },
    { inputs: [f64([2, 3]), f64([3])] },
  ],
  Gemm: [
    { inputs: [f64([3, 2]), f64([2, 4]), f64([4])], attributes: { beta: -3 } },
    { inputs: [f64([3, 2]), f64([2, 4]), f64([3, 1])] },
    { inputs: [f64([3, 2]), f64([2, 4]), f64([3, 4])], attributes: { alpha: 0.5, beta: 2 } },
    { inputs: [f64([2, 3]), f64([4, 2]), f64([])], attributes: { transA: 1, transB: 1 } },
  ],
  Conv: [
    { inputs: [f64([2, 2, 5]), f64([3, 2, 2]), f64([3])] },
    { inputs: [f64([1, 4, 5]), f64([4, 2, 3]), f64([4])], attributes: { group: 2, pads: [2, 2] } },
    { inputs: [f64([1, 1, 7]), f64([2, 1, 3])], attributes: { strides: [2], dilations: [2] } },
  ],
  BatchNormalization: [
    { inputs: [f64([3, 2, 2]), ...[0, 0, 0, 0].map(() => f64([2]))], attributes: { epsilon: 0.125 } },
    {
      inputs: [f64([3, 2, 2]), ...[0, 0, 0, 0].map(() => f64([2]))],
      attributes: { training_mode: 1 },
      outputs: 3,
    },
  ],
  Pad: [
    { inputs: [f64([2, 3]), int64([1, 2, 1, 0]), f64([])], weights: [1] },
    { inputs: [f64([2, 3]), int64([1, 1, 1, 1])], weights: [1], attributes: { mode: "reflect" } },
  ],
  Celu: [-0.5, -2, 0.25].map((alpha) => ({ inputs: [f64([2, 3])], attributes: { alpha } })),
  Elu: [-3, 4].map((alpha) => ({ inputs: [f64([2, 3])], attributes: { alpha } })),
  Selu: [{ inputs: [f64([2, 3])], attributes: { alpha: -2, gamma: -3 } }],
  HardSigmoid: [{ inputs: [f64([2, 3])], attributes: { alpha: -2.5, beta: 0.1 } }],
  LeakyRelu: [{ inputs: [f64([2, 3])], attributes: { alpha: -3 } }],
  PRelu: [{ inputs: [f64([2, 3]), some([-4, 0.5, 2], 3)] }, { inputs: [f64([2, 3]), f64([])] }],
  Clip: [{ inputs: [f64([2, 3]), f64([]), some([1.5])] }],
  Max: [{ inputs: [f64([3]), f64([2, 3])] }],
  Sum: [{ inputs: [f64([1]), f64([4, 3]), f64([3])] }],
  Mod: [{ inputs: [f64([2, 3]), some([0.75])], attributes: { fmod: 1 } }],
  CastLike: [{ inputs: [f64([2, 3]), int64([1])], weights: [1] }],
  ReduceMean: [
    { inputs: [f64([2, 0, 3]), int64([1])], weights: [1] },
    { inputs: [f64([2, 3]), int64([1])], weights: [1] },
  ],
  MaxPool: [
    { inputs: [f64([1, 1, 6])], attributes: { kernel_shape: [3] }, outputs: 2 },
    { inputs: [f64([1, 1, 7])], attributes: { kernel_shape: [3], dilations: [2] } },
  ],
  AveragePool: [{ inputs: [f64([1, 1, 6])], attributes: { kernel_shape: [3], pads: [2, 2] } }],
  GRU: [
    {
      inputs: [f64([2, 1, 2]), f64([1, 6, 2]), f64([1, 6, 2])],
      attributes: { hidden_size: 2, activations: ["ThresholdedRelu", "Tanh"], activation_alpha: [0.4] },
    },
    { inputs: [f64([2, 1, 2]), f64([1, 6, 2]), f64([1, 6, 2])], attributes: { hidden_size: 2 } },
  ],
  Expand: [{ inputs: [f64([1, 3]), int64([4, 3])], weights: [1] }],
  Tile: [{ inputs: [f64([2, 3]), int64([1, 4])], weights: [1] }],
  Softmax: [{ inputs: [f64([2, 3])], attributes: { axis: 0 } }],
  Slice: [{ inputs: [f64([5]), int64([3]), int64([-9]), int64([0]), int64([-2])], weights: [1, 2, 3, 4] }],
};

/** Inputs beyond these sizes would only take time. */
const mostInputs = 64;
const mostDerivatives = 600;

interface Varied {
  readonly graph: Graph;
  readonly box: Readonly<Record<string, { readonly lower: number[]; readonly upper: number[] }>>;
  readonly dims: Readonly<Record<string, readonly number[]>>;
}

/** The case with some of its floating-point inputs varying about their numbers, and the others as weights. */
function varied(op: OperatorName, usage: OperatorCase, places: readonly number[], radius: number): Varied {
  const inputs = usage.inputs.map((t) => (t !== "" && isFloat(t.type) ? cast(t, "float64") : t));
  const weights = inputs.flatMap((t, k) => (t === "" || places.includes(k) ? [] : [k]));
  const graph = withFloatOutputs(graphOfCase(op, { ...usage, inputs, weights }));
  const box = places.map((k) => {
    const middle = Array.from(numbers(inputs[k] as Tensor), Number);
    return [
      inputName(k),
      { lower: middle.map((v) => v - radius), upper: middle.map((v) => v + radius) },
    ] as const;
  });
  return {
    graph,
    box: Object.fromEntries(box),
    dims: Object.fromEntries(places.map((k) => [inputName(k), (inputs[k] as Tensor).dims])),
  };
}

/** Points of the box: ends, neighbours in one coordinate and in all. */
function pointsOf({ box }: Varied, random: Random): number[][] {
  const [lower, upper] = [
    Object.values(box).flatMap((b) => b.lower),
    Object.values(box).flatMap((b) => b.upper),
  ];
  const anywhere = () => lower.map((l, k) => l + random.uniform() * (upper[k]! - l));
  const corner = () => lower.map((l, k) => (random.uniform() < 0.5 ? l : upper[k]!));
  const base = anywhere();
  const one = random.integer(0, base.length - 1);
  const near = (moves: (k: number) => boolean, by: () => number) =>
    base.map((v, k) => (moves(k) ? Math.min(upper[k]!, Math.max(lower[k]!, v + 1e-3 * by())) : v));
  return [
    base,
    near(
      (k) => k === one,
      () => 1,
    ),
    near(
      () => true,
      () => 1,
    ),
    near(
      () => true,
      () => random.normal(),
    ),
    near(
      (k) => k === base.length - 1,
      () => -1,
    ),
    corner(),
    corner(),
    lower,
    upper,
  ];
}

async function outputsAt({ graph, dims }: Varied, x: readonly number[]): Promise<number[]> {
  let start = 0;
  const given = Object.entries(dims).map(([name, shape]) => {
    const part = x.slice(start, start + elementCount(shape));
    start += part.length;
    return [name, some(part, ...shape)] as const;
  });
  const outputs = await run(graph, Object.fromEntries(given), { threads: 1, optimization: "none" });
  return Object.values(outputs).flatMap((t) => Array.from(numbers(t), Number));
}

/** A bound, or undefined where it is refused. */
function bounded(find: () => number): number | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof GraphError) return undefined;
    throw error;
  }
}

async function checkCase(op: OperatorName, usage: OperatorCase, places: readonly number[]): Promise<number> {
  const radius = 0.7;
  const net = varied(op, usage, places, radius);
  const columns = Object.values(net.dims).reduce((n, d) => n + elementCount(d), 0);
  if (columns === 0 || columns > mostInputs) return 0;
  const random = createRandom(`${op} ${places}`);
  const points = pointsOf(net, random);
  let values: number[][];
  try {
    values = await Promise.all(points.map((x) => outputsAt(net, x)));
  } catch {
    return 0; // not in double precision, or not with these weights
  }
  const isSmall = columns * values[0]!.length <= mostDerivatives;
  let found = 0;
  for (const order of orders) {
    const everywhere = bounded(() => lipschitzBound(net.graph, order));
    const local = isSmall ? bounded(() => localLipschitzBound(net.graph, net.box, order)) : undefined;
    for (const bound of [everywhere, local]) {
      if (bound === undefined) continue;
      found++;
      expect(bound, `${op} ${JSON.stringify(usage.attributes)}`).not.toBeNaN();
      points.forEach((a, i) => {
        for (let j = 0; j < i; j++) {
          const dx = norm(
            a.map((v, k) => v - points[j]![k]!),
            order,
          );
          if (dx === 0) continue;
          const dy = norm(
            values[i]!.map((v, k) => v - values[j]![k]!),
            order,
          );
          // Differences in f64 over 1e-3.
          expect(
            dy,
            `${op} ${JSON.stringify(usage.attributes)} by ${places}, norm ${order}: ${bound}`,
          ).toBeLessThanOrEqual(bound * dx * (1 + 1e-9) + 1e-9);
        }
      });
    }
  }
  return found;
}

/** These jump, or are random: whatever varies, they are refused. */
const jumping =
  "Sign Floor Ceil Round ThresholdedRelu Shrink Mod Less Greater Equal Hardmax TopK OneHot IsNaN IsInf Bernoulli Unique".split(
    " ",
  );

describe("Lipschitz bounds of operators", () => {
  it.each(Object.keys(operatorCases) as OperatorName[])("%s", async (op) => {
    let found = 0;
    for (const usage of [...operatorCases[op], ...(further[op] ?? [])] as readonly OperatorCase[]) {
      const floats = usage.inputs.flatMap((t, k) => (t !== "" && isFloat(t.type) ? [k] : []));
      const butOne = floats.length > 2 ? floats.map((k) => floats.filter((j) => j !== k)) : [];
      const subsets = [...floats.map((k) => [k]), ...butOne, ...(floats.length > 1 ? [floats] : [])];
      for (const places of subsets) found += await checkCase(op, usage, places);
    }
    if (jumping.includes(op)) expect(found).toBe(0);
  });
});
