// How many levels each gate of a circuit gets: the fewest hidden units for a given error, by dynamic programming.

import { sum } from "../../numbers/sum.ts";
import { type Circuit, type Gate, isGate, squaresOf, takesAbsolute } from "./circuit.ts";
import { squareGap } from "./identities.ts";
import { type Schedule, schedule } from "./schedule.ts";

/** A gate's units are `fixed + perLevel m`, and it adds weight 4^-(m+1) to the error. */
interface GateCost {
  readonly index: number;
  readonly weight: number;
  readonly perLevel: number;
  readonly fixed: number;
  /** 1 if absolute values come first. */
  readonly absolute: number;
  /** The fewest levels with which the gate alone keeps to the error. */
  readonly least: number;
}

interface StageCost {
  readonly gates: readonly GateCost[];
  /** Units that carry values through each layer of the stage, less those not yet begun. */
  readonly perLayer: number;
  readonly fixed: number;
}

/** More than this many levels beyond a gate's least are not tried. */
const widest = 12;

/**
 * Levels with sum_g weight_g 4^-(m_g + 1) <= eps and the fewest hidden units. A stage with l layers costs l units for
 * each value carried through it, so the best levels are those of a knapsack: its table holds the least error by units.
 */
export function fewestUnits(circuit: Circuit, weights: readonly number[], eps: number): number[] {
  const stages = stageCosts(circuit, schedule(circuit), weights, eps);
  const gates = stages.flatMap((s) => s.gates);
  const spare = Math.ceil(Math.log(Math.max(1, gates.length)) / Math.log(4));
  const atLeast = stages.map((s) => unitsOfStage(s, (g) => g.least));
  const enough = stages.map((s) => unitsOfStage(s, (g) => g.least + spare));
  const capacity = sum(enough) - sum(atLeast);
  let tables: Table = { error: new Float64Array(capacity + 1).fill(Infinity), trace: [] };
  tables.error[0] = 0;
  for (const stage of stages) tables = addStage(tables, stage, capacity);
  const found = tables.error.findIndex((error) => error <= eps);
  const levels = circuit.values.map(() => 0);
  for (const [index, count] of trace(tables, found)) levels[index] = count;
  return levels;
}

/** For each number of units beyond the least: the least error, and for each stage so far how it came about. */
interface Table {
  readonly error: Float64Array;
  readonly trace: readonly ((units: number) => {
    readonly before: number;
    readonly levels: readonly Choice[];
  })[];
}
type Choice = readonly [gate: number, levels: number];

function addStage(before: Table, stage: StageCost, capacity: number): Table {
  const shortest = layersOfStage(stage, (g) => g.least);
  const error = new Float64Array(capacity + 1).fill(Number.POSITIVE_INFINITY);
  const chosen = new Array<StageTable | undefined>(capacity + 1);
  for (let layers = shortest; (layers - shortest) * stage.perLayer <= capacity; layers++) {
    const table = stageTable(before.error, stage, layers, (layers - shortest) * stage.perLayer);
    table.error.forEach((e, units) => {
      if (e >= error[units]!) return;
      error[units] = e;
      chosen[units] = table;
    });
    if (layers - shortest >= widest) break;
  }
  return { error, trace: [...before.trace, (units) => chosen[units]!.trace(units)] };
}

interface StageTable {
  readonly error: Float64Array;
  trace(units: number): { readonly before: number; readonly levels: readonly Choice[] };
}

/** The table after a stage of so many layers, which cost `extra` units more than its shortest form. */
function stageTable(before: Float64Array, stage: StageCost, layers: number, extra: number): StageTable {
  const size = before.length;
  let error = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  error.set(before.subarray(0, size - extra), extra);
  const chosen = stage.gates.map((gate) => {
    const next = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
    const more = new Uint8Array(size);
    const most = Math.min(widest, layers - gate.absolute - gate.least);
    for (let added = 0; added <= most; added++) {
      const own = gate.weight * squareGap(gate.least + added);
      const cost = added * gate.perLevel;
      for (let units = cost; units < size; units++) {
        const total = error[units - cost]! + own;
        if (total >= next[units]!) continue;
        next[units] = total;
        more[units] = added;
      }
    }
    error = next;
    return more;
  });
  return {
    error,
    trace(units) {
      let left = units;
      const levels = stage.gates.toReversed().map((gate, k): Choice => {
        const added = chosen[stage.gates.length - 1 - k]![left]!;
        left -= added * gate.perLevel;
        return [gate.index, gate.least + added];
      });
      return { before: left - extra, levels };
    },
  };
}

function trace(table: Table, units: number): Choice[] {
  let left = units;
  return table.trace.toReversed().flatMap((step) => {
    const { before, levels } = step(left);
    left = before;
    return levels;
  });
}

/** Hidden units of a circuit's network, without building it. */
export function unitsOf(circuit: Circuit, levels: readonly number[]): number {
  const stages = stageCosts(
    circuit,
    schedule(circuit),
    circuit.values.map(() => 1),
    1,
  );
  return sum(stages.map((stage) => unitsOfStage(stage, (g) => levels[g.index]!)));
}

const layersOfStage = ({ gates }: StageCost, levels: (gate: GateCost) => number): number =>
  Math.max(...gates.map((g) => g.absolute + levels(g)));

const unitsOfStage = (stage: StageCost, levels: (gate: GateCost) => number): number =>
  stage.fixed +
  stage.perLayer * layersOfStage(stage, levels) +
  sum(stage.gates.map((g) => g.fixed + g.perLevel * levels(g)));

function stageCosts(
  { values }: Circuit,
  { stages, neededAt, holding, joining }: Schedule,
  weights: readonly number[],
  eps: number,
): StageCost[] {
  const made = new Set(values.flatMap((v, index) => (v.kind === "source" ? [index] : [])));
  const begun = new Set<number>();
  return stages.map((indices, s) => {
    const stage = s + 1;
    const neededLater = (index: number): boolean => neededAt[index]! > stage;
    const gates = indices.map((index) => gateCost(index, values[index] as Gate, weights[index]!, eps));
    let [perLayer, fixed] = [[...made].filter(neededLater).length, 0];
    if (holding.has(stage)) {
      const joinsNow = [...joining]
        .filter(([, terms]) => [...terms.values()].includes(stage))
        .map(([i]) => i);
      const present = new Set([...made, ...begun, ...joinsNow]);
      fixed += [...present].filter((index) => neededAt[index]! >= stage).length;
    }
    const beginsAfter = (layers: number): void => {
      perLayer++;
      fixed -= layers;
    };
    for (const g of gates) {
      made.add(g.index);
      if (neededLater(g.index)) beginsAfter(g.absolute + 1);
    }
    for (const [sumIndex, terms] of joining) {
      const here = [...terms].filter(
        ([term, joins]) => joins === stage || (joins === "direct" && indices.includes(term)),
      );
      const joinsAtStart = here.some(([, joins]) => joins === stage);
      if (neededLater(sumIndex)) {
        if (begun.has(sumIndex) || joinsAtStart) perLayer++;
        else if (here.length > 0)
          beginsAfter(
            1 + Math.min(...gates.filter((g) => terms.get(g.index) === "direct").map((g) => g.absolute)),
          );
      }
      if (here.length > 0) begun.add(sumIndex);
    }
    return { gates, perLayer, fixed };
  });
}

function gateCost(index: number, gate: Gate, weight: number, eps: number): GateCost {
  const squares = squaresOf(gate);
  const absolute = takesAbsolute(gate) ? 1 : 0;
  let least = 1;
  while (weight * squareGap(least) > eps) least++;
  return {
    index,
    weight,
    perLevel: 2 * squares.length,
    fixed: absolute && sum(squares.map((s) => (s.nonnegative ? 1 : 2))),
    absolute,
    least,
  };
}

/** The same number of levels for every gate. */
export const uniformLevels = ({ values }: Circuit, levels: number): number[] =>
  values.map((value) => (isGate(value) ? levels : 0));
