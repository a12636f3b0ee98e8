// Points that the search finds, as inputs that a network can be given: numbers of its element type, inside of the query's
// bounds as they are written, decimal by decimal. ONNX Runtime then decides.
import { add, compare, type Exact, max, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import { beyondBox, type Case, widened } from "./cases.ts";
import { type Atom, holds } from "./linear.ts";
import type { Query } from "./query.ts";
import { type Bound, greatestAllowed, leastAllowed, nearestOf } from "./representable.ts";
import type { Wiring } from "./wiring.ts";

export interface WitnessValue {
  readonly name: string;
  readonly value: number;
}

/** An input between whose bounds there is no number of its type. */
interface Missing {
  readonly name: string;
  readonly type: string;
  /** Where the query fixes it. */
  readonly fixed: Exact | undefined;
}

/** Why points that satisfy the query in double precision were no witnesses. */
export interface Refusals {
  readonly count: number;
  /** By how much ONNX Runtime's outputs miss the nearest alternative, at least; undefined if they are no numbers. */
  readonly leastMiss: number | undefined;
}

const open = (value: Exact): Bound => ({ value, strict: false });

/** How far from an interval without a number of the type the nearest one lies. */
function distanceToNearest(least: Bound, greatest: Bound, type: string): Exact {
  const below = greatestAllowed(open(least.value), type);
  const above = leastAllowed(open(greatest.value), type);
  const [down, up] = [below, above].map((x) =>
    Number.isFinite(x) ? x : Math.sign(x) * Number.MAX_VALUE,
  ) as [number, number];
  const [under, over] = [sub(least.value, down), sub(up, greatest.value)];
  return compare(under, over) < 0 ? under : over;
}

/** The witnesses of one case of a query. */
export class Witnesses {
  readonly #wiring: Wiring;
  readonly #query: Query;
  readonly #case: Case;
  readonly #tolerance: number;
  /** The least and the greatest number that each input may be. */
  readonly #lower: Float64Array;
  readonly #upper: Float64Array;
  /** Inputs that can have no value at all, and the tolerance with which they could. */
  readonly missing: readonly Missing[];
  readonly wantedTolerance: number;
  found: readonly WitnessValue[] | undefined;
  /** The query holds on ONNX Runtime at the point nearest to one of the box, but the box has none of its numbers. */
  holdsBeside = false;
  #count = 0;
  #leastMiss: number | undefined;

  constructor(wiring: Wiring, single: Case, tolerance: number) {
    this.#wiring = wiring;
    this.#query = wiring.query;
    this.#case = single;
    this.#tolerance = tolerance;
    const missing: Missing[] = [];
    let wanted: Exact = 0;
    const sides = wiring.inputs.map((index, k) => {
      const type = wiring.types[k]!;
      const [least, greatest] = [single.least.get(index)!, single.greatest.get(index)!];
      const inside = [leastAllowed(least, type), greatestAllowed(greatest, type)] as const;
      if (inside[0] <= inside[1]) return inside;
      const distance = distanceToNearest(least, greatest, type);
      wanted = max(wanted, distance);
      if (compare(distance, tolerance) <= 0)
        return [
          leastAllowed(open(sub(least.value, tolerance)), type),
          greatestAllowed(open(add(greatest.value, tolerance)), type),
        ] as const;
      const { name } = wiring.query.variables[index]!;
      const fixed = compare(least.value, greatest.value) === 0 ? least.value : undefined;
      missing.push({ name, type, fixed });
      return undefined;
    });
    this.#lower = Float64Array.from(sides, (side) => side?.[0] ?? Number.NEGATIVE_INFINITY);
    this.#upper = Float64Array.from(sides, (side) => side?.[1] ?? Number.POSITIVE_INFINITY);
    this.missing = missing;
    this.wantedTolerance = roundedUp(wanted);
  }

  get refusals(): Refusals {
    return { count: this.#count, leastMiss: this.#leastMiss };
  }

  /** Runs the networks at a point of the box; ends the search where it holds, or could only hold beside the box. */
  async confirm(point: Float64Array): Promise<boolean> {
    const { types, query } = this.#wiring;
    const x = point.map((v, k) =>
      Math.min(this.#upper[k]!, Math.max(this.#lower[k]!, nearestOf(v, types[k]!))),
    );
    const value = await this.#wiring.valuesAt(x);
    const { alternatives } = this.#case;
    const allowed = (atoms: readonly Atom[]): readonly Atom[] =>
      this.missing.length > 0
        ? beyondBox(atoms, query)
        : atoms.map((atom) => widened(atom, query, this.#tolerance));
    const isHeld = alternatives.some((atoms) => allowed(atoms).every((atom) => holds(atom, value)));
    if (isHeld && this.missing.length === 0)
      this.found = query.variables.flatMap(({ name, side }, index) =>
        side === "product" ? [] : [{ name, value: toNumber(value(index)) }],
      );
    this.holdsBeside = isHeld && this.missing.length > 0;
    if (isHeld) return true;
    this.#count++;
    const miss = Math.min(...alternatives.map((atoms) => missOf(beyondBox(atoms, this.#query), value)));
    if (Number.isFinite(miss)) this.#leastMiss = Math.min(this.#leastMiss ?? miss, miss);
    return false;
  }

  /** How far the witness lies outside of the query's own box: 0 unless a tolerance allowed more. */
  get outside(): number {
    let furthest: Exact = 0;
    const values = new Map(this.found?.map(({ name, value }) => [name, value]));
    for (const index of this.#wiring.inputs) {
      const value = values.get(this.#query.variables[index]!.name);
      if (value === undefined) continue;
      furthest = max(furthest, sub(this.#case.least.get(index)!.value, value));
      furthest = max(furthest, sub(value, this.#case.greatest.get(index)!.value));
    }
    return roundedUp(furthest);
  }
}

/** By how much the worst of these comparisons fails. */
function missOf(atoms: readonly Atom[], value: (index: number) => Exact): number {
  let worst = 0;
  for (const { linear } of atoms) {
    let sum = linear.constant;
    for (const [index, factor] of linear.coefficients) {
      if (!Number.isFinite(toNumber(value(index)))) return Number.POSITIVE_INFINITY;
      sum = add(sum, mul(factor, value(index)));
    }
    worst = Math.max(worst, toNumber(sum));
  }
  return worst;
}

/** Two digits, not below. */
function roundedUp(x: Exact): number {
  let [short, digits] = [Number(toNumber(x).toPrecision(2)), 2];
  for (; compare(short, x) < 0 && digits < 17; digits++)
    short = Number((toNumber(x) * (1 + 10 ** -digits)).toPrecision(digits));
  return compare(short, x) < 0 ? toNumber(x) * (1 + 2 ** -50) : short;
}
