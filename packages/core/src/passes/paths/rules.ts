// What a network's operators do to sums over paths: weights as |w|^p, gates open, maxima as sums.
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { type AttributesOf, families, type OperatorName } from "../../graph/operators/index.ts";
import { isFloat } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { Rule, Rules } from "../pass.ts";

/** A value of the new graph: a weight as it is in the network, or a sum over the paths that lead here. */
export interface PathValue {
  readonly value: Value;
  readonly isWeight: boolean;
}

export interface PathOptions {
  /** Exponent of the weights along a path; 0 counts paths. */
  readonly p: 0 | 1 | 2;
  /** Whether paths start at biases, too. */
  readonly biases: boolean;
}

type Inputs = readonly (PathValue | undefined)[];
type AnyRule = (inputs: Inputs, attributes: unknown, node: Node) => PathValue | readonly PathValue[];
type Read = (x: PathValue, k: number) => Value;

const sumOver = (value: Value): PathValue => ({ value, isWeight: false });
const isFixed = (inputs: Inputs): boolean => inputs.every((x) => x === undefined || x.isWeight);
const noPaths = (node: Node, what: string): GraphError =>
  new GraphError(`${describe(node)} ${what}: it has no paths`);

/** Operators that only move numbers. */
const movers = [families.reshaping, families.indexing, families.padding, families.generation].flatMap(
  (family) => Object.keys(family) as OperatorName[],
);
const sums = ["Add", "Sub", "Sum", "Max", "Min"] as const;
const products = ["Mul", "Div", "MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum"] as const;
/** The slope is 0 or 1 in size (a leak counts as 1). */
const gates = ["Relu", "LeakyRelu", "PRelu", "ThresholdedRelu", "Clip", "Abs", "Neg", "Dropout"] as const;

const same = <K extends OperatorName>(names: readonly K[], rule: (op: K) => AnyRule): Rules<PathValue> =>
  Object.fromEntries(names.map((op) => [op, rule(op) as Rule<PathValue, never>]));

/** The node as it is, its inputs as `read` has them; what depends on weights alone stays a weight. */
function written(op: OperatorName, inputs: Inputs, attributes: unknown, node: Node, read: Read): PathValue[] {
  const fixed = isFixed(inputs);
  const values = inputs.map((x, k) => (x && !fixed ? read(x, k) : x?.value));
  const { builder } = values.find((v) => v !== undefined)!;
  const outputs = builder.apply(op, values, attributes as never, node.outputs.length);
  return outputs.map((value) => ({ value, isWeight: fixed || !isFloat(value.type.type) }));
}

function spatial(x: Value, node: Node): readonly number[] {
  const rank = x.type.shape?.length;
  if (rank === undefined) throw new GraphError(`${describe(node)} reads a value of unknown rank`);
  return Array.from({ length: rank - 2 }, (_, k) => k + 2);
}

/** The rules write into the graph of the values that they are given. */
export function pathRules({ p, biases }: PathOptions): Rules<PathValue> {
  const power = (w: Value): Value => {
    const size = w.cast("float64").abs();
    return p === 0 ? size.op("Sign") : p === 1 ? size : size.mul(size);
  };
  const coefficient: Read = ({ value, isWeight }) =>
    isWeight && isFloat(value.type.type) ? power(value) : value;
  /** A weight that is added starts a path, unless those of biases are left out. */
  const source: Read = (x, k) => {
    const value = coefficient(x, k);
    return x.isWeight && isFloat(value.type.type) && !biases ? value.mul(0) : value;
  };
  /** A mean by a sum and the mean's own coefficients, which show on a constant 1. */
  const mean = (x: Value, averaged: (v: Value) => Value, summed: (v: Value) => Value): PathValue => {
    const ones = x.mul(0).add(1);
    return sumOver(summed(x).mul(power(averaged(ones).div(summed(ones)))));
  };

  return {
    ...same(movers, (op) => (inputs, attributes, node) => written(op, inputs, attributes, node, source)),
    ...same(sums, (op) => (inputs, attributes, node) => {
      if (isFixed(inputs)) return written(op, inputs, attributes, node, source);
      return sumOver(inputs.flatMap((x, k) => (x ? [source(x, k)] : [])).reduce((a, b) => a.add(b)));
    }),
    ...same(products, (op) => (inputs, attributes, node) => {
      if (isFixed(inputs)) return written(op, inputs, attributes, node, coefficient);
      if (inputs.slice(0, 2).every((x) => x && !x.isWeight))
        throw noPaths(node, "multiplies two values that depend on the input");
      if (op === "Div" && !inputs[1]!.isWeight)
        throw noPaths(node, "divides by a value that depends on the input");
      const scaled = op === "Gemm" ? gemmPower(attributes as AttributesOf<"Gemm">, p) : attributes;
      return written(op, inputs, scaled, node, (x, k) => (k === 2 ? source(x, k) : coefficient(x, k)));
    }),
    ...same(gates, (op) => (inputs, attributes, node) => {
      return isFixed(inputs) ? written(op, inputs, attributes, node, coefficient) : inputs[0]!;
    }),
    ReduceSum: (inputs, attributes, node) => written("ReduceSum", inputs, attributes, node, coefficient),
    ReduceMax: ([x, axes], attributes) =>
      sumOver(x!.value.op("ReduceSum", axes ? [axes.value] : [], attributes)),
    ReduceMean: ([x, axes], attributes) => {
      const over = axes ? [axes.value] : [];
      return mean(
        x!.value,
        (v) => v.op("ReduceMean", over, attributes),
        (v) => v.op("ReduceSum", over, attributes),
      );
    },
    MaxPool: ([x], { storage_order: _, ...window }) =>
      sumOver(x!.value.op("LpPool", [], { ...window, p: 1 })),
    AveragePool: ([x], { count_include_pad, ...window }) =>
      mean(
        x!.value,
        (v) => v.op("AveragePool", [], { ...window, count_include_pad }),
        (v) => v.op("LpPool", [], { ...window, p: 1 }),
      ),
    GlobalMaxPool: ([x], _, node) => sumOver(x!.value.sum(spatial(x!.value, node), 1)),
    GlobalAveragePool: ([x], _, node) => {
      const axes = spatial(x!.value, node);
      return mean(
        x!.value,
        (v) => v.mean(axes, 1),
        (v) => v.sum(axes, 1),
      );
    },
    BatchNormalization: ([x, scale, shift, center, variance], { epsilon }, node) => {
      const dims = [1, -1, ...spatial(x!.value, node).map(() => 1)];
      const own = (w: PathValue | undefined): Value => w!.value.cast("float64").reshape(dims);
      const factor = own(scale).div(own(variance).add(epsilon).sqrt());
      const scaled = x!.value.mul(power(factor));
      return sumOver(biases ? scaled.add(power(own(shift).sub(own(center).mul(factor)))) : scaled);
    },
  };
}

/** alpha A B + beta C: both numbers are coefficients of every path. */
function gemmPower(attributes: AttributesOf<"Gemm">, p: number): AttributesOf<"Gemm"> {
  const power = (a: number): number => (a === 0 ? 0 : Math.abs(a) ** p);
  return { ...attributes, alpha: power(attributes.alpha), beta: power(attributes.beta) };
}
