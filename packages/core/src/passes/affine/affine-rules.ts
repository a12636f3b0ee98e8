// Affine operators as linear combinations of their inputs' elements.

import {
  broadcastPositions,
  reducedGroups,
  stridesOf,
  transposedPositions,
} from "../../graph/elements/positions.ts";
import { windowAxes, windowTaps } from "../../graph/elements/windows.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { type DataType, elementCount } from "../../graph/tensor.ts";
import type { Rules } from "../pass.ts";
import { type Forms, isConstant, rowCount, select } from "./forms.ts";
import type { AffineWriter } from "./program.ts";

/** What a rule may ask of the graph around its node. */
export interface RuleContext {
  readonly program: AffineWriter;
  /** The shape of an output of the node. */
  dims(node: Node, k?: number): readonly number[];
  /** The element type of a value. */
  type(name: string): DataType;
}

/** sum of factors[k] * inputs[k], with broadcasting. */
function weightedSum(
  { program, dims }: RuleContext,
  inputs: readonly Forms[],
  factors: readonly number[],
  node: Node,
): Forms {
  const shape = dims(node);
  const positions = inputs.map((x) => broadcastPositions(x.dims, shape));
  return program.combine(inputs, shape, describe(node), (rows, terms) => {
    for (let k = 0; k < elementCount(shape); k++) {
      terms.forEach((x, n) => {
        rows.add(x, positions[n]![k]!, factors[n]!);
      });
      rows.endRow();
    }
  });
}

/** x * factor(k), element by element; the factors are numbers. */
export function scaled(context: RuleContext, x: Forms, factors: ArrayLike<number>, node: Node): Forms {
  return context.program.combine([x], x.dims, describe(node), (rows, [terms]) => {
    for (let k = 0; k < rowCount(x); k++) {
      rows.add(terms!, k, factors[k]!);
      rows.endRow();
    }
  });
}

const broadcastTo = (x: Forms, dims: readonly number[]): Forms =>
  select(x, broadcastPositions(x.dims, dims), dims);

/** The numbers of an input that must not depend on the network's inputs. */
export function numbersOf(x: Forms | undefined, node: Node, what: string): Float64Array {
  if (!x || !isConstant(x)) throw new GraphError(`${describe(node)}: ${what} must be a constant`);
  return x.constants;
}

function product(context: RuleContext, x: Forms, y: Forms, node: Node): Forms {
  const shape = context.dims(node);
  if (isConstant(y)) return scaled(context, broadcastTo(x, shape), broadcastTo(y, shape).constants, node);
  if (isConstant(x)) return scaled(context, broadcastTo(y, shape), broadcastTo(x, shape).constants, node);
  throw new GraphError(`${describe(node)}: a product of two functions is not piecewise linear`);
}

const countNonzero = (weights: Float64Array): number => weights.reduce((n, w) => n + Number(w !== 0), 0);

/** Refuses a node whose products of weights with elements of x, about so many, are too many to write out. */
function checkProducts({ program }: RuleContext, x: Forms, products: number, node: Node): void {
  const termsEach = x.slots.length / Math.max(1, rowCount(x));
  program.checkTerms(Math.floor(products * termsEach), describe(node));
}

function matrixProduct(context: RuleContext, a: Forms, b: Forms, node: Node, alpha = 1): Forms {
  const left = a.dims.length === 1 ? [1, ...a.dims] : a.dims;
  const right = b.dims.length === 1 ? [...b.dims, 1] : b.dims;
  const [rows, inner, columns] = [left.at(-2)!, left.at(-1)!, right.at(-1)!];
  if (!isConstant(a) && !isConstant(b))
    throw new GraphError(`${describe(node)}: a product of two functions is not piecewise linear`);
  if (inner === 0)
    throw new GraphError(`${describe(node)}: between its factors is nothing: what that gives differs`);
  const shape = context.dims(node);
  const batch = shape.slice(0, shape.length - Number(a.dims.length > 1) - Number(b.dims.length > 1));
  const [leftBlock, rightBlock] = [left, right].map((d) => broadcastPositions(d.slice(0, -2), batch));
  const [x, weights] = isConstant(b) ? [a, b.constants] : [b, a.constants];
  const [own, all] = [isConstant(b) ? right : left, isConstant(b) ? rows : columns];
  checkProducts(
    context,
    x,
    (countNonzero(weights) * all * leftBlock!.length) / elementCount(own.slice(0, -2)),
    node,
  );
  return context.program.combine([x], shape, describe(node), (writer, [terms]) => {
    for (let block = 0; block < leftBlock!.length; block++)
      for (let r = 0; r < rows; r++)
        for (let c = 0; c < columns; c++) {
          for (let k = 0; k < inner; k++) {
            const p = (leftBlock![block]! * rows + r) * inner + k;
            const q = (rightBlock![block]! * inner + k) * columns + c;
            if (isConstant(b)) writer.add(terms!, p, alpha * weights[q]!);
            else writer.add(terms!, q, alpha * weights[p]!);
          }
          writer.endRow();
        }
  });
}

const transposed = (x: Forms, flag: number): Forms =>
  flag ? select(x, transposedPositions(x.dims, [1, 0]), [x.dims[1]!, x.dims[0]!]) : x;

function convolution(
  context: RuleContext,
  [x, weights, bias]: readonly (Forms | undefined)[],
  attributes: Parameters<NonNullable<Rules<Forms>["Conv"]>>[1],
  node: Node,
): Forms {
  const w = numbersOf(weights, node, "its weights");
  const b = bias && numbersOf(bias, node, "its bias");
  const shape = context.dims(node);
  const [batch, channels, ...sizes] = x!.dims;
  const [out, perGroup, ...kernel] = weights!.dims;
  const taps = windowTaps(windowAxes(sizes, kernel, shape.slice(2), attributes));
  const [area, kernelArea, outPerGroup] = [
    elementCount(sizes),
    elementCount(kernel),
    out! / attributes.group,
  ];
  const met = taps.reduce((sum, window) => sum + window.filter(({ input }) => input >= 0).length, 0);
  checkProducts(context, x!, (batch! * countNonzero(w) * met) / kernelArea, node);
  return context.program.combine([x!], shape, describe(node), (rows, [terms]) => {
    for (let n = 0; n < batch!; n++)
      for (let o = 0; o < out!; o++)
        for (const window of taps) {
          const firstChannel = Math.floor(o / outPerGroup) * perGroup!;
          for (let c = 0; c < perGroup!; c++)
            for (const tap of window) {
              if (tap.input < 0) continue;
              const position = (n * channels! + firstChannel + c) * area + tap.input;
              rows.add(terms!, position, w[(o * perGroup! + c) * kernelArea + tap.kernel]!);
            }
          rows.shift(b?.[o] ?? 0);
          rows.endRow();
        }
  });
}

/** scale (x - mean) / sqrt(variance + epsilon) + bias: the factor is rounded to a double, once. */
function batchNormalization(
  context: RuleContext,
  inputs: readonly (Forms | undefined)[],
  epsilon: number,
  node: Node,
): Forms {
  const x = inputs[0]!;
  const [scale, bias, mean, variance] = ["scale", "bias", "mean", "variance"].map((what, k) =>
    numbersOf(inputs[k + 1], node, `its ${what}`),
  );
  const step = stridesOf(x.dims)[1]!;
  return context.program.combine([x], x.dims, describe(node), (rows, [terms]) => {
    for (let k = 0; k < rowCount(x); k++) {
      const channel = Math.floor(k / step) % x.dims[1]!;
      const factor = scale![channel]! / Math.sqrt(variance![channel]! + epsilon);
      rows.add(terms!, k, factor);
      rows.shift(bias![channel]! - mean![channel]! * factor);
      rows.endRow();
    }
  });
}

/** Sums of groups of elements, each times its group's factor. */
export function groupSums(
  context: RuleContext,
  x: Forms,
  groups: readonly (readonly number[])[],
  factor: (group: readonly number[], k: number) => number,
  node: Node,
): Forms {
  return context.program.combine([x], context.dims(node), describe(node), (rows, [terms]) => {
    groups.forEach((group, k) => {
      const weight = factor(group, k);
      for (const position of group) rows.add(terms!, position, weight);
      rows.endRow();
    });
  });
}

/** The groups of a reduction along constant axes (all of them when none is given). */
export function reductionGroups(
  x: Forms,
  axes: Forms | undefined,
  keepAll: boolean,
  node: Node,
): readonly (readonly number[])[] {
  const listed = axes ? [...numbersOf(axes, node, "its axes")] : [];
  if (listed.length === 0 && keepAll) return Array.from({ length: rowCount(x) }, (_, k) => [k]);
  const rank = x.dims.length;
  const all = listed.length === 0 ? x.dims.map((_, k) => k) : listed.map((a) => (a < 0 ? a + rank : a));
  return reducedGroups(x.dims, all);
}

/** Each affine operator's rule. */
export const affineRules = (context: RuleContext): Rules<Forms> => ({
  Neg: ([x], _, node) => scaled(context, x!, new Float64Array(rowCount(x!)).fill(-1), node),
  Add: ([x, y], _, node) => weightedSum(context, [x!, y!], [1, 1], node),
  Sub: ([x, y], _, node) => weightedSum(context, [x!, y!], [1, -1], node),
  Sum: (inputs, _, node) =>
    weightedSum(
      context,
      inputs as readonly Forms[],
      inputs.map(() => 1),
      node,
    ),
  Mean: (inputs, _, node) =>
    weightedSum(
      context,
      inputs as readonly Forms[],
      inputs.map(() => 1 / inputs.length),
      node,
    ),
  Mul: ([x, y], _, node) => product(context, x!, y!, node),
  Div: ([x, y], _, node) => {
    const divisors = numbersOf(y, node, "its divisor");
    return product(context, x!, { ...y!, constants: divisors.map((d) => 1 / d) }, node);
  },
  MatMul: ([x, y], _, node) => matrixProduct(context, x!, y!, node),
  Gemm: ([x, y, bias], { alpha, beta, transA, transB }, node) => {
    const linear = matrixProduct(context, transposed(x!, transA), transposed(y!, transB), node, alpha);
    return bias ? weightedSum(context, [linear, bias], [1, beta], node) : linear;
  },
  Conv: (inputs, attributes, node) => convolution(context, inputs, attributes, node),
  BatchNormalization: (inputs, { epsilon, training_mode }, node) => {
    if (training_mode) throw new GraphError(`${describe(node)} is in training mode`);
    return batchNormalization(context, inputs, epsilon, node);
  },
  ReduceSum: ([x, axes], { noop_with_empty_axes }, node) =>
    groupSums(context, x!, reductionGroups(x!, axes, noop_with_empty_axes === 1, node), () => 1, node),
  ReduceMean: ([x, axes], { noop_with_empty_axes }, node) =>
    groupSums(
      context,
      x!,
      reductionGroups(x!, axes, noop_with_empty_axes === 1, node),
      (g) => 1 / sizeOf(g, node),
      node,
    ),
});

/** How many elements a mean is over. */
export function sizeOf(group: readonly number[], node: Node): number {
  if (group.length === 0) throw new GraphError(`${describe(node)}: a mean of nothing is no number`);
  return group.length;
}
