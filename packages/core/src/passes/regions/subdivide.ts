// The subdivision: depth first, stage after stage, a convex polygon is split where a unit bends inside it,
// until every unit's choice is the same on the whole polygon: then it is a region.

import { type AffineProgram, isGrouped } from "../affine/program.ts";
import { Accumulator } from "./accumulator.ts";
import { Decisions } from "./decisions.ts";
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
}

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

  constructor(program: AffineProgram, plane: Plane, domain: Polygon) {
    this.#program = program;
    this.#domain = domain;
    const largest = (pick: (v: { u: number; v: number }) => number) =>
      Math.max(...domain.vertices.map((vertex) => Math.abs(pick(vertex))));
    this.extent = { u: largest((p) => p.u), v: largest((p) => p.v) };
    this.exact = new ExactForms(program, plane);
    this.#sums = new Accumulator(program, plane, this.extent);
    this.#decisions = new Decisions(program, this.#sums, this.exact, this.extent);
    this.#choices = program.stages.map(({ units, groups, jumps }) => {
      const widest = jumps?.choices ?? widestOf(groups);
      return widest > 256 ? new Uint16Array(units) : new Uint8Array(units);
    });
    this.#everyUnit = this.#varyingUnits(plane);
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
    const first = this.#descend(-1, this.#domain, undefined, tasks);
    if (first) yield first;
    for (let task = tasks.pop(); task; task = tasks.pop()) {
      this.#sums.restore(task.stage, task.saved);
      this.#settle(task.stage, task.unit, task.choice);
      const region = this.#work(task.stage, task.polygon, task.live, task.cell, tasks);
      if (region) yield region;
    }
  }

  #settle(stage: number, unit: number, choice: number): void {
    const s = this.#program.stages[stage]!;
    this.#choices[stage]![unit] = choice;
    if (s.jumps) {
      this.#sums.settleAt(s, unit, s.jumps.value(unit, choice));
      return;
    }
    const row = s.kind === "max" ? s.groups[unit]! + choice : unit;
    this.#sums.settle(s, stage, unit, row, slopeOf(s, unit, choice));
  }

  /** All units up to `done` are settled on the polygon: goes on with the next stage. */
  #descend(done: number, polygon: Polygon, cell: Cell | undefined, tasks: Task[]): FoundRegion {
    const stage = done + 1;
    if (stage === this.#program.stages.length) {
      const sums = this.#sums.sums[stage]!.slice(0, 3 * this.#program.outputNames.length);
      return { polygon, cell, map: sums, error: this.#sums.greatestError(stage) };
    }
    this.#sums.enter(stage);
    return this.#work(stage, polygon, this.#everyUnit[stage]!, cell, tasks);
  }

  /** Settles or splits by the live units of a stage; leaves other parts of the polygon as tasks. */
  #work(
    stage: number,
    whole: Polygon,
    units: Int32Array,
    cell: Cell | undefined,
    tasks: Task[],
  ): FoundRegion {
    let polygon = whole;
    let candidates = units;
    for (;;) {
      const { live, chosen } = this.#decide(stage, polygon, candidates, cell);
      if (chosen < 0) {
        const below = new Cell(cell, stage, this.#choices[stage]!.slice());
        return this.#descend(stage, polygon, below, tasks);
      }
      const split = splits[this.#program.stages[stage]!.kind];
      const parts = split(this.#decisions, stage, chosen, polygon, cell);
      const rest = live.filter((unit) => unit !== chosen);
      if (parts.length > 1) {
        const saved = this.#sums.save(stage);
        for (const { polygon: part, choice } of parts.slice(1))
          tasks.push({ stage, polygon: part, live: rest, cell, saved, unit: chosen, choice });
      }
      this.#settle(stage, chosen, parts[0]!.choice);
      polygon = parts[0]!.polygon;
      candidates = rest;
    }
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
