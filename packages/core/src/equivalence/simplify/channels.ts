// Reduction of any graph whose units can be told apart: channels of convolutions, units with residual connections. A unit
// goes from all weights that have it when nobody reads it, when it is 0 on the box, or when another one is a multiple.

import type { Box } from "../../bounds/linear/row-bounds.ts";
import { linearBoundsInTime, type OutputBounds } from "../../bounds/linear.ts";
import { TimeOver } from "../../engine/time-over.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { prune } from "../../graph/prune.ts";
import { encode, type FloatType, numbers, type Tensor } from "../../graph/tensor.ts";
import { certifiedChange, certifying } from "./certified-change.ts";
import type { FoldedGraph } from "./fold-nodes.ts";
import type { Reduced, TimedOptions } from "./reduced.ts";
import { type RemovedUnit, reductionsOf } from "./removal.ts";
import { byUnit, keepPlaces } from "./tensor-slices.ts";
import { factorAt, type Twin, twinUnits } from "./twin-units.ts";
import { type RemovableUnits, removableUnits, type WeightUse } from "./unit-axes.ts";

/** Proved [least, greatest] value of each unit of the source where a value is read, by class and name of the value. */
type UnitRanges = ReadonlyMap<string, readonly (readonly [number, number])[]>;
type Reader = RemovableUnits["readers"][number];

const rangeKey = ({ id }: RemovableUnits, { value }: Reader): string => `${id}\n${value}`;

const weightOf = (graph: Graph, name: string): Tensor => graph.initializers.get(name) as Tensor;

const slices = (graph: Graph, { weight, axis, unitAt }: WeightUse, size: number): readonly number[][] => {
  const tensor = weightOf(graph, weight);
  return byUnit(tensor.dims, axis, unitAt, numbers(tensor) as ArrayLike<number>, size);
};

/** Bounds, on the box, of all units where they are read. */
async function readRanges(
  graph: Graph,
  classes: readonly RemovableUnits[],
  box: Box | undefined,
  { left, signal, onProgress }: TimedOptions,
): Promise<UnitRanges> {
  const ranges = new Map<string, readonly (readonly [number, number])[]>();
  if (!box) return ranges;
  const read = [...new Set(classes.flatMap(({ readers }) => readers.map(({ value }) => value)))];
  for (const [k, value] of read.entries()) {
    const until: Graph = { ...graph, outputs: [{ name: value, type: { type: "float64" } }] };
    try {
      const limits = {
        ...(signal && { signal }),
        ...(left && { seconds: left() / (2 * (read.length - k)) }),
      };
      const bounds = await linearBoundsInTime(prune(until), box, limits);
      for (const units of classes)
        for (const reader of units.readers) {
          const found = reader.value === value && rangeOfUnits(bounds, reader, units.size);
          if (found) ranges.set(rangeKey(units, reader), found);
        }
    } catch (error) {
      if (!(error instanceof GraphError || error instanceof TimeOver)) throw error;
    }
    onProgress?.((0.8 * (k + 1)) / read.length);
  }
  return ranges;
}

/** What each unit is where this reader reads it: the extremes of its elements. */
function rangeOfUnits(
  { lower, upper }: OutputBounds,
  { node, unitOfValue }: Reader,
  size: number,
): readonly (readonly [number, number])[] | undefined {
  const places = unitOfValue.length;
  // Elements after the axis: all the others in Conv (of one example), none in Gemm and MatMul.
  const inner = node.op === "Conv" ? lower.length / places : 1;
  const dims = [lower.length / (places * inner), places, inner];
  if (!dims.every(Number.isInteger)) return undefined;
  const low = byUnit(dims, 1, unitOfValue, lower, size);
  const high = byUnit(dims, 1, unitOfValue, upper, size);
  return low.map((values, k) => {
    const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    return [least, high[k]!.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)] as const;
  });
}

interface Decision {
  readonly removed: readonly RemovedUnit[];
  readonly gone: ReadonlySet<number>;
  /** What readers have for a unit, its twin gets too. */
  readonly moved: readonly Twin[];
}

/** `places`: which units of the source those of the class are. */
function decide(
  graph: Graph,
  units: RemovableUnits,
  ranges: UnitRanges,
  places: readonly number[],
  exactOnly: boolean,
): Decision {
  const { size, layer, own, readers } = units;
  const removed: RemovedUnit[] = [];
  const gone = new Set<number>();
  const silent = readers.map((reader) => slices(graph, reader, size).map((w) => w.every((v) => v === 0)));
  for (let unit = 0; unit < size; unit++) {
    const isZero = (r: number): boolean => {
      const range = ranges.get(rangeKey(units, readers[r]!))?.[places[unit]!];
      return range?.[0] === 0 && range[1] === 0;
    };
    if (!readers.every((_, r) => silent[r]![unit] || isZero(r))) continue;
    const reason = silent.every((s) => s[unit]) ? "unused" : "dead";
    gone.add(unit);
    removed.push({ layer, unit, reason, ...(reason === "dead" && { bounds: [0, 0] as const }) });
  }
  const parts = own.map((use) => slices(graph, use, size));
  const moved = exactOnly ? [] : twinUnits(units, parts, gone);
  for (const { unit, into } of moved) {
    gone.add(unit);
    removed.push({ layer, unit, into, reason: "merged" });
  }
  // A class needs a unit: the last one stays, silent as it is.
  if (gone.size === size) {
    const stays = size - 1;
    gone.delete(stays);
    return {
      removed: removed.filter(({ unit }) => unit !== stays),
      gone,
      moved: moved.filter(({ unit }) => unit !== stays),
    };
  }
  return { removed, gone, moved };
}

/** The graph without these units; whether sums of weights were rounded. */
function without(graph: Graph, { own, readers, size }: RemovableUnits, { gone, moved }: Decision) {
  const initializers = new Map(graph.initializers);
  let exact = true;
  for (const reader of new Map(readers.map((r) => [r.weight, r])).values()) {
    const { weight, axis, unitAt } = reader;
    const tensor = weightOf(graph, weight);
    const values = Float64Array.from(numbers(tensor) as ArrayLike<number>, Number);
    const positions = Float64Array.from(values.keys());
    const places = byUnit(tensor.dims, axis, unitAt, positions, size);
    for (const twin of moved) {
      const factor = factorAt(twin, reader);
      places[twin.unit]!.forEach((from, n) => {
        const to = places[twin.into]![n]!;
        const [a, b] = [values[to]!, factor * values[from]!];
        values[to] = a + b;
        // Knuth's sum: nothing was lost if both can be had back; nor by the factor, a power of two.
        exact &&= values[to] - a === b && values[to] - b === a && b / factor === values[from];
      });
    }
    const renewed: Tensor = { ...tensor, data: encode(values, tensor.type as FloatType) };
    const stored = numbers(renewed) as ArrayLike<number>;
    exact &&= values.every((v, k) => v === stored[k]);
    initializers.set(
      weight,
      keepPlaces(renewed, axis, (k) => !gone.has(unitAt[k]!)),
    );
  }
  for (const { weight, axis, unitAt } of own)
    initializers.set(
      weight,
      keepPlaces(weightOf(graph, weight), axis, (k) => !gone.has(unitAt[k]!)),
    );
  return { graph: { ...graph, initializers, valueTypes: new Map() }, exact };
}

/** Takes channels and units out of a graph that is no chain of layers. */
export async function simplifyChannels(
  source: Graph,
  folded: FoldedGraph,
  box: Box | undefined,
  options: TimedOptions,
): Promise<Reduced> {
  const { exactOnly = false, left, signal } = options;
  let { graph, exact } = folded;
  const removed: RemovedUnit[] = [];
  const first = removableUnits(graph);
  const places = new Map(
    first.classes.map(({ id, size }) => [id, Array.from({ length: size }, (_, k) => k)] as const),
  );
  const ranges = await readRanges(first.graph, first.classes, box, options);
  for (let isDone = false; !isDone; ) {
    isDone = true;
    const { graph: current, classes } = removableUnits(graph);
    for (const units of classes) {
      const at = places.get(units.id);
      const decision = at && decide(current, units, ranges, at, exactOnly);
      if (!decision || decision.gone.size === 0) continue;
      const after = without(current, units, decision);
      removed.push(
        ...decision.removed.map((unit) => ({
          ...unit,
          unit: at[unit.unit!]!,
          ...(unit.into !== undefined && { into: at[unit.into]! }),
        })),
      );
      places.set(
        units.id,
        at.filter((_, k) => !decision.gone.has(k)),
      );
      graph = after.graph;
      exact &&= after.exact;
      isDone = false;
      break;
    }
  }
  const layers = first.classes.map(({ id, layer, size }) => ({
    layer,
    before: size,
    after: places.get(id)!.length,
  }));
  const change = exact
    ? { upper: 0, seen: 0 }
    : box && (await certifiedChange(source, graph, box, { ...(signal && { signal }), ...certifying(left) }));
  return { graph: prune(graph), removed, layers: reductionsOf(layers, removed), exact, change };
}
