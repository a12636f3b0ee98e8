// The steps of the reduction of a network with skip connections. An always-active unit needs no linear unit in its place:
// its readers read what it read.
import type { RemovalReason, RemovedUnit } from "./removal.ts";
import {
  addConstant,
  addTerm,
  allRows,
  copySkip,
  rowNonzeros,
  type SkipNetwork,
  type SkipRow,
  type SkipUnit,
} from "./skip-network.ts";

/** Who reads each slot. */
class Readers {
  readonly #rows = new Map<number, Set<SkipRow>>();

  constructor(network: SkipNetwork) {
    this.take(allRows(network));
  }

  /** Notes what these rows read now. */
  take(rows: readonly SkipRow[]): void {
    for (const row of rows)
      for (const slot of row.weights.keys()) {
        const own = this.#rows.get(slot) ?? new Set();
        this.#rows.set(slot, own);
        own.add(row);
      }
  }

  /** Rows that read the slot still. */
  of(slot: number): readonly SkipRow[] {
    return [...(this.#rows.get(slot) ?? [])].filter(({ weights }) => weights.has(slot));
  }
}

class Reduction {
  network: SkipNetwork;
  readonly removed: RemovedUnit[] = [];
  readonly #exactOnly: boolean;
  /** Names of the layers in which the source counts its ReLUs. */
  readonly #name: (unit: SkipUnit) => string;

  constructor(network: SkipNetwork, exactOnly: boolean, name: (unit: SkipUnit) => string) {
    this.network = copySkip(network);
    this.#exactOnly = exactOnly;
    this.#name = name;
  }

  /** Takes a unit out after its readers were told; undone if it had to round and may not. */
  #remove(
    unit: SkipUnit,
    readers: readonly SkipRow[],
    reason: RemovalReason,
    tell: () => void,
    into?: SkipUnit,
  ) {
    const { network } = this;
    const before = readers.map(({ weights, constant }) => ({ weights: new Map(weights), constant }));
    const wasExact = network.exact;
    tell();
    if (this.#exactOnly && wasExact && !network.exact) {
      readers.forEach((row, k) => {
        row.weights.clear();
        for (const [slot, w] of before[k]!.weights) row.weights.set(slot, w);
        row.constant = before[k]!.constant;
      });
      network.exact = true;
      return false;
    }
    network.units = network.units.filter((other) => other !== unit);
    if (!unit.isLinear)
      this.removed.push({
        layer: this.#name(unit),
        unit: unit.place,
        reason,
        ...(Number.isFinite(unit.lower) && { bounds: [unit.lower, unit.upper] as const }),
        ...(into && { into: into.place }),
      });
    return true;
  }

  /** The unit's value, if it is one number. */
  #value({ isLinear, weights, constant, upper }: SkipUnit): number | undefined {
    if (weights.size === 0) return isLinear ? constant : Math.max(0, constant);
    return !isLinear && upper <= 0 ? 0 : undefined;
  }

  constant(unit: SkipUnit, readers: readonly SkipRow[], value: number): boolean {
    const reason = value === 0 && !unit.isLinear ? "dead" : "constant";
    return this.#remove(unit, readers, reason, () => {
      for (const row of readers) {
        const w = row.weights.get(unit.slot)!;
        row.weights.delete(unit.slot);
        addConstant(this.network, row, w, value);
      }
    });
  }

  /** An active unit is its row: readers take it, if that makes no more weights. */
  #inline(unit: SkipUnit, readers: readonly SkipRow[]): boolean {
    if (!unit.isLinear && !(unit.lower >= 0)) return false;
    let more = -rowNonzeros(unit);
    for (const row of readers) {
      more--;
      for (const slot of unit.weights.keys()) if (!row.weights.has(slot)) more++;
      if (row.constant === 0 && unit.constant !== 0) more++;
    }
    if (more > 0) return false;
    return this.#remove(unit, readers, "active", () => {
      for (const row of readers) {
        const w = row.weights.get(unit.slot)!;
        row.weights.delete(unit.slot);
        for (const [slot, v] of unit.weights) addTerm(this.network, row, slot, v, w);
        addConstant(this.network, row, w, unit.constant);
      }
    });
  }

  #merge(unit: SkipUnit, into: SkipUnit, factor: number, readers: readonly SkipRow[]): boolean {
    return this.#remove(
      unit,
      readers,
      "merged",
      () => {
        for (const row of readers) {
          const w = row.weights.get(unit.slot)!;
          row.weights.delete(unit.slot);
          addTerm(this.network, row, into.slot, w, factor);
        }
      },
      into,
    );
  }

  /** Its row up to a power of two: the same for units of which one is such a multiple of the other. */
  #shape({ weights, isLinear, constant }: SkipUnit): string {
    const entries = [...weights].sort((a, b) => a[0] - b[0]);
    const top = entries.reduce((m, [, w]) => Math.max(m, Math.abs(w)), 0);
    const scale = 2 ** Math.floor(Math.log2(top));
    return `${isLinear} ${entries.map(([slot, w]) => `${slot}:${w / scale}`)} ${constant / scale}`;
  }

  /** Merges the unit into one that was seen with this shape, or lets its readers say it. */
  #fold(unit: SkipUnit, readers: readonly SkipRow[], seen: Map<string, SkipUnit>): boolean {
    const shape = this.#shape(unit);
    const twin = seen.get(shape);
    const [[slot, w] = [0, 0]] = unit.weights;
    const isGone =
      (twin && this.#merge(unit, twin, w / twin.weights.get(slot)!, readers)) || this.#inline(unit, readers);
    if (!isGone && !twin) seen.set(shape, unit);
    return isGone;
  }

  /** One walk over all units; did anything change? */
  round(): boolean {
    const count = this.network.units.length;
    const needed = new Set(this.network.outputs.flatMap(({ weights }) => [...weights.keys()]));
    for (const unit of this.network.units.toReversed()) {
      if (!needed.has(unit.slot)) this.#remove(unit, [], "unused", () => {});
      else for (const slot of unit.weights.keys()) needed.add(slot);
    }
    const seen = new Map<string, SkipUnit>();
    const readers = new Readers(this.network);
    for (const unit of [...this.network.units]) {
      const own = readers.of(unit.slot);
      const value = this.#value(unit);
      const isGone =
        (value !== undefined && this.constant(unit, own, value)) ||
        (unit.weights.size > 0 && this.#fold(unit, own, seen));
      if (isGone) readers.take(own);
    }
    return this.network.units.length < count;
  }
}

export interface ReducedSkip {
  readonly network: SkipNetwork;
  readonly removed: readonly RemovedUnit[];
}

/** Takes away all that the bounds allow; `constants` are units that may be replaced by a value. */
export function reduceSkip(
  source: SkipNetwork,
  exactOnly: boolean,
  name: (unit: SkipUnit) => string,
  constants: ReadonlyMap<number, number> = new Map(),
): ReducedSkip {
  const reduction = new Reduction(source, exactOnly, name);
  const readers = new Readers(reduction.network);
  for (const unit of [...reduction.network.units]) {
    const value = constants.get(unit.slot);
    if (value === undefined) continue;
    reduction.constant(unit, readers.of(unit.slot), value);
    const last = reduction.removed.pop()!;
    reduction.removed.push({ ...last, reason: "approximated" });
    reduction.network.exact = false;
  }
  while (reduction.round());
  return { network: reduction.network, removed: reduction.removed };
}
