// How active the units of a network are on data: dead ones, mean activity, saturation.

import type { Graph, Node } from "../graph/graph.ts";
import { ownEntry } from "../graph/own-entry.ts";
import { numbers, type Tensor, tensor } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";

/** The units behind one activation; of an image, a channel is a unit. */
export interface UnitActivity {
  readonly name: string;
  readonly op: string;
  readonly units: number;
  /** The share of units that are 0 (or below) on every example. */
  readonly dead: number;
  /** The share of positive activations. */
  readonly active: number;
  readonly mean: number;
  /** The share of activations within 5 percent of an end of the range, where there are ends (Sigmoid, Tanh). */
  readonly saturated?: number;
}

/** Activations by the ends of their range, where both are finite. */
const ranges: Readonly<Record<string, readonly [number, number] | undefined>> = {
  Relu: undefined,
  LeakyRelu: undefined,
  PRelu: undefined,
  Elu: undefined,
  Selu: undefined,
  Celu: undefined,
  Gelu: undefined,
  Softplus: undefined,
  Mish: undefined,
  HardSwish: undefined,
  Sigmoid: [0, 1],
  HardSigmoid: [0, 1],
  Tanh: [-1, 1],
  Softsign: [-1, 1],
  Erf: [-1, 1],
};

/** The activations of a graph that depend on its input. */
export const activationNodes = (graph: Graph): readonly Node[] =>
  graph.nodes.filter((n) => Object.hasOwn(ranges, n.op));

export interface ActivationWatch {
  readonly outputs: Readonly<Record<string, Value>>;
  add(found: Readonly<Record<string, Tensor>>, examples: number): void;
  summary(): readonly UnitActivity[];
}

interface Tally {
  readonly node: Node;
  readonly key: string;
  peak?: Float64Array;
  examples: number;
  active: number;
  mean: number;
  saturated: number;
}

/** Outputs that sum up each activation over a batch, and the sums over all batches. */
export function watchActivations(
  nodes: readonly Node[],
  values: ReadonlyMap<string, Value>,
): ActivationWatch {
  const outputs: Record<string, Value> = {};
  const tallies = nodes.flatMap((node, k): Tally[] => {
    const value = values.get(node.outputs[0]!);
    const rank = value?.type.shape?.length;
    if (!value || rank === undefined || rank < 2) return [];
    const key = `activity${k}`;
    const besidesUnits = Array.from({ length: rank }, (_, axis) => axis).filter((axis) => axis !== 1);
    const axes = tensor(besidesUnits, { type: "int64" });
    outputs[`${key}_peak`] = value.op("ReduceMax", [axes], { keepdims: 0 });
    outputs[`${key}_active`] = share(value, "Greater", 0);
    outputs[`${key}_mean`] = value.op("ReduceMean", [], { keepdims: 0 });
    const range = ownEntry(ranges, node.op);
    if (range) {
      const margin = 0.05 * (range[1] - range[0]);
      outputs[`${key}_saturated`] = share(value, "Greater", range[1] - margin).add(
        share(value, "Less", range[0] + margin),
      );
    }
    return [{ node, key, examples: 0, active: 0, mean: 0, saturated: 0 }];
  });
  return {
    outputs,
    add(found, examples) {
      const number = (name: string): number => (found[name] ? Number(numbers(found[name])[0]) : 0);
      for (const tally of tallies) {
        const peak = Float64Array.from(numbers(found[`${tally.key}_peak`]!));
        tally.peak = tally.peak ? peak.map((p, k) => Math.max(p, tally.peak![k]!)) : peak;
        tally.examples += examples;
        tally.active += examples * number(`${tally.key}_active`);
        tally.mean += examples * number(`${tally.key}_mean`);
        tally.saturated += examples * number(`${tally.key}_saturated`);
      }
    },
    summary: () => tallies.map(activityOf),
  };
}

/** The share of numbers that are greater, or less, than a threshold. */
const share = (value: Value, relation: "Greater" | "Less", than: number): Value =>
  value
    .op(relation, [value.builder.lift(than, value.type.type)])
    .op("CastLike", [value])
    .op("ReduceMean", [], { keepdims: 0 });

function activityOf({ node, peak, examples, active, mean, saturated }: Tally): UnitActivity {
  const units = peak?.length ?? 0;
  return {
    name: node.outputs[0]!,
    op: node.op,
    units,
    dead: units === 0 ? 0 : peak!.reduce((n, p) => (p <= 0 ? n + 1 : n), 0) / units,
    active: active / examples,
    mean: mean / examples,
    ...(ownEntry(ranges, node.op) ? { saturated: saturated / examples } : {}),
  };
}
