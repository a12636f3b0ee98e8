// Mutations that add nodes which would take forever, all memory, or all of the stack.

import { operators } from "@lemmata/core/graph";
import { onnx } from "onnx-proto";
import {
  type AttributeProto,
  GRAPH,
  type GraphProto,
  integerTensor,
  type Model,
  type NodeProto,
  node,
  pick,
  type TensorProto,
  valueInfo,
} from "./proto.ts";
import type { StructuralMutation } from "./structure.ts";

const { FLOAT, INT64, BOOL } = onnx.TensorProto.DataType;

const graphAttribute = (name: string, g: GraphProto): AttributeProto => ({ name, type: GRAPH, g });

const floatScalar = (name: string, value: number): TensorProto => ({
  name,
  dataType: FLOAT,
  dims: [],
  floatData: [value],
});
const trueScalar = (name: string): TensorProto => ({ name, dataType: BOOL, dims: [], int32Data: [1] });

/** Adds nodes and weights, and the value `made` as an output. */
function append(
  model: Model,
  nodes: NodeProto[],
  weights: TensorProto[],
  made: string,
  type: number = FLOAT,
): void {
  const { graph } = model;
  if (!graph) return;
  graph.node = [...(graph.node ?? []), ...nodes];
  graph.initializer = [...(graph.initializer ?? []), ...weights];
  graph.output = [...(graph.output ?? []), valueInfo(made, type)];
}

/** A loop with this body on the state `start`; without a limit of turns it goes on forever. */
function appendLoop(
  model: Model,
  turns: bigint | undefined,
  body: NodeProto[],
  start: TensorProto[],
  stacked: string[] = [],
): void {
  const outputs = [
    valueInfo("fz_go", BOOL),
    valueInfo("fz_next", FLOAT),
    ...stacked.map((s) => valueInfo(s, FLOAT)),
  ];
  const inner: GraphProto = {
    name: "body",
    node: [node("Identity", ["fz_cond"], ["fz_go"]), ...body],
    input: [valueInfo("fz_turn", INT64, []), valueInfo("fz_cond", BOOL, []), valueInfo("fz_state", FLOAT)],
    output: outputs,
  };
  const inputs = [turns === undefined ? "" : "fz_turns", "fz_true", "fz_start"];
  const made = ["fz_final", ...stacked.map((s) => `${s}_all`)];
  const weights = [trueScalar("fz_true"), ...start];
  if (turns !== undefined) weights.push(integerTensor("fz_turns", [turns], true));
  append(model, [node("Loop", inputs, made, [graphAttribute("body", inner)])], weights, "fz_final");
}

const addOne = [node("Add", ["fz_state", "fz_state"], ["fz_next"])];
const start = floatScalar("fz_start", 1);
const vectorStart: TensorProto = { ...start, dims: [1] };
const huge = [10n ** 6n, 10n ** 9n, 2n ** 31n, 2n ** 33n, 2n ** 40n, 2n ** 62n, 2n ** 63n - 1n, -1n];

export const additions: Readonly<Record<string, StructuralMutation>> = {
  longLoop: (model, random) =>
    appendLoop(model, pick(random, [10n, 10n ** 5n, 10n ** 9n, 2n ** 41n, 2n ** 62n]), addOne, [start]),
  endlessLoop: (model) => appendLoop(model, undefined, addOne, [start]),
  /** The state doubles in each turn. */
  growingLoop: (model, random) =>
    appendLoop(
      model,
      pick(random, [5n, 20n, 40n, 60n]),
      [node("Concat", ["fz_state", "fz_state"], ["fz_next"], [{ name: "axis", type: 2, i: 0 }])],
      [vectorStart],
    ),
  /** Every turn adds a row to an output. */
  stackingLoop: (model, random) =>
    appendLoop(
      model,
      pick(random, [5n, 1000n, 2n ** 40n]),
      [...addOne, node("Expand", ["fz_state", "fz_million"], ["fz_row"])],
      [start, integerTensor("fz_million", [1_000_000n])],
      ["fz_row"],
    ),
  hugeExpand: (model, random) =>
    append(
      model,
      [node("Expand", ["fz_one", "fz_shape"], ["fz_out"])],
      [
        floatScalar("fz_one", 1),
        integerTensor("fz_shape", [pick(random, huge)!, pick(random, [1n, 2n, 1000n])!]),
      ],
      "fz_out",
    ),
  hugeTile: (model, random) =>
    append(
      model,
      [node("Tile", ["fz_one", "fz_times"], ["fz_out"])],
      [{ ...floatScalar("fz_one", 1), dims: [1] }, integerTensor("fz_times", [pick(random, huge)!])],
      "fz_out",
    ),
  hugeFill: (model, random) =>
    append(
      model,
      [node("ConstantOfShape", ["fz_shape"], ["fz_out"])],
      [integerTensor("fz_shape", [pick(random, huge)!, pick(random, huge)!])],
      "fz_out",
    ),
  hugeRange: (model, random) =>
    append(
      model,
      [node("Range", ["fz_from", "fz_to", "fz_step"], ["fz_out"])],
      [
        integerTensor("fz_from", [pick(random, [0n, -(2n ** 63n), 5n])!], true),
        integerTensor("fz_to", [pick(random, huge)!], true),
        integerTensor("fz_step", [pick(random, [1n, 0n, -1n, 2n ** 62n])!], true),
      ],
      "fz_out",
      INT64,
    ),
  hugePad: (model, random) =>
    append(
      model,
      [node("Pad", ["fz_one", "fz_pads"], ["fz_out"])],
      [
        { ...floatScalar("fz_one", 1), dims: [1] },
        integerTensor("fz_pads", [pick(random, huge)!, pick(random, [...huge, -5n])!]),
      ],
      "fz_out",
    ),
  hugeOneHot: (model, random) =>
    append(
      model,
      [node("OneHot", ["fz_at", "fz_depth", "fz_values"], ["fz_out"])],
      [
        integerTensor("fz_at", [0n, 1n]),
        integerTensor("fz_depth", [pick(random, huge)!], true),
        { name: "fz_values", dataType: FLOAT, dims: [2], floatData: [0, 1] },
      ],
      "fz_out",
    ),
  hugeResize: (model, random) =>
    append(
      model,
      [node("Resize", ["fz_image", "", "fz_scales"], ["fz_out"])],
      [
        { name: "fz_image", dataType: FLOAT, dims: [1, 1, 2, 2], floatData: [1, 2, 3, 4] },
        {
          name: "fz_scales",
          dataType: FLOAT,
          dims: [4],
          floatData: [1, 1, pick(random, [1e4, 1e9, 1e18, 0, -1, Number.NaN])!, 1e4],
        },
      ],
      "fz_out",
    ),
  /** A size that only the run itself finds out: the number of entries that are not zero, times a lot. */
  computedSize: (model, random) =>
    append(
      model,
      [
        node("NonZero", ["fz_ones"], ["fz_places"]),
        node("Size", ["fz_places"], ["fz_size"]),
        node("Mul", ["fz_size", "fz_lot"], ["fz_shape"]),
        node("ConstantOfShape", ["fz_shape"], ["fz_out"]),
      ],
      [
        { name: "fz_ones", dataType: FLOAT, dims: [4], floatData: [1, 0, 1, 1] },
        integerTensor("fz_lot", [pick(random, [10n, 10n ** 8n, 10n ** 9n, 10n ** 12n, 2n ** 62n])!]),
      ],
      "fz_out",
    ),
  /** Within the memory, but a long time: the product of two large matrices. */
  heavyProduct: (model, random) =>
    append(
      model,
      [
        node("ConstantOfShape", ["fz_shape"], ["fz_ones"]),
        node("MatMul", ["fz_ones", "fz_ones"], ["fz_product"]),
        node("ReduceSum", ["fz_product"], ["fz_out"]),
      ],
      [integerTensor("fz_shape", Array(2).fill(pick(random, [20n, 100n, 500n, 500n, 500n, 8000n])))],
      "fz_out",
    ),
  deepNesting(model, random) {
    let inner: GraphProto = {
      name: "deepest",
      node: [node("Identity", ["fz_one"], ["fz_0"])],
      output: [valueInfo("fz_0", FLOAT)],
    };
    const levels = pick(random, [2, 10, 60, 70, 99, 150, 1000])!;
    for (let k = 1; k <= levels; k++) {
      const branches = ["then_branch", "else_branch"].map((name) =>
        graphAttribute(name, name === "then_branch" || k < 4 ? inner : emptyBranch(k)),
      );
      inner = {
        name: `level ${k}`,
        node: [node("If", ["fz_true"], [`fz_${k}`], branches)],
        output: [valueInfo(`fz_${k}`, FLOAT)],
      };
    }
    append(model, inner.node ?? [], [trueScalar("fz_true"), floatScalar("fz_one", 1)], `fz_${levels}`);
  },
  longChain(model, random) {
    const length = pick(random, [100, 2000, 20_000])!;
    const nodes = Array.from({ length }, (_, k) =>
      node("Neg", [k === 0 ? "fz_one" : `fz_${k}`], [`fz_${k + 1}`]),
    );
    append(model, nodes, [floatScalar("fz_one", 1)], `fz_${length}`);
  },
  /** Any operator, with small weights as its inputs. */
  anyOperator(model, random) {
    const op = pick(random, Object.keys(operators))!;
    const weights: TensorProto[] = Array.from({ length: random.integer(1, 4) }, (_, k) => {
      const dims = Array.from({ length: random.integer(0, 4) }, () => random.integer(0, 3));
      const count = dims.reduce((n, d) => n * d, 1);
      const name = `fz_w${k}`;
      if (random.uniform() < 0.6) return { name, dataType: FLOAT, dims, floatData: Array(count).fill(1.5) };
      return { ...integerTensor(name, Array(count).fill(BigInt(random.integer(-2, 3)))), dims };
    });
    append(
      model,
      [
        node(
          op,
          weights.map((w) => w.name ?? ""),
          ["fz_out"],
        ),
      ],
      weights,
      "fz_out",
    );
  },
};

const emptyBranch = (k: number): GraphProto => ({
  name: "empty",
  node: [node("Identity", ["fz_one"], [`fz_other_${k}`])],
  output: [valueInfo(`fz_other_${k}`, FLOAT)],
});
