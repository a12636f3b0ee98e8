// Every operator that the interval pass reads, in every way that the operator tests use it, against ONNX Runtime in f64:
// no point of a box leaves the bound.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { operators } from "../../src/graph/operators/index.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { intervalPass } from "../../src/passes/interval.ts";
import { inFloat64 } from "../graph/definitions-runtime.ts";
import { operatorCases } from "../graph/operators-cases.ts";
import {
  feedsOf,
  graphOfCase,
  inSingleOnly,
  int64,
  type OperatorCase,
  ramp,
} from "../graph/operators-runtime.ts";
import { around, expectInside, pointIn } from "./interval-cases.ts";

/** Bodies of the cases of these are written in f32. */
const inFloat32: ReadonlySet<string> = new Set(["Loop", "Scan", "If", ...inSingleOnly]);

/** Why no bounds can be given, by operator; others must be read on every box. */
const refusals: Partial<Record<OperatorName, RegExp>> = {
  Div: /may be zero/,
  QuantizeLinear: /may be zero/,
  Reciprocal: /may be zero/,
  Mod: /not a constant|may be zero/,
  Pow: /may be/,
  Sqrt: /may be/,
  Log: /may be/,
  Tan: /pole/,
  Asin: /may be/,
  Acos: /may be/,
  Acosh: /may be/,
  Atanh: /may be/,
  ReduceLogSum: /may be/,
  BatchNormalization: /may be/,
  Det: /may be zero/,
  Dropout: /training mode/,
  Range: /not a constant/,
  Resize: /must be constant/,
  Compress: /not a constant/,
  NonZero: /not a constant/,
};

/** More ways to use some operators, with numbers on both sides of zero where cases have only positive ones. */
const signed = (dims: readonly number[]): Tensor =>
  tensor(
    Array.from(ramp(dims).data as Float32Array, (v) => 8 * v - 4),
    { type: "float32", dims },
  );
const unary = [{ inputs: [signed([3, 5])] }];
const signedNames =
  "Abs Neg Sign Floor Ceil Round Exp Erf Sin Cos Atan Sinh Cosh Tanh Asinh Relu LeakyRelu Elu Selu Celu Gelu Sigmoid Softplus Softsign HardSigmoid HardSwish Mish ThresholdedRelu Shrink Softmax LogSoftmax Hardmax ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSumExp ArgMax ArgMin LpNormalization".split(
    " ",
  );
const further: Partial<Record<OperatorName, readonly OperatorCase[]>> = {
  ...Object.fromEntries(signedNames.map((op) => [op, unary])),
  Gelu: [...unary, { ...unary[0]!, attributes: { approximate: "tanh" } }],
  LeakyRelu: [{ ...unary[0]!, attributes: { alpha: -0.5 } }],
  Elu: [{ ...unary[0]!, attributes: { alpha: -0.5 } }],
  Celu: [{ ...unary[0]!, attributes: { alpha: 0.7 } }],
  Shrink: [{ ...unary[0]!, attributes: { lambd: 1.5, bias: 2 } }],
  Mul: [{ inputs: [signed([3, 5]), signed([5])] }],
  MatMul: [
    { inputs: [signed([3, 5]), signed([5, 4])] },
    { inputs: [signed([3, 5]), signed([5, 4])], weights: [1] },
  ],
  Gemm: [
    {
      inputs: [signed([1, 7]), signed([7, 4]), signed([4])],
      weights: [1, 2],
      attributes: { alpha: 0.3, beta: 0.7 },
    },
  ],
  Einsum: [{ inputs: [signed([2, 3]), signed([3]), signed([4, 2])], attributes: { equation: "ij,j,ki->k" } }],
  Conv: [
    {
      inputs: [signed([1, 2, 6, 5]), signed([4, 1, 2, 2])],
      weights: [1],
      attributes: { group: 2, pads: [1, 0, 0, 2] },
    },
  ],
  BatchNormalization: [
    {
      inputs: [signed([2, 3, 4]), signed([3]), signed([3]), signed([3]), ramp([3])],
      weights: [1, 2, 3, 4],
    },
  ],
  LayerNormalization: [{ inputs: [signed([3, 6]), ramp([6]), ramp([6])], weights: [1, 2] }],
  Acosh: [{ inputs: [tensor([1, 1.5, 3, 40], { type: "float32" })] }],
  Pow: [{ inputs: [signed([3, 5]), int64([3], [])], weights: [1] }, { inputs: [ramp([4]), ramp([4])] }],
  ScatterND: ["add", "mul", "max", "min"].map((reduction) => ({
    inputs: [ramp([3, 4]), int64([2, 0, 2], [3, 1]), ramp([3, 4])],
    attributes: { reduction },
  })),
};

const read = Object.keys(intervalPass.rules) as OperatorName[];
const radii = [0, 1e-6, 0.01, 0.4];
const samples = 8;

/** Bounds of a case on a box; undefined where the pass says, with a reason that is expected, that there are none. */
function boundsOf(
  op: OperatorName,
  graph: ReturnType<typeof graphOfCase>,
  box: Parameters<typeof intervalPass>[1],
) {
  try {
    return intervalPass(graph, box);
  } catch (error) {
    expect((error as Error).message, op).toMatch(refusals[op] ?? /^$/);
    return undefined;
  }
}

describe("interval bounds of an operator", () => {
  it("are known for all but random numbers, bit patterns and sets", () => {
    const missing = Object.keys(operators).filter((op) => !read.includes(op as OperatorName));
    expect(missing.sort()).toEqual(
      "Bernoulli BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Constant Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike Unique".split(
        " ",
      ),
    );
  });

  it.each(read)("%s hold what the runtime computes", async (op) => {
    const random = createRandom(7);
    let bounded = 0;
    for (const test of [...operatorCases[op], ...(further[op] ?? [])]) {
      if (op === "Resize" && test.dependsOnData) continue; // the runtime has it in f32 only
      const usage = inFloat32.has(op) ? test : inFloat64(op, test);
      const graph = graphOfCase(op, usage);
      for (const radius of radii) {
        const box = new Map([...feedsOf(usage)].map(([name, t]) => [name, around(t, radius)] as const));
        const bounds = boundsOf(op, graph, box);
        if (!bounds) continue;
        bounded++;
        for (let k = 0; k < samples; k++) {
          const feeds = Object.fromEntries([...box].map(([name, b]) => [name, pointIn(b, random, k)]));
          const computed = await run(graph, feeds, { optimization: "none", threads: 1 });
          for (const [name, output] of Object.entries(computed))
            if (output.type !== "string" && bounds.has(name))
              expectInside(
                bounds.get(name)!,
                output,
                `${op} ${Object.entries(test.attributes ?? {}).join(" ")} radius ${radius}`,
              );
        }
      }
    }
    expect(bounded, `${op} was never bounded`).toBeGreaterThan(0);
  });
});
