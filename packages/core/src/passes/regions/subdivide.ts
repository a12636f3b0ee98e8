// The subdivision: depth first, stage after stage, a convex polygon is split where a unit bends inside it,
// until every unit's choice is the same on the whole polygon: then it is a region.

import { type AffineProgram, isGrouped } from "../affine/program.ts";
import { Accumulator } from "./accumulator.ts";
import { type Condensed, Condenser } from "./condense.ts";
import { Decisions, type Whole } from "./decisions.ts";
import { Cell, ExactForms, type Plane, slopeOf } from "./exact-forms.ts";
import type { Extent, Polygon } from "./polygon.ts";
import { splits } from "./split.ts";

/** A region as the subdivision finds it. */
export interface FoundRegion {
  readonly polygon: Polygon;
  /** The chain of choices; undefined for a network without units. */
  readonly cell: Cell | undefined;
  /** The outputs on the region: all a, all b, all c of a u + b v + c. */
  readonly map: Float64Array;
  /** A bound on the error of the map, anywhere on the domain. */
  readonly error: number;
}

interface Task {
  readonly stage: number;
  readonly polygon: Polygon;
  readonly live: Int32Array;
  readonly cell: Cell | undefined;
  readonly saved: readonly Float64Array[];
  readonly unit: number;
  readonly choice: number;
  readonly limit: number;
}

/** The open units of a network on a polygon where all others are settled, from a stage on. */
interface Part extends Condensed {
  readonly exact: ExactForms;
  readonly extent: Extent;
  readonly stage: number;
  readonly cell: Cell | undefined;
}

interface SubdivisionOptions {
  readonly part?: Part;
  /** Below this many weights behind a stage, the network is not condensed. */
  readonly fewWeights?: number;
}

type Found = FoundRegion | Generator<FoundRegion, void> | undefined;

/** With no more open units than this in a stage, the network is condensed to its open units; if that fails, with fewer. */
const [firstLimit, nextLimit] = [24, 0.6];
/** Networks of fewer weights than this below a stage are as fast as they are. */
const fewWeights = 100_000;

/** The inputs of a condensed network are the place in the plane. */
const placeItself: Plane = {
  origin: Float64Array.of(0, 0),
  first: Float64Array.of(1, 0),
  second: Float64Array.of(0, 1),
};

function* regionsOf(found: NonNullable<Found>): Generator<FoundRegion, void> {
  if ("polygon" in found) yield found;
  else yield* found;
}

/** Units and rows of a part as the whole network counts them. */
const wholeOf = (program: AffineProgram, part: Part): Whole => ({
  unit: (stage, unit) => part.units[stage]![unit]!,
  row: (stage, row) => {
    const { groups, kind } = program.stages[stage]!;
    if (kind !== "max") return part.units[stage]![row]!;
    let unit = 0;
    while (groups[unit + 1]! <= row) unit++;
    return part.starts[stage]![unit]! + row - groups[unit]!;
  },
});

const widestOf = (groups: Int32Array): number =>
  groups.reduce((most, start, k) => Math.max(most, (groups[k + 1] ?? start) - start), 0);

export class Subdivision {
  readonly exact: ExactForms;
  readonly extent: Extent;
  readonly #program: AffineProgram;
  readonly #sums: Accumulator;
  readonly #decisions: Decisions;
  readonly #choices: readonly (Uint8Array | Uint16Array)[];
  readonly #everyUnit: readonly Int32Array[];
  readonly #domain: Polygon;
  readonly #part: Part | undefined;
  readonly #condenser: Condenser | undefined;
  readonly #few: number;
  /** Weights of the stages behind each stage. */
  readonly #below: readonly number[];

  constructor(program: AffineProgram, plane: Plane, domain: Polygon, options: SubdivisionOptions = {}) {
    const { part } = options;
    this.#few = options.fewWeights ?? fewWeights;
    this.#program = program;
    this.#domain = domain;
    this.#part = part;
    this.#below = program.stages.map((_, s) =>
      program.stages.slice(s + 1).reduce((n, { rows }) => n + rows.slots.length, 0),
    );
    const largest = (pick: (v: { u: number; v: number }) => number) =>
      Math.max(...domain.vertices.map((vertex) => Math.abs(pick(vertex))));
    this.extent = part?.extent ?? { u: largest((p) => p.u), v: largest((p) => p.v) };
    this.exact = part?.exact ?? new ExactForms(program, plane);
    this.#sums = new Accumulator(program, plane, this.extent, part?.errors);
    this.#decisions = new Decisions(
      program,
      this.#sums,
      this.exact,
      this.extent,
      part && wholeOf(program, part),
    );
    if (part) {
      this.#choices = part.choices;
      this.#everyUnit = part.units.map((own) => Int32Array.from(own, (_, k) => k));
      return;
    }
    this.#choices = program.stages.map(({ units, groups, jumps }) => {
      const widest = jumps?.choices ?? widestOf(groups);
      return widest > 256 ? new Uint16Array(units) : new Uint8Array(units);
    });
    this.#everyUnit = this.#varyingUnits(plane);
    const canCondense = program.stages.every(({ kind }) => kind !== "jump") && this.#below[0]! > this.#few;
    if (canCondense) this.#condenser = new Condenser(program, this.#sums, this.extent);
  }

  /**
   * By stage, the units that depend on the place in the plane. The others, which read only what is the same everywhere,
   * are settled once for all: on a slice that moves a few pixels these are most units of convolutions.
   */
  #varyingUnits(plane: Plane): readonly Int32Array[] {
    const { inputs, slots, stages } = this.#program;
    const varies = new Uint8Array(slots);
    for (let slot = 0; slot < inputs; slot++)
      varies[slot] = Number(plane.first[slot] !== 0 || plane.second[slot] !== 0);
    this.#decisions.look(this.#domain);
    let cell: Cell | undefined;
    const varying = stages.map(({ rows, units, groups, firstSlot }, stage) => {
      const found: number[] = [];
      for (let unit = 0; unit < units; unit++) {
        const [from, to] = isGrouped(stages[stage]!) ? [groups[unit]!, groups[unit + 1]!] : [unit, unit + 1];
        let isFixed = true;
        for (let k = rows.starts[from]!; isFixed && k < rows.starts[to]!; k++)
          isFixed = varies[rows.slots[k]!] === 0;
        const choice = isFixed ? this.#decisions.choice(stage, unit, this.#domain, cell) : -1;
        if (choice < 0) {
          varies[firstSlot + unit] = 1;
          found.push(unit);
        } else this.#settle(stage, unit, choice);
      }
      cell = new Cell(cell, stage, this.#choices[stage]!.slice());
      return Int32Array.from(found);
    });
    this.#sums.keep();
    return varying;
  }

  /** The regions, one after the other. */
  *regions(): Generator<FoundRegion, void> {
    const tasks: Task[] = [];
    const first = this.#part
      ? this.#descend(this.#part.stage - 1, this.#domain, this.#part.cell, tasks)
      : this.#descend(-1, this.#domain, undefined, tasks);
    if (first) yield* regionsOf(first);
    for (let task = tasks.pop(); task; task = tasks.pop()) {
      this.#sums.restore(task.stage, task.saved);
      this.#settle(task.stage, task.unit, task.choice);
      const found = this.#work(task.stage, task.polygon, task.live, task.cell, tasks, task.limit);
      if (found) yield* regionsOf(found);
    }
  }

  #settle(stage: number, unit: number, choice: number): void {
    const s = this.#program.stages[stage]!;
    this.#choices[stage]![this.#part ? this.#part.units[stage]![unit]! : unit] = choice;
    if (s.jumps) {
      this.#sums.settleAt(s, unit, s.jumps.value(unit, choice));
      return;
    }
    const row = s.kind === "max" ? s.groups[unit]! + choice : unit;
    this.#sums.settle(s, stage, unit, row, slopeOf(s, unit, choice));
  }

  /** All units up to `done` are settled on the polygon: goes on with the next stage. */
  #descend(done: number, polygon: Polygon, cell: Cell | undefined, tasks: Task[]): Found {
    const stage = done + 1;
    if (stage === this.#program.stages.length) {
      const sums = this.#sums.sums[stage]!.slice(0, 3 * this.#program.outputNames.length);
      return { polygon, cell, map: sums, error: this.#sums.greatestError(stage) };
    }
    this.#sums.enter(stage);
    return this.#work(stage, polygon, this.#everyUnit[stage]!, cell, tasks, firstLimit);
  }

  /** Settles or splits by the live units of a stage; leaves other parts of the polygon as tasks. */
  #work(
    stage: number,
    whole: Polygon,
    units: Int32Array,
    cell: Cell | undefined,
    tasks: Task[],
    firstOf: number,
  ): Found {
    let polygon = whole;
    let candidates = units;
    let limit = firstOf;
    for (;;) {
      const { live, chosen } = this.#decide(stage, polygon, candidates, cell);
      if (chosen < 0) {
        const below = new Cell(cell, stage, this.#choices[stage]!.slice());
        return this.#descend(stage, polygon, below, tasks);
      }
      if (this.#condenser && live.length <= limit && this.#below[stage]! > this.#few) {
        const small = this.#condensed(stage, polygon, live, cell);
        if (small) return small;
        limit = Math.floor(nextLimit * live.length);
      }
      const split = splits[this.#program.stages[stage]!.kind];
      const parts = split(this.#decisions, stage, chosen, polygon, cell);
      const rest = live.filter((unit) => unit !== chosen);
      if (parts.length > 1) {
        const saved = this.#sums.save(stage);
        for (const { polygon: part, choice } of parts.slice(1))
          tasks.push({ stage, polygon: part, live: rest, cell, saved, unit: chosen, choice, limit });
      }
      this.#settle(stage, chosen, parts[0]!.choice);
      polygon = parts[0]!.polygon;
      candidates = rest;
    }
  }

  /** The regions of the polygon by the network of its open units; undefined: there are too many. */
  #condensed(
    stage: number,
    polygon: Polygon,
    live: Int32Array,
    cell: Cell | undefined,
  ): Generator<FoundRegion, void> | undefined {
    const condensed = this.#condenser!.condense(stage, polygon, live, this.#everyUnit, this.#choices);
    if (!condensed) return undefined;
    const part: Part = { ...condensed, exact: this.exact, extent: this.extent, stage, cell };
    return new Subdivision(condensed.program, placeItself, polygon, { part }).regions();
  }

  /** Settles the units that do not bend inside the polygon; of the others, chooses the most central one. */
  #decide(stage: number, polygon: Polygon, candidates: Int32Array, cell: Cell | undefined) {
    const live: number[] = [];
    let chosen = -1;
    let least = Number.POSITIVE_INFINITY;
    this.#decisions.look(polygon);
    for (const unit of candidates) {
      const choice = this.#decisions.choice(stage, unit, polygon, cell);
      if (choice >= 0) {
        this.#settle(stage, unit, choice);
        continue;
      }
      live.push(unit);
      const offset = this.#decisions.offset;
      if (offset < least) [least, chosen] = [offset, unit];
    }
    return { live: Int32Array.from(live), chosen: live.length > 0 && chosen < 0 ? live[0]! : chosen };
  }
}
