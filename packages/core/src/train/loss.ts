// Losses as graphs: the loss of each example from the network's output and its target (C1a-04).

import { Builder } from "../graph/builder.ts";
import { GraphError } from "../graph/error.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, isTensorType, requiredInputs, type TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import type { Value, Values } from "../graph/value.ts";
import { type LogitPenalties, logitPenalty } from "./logit-penalty.ts";

export interface Loss {
  /** "class": integers from 0, one an example; "real": numbers in the shape of the output. */
  readonly target: "class" | "real";
  /** The loss of each example, [N], from the outputs [N, K] and the targets ([N] classes or [N, K] numbers). */
  readonly each: (output: Value, target: Value) => Value;
}

const column = (classes: Value): Value => classes.reshape([-1, 1]);
const number = (like: Value, value: number): Value => like.builder.lift(value, like.type.type);

/** The entry of each row that its class names: [N]. */
const chosen = (rows: Value, classes: Value): Value =>
  rows.op("GatherElements", [column(classes)], { axis: 1 }).reshape([-1]);

/** Whether a place of a row is that of its class: [N, K]. */
function isClass(rows: Value, classes: Value): Value {
  const integer = (value: number) => classes.builder.lift(value, "int64");
  const count = rows.op("Shape", [], { start: 1 }).reshape([]);
  const [places] = rows.builder.apply("Range", [integer(0), count, integer(1)]);
  return column(classes).op("Equal", [places]);
}

/**
 * The margin of each example. One output f: y f with y = -1 for class 0 and y = 1 for class 1. Several: the output of
 * the right class less the greatest of the others.
 */
export function margin(output: Value, classes: Value): Value {
  if (output.type.shape?.[1] === 1) {
    const sign = classes.op("CastLike", [output]).mul(2).sub(number(output, 1));
    return output.reshape([-1]).mul(sign);
  }
  const others = isClass(output, classes).op("Where", [number(output, Number.NEGATIVE_INFINITY), output]);
  return chosen(output, classes).sub(
    others.op("ReduceMax", [tensor([1], { type: "int64" })], { keepdims: 0 }),
  );
}

/** A loss of the margin. */
const ofMargin = (value: (margin: Value) => Value): Loss => ({
  target: "class",
  each: (output, target) => value(margin(output, target)),
});

export const losses = {
  /** The square of the Euclidean distance, summed over the outputs. */
  square: {
    target: "real",
    each: (output, target) => {
      const rest = output.sub(target);
      return rest.mul(rest).op("Flatten", [], { axis: 1 }).sum([1]);
    },
  },
  /** ln(1 + e^-m) */
  logistic: ofMargin((m) => m.neg().op("Softplus")),
  exponential: ofMargin((m) => m.neg().exp()),
  hinge: ofMargin((m) => m.neg().add(number(m, 1)).relu()),
  /** 1 for m < 0, 1 - m on [0, 1], 0 from there on. */
  ramp: ofMargin((m) =>
    m
      .neg()
      .add(number(m, 1))
      .op("Clip", [number(m, 0), number(m, 1)]),
  ),
  /** -ln softmax(output)[class] */
  "cross-entropy": {
    target: "class",
    each: (output, target) => chosen(output.op("LogSoftmax", [], { axis: 1 }), target).neg(),
  },
} as const satisfies Readonly<Record<string, Loss>>;

export type LossName = keyof typeof losses;

/** 1 for each example that is classified right: the greatest output, or the sign of the only one. */
export function correct(output: Value, classes: Value): Value {
  if (output.type.shape?.[1] === 1)
    return margin(output, classes)
      .op("Greater", [number(output, 0)])
      .op("CastLike", [output]);
  const guess = output.op("ArgMax", [], { axis: 1, keepdims: 0 });
  return guess.op("Equal", [classes]).op("CastLike", [output]);
}

/** The type of the input `target` that a loss asks for, for an output of this type. */
export const targetType = (loss: LossName, output: TensorType): TensorType =>
  losses[loss].target === "class"
    ? { type: "int64", shape: output.shape?.slice(0, 1) ?? [undefined] }
    : output;

/**
 * The network followed by a loss: inputs as before and `target`; outputs `loss` (the mean over the examples) and, for
 * classes, `accuracy`. With penalties on the outputs there is an output `penalized` too, and for DARC an input `signs`.
 * @example objective(net, "square").outputs.map((o) => o.name) // ["loss"]
 */
export function objective(original: Graph, loss: LossName, penalties: LogitPenalties = {}): Graph {
  const graph = canonical(original);
  const output = theOutput(graph);
  const inputs = Object.fromEntries(
    requiredInputs(graph).map(({ name, type }) => {
      if (!isTensorType(type)) throw new GraphError(`input "${name}" is a ${type.description}, not a tensor`);
      return [name, type] as const;
    }),
  );
  const ofClasses = losses[loss].target === "class";
  const more = { ...(ofClasses ? { accuracy: true } : {}), ...(penalties.darc ? { signs: true } : {}) };
  const own = ["target", "loss", ...Object.keys(more)].find((name) => name in inputs);
  if (own !== undefined) throw new GraphError(`the graph has an input "${own}" of its own`);
  const builder = new Builder();
  const body = (given: Values): Values => {
    const y = asRows(builder.inline(graph, given)[output.name]!, loss);
    const [f, target] = [wide(y), wide(given.target!)];
    const mean = (each: Value): Value => (f === y ? each.mean([0]) : each.mean([0]).op("CastLike", [y]));
    const value = mean(losses[loss].each(f, target));
    const added = logitPenalty(y, given.signs, penalties);
    return {
      loss: value,
      ...(ofClasses ? { accuracy: mean(correct(f, target)) } : {}),
      ...(added ? { penalized: value.add(added) } : {}),
    };
  };
  const types: Record<string, TensorType> = { ...inputs, target: targetType(loss, output.type) };
  if (penalties.darc) types.signs = { type: output.type.type, shape: output.type.shape?.slice(0, 1) };
  const result = finish(builder, types, body, { name: `${graph.name}_${loss}`, nested: false });
  return { ...result, opsets: graph.opsets, functions: graph.functions };
}

/** Halves in f32: exponentials and sums over a batch leave their range, and ONNX Runtime does not add up all of them. */
const wide = (v: Value): Value =>
  v.type.type === "float16" || v.type.type === "bfloat16" ? v.cast("float32") : v;

function theOutput(graph: Graph): { readonly name: string; readonly type: TensorType } {
  const [output, another] = graph.outputs;
  if (!output || another)
    throw new GraphError(`a loss needs a graph with one output, not ${graph.outputs.length}`);
  const type = inferTypes(graph).get(output.name);
  if (!type?.shape) throw new GraphError(`the shape of output "${output.name}" is not known`);
  return { name: output.name, type: { type: type.type, shape: type.shape } };
}

/** Classes are judged by rows of outputs: [N] is one output an example. */
function asRows(y: Value, loss: LossName): Value {
  const rank = y.type.shape!.length;
  if (losses[loss].target === "real" || rank === 2) return y;
  if (rank === 1) return y.reshape([-1, 1]);
  throw new GraphError(`the ${loss} loss reads an output [N, K], not one with ${rank} axes`);
}
