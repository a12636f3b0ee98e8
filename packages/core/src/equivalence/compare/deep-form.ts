// A normal form of networks of any depth: units that are the same function of the same numbers, up to what their function
// commutes with, become one; what is left over is linear and goes on to whoever reads it. Two networks that are read into
// one table and have the same outputs in it are the same function.
//
// With f(c z) = c f(z) for c > 0 and f(-z) = f(z) - z (ReLU) a unit is one for each hyperplane, whatever its scale and side:
// units that were split (relu(z - t) and relu(t - z)), doubled, permuted or scaled are merged, units whose weights out add
// up to 0 are gone, layers of linear units are read through. Not every two networks that agree have the same form: bends
// may cancel in ways that no single layer shows. With rounded arithmetic, numbers may differ by a few roundings: then
// agreement is no proof.

import { rowOf } from "../../bounds/difference/exact-row.ts";
import { reflectionOf } from "../../bounds/difference/reflection.ts";
import type { Layer, Network } from "../../bounds/linear/network.ts";
import type { Box } from "../../bounds/linear/row-bounds.ts";
import { logSoftmaxUnit, product, softmaxUnit } from "../../bounds/linear/surfaces.ts";
import {
  abs,
  add,
  compare,
  type Exact,
  format,
  max,
  mul,
  neg,
  sign,
  toNumber,
} from "../../numbers/exact/rational.ts";
import {
  type Arithmetic,
  type Combination,
  combinationGap,
  constantOf,
  Directions,
  exactly,
  type Multiple,
  Sum,
  termOf,
} from "./combination.ts";

/** Surfaces that do not mind the order of their rows. */
const symmetric: ReadonlySet<unknown> = new Set([softmaxUnit, logSoftmaxUnit]);

/** Terms that are summed, at most: a few seconds. */
const mostWork = 2e7;

export interface FormOptions {
  /** On this box only. */
  readonly box?: Box | undefined;
  /** Bounds of all rows of the network on the box. */
  readonly rows?: { readonly rowLower: Float64Array; readonly rowUpper: Float64Array } | undefined;
  readonly isOver?: () => boolean;
}

/** Units that networks of the same inputs have in common. */
export class UnitTable {
  readonly #arithmetic: Arithmetic;
  readonly #directions: Directions;
  /** Factors of one direction that are not told apart, by what reads them. */
  readonly #factors = new Map<string, Exact[]>();
  readonly #units = new Map<string, number>();
  readonly #names = new Map<unknown, number>();
  #next: number;
  readonly #inputs: number;
  #work = 0;

  constructor(inputs: number, arithmetic = exactly) {
    this.#arithmetic = arithmetic;
    this.#directions = new Directions(arithmetic);
    this.#inputs = inputs;
    this.#next = inputs;
  }

  /** How far numbers were apart that count as the same, at most, as a share of the greatest beside them. */
  get deviation(): number {
    return this.#directions.deviation;
  }

  #sum(constant: Exact = 0): Sum {
    return new Sum(this.#arithmetic, constant);
  }

  #scaled(form: Combination, factor: Exact): Combination {
    return this.#sum().add(form, factor);
  }

  /** A name for a factor, the same for those that are not told apart. */
  #factorName(of: string, factor: Exact): string {
    const { tolerance } = this.#arithmetic;
    if (tolerance === 0) return format(factor);
    const known = this.#factors.get(of) ?? [];
    this.#factors.set(of, known);
    const at = known.findIndex(
      (other) => Math.abs(toNumber(other) - toNumber(factor)) <= tolerance * Math.abs(toNumber(factor)),
    );
    return `#${at >= 0 ? at : known.push(factor) - 1}`;
  }

  /** The outputs over the units of the table; undefined where the network has no such form, or a too large one. */
  outputs(network: Network, options: FormOptions = {}): readonly Combination[] | undefined {
    if (network.inputs !== this.#inputs) return undefined;
    const { box, rows, isOver = () => false } = options;
    const isFixed = (i: number): boolean => box !== undefined && box.lower[i] === box.upper[i];
    const slots: Combination[] = Array.from({ length: network.inputs }, (_, i) =>
      isFixed(i) ? constantOf(box!.lower[i]!) : termOf(i),
    );
    for (const layer of network.layers) {
      if (layer.enclosure) return undefined;
      const read: Combination[] = [];
      for (let row = 0; row < layer.rows; row++) {
        if (this.#work > mostWork || (row % 64 === 0 && isOver())) return undefined;
        read.push(this.#row(layer, row, slots));
      }
      const side = (unit: number): number => this.#side(read[unit]!, box, rows, layer.firstRow + unit);
      for (let unit = 0; unit < layer.units; unit++)
        slots[layer.firstSlot + unit] = this.#unit(layer, unit, read, side);
    }
    return slots.slice(network.firstOutput);
  }

  #row(layer: Layer, row: number, slots: readonly Combination[]): Combination {
    const { from, end, weights, slot, constant } = rowOf(layer, row);
    const sum = this.#sum(constant);
    for (let k = from; k < end; k++) {
      if (weights[k] === 0) continue;
      const source = slots[slot(k)]!;
      this.#work += source.weights.size;
      sum.add(source, weights[k]!);
    }
    return sum;
  }

  /** 1 or -1 where a row has one sign on the box; of inputs alone exactly, else as bounds say. */
  #side(form: Combination, box: Box | undefined, rows: FormOptions["rows"], row: number): number {
    if (!box) return 0;
    if (rows && rows.rowLower[row]! >= 0) return 1;
    if (rows && rows.rowUpper[row]! <= 0) return -1;
    let [least, greatest]: [Exact, Exact] = [form.constant, form.constant];
    for (const [term, w] of form.weights) {
      if (term >= this.#inputs) return 0;
      const [low, high] = sign(w) > 0 ? [box.lower, box.upper] : [box.upper, box.lower];
      least = add(least, mul(w, low[term]!));
      greatest = add(greatest, mul(w, high[term]!));
    }
    if (sign(least) >= 0) return 1;
    return sign(greatest) <= 0 ? -1 : 0;
  }

  #unit(
    layer: Layer,
    unit: number,
    rows: readonly Combination[],
    side: (unit: number) => number,
  ): Combination {
    const { kind, below, above, groups, curve, surface } = layer;
    if (kind === "linear") return rows[unit]!;
    if (kind === "hinge") {
      const bend = this.#arithmetic.add(above[unit]!, -below[unit]!);
      const sum = this.#sum().add(rows[unit]!, below[unit]!);
      return sign(bend) === 0 ? sum : sum.add(this.#ramp("relu", rows[unit]!, side(unit)), bend);
    }
    if (curve) return this.#curve(curve.name, rows[unit]!);
    const own = rows.slice(groups[unit] ?? unit, groups[unit + 1] ?? unit + 1);
    if (kind === "max" && !surface) return this.#greatest(own);
    if (surface === product) return this.#product(own[0]!, own[1]!);
    const names = own.map((row) => this.#exactName(row));
    if (symmetric.has(surface)) names.sort();
    return termOf(this.#term(`surface ${this.#nameOf(surface)} ${names.join(" ")}`));
  }

  /** The number of a unit, by what tells it from all others. */
  #term(key: string): number {
    const known = this.#units.get(key);
    if (known !== undefined) return known;
    this.#units.set(key, this.#next);
    return this.#next++;
  }

  #nameOf(thing: unknown): number {
    const known = this.#names.get(thing) ?? this.#names.size;
    this.#names.set(thing, known);
    return known;
  }

  #exactName(form: Combination): string {
    if (form.weights.size === 0) return `c${format(form.constant)}`;
    const { id, factor } = this.#directions.of(form);
    return `${id}*${this.#factorName(`${id}`, factor)}`;
  }

  /** max(0, z): its direction's ramp, times a positive number, and z itself on the other side. */
  #ramp(kind: string, form: Combination, side: number): Combination {
    if (form.weights.size === 0) return constantOf(max(form.constant, 0));
    if (side !== 0) return side > 0 ? form : constantOf(0);
    const { id, factor } = this.#directions.of(form);
    const own = termOf(this.#term(`${kind} ${id}`), abs(factor));
    // relu(-c h) = c relu(h) - c h.
    return sign(factor) > 0 ? own : this.#sum().add(own, 1).add(form, 1);
  }

  #curve(name: string, form: Combination): Combination {
    // sigmoid(z) = 1/2 + tanh(z / 2) / 2.
    if (name === "Sigmoid") return this.#sum(0.5).add(this.#curve("Tanh", this.#scaled(form, 0.5)), 0.5);
    const known = reflectionOf(name);
    if (form.weights.size === 0) {
      const { constant } = form;
      // f(0) = 0 of odd functions; f(-b) is told by f(b).
      const isOdd = known?.sign === -1 && known.slope === 0 && known.constant === 0;
      if (isOdd && sign(constant) === 0) return constantOf(0);
      const isBelow = isOdd && sign(constant) < 0;
      const of = format(isBelow ? neg(constant) : constant);
      return termOf(this.#term(`curve ${name} of the number ${of}`), isBelow ? -1 : 1);
    }
    const { id, factor } = this.#directions.of(form);
    const isTurned = known !== undefined && sign(factor) < 0;
    const size = this.#factorName(`${id}`, isTurned ? neg(factor) : factor);
    const own = this.#term(`curve ${name} ${id}*${size}`);
    if (!isTurned) return termOf(own);
    // form is -z for the z of the unit.
    return this.#sum(known.constant).add(termOf(own), known.sign).add(form, -known.slope);
  }

  /** A product of two, in either order, with both factors in front. */
  #product(a: Combination, b: Combination): Combination {
    if (a.weights.size === 0) return this.#scaled(b, a.constant);
    if (b.weights.size === 0) return this.#scaled(a, b.constant);
    const [p, q] = [this.#directions.of(a), this.#directions.of(b)];
    const [first, second] = p.id <= q.id ? [p.id, q.id] : [q.id, p.id];
    return termOf(this.#term(`product ${first} ${second}`), this.#arithmetic.mul(p.factor, q.factor));
  }

  /** The greatest of several: the same for all orders and repetitions, times what all are a positive multiple of. */
  #greatest(forms: readonly Combination[]): Combination {
    const different: Combination[] = [];
    const isNew = (form: Combination): boolean =>
      !different.some((other) => combinationGap(other, form) <= this.#arithmetic.tolerance);
    for (const form of forms) if (isNew(form)) different.push(form);
    const [first, second] = different;
    if (different.length === 1) return first!;
    if (different.length === 2)
      return this.#sum()
        .add(first!, 1)
        .add(this.#ramp("relu", this.#sum().add(second!, 1).add(first!, -1), 0), 1);
    const named = different.map((form) => (form.weights.size === 0 ? undefined : this.#directions.of(form)));
    const scale = commonScale(named);
    const names = different.map((form, k) => {
      const own = named[k];
      if (!own) return `c${format(form.constant)}`;
      return `${own.id}*${scale === 1 ? this.#factorName(`${own.id}`, own.factor) : sign(own.factor)}`;
    });
    return termOf(this.#term(`max ${names.sort().join(" ")}`), scale);
  }
}

/** The size that all factors share; 1 where they differ, or a constant is among them. */
function commonScale(named: readonly (Multiple | undefined)[]): Exact {
  const first = named[0];
  if (!first || named.some((m) => !m || compare(abs(m.factor), abs(first.factor)) !== 0)) return 1;
  return abs(first.factor);
}

/**
 * How far two networks are apart as one table of units shows: 0 if they are the same function, infinite if they are not
 * written alike, else a share of the greatest number beside those that differ. 0 is a proof about the graphs where no weight
 * was rounded when they were read.
 * @example deepDeviation(networkOf(net), networkOf(net)) // 0
 */
export function deepDeviation(
  first: Network,
  second: Network,
  { arithmetic = exactly, of = () => ({}) }: DeepOptions = {},
): number {
  const apart = Number.POSITIVE_INFINITY;
  if (first.inputs !== second.inputs || first.outputNames.length !== second.outputNames.length) return apart;
  const table = new UnitTable(first.inputs, arithmetic);
  const a = table.outputs(first, of(first));
  const b = a && table.outputs(second, of(second));
  if (!a || !b) return apart;
  const gap = b.reduce((most, form, k) => Math.max(most, combinationGap(form, a[k]!)), table.deviation);
  return gap <= arithmetic.tolerance ? gap : apart;
}

export interface DeepOptions {
  /** Default: exact. */
  readonly arithmetic?: Arithmetic;
  /** What is known of each network. */
  readonly of?: (network: Network) => FormOptions;
}
