// Every definition against the runtime's kernel of the operator, on every case of the operator table.
import { describe, expect, it } from "vitest";
import { definitions } from "../../src/graph/definitions/index.ts";
import { GraphError } from "../../src/graph/error.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import {
  batchAs,
  definedGraph,
  f32Rounding,
  inFloat64,
  relativeError,
  runOnce,
} from "./definitions-runtime.ts";
import { operatorCases } from "./operators-cases.ts";
import {
  feedsOf,
  graphOfCase,
  inSingleOnly,
  int64,
  type OperatorCase,
  ramp,
  runGraph,
} from "./operators-runtime.ts";

const names = Object.keys(definitions) as OperatorName[];

/** Cases that a definition refuses, by number, with what it says. */
const refused: Partial<Record<OperatorName, Record<number, RegExp>>> = {
  MaxPool: { 9: /lacks output 1/ },
  Dropout: { 1: /whether it trains must be a constant/ },
  Resize: { 5: /scales or sizes must be constant/ },
};
/** Cases whose first axis is no batch. */
const withoutBatch: Partial<Record<OperatorName, readonly number[]>> = { Det: [0, 2, 3], Resize: [2] };
const recurrent: readonly string[] = ["RNN", "GRU", "LSTM"];

/** Signs and sizes that the table's inputs (all in 0..1) do not have. */
const signed = {
  type: "float32" as const,
  dims: [3, 5],
  data: Float32Array.from({ length: 15 }, (_, k) => (k - 7) * 0.8),
};
const unaryCases: readonly OperatorCase[] = [{ inputs: [signed] }];
const above1 = { ...signed, data: signed.data.map((v) => 1 + v * v) };
const within1 = { ...signed, data: signed.data.map((v) => v / 6) };
const domains: Partial<Record<OperatorName, readonly OperatorCase[]>> = {
  Acosh: [{ inputs: [above1] }],
  Asin: [{ inputs: [within1] }],
  Acos: [{ inputs: [within1] }],
  Atanh: [{ inputs: [within1] }],
  PRelu: [{ inputs: [signed, ramp([5])] }],
  Shrink: [{ inputs: [signed], attributes: { bias: 0.3, lambd: 1.5 } }],
  Elu: [{ inputs: [signed], attributes: { alpha: 0.7 } }],
  Celu: [{ inputs: [signed], attributes: { alpha: 1.7 } }],
  HardSigmoid: [{ inputs: [signed], attributes: { alpha: 0.3, beta: 0.4 } }],
  ThresholdedRelu: [{ inputs: [signed], attributes: { alpha: 2 } }],
  Gelu: [{ inputs: [signed] }, { inputs: [signed], attributes: { approximate: "tanh" } }],
  BatchNormalization: [
    {
      inputs: [ramp([3, 4, 5]), ramp([4]), ramp([4]), ramp([4]), ramp([4])],
      attributes: { training_mode: 1, momentum: 0.7 },
      outputs: 3,
    },
  ],
  LpPool: [{ inputs: [ramp([2, 3, 7])], attributes: { kernel_shape: [3], p: 3 } }],
  GlobalLpPool: [{ inputs: [ramp([2, 3, 7])], attributes: { p: 3 } }],
  LRN: [5, 9].map((size) => ({ inputs: [ramp([2, 5, 3, 1])], attributes: { size, alpha: 0.5, bias: 2 } })),
  Det: [
    { inputs: [{ ...signed, dims: [3, 3], data: Float32Array.of(0, 2, 1, 1, -3, 0, 4, 1, 5) }] },
    { inputs: [ramp([1, 1])] },
  ],
  Resize: ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"].flatMap((mode) =>
    ["nearest", "linear", "cubic"].map((interpolation) => ({
      inputs: [ramp([2, 3, 7, 6]), "", "", int64([2, 3, 5, 9])],
      weights: [3],
      attributes: {
        mode: interpolation,
        coordinate_transformation_mode: mode,
        exclude_outside: Number(interpolation === "cubic"),
      },
    })),
  ),
};
const unary = names.filter(
  (op) =>
    operatorCases[op].every((c) => c.inputs.length === 1) &&
    operatorCases[op].some((c) => c.inputs[0] !== "" && c.inputs[0]!.dims.length === 0),
);
const casesOf = (op: OperatorName): readonly OperatorCase[] => [
  ...operatorCases[op],
  ...(domains[op] ?? (unary.includes(op) ? unaryCases : [])),
];

async function expectAgreement(op: OperatorName, usage: OperatorCase, k: number): Promise<void> {
  const expected = await runGraph(graphOfCase(op, usage), feedsOf(usage));
  const axis = recurrent.includes(op) ? 1 : 0;
  const hasBatch = !withoutBatch[op]?.includes(k) && !(op === "Resize" && k > 5);
  const graphs = [definedGraph(op, usage)];
  if (hasBatch)
    graphs.push(
      definedGraph(op, usage, batchAs("N", axis)),
      definedGraph(op, usage, batchAs(undefined, axis)),
    );
  for (const graph of graphs) {
    const results = await runGraph(graph, feedsOf(usage));
    for (const [name, tensor] of expected)
      expect(relativeError(results.get(name)!, tensor), `${name} in f32`).toBeLessThanOrEqual(f32Rounding);
  }
  if (inSingleOnly.has(op)) return;
  const wide = inFloat64(op, usage);
  const inF64 = await runOnce(graphOfCase(op, wide), wide);
  for (const [name, tensor] of expected)
    expect(relativeError(inF64[name]!, tensor), `${name} in f64`).toBeLessThanOrEqual(f32Rounding);
}

describe("definitions", () => {
  it.each(names)("%s is what the runtime computes", async (op) => {
    for (const [k, usage] of casesOf(op).entries()) {
      const refusal = refused[op]?.[k];
      if (refusal) {
        expect(() => definedGraph(op, usage)).toThrow(refusal);
        continue;
      }
      await expectAgreement(op, usage, k).catch((cause: unknown) => {
        throw new Error(`case ${k} ${JSON.stringify(usage.attributes ?? {})}`, { cause });
      });
    }
  });

  it("name the node and the size that they need", () => {
    const steps = (op: OperatorName) => definedGraph(op, operatorCases[op][0]!, batchAs("T", 0));
    expect(() => steps("LSTM")).toThrow(GraphError);
    expect(() => steps("LSTM")).toThrow(
      'LSTM node "the LSTM": the number of steps of its input "x0" must be a number, not "T"',
    );
    const scaled = { hidden_size: 2, activations: ["ScaledTanh"], activation_alpha: [0.5] };
    const rnn = { inputs: [ramp([2, 1, 1]), ramp([1, 2, 1]), ramp([1, 2, 2])], attributes: scaled };
    expect(() => definedGraph("RNN", rnn)).toThrow(/activation "ScaledTanh" needs an alpha and a beta/);
    expect(() => definedGraph("Conv", operatorCases.Conv[0]!, batchAs("H", 2))).toThrow(
      /^Conv node "the Conv": axis 2 of its (in|out)put "\w\d" must be a number, not "H|\?"$/,
    );
  });
});
