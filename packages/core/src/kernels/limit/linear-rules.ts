// Layers with random weights: Gemm, MatMul and Conv, and the bias that is added behind them.
import { windowAxes } from "../../graph/elements/windows.ts";
import type { Node } from "../../graph/graph.ts";
import type { WindowAttributes } from "../../graph/operators/window.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { Rules } from "../../passes/pass.ts";
import { behind, behindInPlace, resolve, resolveLayer } from "./activation.ts";
import { type Context, pairsOfTile } from "./context.ts";
import {
  type Applied,
  type Field,
  type Meaning,
  randomOperand,
  refuse,
  samePositions,
  type Weight,
} from "./meaning.ts";
import { type LayerBehind, noLayer } from "./pair-kernel.ts";
import { tapPlans, throughWindows } from "./windows.ts";

interface Layer {
  readonly fanIn: number;
  readonly features: number;
  readonly hasBias: boolean;
  /** A number that the file multiplies the product with. */
  readonly factor?: number;
  /** Taps of a window, and the sum over them. */
  readonly taps?: number;
  readonly sides?: readonly number[];
  readonly sum?: (entries: Float64Array) => Float64Array;
}

/**
 * nngp' = W_std^2 M nngp + b_std^2 with M the mean over taps; ntk' = W_std^2 M (nngp + ntk) + b_std^2, or with the weights
 * themselves of variance W_std^2 / fan-in: ntk' = M (fan-in nngp + W_std^2 ntk) + 1.
 */
function layer(operand: Field | Applied, node: Node, context: Context, of: Layer): Field {
  const { wStd, bStd } = context;
  const { fanIn, hasBias, factor = 1, taps = 1, sum } = of;
  const isStandard = context.parameterization === "standard";
  const name = node.inputs[1]!;
  const before = fieldOf(operand);
  if (before.depends.has(name)) refuse(node, `its weight "${name}" is used before it, too`);
  const w = (wStd * factor) ** 2;
  const own = isStandard ? fanIn * factor * factor : w;
  const coefficients: LayerBehind = {
    ...{ w: w / taps, own: own / taps, before: w / taps },
    shift: hasBias ? bStd * bStd : 0,
    tangentShift: hasBias ? (isStandard ? 1 : bStd * bStd) : 0,
  };
  return {
    ...before,
    key: node.outputs[0]!,
    features: of.features,
    sides: of.sides ?? before.sides,
    ...(sum
      ? behindInPlace(summed(resolve(operand, context), sum), coefficients, context)
      : resolveLayer(operand, coefficients, context)),
    gaussian: true,
    terms: new Set([name]),
    depends: new Set([...before.depends, name]),
    multiple: undefined,
  };
}

/** The field that the units are functions of. */
const fieldOf = (operand: Field | Applied): Field => (operand.kind === "applied" ? operand.field : operand);

const summed = ({ nngp, ntk }: Field, sum: NonNullable<Layer["sum"]>): Pick<Field, "nngp" | "ntk"> => ({
  nngp: sum(nngp),
  ntk: ntk && sum(ntk),
});

/** A weight of the layer; a product of two values of the data has no limit. */
function weightOperand(value: Meaning | undefined, node: Node): Weight {
  if (value?.kind === "weight") return value;
  return refuse(node, "both factors depend on the data");
}

/**
 * The operand of a layer. A file in the NTK parameterization multiplies by 1 / sqrt(fan-in) before the layer: that factor
 * is the parameterization's own, and is not counted twice.
 */
function operandOf(value: Meaning | undefined, node: Node, fanIn: number, context: Context): Field | Applied {
  const operand = randomOperand(value, node);
  const isOwn = (factor: number): boolean =>
    context.parameterization === "ntk" && Math.abs(factor * Math.sqrt(fanIn) - 1) < 1e-6;
  if (operand.kind === "applied") return isOwn(operand.factor) ? { ...operand, factor: 1 } : operand;
  return operand.multiple && isOwn(operand.multiple.factor) ? operand.multiple.of : operand;
}

function dense(
  inputs: readonly (Meaning | undefined)[],
  node: Node,
  context: Context,
  { transposed = false, factor = 1 } = {},
): Field {
  if (inputs[0]?.kind === "weight") return refuse(node, "the weight stands before the data");
  const { dims } = weightOperand(inputs[1], node);
  if (dims.length !== 2) refuse(node, `its weight has shape [${dims}], not that of a matrix`);
  const [fanIn, features] = transposed ? [dims[1]!, dims[0]!] : [dims[0]!, dims[1]!];
  const operand = operandOf(inputs[0], node, fanIn, context);
  const before = fieldOf(operand);
  if (before.sides.length > 0 && !before.unitsLast)
    refuse(node, "it multiplies along an axis of positions, not along the units");
  if (before.features !== fanIn)
    refuse(node, `it reads ${fanIn} units, but its operand has ${before.features}`);
  return layer(operand, node, context, { fanIn, features, hasBias: inputs[2] !== undefined, factor });
}

function convolution(
  inputs: readonly (Meaning | undefined)[],
  attributes: WindowAttributes & { readonly group: number },
  node: Node,
  context: Context,
): Field {
  const { dims } = weightOperand(inputs[1], node);
  const [features, channels, ...kernel] = dims as readonly [number, number, ...number[]];
  if (attributes.group !== 1)
    refuse(node, "its groups of channels stay as narrow as they are; one group has a limit");
  const fanIn = channels * elementCount(kernel);
  const operand = resolve(operandOf(inputs[0], node, fanIn, context), context);
  const length = pairsOfTile(context.tile);
  const needsAll = context.allPairs.has(node.outputs[0]!);
  const before = needsAll ? operand : samePositions(operand, length);
  if (before.sides.length !== kernel.length || before.unitsLast)
    refuse(node, `it slides over ${kernel.length} axes, but its operand has ${before.sides.length}`);
  const outputs = context.shape(node.outputs[0]!).slice(1);
  const plans = context.once(`taps ${node.outputs[0]}`, () =>
    tapPlans(windowAxes(before.sides, kernel, outputs, attributes), before.all),
  );
  return layer(before, node, context, {
    fanIn,
    features,
    hasBias: inputs[2] !== undefined,
    taps: elementCount(kernel),
    sides: outputs,
    sum: (entries) => throughWindows(entries, plans, length, context),
  });
}

export const linearRules = (context: Context): Rules<Meaning> => ({
  Gemm: (inputs, { alpha, beta, transA, transB }, node) => {
    if (transA) refuse(node, "it multiplies along the examples");
    if (inputs[2] && beta !== 1) refuse(node, `its bias is multiplied by ${beta}`);
    return dense(inputs, node, context, { transposed: transB === 1, factor: alpha });
  },
  MatMul: (inputs, _, node) => dense(inputs, node, context),
  Conv: (inputs, attributes, node) => convolution(inputs, attributes, node, context),
});

/** A bias that an Add puts behind a layer: nngp + b_std^2; ntk + b_std^2, or + 1 in the standard parameterization. */
export function withBias(field: Field, node: Node, context: Context): Field {
  const square = context.bStd ** 2;
  const name = node.inputs.find((input) => input !== field.key)!;
  const tangentShift = context.parameterization === "standard" ? 1 : square;
  return {
    ...field,
    key: node.outputs[0]!,
    ...behind(field, { ...noLayer, shift: square, tangentShift }, context),
    terms: new Set([...field.terms!, name]),
    depends: new Set([...field.depends, name]),
    multiple: undefined,
  };
}
