// Every operator that the pieces pass reads, in every way that the operator tests use it, against ONNX Runtime.
import { describe, expect, it } from "vitest";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { elementCount, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { evaluate, type PiecewiseTensor, piecesAlong, piecesPass } from "../../src/passes/pieces.ts";
import { operatorCases } from "../graph/operators-cases.ts";
import {
  feedsOf,
  graphOfCase,
  int64,
  type OperatorCase,
  ramp,
  runGraph,
} from "../graph/operators-runtime.ts";

/** Numbers between -3 and 3 that are all different; another end, another order. */
const spread = (t: Tensor, factor: number): Tensor =>
  tensor(
    Array.from({ length: elementCount(t.dims) }, (_, k) => ((k * factor + 131) % 1009) / 168 - 3),
    { type: "float32", dims: t.dims },
  );

const parameters = [0.013, 0.5003, 0.77];

/** Which fed inputs vary along the segment: all that can, or the first alone where a product would not be linear. */
function segment(test: OperatorCase, onlyFirst: boolean) {
  const feeds = [...feedsOf(test)];
  const vary = (t: Tensor, k: number) => t.type === "float32" && !(onlyFirst && k > 0);
  const end = (factor: number) =>
    Object.fromEntries(feeds.map(([name, t], k) => [name, vary(t, k) ? spread(t, factor) : t]));
  return { start: end(7919), end: end(3571) };
}

function alongCase(op: OperatorName, test: OperatorCase) {
  const graph = graphOfCase(op, test);
  for (const onlyFirst of [false, true]) {
    const { start, end } = segment(test, onlyFirst);
    try {
      return { graph, start, end, pieces: piecesAlong(graph, start, end) };
    } catch (error) {
      const reason = (error as Error).message;
      if (onlyFirst || !/not piecewise linear|not a constant/.test(reason)) throw error;
    }
  }
  throw new Error("unreachable");
}

const between = (a: Tensor, b: Tensor, t: number): Tensor => {
  if (a.type !== "float32") return a;
  const [p, q] = [numbers(a), numbers(b)];
  return tensor(
    Array.from(p, (x, k) => x + t * (q[k]! - x)),
    { type: "float32", dims: a.dims },
  );
};

/** What the operator table's tests use but a pass of real functions refuses: it says so and why. */
const refusals: Partial<Record<OperatorName, RegExp>> = {
  Cast: /rounds to float16/,
  Dropout: /training mode/,
  MaxPool: /output "y1"/, // the places of the greatest elements
  TreeEnsembleRegressor: /cannot read Sigmoid/, // what is made of its sums
  Reciprocal: /not a constant/,
};

/** More ways to use some operators, where padding and rounding of sizes meet. */
const image = ramp([1, 2, 6, 5]);
const further: Partial<Record<OperatorName, readonly OperatorCase[]>> = {
  AveragePool: [
    {
      inputs: [image],
      attributes: {
        kernel_shape: [3, 2],
        strides: [2, 2],
        ceil_mode: 1,
        pads: [0, 1, 1, 1],
        count_include_pad: 1,
      },
    },
    {
      inputs: [image],
      attributes: { kernel_shape: [3, 3], strides: [2, 2], auto_pad: "SAME_LOWER", count_include_pad: 1 },
    },
  ],
  MaxPool: [
    {
      inputs: [image],
      attributes: { kernel_shape: [3, 2], strides: [2, 2], ceil_mode: 1, pads: [1, 1, 1, 1] },
    },
  ],
  ConvTranspose: [
    { inputs: [image, ramp([2, 3, 3, 3])], attributes: { strides: [2, 2], output_shape: [12, 10] } },
    { inputs: [image, ramp([2, 3, 4, 3])], attributes: { strides: [2, 2], auto_pad: "SAME_LOWER" } },
    {
      inputs: [image, ramp([2, 2, 4, 3])],
      attributes: { strides: [3, 2], auto_pad: "SAME_UPPER", group: 2 },
    },
  ],
  Conv: [
    { inputs: [image, ramp([3, 2, 4, 3])], attributes: { strides: [2, 1], auto_pad: "SAME_LOWER" } },
    { inputs: [image, ramp([4, 1, 2, 2])], attributes: { group: 2, pads: [1, 0, 0, 2], dilations: [2, 2] } },
  ],
  Pad: [
    { inputs: [ramp([3, 4]), int64([2, 1, 1, 3])], weights: [1], attributes: { mode: "reflect" } },
    { inputs: [ramp([3, 4]), int64([2, 1, 1, 3])], weights: [1], attributes: { mode: "wrap" } },
    { inputs: [ramp([3, 4]), int64([0, -1, 1, -2])], weights: [1] },
  ],
  Einsum: [
    { inputs: [ramp([2, 3]), ramp([3]), ramp([4, 2])], attributes: { equation: "ij,j,ki->k" } },
    { inputs: [ramp([2, 4, 3]), ramp([2, 4, 3])], attributes: { equation: "...j,...j->..." } },
  ],
  ScatterND: [
    { inputs: [ramp([3, 4]), int64([2, 0, 2], [3, 1]), ramp([3, 4])], attributes: { reduction: "add" } },
  ],
  Clip: [{ inputs: [ramp([2, 3]), tensor([-Infinity], { type: "float32", dims: [] })], weights: [1] }],
  Mod: [{ inputs: [ramp([5]), tensor([0.75], { type: "float32" })], weights: [1], attributes: { fmod: 1 } }],
};

const read = Object.keys(piecesPass.rules) as OperatorName[];

describe("the pieces of an operator", () => {
  it("are known for all that the brief asks", () => {
    const asked =
      "Relu LeakyRelu PRelu ThresholdedRelu HardSigmoid Clip Abs Max Min Sum Mean Add Sub Mul Div Neg MatMul Gemm Einsum Conv ConvTranspose AveragePool GlobalAveragePool MaxPool GlobalMaxPool BatchNormalization ReduceSum ReduceMean ReduceMax ReduceMin Identity Reshape Flatten Squeeze Unsqueeze Transpose Expand Tile Concat Split Slice Gather GatherElements GatherND ScatterElements ScatterND Pad Cast Dropout Shape Where DepthToSpace SpaceToDepth Sign Floor Ceil Round Less LessOrEqual Greater GreaterOrEqual Equal Not And Or Xor".split(
        " ",
      );
    expect(asked.filter((op) => !read.includes(op as OperatorName))).toEqual([]);
  });

  it.each(read)("%s agree with the runtime", async (op) => {
    for (const test of [...operatorCases[op], ...(further[op] ?? [])]) {
      let along: ReturnType<typeof alongCase>;
      try {
        along = alongCase(op, test);
      } catch (error) {
        expect((error as Error).message).toMatch(refusals[op] ?? /^$/);
        continue;
      }
      const { graph, start, end, pieces } = along;
      for (const t of parameters) {
        const feeds = Object.entries(start).map(([name, a]) => [name, between(a, end[name]!, t)] as const);
        const computed = await runGraph(graph, new Map(feeds));
        const [name, output] = [...computed][0]!;
        const { dims, components } = pieces[name] as PiecewiseTensor;
        expect(dims).toEqual([...output.dims]);
        const values = numbers(output);
        components.forEach((f, k) => {
          const exact = toNumber(evaluate(f, t));
          expect(
            Math.abs(exact - values[k]!),
            `${op} ${Object.entries(test.attributes ?? {}).join(" ")} [${k}]`,
          ).toBeLessThan(1e-3 * (1 + Math.abs(exact)));
        });
      }
    }
  });
});
