// For each operator whose form changed: up to which version the old form was, and how to say it today.
// Operators that only gained types, negative axes or optional parts since opset 7 need no rule.
import { GraphError } from "../error.ts";
import { describe } from "../graph.ts";
import { dataTypes, type NumericType, type Tensor } from "../tensor.ts";
import { batchNormalization } from "./batch-normalization.ts";
import { resize, upsample } from "./resize.ts";
import {
  beside,
  floatOf,
  int,
  int64,
  intOf,
  intsOf,
  type Rewrite,
  type Rewriting,
  scalar,
  withAttributes,
  without,
} from "./rewriting.ts";
import { flattenedSoftmax } from "./softmax.ts";

export interface UpgradeRule {
  /** The first version in which today's form holds. */
  readonly since: number;
  readonly rewrite: Rewrite;
}

/** A list of integers that was an attribute becomes the next input. */
const listToInput =
  (name: string): Rewrite =>
  (node, at) => {
    const list = intsOf(node, name);
    const inputs =
      list && list.length > 0 ? [...node.inputs, at.weight(node, name, int64(list))] : node.inputs;
    return [{ ...node, inputs, attributes: without(node, name) }];
  };

/** Equal parts are counted; parts of nothing are listed, since a runtime counts no parts of an empty axis. */
const split: Rewrite = (node, at) => {
  if (intsOf(node, "split")) return listToInput("split")(node, at);
  if (node.inputs[1]) return [node];
  const count = node.outputs.length;
  const shape = at.typeOf(node.inputs[0]!)?.shape;
  if (shape?.at(intOf(node, "axis") ?? 0) === 0) {
    const sizes = at.weight(node, "split", int64(new Array<number>(count).fill(0)));
    return [{ ...node, inputs: [node.inputs[0]!, sizes] }];
  }
  return [{ ...node, attributes: withAttributes(node, { num_outputs: int(count) }) }];
};

const slice: Rewrite = (node, at) => {
  const lists = ["starts", "ends", "axes"].flatMap((name) => {
    const list = intsOf(node, name);
    return list ? [at.weight(node, name, int64(list))] : [];
  });
  return [
    { ...node, inputs: [...node.inputs, ...lists], attributes: without(node, "starts", "ends", "axes") },
  ];
};

/** A number as a weight of the element type of `like`; if that is not known before the run, a CastLike finds it. */
function numberLike(
  at: Rewriting,
  node: Parameters<Rewrite>[0],
  part: string,
  value: number,
): [string, ReturnType<Rewrite>] {
  const like = node.inputs[0]!;
  const type = at.typeOf(like)?.type ?? "undefined";
  if (type !== "undefined") return [at.weight(node, part, scalar(value, type as NumericType)), []];
  const cast = at.fresh(node, `${part}_typed`);
  return [cast, [beside("CastLike", [at.weight(node, part, scalar(value, "float32")), like], cast)]];
}

/** A bound that was left out stays out: the old default, the greatest 32-bit float, only differs for infinities. */
const clip: Rewrite = (node, at) => {
  const bounds = (["min", "max"] as const).map((name): [string, ReturnType<Rewrite>] => {
    const bound = floatOf(node, name);
    return bound === undefined ? ["", []] : numberLike(at, node, name, bound);
  });
  const inputs = [node.inputs[0]!, ...bounds.map(([name]) => name)];
  while (inputs.at(-1) === "") inputs.pop();
  return [
    ...bounds.flatMap(([, nodes]) => nodes),
    { ...node, inputs, attributes: without(node, "min", "max") },
  ];
};

const pad: Rewrite = (node, at) => {
  const pads = at.weight(node, "pads", int64(intsOf(node, "pads") ?? intsOf(node, "paddings") ?? []));
  const value = floatOf(node, "value") ?? 0;
  const [constant, nodes] = value === 0 ? ["", []] : numberLike(at, node, "value", value);
  const inputs = [node.inputs[0]!, pads, ...(constant ? [constant] : [])];
  return [...nodes, { ...node, inputs, attributes: without(node, "pads", "paddings", "value") }];
};

const topK: Rewrite = (node, at) => {
  const k = at.weight(node, "k", int64([intOf(node, "k") ?? 0]));
  return [{ ...node, inputs: [...node.inputs, k], attributes: without(node, "k") }];
};

/** What the mask of older versions holds, where nothing is dropped, the standard does not say: who reads it is refused. */
const dropout: Rewrite = (node, at) => {
  const ratio = floatOf(node, "ratio");
  const inputs =
    ratio === undefined ? node.inputs : [node.inputs[0]!, at.weight(node, "ratio", scalar(ratio, "float32"))];
  const [output, mask] = node.outputs;
  if (mask && at.isUsed(mask))
    throw new GraphError(`${describe(node)}: its mask "${mask}" has no meaning in opset ${at.opset}`);
  return [{ ...node, inputs, outputs: [output!], attributes: without(node, "ratio", "is_test") }];
};

const cast: Rewrite = (node) => {
  const to = node.attributes.get("to");
  if (to?.type !== "string") return [node];
  const named: Readonly<Record<string, string>> = { FLOAT: "float32", DOUBLE: "float64" };
  const type = named[to.value] ?? to.value.toLowerCase();
  return [
    { ...node, attributes: withAttributes(node, { to: int(dataTypes.indexOf(type as Tensor["type"])) }) },
  ];
};

/** The first Scan had a batch axis and lengths of sequences. */
const oldScan: Rewrite = (node, { opset }) => {
  throw new GraphError(`${describe(node)}: its form in opset ${opset} is not read; opset 9 or later is`);
};

/** A window that is larger than what it slides over was divided by its own size once, later by what is there of it. */
const averagePool: Rewrite = (node, at) => {
  const sizes = at.typeOf(node.inputs[0]!)?.shape?.slice(2);
  const kernel = intsOf(node, "kernel_shape") ?? [];
  const [pads, dilations] = [intsOf(node, "pads"), intsOf(node, "dilations")];
  const sticksOut = kernel.some((n, k) => {
    const size = sizes?.[k];
    const room = Number(pads?.[k] ?? 0) + Number(pads?.[k + kernel.length] ?? 0);
    return typeof size === "number" && size + room < (Number(n) - 1) * Number(dilations?.[k] ?? 1) + 1;
  });
  if (sticksOut && intOf(node, "count_include_pad") === 1)
    throw new GraphError(
      `${describe(node)}: its window is larger than its input, whose mean is another one in later opsets`,
    );
  return [node];
};

const axesToInput = listToInput("axes");
const reductions = ["Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp"];

export const upgradeRules: Readonly<Record<string, UpgradeRule>> = {
  Squeeze: { since: 13, rewrite: axesToInput },
  Unsqueeze: { since: 13, rewrite: axesToInput },
  ReduceSum: { since: 13, rewrite: axesToInput },
  ...Object.fromEntries(reductions.map((name) => [`Reduce${name}`, { since: 18, rewrite: axesToInput }])),
  Split: { since: 18, rewrite: split },
  Slice: { since: 10, rewrite: slice },
  Clip: { since: 11, rewrite: clip },
  Pad: { since: 11, rewrite: pad },
  TopK: { since: 10, rewrite: topK },
  Upsample: { since: Number.POSITIVE_INFINITY, rewrite: upsample },
  Resize: { since: 13, rewrite: resize },
  Dropout: { since: 12, rewrite: dropout },
  Softmax: { since: 13, rewrite: flattenedSoftmax },
  LogSoftmax: { since: 13, rewrite: flattenedSoftmax },
  Hardmax: { since: 13, rewrite: flattenedSoftmax },
  BatchNormalization: { since: 14, rewrite: batchNormalization },
  Scatter: { since: Number.POSITIVE_INFINITY, rewrite: (node) => [{ ...node, op: "ScatterElements" }] },
  AveragePool: { since: 19, rewrite: averagePool },
  Cast: { since: 9, rewrite: cast },
  Scan: { since: 9, rewrite: oldScan },
};
