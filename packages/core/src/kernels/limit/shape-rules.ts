// What moves and averages positions: flattening, pooling, and layer normalization.
import { windowAxes } from "../../graph/elements/windows.ts";
import type { Node } from "../../graph/graph.ts";
import type { WindowAttributes } from "../../graph/operators/window.ts";
import { elementCount, numbers } from "../../graph/tensor.ts";
import type { Rules } from "../../passes/pass.ts";
import { resolve } from "./activation.ts";
import { type Context, pairsOfTile, type Variances } from "./context.ts";
import {
  type Applied,
  type Field,
  type Meaning,
  pairsOf,
  positionsOf,
  randomOperand,
  refuse,
  samePositions,
  scalarOf,
} from "./meaning.ts";
import { meanOfStreams, meanPlans, throughWindows, zerosAround } from "./windows.ts";

/** All positions become units: the covariance is the mean over the positions, since a sum over units is divided by their number. */
function flatten(value: Meaning | undefined, node: Node, context: Context): Meaning {
  const operand = randomOperand(value, node);
  const vector = { sides: [], unitsLast: false } as const;
  const [key, field] = [node.outputs[0]!, operand.kind === "field" ? operand : operand.field];
  if (positionsOf(field) === 1) {
    const flat = { ...field, ...vector, all: false };
    return operand.kind === "field" ? { ...flat, key } : { ...operand, field: flat };
  }
  const length = pairsOfTile(context.tile);
  const { nngp, ntk, ...rest } = samePositions(resolve(operand, context), length);
  const positions = positionsOf(field);
  const mean = (entries: Float64Array): Float64Array => meanOfStreams(entries, positions, length, context);
  return {
    ...rest,
    ...vector,
    key,
    features: rest.features * positions,
    nngp: mean(nngp),
    ntk: ntk && mean(ntk),
    gaussian: false,
    multiple: undefined,
  };
}

/** A shape with the same positions and units, or one with units alone. */
function reshape(value: Meaning | undefined, node: Node, context: Context): Meaning {
  const operand = randomOperand(value, node);
  const field = operand.kind === "field" ? operand : operand.field;
  const dims = context.shape(node.outputs[0]!);
  if (dims.length === 1) return flatten(value, node, context);
  const isSame = `${dims}` === `${context.shape(node.inputs[0]!)}`;
  const isPoint = positionsOf(field) === 1 && elementCount(dims) === field.features;
  // One unit at each position: whether its axis is first or last, the numbers stand in the same order.
  const isMoved =
    field.features === 1 && [`${[1, ...field.sides]}`, `${[...field.sides, 1]}`].includes(`${dims}`);
  if (isMoved && !isSame) return withUnits(operand, `${dims}` !== `${[1, ...field.sides]}`, node);
  if (!isSame && !isPoint)
    return refuse(node, `it makes [${dims}] of [${context.shape(node.inputs[0]!)}]: units and positions mix`);
  if (isSame) return operand;
  const unitsLast = dims.at(-1) === field.features && dims[0] !== field.features;
  const moved = { ...field, unitsLast, sides: unitsLast ? dims.slice(0, -1) : dims.slice(1) };
  return operand.kind === "field" ? { ...moved, key: node.outputs[0]! } : { ...operand, field: moved };
}

/** Units from first to last or back; positions keep their order. */
function transpose(value: Meaning | undefined, perm: readonly number[] | undefined, node: Node): Meaning {
  const operand = randomOperand(value, node);
  const field = operand.kind === "field" ? operand : operand.field;
  const rank = field.sides.length + 2;
  const positions = Array.from({ length: rank - 2 }, (_, k) => k + (field.unitsLast ? 1 : 2));
  const units = field.unitsLast ? rank - 1 : 1;
  const forms = [
    [0, ...positions, units],
    [0, units, ...positions],
  ];
  const found = forms.findIndex((form) => `${form}` === `${perm}`);
  if (found < 0)
    return refuse(node, `it moves axes as [${perm}]: examples and positions must keep their order`);
  return withUnits(operand, found === 0 && rank > 2, node);
}

/** The same numbers, with the axis of the units last or first. */
function withUnits(operand: Field | Applied, unitsLast: boolean, node: Node): Meaning {
  return operand.kind === "field"
    ? { ...operand, unitsLast, key: node.outputs[0]! }
    : { ...operand, field: { ...operand.field, unitsLast } };
}

/** The mean over all positions, of both sides. */
function globalMean(
  value: Meaning | undefined,
  node: Node,
  context: Context,
  sides: readonly number[],
): Field {
  const field = resolve(randomOperand(value, node), context);
  const length = pairsOfTile(context.tile);
  const mean = (entries: Float64Array): Float64Array =>
    meanOfStreams(entries, pairsOf(field), length, context);
  return {
    ...field,
    key: node.outputs[0]!,
    sides,
    unitsLast: sides.length > 0 && field.unitsLast,
    all: false,
    nngp: mean(field.nngp),
    ntk: field.ntk && mean(field.ntk),
    multiple: undefined,
  };
}

interface PoolAttributes extends WindowAttributes {
  readonly kernel_shape: readonly number[];
  readonly count_include_pad: number;
}

function averagePool(
  value: Meaning | undefined,
  attributes: PoolAttributes,
  node: Node,
  context: Context,
): Field {
  const field = resolve(randomOperand(value, node), context);
  const length = pairsOfTile(context.tile);
  const key = node.outputs[0]!;
  const outputs = context.shape(key).slice(1);
  const plans = context.once(`windows ${key}`, () => {
    const axes = windowAxes(field.sides, attributes.kernel_shape, outputs, attributes);
    return meanPlans(axes, attributes.count_include_pad ? "padded" : "inside");
  });
  const mean = (entries: Float64Array): Float64Array => throughWindows(entries, plans, length, context);
  const pooled: Field = {
    ...field,
    key,
    sides: outputs,
    nngp: mean(field.nngp),
    ntk: field.ntk && mean(field.ntk),
    multiple: undefined,
  };
  return context.allPairs.has(key) ? pooled : samePositions(pooled, length);
}

/** Zeros around the positions: nothing there varies, and nothing there is trained. */
function pad(inputs: readonly (Meaning | undefined)[], mode: string, node: Node, context: Context): Meaning {
  const [value, pads, filling, axes] = inputs;
  const operand = randomOperand(value, node);
  const { sides, unitsLast } = operand.kind === "field" ? operand : operand.field;
  const given = entriesOf(pads) ?? refuse(node, "its pads are not known before it runs");
  const rank = sides.length + 2;
  const along = (axes && entriesOf(axes)) ?? Array.from({ length: rank }, (_, k) => k);
  const around = Array.from({ length: rank }, () => [0, 0] as [number, number]);
  along.forEach((axis, k) => {
    around[axis < 0 ? axis + rank : axis] = [given[k]!, given[k + along.length]!];
  });
  if (around.flat().every((zeros) => zeros === 0)) return operand;
  const first = unitsLast ? 1 : 2;
  const inside = around.slice(first, first + sides.length);
  if (around.some((zeros) => !inside.includes(zeros) && zeros.some((count) => count !== 0)))
    refuse(node, "it adds examples or units");
  if (mode !== "constant" || (filling && scalarOf(filling) !== 0))
    refuse(node, "only zeros have a limit kernel around the positions");
  const field = resolve(operand, context);
  const key = node.outputs[0]!;
  const plans = context.once(`zeros ${key} ${field.all}`, () => zerosAround(sides, inside, field.all));
  const padded = (entries: Float64Array): Float64Array =>
    throughWindows(entries, plans, pairsOfTile(context.tile), context);
  return {
    ...field,
    key,
    sides: inside.map(([before, after], k) => before + sides[k]! + after),
    nngp: padded(field.nngp),
    ntk: field.ntk && padded(field.ntk),
    multiple: undefined,
  };
}

const entriesOf = (value: Meaning | undefined): readonly number[] | undefined =>
  value?.kind === "weight" && value.values ? Array.from(numbers(value.values)) : undefined;

/** 1 / sqrt(variance + epsilon) at each position, or with the mean of the variances over all of them. */
function inverseDeviations(
  { values, stride, start }: Variances,
  count: number,
  positions: number,
  epsilon: number,
  joined: boolean,
): Float64Array {
  const result = new Float64Array(positions * count);
  for (let i = 0; i < count; i++) {
    let total = 0;
    for (let p = 0; p < positions; p++) {
      const variance = values[p * stride + start + i]!;
      total += variance;
      result[p * count + i] = 1 / Math.sqrt(variance + epsilon);
    }
    if (joined)
      for (let p = 0; p < positions; p++) result[p * count + i] = 1 / Math.sqrt(total / positions + epsilon);
  }
  return result;
}

/** Both kernels over sqrt((a + epsilon) (b + epsilon)): the mean over infinitely many units is 0, their mean square a. */
function layerNormalization(
  value: Meaning | undefined,
  { axis, epsilon }: { readonly axis: number; readonly epsilon: number },
  node: Node,
  context: Context,
): Field {
  const field = randomOperand(value, node);
  if (field.kind !== "field" || !field.gaussian)
    return refuse(node, "its operand is not Gaussian in the limit; put it behind a layer with weights");
  const rank = field.sides.length + 2;
  const first = axis < 0 ? axis + rank : axis;
  if (field.unitsLast || rank === 2 ? first < 1 : first !== 1)
    refuse(node, "it must normalize over the units");
  if (field.unitsLast && first > 1 && first < rank - 1)
    refuse(node, "it normalizes over some axes of positions and not over others");
  const joined = first === 1 && rank > 2;
  const { tile } = context;
  const positions = positionsOf(field);
  const [left, right] = context.variances(field);
  const rows = inverseDeviations(left, tile.itself ? tile.columns : tile.rows, positions, epsilon, joined);
  const columns = inverseDeviations(right, tile.columns, positions, epsilon, joined);
  const scaled = (entries: Float64Array): Float64Array => {
    const result = context.array(entries.length);
    let n = 0;
    for (let m = 0; m < pairsOf(field); m++) {
      const [p, q] = field.all ? [Math.floor(m / positions), m % positions] : [m, m];
      for (let i = 0; i < tile.rows; i++)
        for (let j = 0; j < tile.columns; j++, n++) {
          const row = tile.itself ? p * tile.columns + j : p * tile.rows + i;
          result[n] = entries[n]! * rows[row]! * columns[q * tile.columns + j]!;
        }
    }
    return result;
  };
  const ntk = field.ntk && scaled(field.ntk);
  return { ...field, key: node.outputs[0]!, nngp: scaled(field.nngp), ntk, multiple: undefined };
}

export const shapeRules = (context: Context): Rules<Meaning> => ({
  Flatten: ([x], { axis }, node) =>
    axis === 1 ? flatten(x, node, context) : refuse(node, "it joins examples"),
  Reshape: ([x], _, node) => reshape(x, node, context),
  Squeeze: ([x], _, node) => reshape(x, node, context),
  Unsqueeze: ([x], _, node) => reshape(x, node, context),
  Transpose: ([x], { perm }, node) => transpose(x, perm, node),
  GlobalAveragePool: ([x], _, node) => globalMean(x, node, context, context.shape(node.outputs[0]!).slice(1)),
  ReduceMean: ([x, axes], { keepdims }, node) => {
    const operand = randomOperand(x, node);
    const { sides, unitsLast } = operand.kind === "field" ? operand : operand.field;
    const rank = sides.length + 2;
    const given = axes?.kind === "weight" && axes.values ? Array.from(numbers(axes.values)) : [];
    const found = given.map((axis) => (axis < 0 ? axis + rank : axis)).sort((a, b) => a - b);
    const wanted = sides.map((_, k) => k + (unitsLast ? 1 : 2));
    if (sides.length === 0 || `${found}` !== `${wanted}`)
      return refuse(node, "it must take the mean over all positions, and over nothing else");
    return globalMean(x, node, context, keepdims ? sides.map(() => 1) : []);
  },
  Pad: (inputs, { mode }, node) => pad(inputs, mode, node, context),
  AveragePool: ([x], attributes, node) => averagePool(x, attributes, node, context),
  LayerNormalization: ([x], attributes, node) => layerNormalization(x, attributes, node, context),
});
