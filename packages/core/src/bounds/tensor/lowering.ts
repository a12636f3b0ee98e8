// From a graph to layers of which convolutions and normalizations of pictures are not written out row by row.
import { windowAxes } from "../../graph/elements/windows.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Graph, type Node } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";
import { numbersOf } from "../../passes/affine/affine-rules.ts";
import { type Forms, isConstant } from "../../passes/affine/forms.ts";
import { checkFinite } from "../../passes/affine/program.ts";
import type { Rules } from "../../passes/pass.ts";
import type { Context } from "../linear/context.ts";
import { kindOf, lastLayer, lowered } from "../linear/lowering.ts";
import { layerOf } from "../linear/network.ts";
import { type RuleOf, relaxationRules } from "../linear/rules.ts";
import { Convolution } from "./convolution.ts";
import { fused } from "./fuse.ts";
import type { Field, TensorLayer, TensorNetwork } from "./operator.ts";
import { Scaling } from "./scaling.ts";

/** One picture, and not a constant one. */
const isPicture = (x: Forms | undefined): x is Forms =>
  x !== undefined && x.dims.length === 4 && x.dims[0] === 1 && !isConstant(x);

/** Each number for a whole channel of so many places. */
const spread = (values: ArrayLike<number>, area: number): Float64Array =>
  Float64Array.from({ length: values.length * area }, (_, k) => values[Math.floor(k / area)]!);

function checked(numbers: Float64Array, constants: Float64Array, node: Node): void {
  const [starts, slots] = [new Int32Array(0), new Int32Array(0)];
  checkFinite({ starts, slots, weights: numbers, constants }, describe(node));
}

function convolution(
  context: Context,
  plain: RuleOf<"Conv">,
  ...[inputs, attributes, node]: Parameters<RuleOf<"Conv">>
) {
  const [x, weights, bias] = inputs;
  if (!isPicture(x)) return plain(inputs, attributes, node);
  const w = numbersOf(weights, node, "its weights");
  const b = bias && numbersOf(bias, node, "its bias");
  const shape = context.dims(node);
  const [outputs, perGroup, ...kernel] = weights!.dims;
  const axes = windowAxes(x.dims.slice(2), kernel, shape.slice(2), attributes);
  if (axes.length !== 2 || elementCount(shape) === 0) return plain(inputs, attributes, node);
  const constants = spread(b ?? new Float64Array(outputs!), shape[2]! * shape[3]!);
  checked(w, constants, node);
  const { group } = attributes;
  const operator = new Convolution({
    ...{ weights: w, channels: perGroup! * group, outputs: outputs!, group },
    axes: [axes[0]!, axes[1]!],
  });
  const sizes = constants.map(Math.abs);
  return context.program.unwritten(x, operator, constants, sizes, shape, describe(node));
}

/** x factor + (bias - mean factor), where factor = scale / sqrt(variance + epsilon) is rounded, and so is the constant. */
function normalization(
  context: Context,
  plain: RuleOf<"BatchNormalization">,
  ...[inputs, attributes, node]: Parameters<RuleOf<"BatchNormalization">>
) {
  const [{ program }, x] = [context, inputs[0]];
  if (!isPicture(x) || attributes.training_mode) return plain(inputs, attributes, node);
  const [scale, bias, mean, variance] = ["scale", "bias", "mean", "variance"].map((what, k) =>
    numbersOf(inputs[k + 1], node, `its ${what}`),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const { dims } = x;
  const [, channels, height, width] = dims as [number, number, number, number];
  const factors = scale.map((s, c) => s / Math.sqrt(variance[c]! + attributes.epsilon));
  const constants = bias.map((b, c) => b - mean[c]! * factors[c]!);
  const sizes = bias.map((b, c) => Math.abs(b) + Math.abs(mean[c]! * factors[c]!));
  checked(factors, constants, node);
  program.isRounded = true;
  const area = height * width;
  const before = context.isReadOnce(node.inputs[0]!) ? program.lastUnwritten(x) : undefined;
  if (before?.operator instanceof Convolution) {
    // The factors go into the weights of the convolution before, whose own stage is taken back.
    const [old, oldSizes] = [before.constants, before.constantSizes];
    const scaled = before.operator.scaled(factors);
    const at = (k: number): number => Math.floor(k / area);
    const own = old.map((c, k) => c * factors[at(k)]! + constants[at(k)]!);
    const ownSizes = oldSizes.map((c, k) => c * Math.abs(factors[at(k)]!) + sizes[at(k)]!);
    checked(scaled.weights, own, node);
    const x = before.takeBack();
    return program.unwritten(x, scaled, own, ownSizes, dims, describe(node));
  }
  const operator = new Scaling({ channels, height, width }, factors);
  const [own, ownSizes] = [spread(constants, area), spread(sizes, area)];
  return program.unwritten(x, operator, own, ownSizes, dims, describe(node));
}

/** The layers of a graph; what is no convolution or normalization of one picture is written out as `lowerNetwork` does. */
export function lowerTensors(graph: Graph, isOver: () => boolean = () => false): TensorNetwork {
  const rulesOf = (context: Context): Rules<Forms> => {
    const rules = relaxationRules(context);
    return {
      ...rules,
      Conv: (...given) => convolution(context, rules.Conv!, ...given),
      BatchNormalization: (...given) => normalization(context, rules.BatchNormalization!, ...given),
    };
  };
  const read = lowered(graph, isOver, rulesOf);
  const { program, outputNames, shapes } = read;
  const packed: TensorLayer[] = [];
  let rows = 0;
  program.stages.forEach((stage, k) => {
    const [bending, own] = [program.bendings.get(k), program.operated.get(k)];
    const layer = layerOf(stage, bending ? "curve" : kindOf(stage), rows, bending);
    packed.push(own ? { ...layer, ...own, width: own.operator.inputs, dense: false } : layer);
    rows += stage.rows.constants.length;
  });
  const last = lastLayer(read, rows);
  packed.push(last);
  const { layers, slots, rows: allRows } = fused(packed, read.inputs);
  if (slots > mostSlots)
    throw new GraphError(`${slots} numbers between inputs and outputs are too many for linear bounds`);
  return {
    isWritten: false,
    ...{ inputs: read.inputs, slots, rows: allRows, layers },
    ...{ firstOutput: layers.at(-1)!.firstSlot, outputNames, isExact: !program.isRounded },
    inputField: fieldOf(shapes.map(({ dims }) => dims)),
  };
}

/** One substitution holds a number of each. */
const mostSlots = 2 ** 26;

/** The only input, if it is one picture. */
function fieldOf([dims, ...more]: readonly (readonly number[])[]): Field | undefined {
  if (!dims || more.length > 0 || dims.length !== 4 || dims[0] !== 1) return undefined;
  return { channels: dims[1]!, height: dims[2]!, width: dims[3]! };
}
