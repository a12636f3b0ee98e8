// Gates of ReLUs on wires: minimum, maximum, absolute value, and stages of them as one network.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Carrying } from "../calculus/calculus.ts";
import type { Layer } from "../layers/layered.ts";
import { layer, network, sparseLayer } from "../layers/layers.ts";

/** Two wires, low and high, of which min and max (sort) or only one of them (min on low, max on high) goes on. */
export interface Gate {
  readonly kind: "sort" | "min" | "max";
  readonly low: number;
  readonly high: number;
}
/** Gates side by side, no wire in two of them; a wire in none is carried if it is needed later. */
export type Stage = readonly Gate[];

/** A linear form of the units of the layer before: coefficients by unit. */
type Form = ReadonlyMap<number, number>;

const formOf = (...terms: readonly (readonly [number, number])[]): Form => new Map(terms);

/** a - b. */
function difference(a: Form, b: Form): Form {
  const result = new Map(a);
  for (const [unit, weight] of b) result.set(unit, (result.get(unit) ?? 0) - weight);
  return result;
}

const nothing: Form = new Map();

/** One hidden layer that is being written: its units are relu of linear forms. */
class Units {
  readonly forms: Form[] = [];

  add(form: Form): number {
    return this.forms.push(form) - 1;
  }

  /** x = relu(x) - relu(-x): two units, one where x >= 0 is known. */
  carry(x: Form, nonnegative: boolean): Form {
    const plus = this.add(x);
    return nonnegative ? formOf([plus, 1]) : formOf([plus, 1], [this.add(difference(nothing, x)), -1]);
  }
}

/** min(x, y) = x - relu(x - y) and max(x, y) = x + relu(y - x). */
function applyGate(
  units: Units,
  kind: Gate["kind"],
  x: Form,
  y: Form,
  nonnegative: boolean,
): readonly [Form?, Form?] {
  const carried = units.carry(x, nonnegative);
  const low = kind === "max" ? undefined : new Map([...carried, [units.add(difference(x, y)), -1] as const]);
  const high = kind === "min" ? undefined : new Map([...carried, [units.add(difference(y, x)), 1] as const]);
  return [low, high];
}

/**
 * The network of stages of gates on n wires, one hidden layer a stage: 3 units for min or max, 4 for both, 2 for a
 * wire that is carried, and one fewer each for nonnegative inputs. `outputs` are combinations of wires.
 * @example gateNetwork(2, [[{ kind: "sort", low: 0, high: 1 }]], [[[0, 1]], [[1, 1]]]) // (x, y) -> (min, max)
 */
export function gateNetwork(
  wires: number,
  stages: readonly Stage[],
  outputs: readonly (readonly (readonly [wire: number, weight: number])[])[],
  { nonnegative = false, name = "gates" }: Carrying & { readonly name?: string } = {},
): Graph {
  let state = new Map(Array.from({ length: wires }, (_, w) => [w, formOf([w, 1])]));
  let width = wires;
  const layers: Layer[] = [];
  const needed = neededAfter(stages, outputs.flat());
  stages.forEach((stage, k) => {
    const units = new Units();
    const next = new Map<number, Form>();
    const used = new Set(stage.flatMap(({ low, high }) => [low, high]));
    for (const { kind, low, high } of stage) {
      const [least, greatest] = applyGate(units, kind, wireOf(state, low), wireOf(state, high), nonnegative);
      if (least) next.set(low, least);
      if (greatest) next.set(high, greatest);
    }
    for (const [w, form] of state)
      if (!used.has(w) && needed[k]!.has(w)) next.set(w, units.carry(form, nonnegative));
    layers.push(layerOf(units.forms, width));
    [state, width] = [next, units.forms.length];
  });
  const read = outputs.map((terms) =>
    terms.reduce((sum, [w, weight]) => difference(sum, scaled(wireOf(state, w), -weight)), nothing),
  );
  return network([...layers, layerOf(read, width)], { name });
}

/** The wires that are read after each stage. */
function neededAfter(
  stages: readonly Stage[],
  outputs: readonly (readonly [number, number])[],
): readonly ReadonlySet<number>[] {
  let needed = new Set(outputs.map(([wire]) => wire));
  return stages
    .toReversed()
    .map((stage) => {
      const after = needed;
      needed = new Set([...after, ...stage.flatMap(({ low, high }) => [low, high])]);
      return after;
    })
    .reverse();
}

const scaled = (form: Form, factor: number): Form =>
  new Map([...form].map(([unit, weight]) => [unit, weight * factor]));

const layerOf = (forms: readonly Form[], columns: number): Layer =>
  sparseLayer(
    forms.length,
    columns,
    forms.flatMap((form, row) => [...form].map(([unit, weight]) => [row, unit, weight] as const)),
  );

function wireOf(state: ReadonlyMap<number, Form>, wire: number): Form {
  const form = state.get(wire);
  if (!form) throw new ConstructError(`a gate reads wire ${wire}, which carries nothing there`);
  return form;
}

/** A balanced tree of gates over n wires; the result is on wire 0. An odd wire out is carried to the next stage. */
function tree(kind: "min" | "max", wires: number): Stage[] {
  const stages: Stage[] = [];
  for (let alive = Array.from({ length: wires }, (_, w) => w); alive.length > 1; ) {
    const pairs = Array.from(
      { length: alive.length >> 1 },
      (_, k) => [alive[2 * k]!, alive[2 * k + 1]!] as const,
    );
    stages.push(
      pairs.map(([a, b]) => (kind === "min" ? { kind, low: a, high: b } : { kind, low: b, high: a })),
    );
    alive = [...pairs.map(([a]) => a), ...alive.slice(2 * pairs.length)];
  }
  return stages;
}

function extremum(kind: "min" | "max", wires: number, options: Carrying): Graph {
  requireWires(wires, 1);
  return gateNetwork(wires, tree(kind, wires), [[[0, 1]]], { ...options, name: `${kind}_${wires}` });
}

export function requireWires(wires: number, least: number): void {
  if (!Number.isSafeInteger(wires) || wires < least)
    throw new ConstructError(`gates need a whole number of wires, at least ${least}, not ${wires}`);
}

/**
 * The least of n numbers, by a balanced tree: ceil(log2 n) hidden layers, 3 (n - 1) units and 2 for each stage that
 * carries an odd wire; for nonnegative numbers 2 (n - 1) and 1.
 * @example complexity(minimum(4)).architecture // [4, 6, 3, 1]
 */
export const minimum = (wires = 2, options: Carrying = {}): Graph => extremum("min", wires, options);

/**
 * The greatest of n numbers; sizes as for `minimum`.
 * @example complexity(maximum(2)).architecture // [2, 3, 1]
 */
export const maximum = (wires = 2, options: Carrying = {}): Graph => extremum("max", wires, options);

/**
 * |x| = relu(x) + relu(-x).
 * @example complexity(absolute()).architecture // [1, 2, 1]
 */
export const absolute = (): Graph => network([layer([[1], [-1]]), layer([[1, 1]])], { name: "absolute" });
