// Where the units of a class stand in tensors, and which operators let a unit be taken out.
import type { Graph, Node } from "../../graph/graph.ts";
import { isSparse } from "../../graph/graph.ts";
import { numbers } from "../../graph/tensor.ts";
import {
  type Axis,
  type AxisClass,
  axisSize,
  type Leg,
  representative,
  resolve,
  type Segment,
} from "../axes/axis-class.ts";
import { readAxes } from "../axes/pass.ts";
import { type ScaleVariable, simplifiedScale } from "../axes/scale.ts";

/** Operators that treat each unit by itself, whatever the others are. */
const unitwise = new Set(
  `Relu LeakyRelu PRelu Elu Selu Celu Gelu Sigmoid Tanh Softplus Softsign HardSigmoid HardSwish Mish ThresholdedRelu Clip
  Erf Sin Cos Atan Exp Abs Sign Floor Ceil Round Neg Sqrt Reciprocal Add Sub Mul Div Identity Dropout BatchNormalization
  MaxPool AveragePool GlobalAveragePool GlobalMaxPool Flatten`.split(/\s+/),
);

/** A class of units that can be taken out one by one. */
export interface RemovableUnits {
  /** The same for the same units of a reduced graph. */
  readonly id: string;
  readonly size: number;
  /** The node that makes them first. */
  readonly layer: string;
  /** Weights whose entries along an axis belong to single units: what the units are. */
  readonly own: readonly WeightUse[];
  /** Nodes that sum over the units, with the weights that they sum with. */
  readonly readers: readonly ReaderUse[];
}

export interface WeightUse {
  readonly weight: string;
  readonly axis: number;
  /** For each place along the axis its unit, or -1. */
  readonly unitAt: Int32Array;
  /** Exponents, in this weight, of the positive factors that a unit is free to have; undefined: not the same everywhere. */
  readonly powers: Powers | undefined;
}

/** Only variables of any positive size are here: a function that is odd or even lets signs change, not sizes. */
export type Powers = ReadonlyMap<ScaleVariable, number>;

export interface ReaderUse extends WeightUse {
  readonly node: Node;
  /** What it reads the units from, and on which axis. */
  readonly value: string;
  readonly valueAxis: number;
  readonly unitOfValue: Int32Array;
}

const sizeOf = (segment: Segment): number => segment.reduce((n, { units }) => n * units.size!, 1);

/** The unit of a class at each place of an axis. */
function unitsAlong(axis: Axis, units: AxisClass): Int32Array {
  const places: number[] = [];
  for (const segment of axis) {
    const leg = segment.findIndex((l) => l.units === units);
    const inner = sizeOf(segment.slice(leg + 1));
    for (let k = 0; k < sizeOf(segment); k++) places.push(leg < 0 ? -1 : Math.floor(k / inner) % units.size!);
  }
  return Int32Array.from(places);
}

interface SumAxes {
  /** Axes of the weight that are summed over, and that are those of the outputs. */
  readonly summed: number;
  readonly kept: number;
  /** The axis of the value that is summed over. */
  readonly value: number;
}

/** How a node sums products with the weight at this place, if it does; `rank` is the weight's. */
function sumAxes(node: Node, place: number, rank: number): SumAxes | undefined {
  if (place !== 1) return undefined;
  const int = (name: string, otherwise: bigint): bigint => {
    const found = node.attributes.get(name);
    return found?.type === "int" ? found.value : otherwise;
  };
  if (node.op === "Conv") return int("group", 1n) === 1n ? { summed: 1, kept: 0, value: 1 } : undefined;
  // More axes than two would be a batch of matrices, one vector has no outputs.
  if (node.op === "MatMul" && rank === 2) return { summed: 0, kept: 1, value: -1 };
  if (node.op !== "Gemm" || int("transA", 0n) !== 0n) return undefined;
  const [kept, summed] = int("transB", 0n) === 0n ? [1, 0] : [0, 1];
  return { summed, kept, value: 1 };
}

type Axes = readonly Axis[];

/** The classes of a canonical graph whose units can be taken out. */
export function removableUnits(source: Graph): {
  readonly graph: Graph;
  readonly classes: readonly RemovableUnits[];
} {
  const { graph, values } = readAxes(source);
  for (const axes of values.values()) axes?.forEach(resolve);
  const resolved = new Map(
    [...values].flatMap(([name, axes]) => (axes ? [[name, axes.map(resolve)] as const] : [])),
  );
  const weights = [...graph.initializers].filter(([, t]) => !isSparse(t)).map(([name]) => name);
  const all = new Set(
    weights.flatMap((name) => (resolved.get(name) ?? []).flat(2).map((l) => representative(l.units))),
  );
  const classes = [...all].flatMap((units) => {
    const isFree = !units.pinned && units.size !== undefined && units.size > 1 && !units.parts;
    return (isFree && describeUnits(graph, resolved, units)) || [];
  });
  return { graph, classes };
}

/** Undefined if an operator meets the class that does more than to treat units one by one or to sum over them. */
function describeUnits(
  graph: Graph,
  axes: ReadonlyMap<string, Axes>,
  units: AxisClass,
): RemovableUnits | undefined {
  const legsOn = (name: string): readonly number[] =>
    (axes.get(name) ?? []).flatMap((axis, k) => (axis.flat().some((l) => l.units === units) ? [k] : []));
  const own = new Map<string, WeightUse>();
  const readers: ReaderUse[] = [];
  let layer: string | undefined;
  const use = (weight: string, axis: number): WeightUse | undefined => {
    const along = axes.get(weight)![axis]!;
    if (axisSize(along) === undefined || along.some((s) => s.filter((l) => l.units === units).length > 1))
      return undefined;
    const legs = along.flat().filter((l) => l.units === units);
    return { weight, axis, unitAt: unitsAlong(along, units), powers: commonPowers(legs) };
  };
  for (const node of graph.nodes) {
    const names = [...node.inputs, ...node.outputs].filter(Boolean);
    const touched = names.filter((name) => legsOn(name).length > 0);
    if (touched.length === 0) continue;
    if (touched.some((name) => legsOn(name).length > 1)) return undefined;
    for (const [place, name] of node.inputs.entries()) {
      if (!name || !graph.initializers.has(name) || legsOn(name).length === 0) continue;
      const [axis] = legsOn(name);
      const found = use(name, axis!);
      if (!found) return undefined;
      const sum = sumAxes(node, place, axes.get(name)!.length);
      if (sum && sum.summed === axis) {
        const value = node.inputs[0]!;
        const rank = axes.get(value)?.length ?? 0;
        const valueAxis = sum.value < 0 ? rank + sum.value : sum.value;
        if (own.has(name) || legsOn(value)[0] !== valueAxis || graph.initializers.has(value))
          return undefined;
        const unitOfValue = unitsAlong(axes.get(value)![valueAxis]!, units);
        readers.push({ ...found, node, value, valueAxis, unitOfValue });
      } else if (sum?.kept === axis || unitwise.has(node.op) || isBias(node, place)) {
        if (readers.some((r) => r.weight === name)) return undefined;
        own.set(name, found);
        layer ??= node.name || node.outputs[0]!;
      } else return undefined;
    }
    const isSum = readers.some((r) => r.node === node);
    const isMade = node.inputs.some((name) => own.has(name)) && isSumOfProducts(node);
    const isPadded = node.op === "Pad" && leavesAxis(graph, node, legsOn(node.outputs[0]!)[0]);
    if (!isSum && !isMade && !isPadded && !unitwise.has(node.op)) return undefined;
    // The units must leave a sum only as what was summed.
    if (isSum && node.outputs.some((name) => legsOn(name).length > 0)) return undefined;
  }
  return readers.length > 0 && layer !== undefined
    ? { id: [...own.keys()].join(" "), size: units.size!, layer, own: [...own.values()], readers }
    : undefined;
}

/** The sizes that all these legs have in common; undefined if they differ. */
function commonPowers(legs: readonly Leg[]): Powers | undefined {
  const [first, ...others] = legs.map(
    ({ scale }) => new Map([...simplifiedScale(scale)].filter(([variable]) => variable.magnitude)),
  );
  const isSame = (other: Powers): boolean =>
    other.size === first!.size && [...other].every(([variable, e]) => first!.get(variable) === e);
  return first && others.every(isSame) ? first : undefined;
}

/** Does a Pad add nothing along this axis? */
function leavesAxis({ initializers }: Graph, { inputs }: Node, axis: number | undefined): boolean {
  const pads = initializers.get(inputs[1] ?? "");
  if (!pads || isSparse(pads) || inputs[3] || axis === undefined) return false;
  const amounts = Array.from(numbers(pads), Number);
  return amounts[axis] === 0 && amounts[amounts.length / 2 + axis] === 0;
}

const isSumOfProducts = ({ op }: Node): boolean => op === "Conv" || op === "Gemm" || op === "MatMul";
const isBias = ({ op }: Node, place: number): boolean => place === 2 && (op === "Conv" || op === "Gemm");
