// Networks with one hidden layer have a normal form, which decides whether two of them are the same function (S-03).
//
// A hinge is a line and a multiple of |h|; a sigmoid is a constant and a multiple of tanh(h/2). So f is an affine
// function plus sums of c |h| and c tanh(h). Hyperplanes h are scaled to a first weight 1 (|h|) or a positive one
// (tanh), equal ones are merged, zero coefficients dropped. Functions |h| of different hyperplanes are linearly
// independent modulo affine functions, for each bends where no other does; so are tanh(h) for different h up to sign
// (Sussmann 1992), also on a box with an interior, where |h| counts only if h = 0 meets the interior. Numbers tanh(b)
// of different rational b > 0 and 1 are independent over the rationals (Lindemann and Weierstrass). All in rationals.

import { rowOf } from "../../bounds/difference/exact-row.ts";
import type { Layer, Network } from "../../bounds/linear/network.ts";
import type { Box } from "../../bounds/linear/row-bounds.ts";
import { add, compare, div, type Exact, format, mul, neg, sign } from "../../numbers/exact/rational.ts";

/** w . x + b. */
interface AffineForm {
  readonly weights: readonly Exact[];
  readonly constant: Exact;
}

/** A ridge function |h| or tanh(h), with its coefficient in each output. */
interface Ridge {
  readonly kind: "abs" | "tanh";
  readonly form: AffineForm;
  readonly coefficients: Exact[];
}

export interface ShallowForm {
  readonly ridges: ReadonlyMap<string, Ridge>;
  readonly affine: readonly AffineForm[];
}

const plus = (f: AffineForm, g: AffineForm, factor: Exact): AffineForm => ({
  weights: f.weights.map((w, i) => add(w, mul(g.weights[i]!, factor))),
  constant: add(f.constant, mul(g.constant, factor)),
});
const times = (f: AffineForm, factor: Exact): AffineForm => ({
  weights: f.weights.map((w) => mul(w, factor)),
  constant: mul(f.constant, factor),
});

/** What a slot is: an affine function of the inputs (just one of them: `input`), and a multiple of a ridge. */
interface Read {
  readonly affine: AffineForm;
  readonly ridge?: readonly [string, Exact];
  readonly input?: number;
}

/** Larger networks would take too long in rationals. */
const mostWeights = 4e6;
const half = 0.5;

class Reader {
  readonly ridges = new Map<string, Ridge>();
  /** By slot: an affine function of the inputs, and coefficients of ridges. */
  readonly #slots: Read[];
  readonly #box: Box | undefined;
  readonly #inputs: number;
  readonly #outputs: number;

  constructor({ inputs, outputNames }: Network, box: Box | undefined) {
    this.#inputs = inputs;
    this.#outputs = outputNames.length;
    this.#box = box;
    // A number that is fixed is no variable.
    this.#slots = Array.from({ length: inputs }, (_, i) => ({
      affine:
        box && box.lower[i] === box.upper[i]
          ? { weights: this.#zeros(), constant: box.lower[i]! }
          : { weights: this.#zeros().with(i, 1), constant: 0 },
      ...(!(box && box.lower[i] === box.upper[i]) && { input: i }),
    }));
  }

  #zeros(): Exact[] {
    return new Array<Exact>(this.#inputs).fill(0);
  }

  /** A row as an affine function of the inputs; undefined if it reads a ridge. */
  #affine(layer: Layer, row: number): AffineForm | undefined {
    const { from, end, weights, slot, constant } = rowOf(layer, row);
    const sums = this.#zeros();
    let shift: Exact = constant;
    for (let k = from; k < end; k++) {
      if (weights[k] === 0) continue;
      const { affine, ridge, input } = this.#slots[slot(k)]!;
      if (ridge) return undefined;
      if (input !== undefined) sums[input] = add(sums[input]!, weights[k]!);
      else
        affine.weights.forEach((w, i) => {
          if (w !== 0) sums[i] = add(sums[i]!, mul(w, weights[k]!));
        });
      shift = add(shift, mul(affine.constant, weights[k]!));
    }
    return { weights: sums, constant: shift };
  }

  /** The name of the ridge |h| or tanh(h) and what it is to be multiplied with; undefined when it is affine, as `line` says. */
  #ridge(kind: Ridge["kind"], h: AffineForm): { readonly name: string; readonly factor: Exact } | AffineForm {
    const first = h.weights.find((w) => w !== 0);
    const leading = first ?? h.constant;
    if (leading === 0) return times(h, 0);
    if (kind === "abs") {
      const side = first === undefined ? sign(h.constant) : this.#side(h);
      if (side !== 0) return times(h, side);
    }
    const divisor = kind === "abs" ? leading : sign(leading);
    const form = { weights: h.weights.map((w) => div(w, divisor)), constant: div(h.constant, divisor) };
    const name = `${kind} ${[...form.weights, form.constant].map(format).join(" ")}`;
    if (!this.ridges.has(name))
      this.ridges.set(name, { kind, form, coefficients: new Array<Exact>(this.#outputs).fill(0) });
    const factor = kind === "abs" ? (sign(leading) > 0 ? leading : neg(leading)) : sign(leading);
    return { name, factor };
  }

  /** 1 or -1 where h has one sign on the box. */
  #side({ weights, constant }: AffineForm): number {
    if (!this.#box) return 0;
    const { lower, upper } = this.#box;
    let [least, greatest] = [constant, constant];
    weights.forEach((w, i) => {
      if (w === 0) return;
      const [low, high] = sign(w) > 0 ? [lower[i]!, upper[i]!] : [upper[i]!, lower[i]!];
      least = add(least, mul(w, low));
      greatest = add(greatest, mul(w, high));
    });
    if (compare(least, 0) >= 0) return 1;
    return compare(greatest, 0) <= 0 ? -1 : 0;
  }

  /** False if the layer's units are no ridges. */
  take(layer: Layer): boolean {
    for (let unit = 0; unit < layer.units; unit++) {
      const h = this.#affine(layer, unit);
      if (!h) return false;
      const read = this.#unit(layer, unit, h);
      if (!read) return false;
      this.#slots[layer.firstSlot + unit] = read;
    }
    return true;
  }

  #unit({ kind, below, above, curve }: Layer, unit: number, h: AffineForm) {
    if (kind === "linear") return { affine: h };
    if (kind === "hinge") {
      const [b, a] = [below[unit]!, above[unit]!];
      const [mean, bend] = [mul(add(a, b), half), mul(add(a, -b), half)];
      return this.#bent(times(h, mean), "abs", h, bend);
    }
    const nothing = { weights: this.#zeros(), constant: 0 };
    if (curve?.name === "Tanh") return this.#bent(nothing, "tanh", h, 1);
    if (curve?.name === "Sigmoid")
      return this.#bent({ ...nothing, constant: half }, "tanh", times(h, half), half);
    return undefined;
  }

  /** affine + factor * |h| or tanh(h). */
  #bent(affine: AffineForm, kind: Ridge["kind"], h: AffineForm, factor: Exact) {
    const ridge = this.#ridge(kind, h);
    if (!("name" in ridge)) return { affine: plus(affine, ridge, factor) };
    return { affine, ridge: [ridge.name, mul(ridge.factor, factor)] as const };
  }

  /** The outputs; coefficients of ridges go to the ridges. */
  outputs(last: Layer): readonly AffineForm[] {
    return Array.from({ length: this.#outputs }, (_, output) => {
      const { from, end, weights, slot, constant } = rowOf(last, output);
      let form: AffineForm = { weights: this.#zeros(), constant };
      for (let k = from; k < end; k++) {
        if (weights[k] === 0) continue;
        const { affine, ridge } = this.#slots[slot(k)]!;
        form = plus(form, affine, weights[k]!);
        if (!ridge) continue;
        const { coefficients } = this.ridges.get(ridge[0])!;
        coefficients[output] = add(coefficients[output]!, mul(ridge[1], weights[k]!));
      }
      return form;
    });
  }
}

/** Does a unit read another one, linear layers aside? */
function isDeep({ layers, slots }: Network): boolean {
  const isBent = new Uint8Array(slots);
  return layers.slice(0, -1).some((layer) => {
    let reads = false;
    for (let row = 0; row < layer.rows && !reads; row++) {
      const { from, end, weights, slot } = rowOf(layer, row);
      for (let k = from; k < end; k++) if (weights[k] !== 0 && isBent[slot(k)]) reads = true;
    }
    if (reads && layer.kind !== "linear") return true;
    isBent.fill(layer.kind !== "linear" || reads ? 1 : 0, layer.firstSlot, layer.firstSlot + layer.units);
    return false;
  });
}

/** The normal form, on all inputs or on a box; undefined if the network is not shallow or its weights were rounded. */
export function shallowForm(network: Network, box?: Box): ShallowForm | undefined {
  const hidden = network.layers.slice(0, -1);
  if (
    !network.isExact ||
    hidden.some(({ surface, enclosure, kind }) => surface || enclosure || kind === "max")
  )
    return undefined;
  if (network.slots * network.inputs > mostWeights || isDeep(network)) return undefined;
  const reader = new Reader(network, box);
  if (!hidden.every((layer) => reader.take(layer))) return undefined;
  const affine = reader.outputs(network.layers.at(-1)!);
  return { ridges: reader.ridges, affine };
}

/** Are two shallow networks the same function? If not, how many ridges and affine parts tell them apart. */
export function compareShallow(
  first: ShallowForm,
  second: ShallowForm,
): { readonly equal: boolean; readonly ridges: number; readonly affine: number } {
  const names = new Set([...first.ridges.keys(), ...second.ridges.keys()]);
  const coefficient = (form: ShallowForm, name: string, k: number): Exact =>
    form.ridges.get(name)?.coefficients[k] ?? 0;
  const outputs = first.affine.map((_, k) => k);
  const ridges = [...names].filter((name) =>
    outputs.some((k) => compare(coefficient(first, name, k), coefficient(second, name, k)) !== 0),
  ).length;
  const affine = outputs.filter((k) => {
    const { weights, constant } = plus(first.affine[k]!, second.affine[k]!, -1);
    return constant !== 0 || weights.some((w) => w !== 0);
  }).length;
  return { equal: ridges === 0 && affine === 0, ridges, affine };
}
