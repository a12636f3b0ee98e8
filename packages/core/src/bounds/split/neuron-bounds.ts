// Lower bounds of a target where some units are held on one side of their bend (beta-CROWN: Wang et al. 2021), maximized
// over free slopes (alpha), the constraints' multipliers (beta) and, for several targets that would all have to be <= 0,
// over their convex combinations. Every step's bound is sound, whatever the slopes and multipliers: the ascent may be as
// careless as it likes.
import { finished, type Steps } from "../../engine/steps.ts";
import { unitRoundoff } from "../../numbers/floating-point.ts";
import type { Multiplier, Target } from "../linear/back-substitution.ts";
import type { BoxBounder } from "../linear/box-bounds.ts";
import { gapOf } from "../linear/gap.ts";
import { type Layer, rowValues } from "../linear/network.ts";
import { relax } from "../linear/relaxation.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import type { Alternative } from "./attack.ts";
import { covers } from "./cover.ts";
import type { Held } from "./held.ts";

/** A unit that bends on the whole box, with its number in the network's rows. */
export interface Bend {
  readonly layer: number;
  readonly unit: number;
  readonly row: number;
}

/** What an ascent has found, for the next to begin with. */
export interface Dual {
  /** Of each bend, the slope on its free side. */
  readonly slopes: Float32Array;
  /** Of each held unit, not below 0. */
  readonly multipliers: Float32Array;
  /** Of each target, not below 0. */
  readonly shares: Float64Array;
}

export interface Bounded {
  readonly least: number;
  /** How much of it is for rounding errors. */
  readonly rounding: number;
  readonly dual: Dual;
  /** Where the form is least. */
  readonly point: Float64Array;
  /** Of each bend, how much holding it could gain, about; 0 of those that are held. */
  readonly scores: Float64Array;
}

const nothing: Target = { slots: [], weights: [], constant: 0 };
const [slopeStep, multiplierStep, shareStep] = [0.25, 0.5, 0.5] as const;
const [keepMean, keepSize, decay] = [0.6, 0.9, 0.93] as const;
/** The share of the gap of the lines, as they are, in a score; the other share is what they gain at the least point. */
const gapShare = 0.3;

/** The units that bend on a box. */
export function bendsOf({ network }: BoxBounder, { rowLower, rowUpper }: BoxBounds): readonly Bend[] {
  const bends: Bend[] = [];
  network.layers.forEach(({ kind, units, firstRow, below, above }, layer) => {
    if (kind !== "hinge") return;
    for (let unit = 0; unit < units; unit++) {
      const row = firstRow + unit;
      if (rowLower[row]! < 0 && rowUpper[row]! > 0 && below[unit] !== above[unit])
        bends.push({ layer, unit, row });
    }
  });
  return bends;
}

/**
 * Targets as one: sum of share * target, which is <= 0 where all are. The shares are numbers as they are; what is rounded
 * are the products, each of which `BackSubstitution.take` counts, and the constant, which is lowered here.
 */
export function combined(targets: Alternative, shares: Float64Array): Target {
  return targets.length === 1 ? targets[0]! : mixed(targets, shares);
}

/** The same, for whatever factors that are not below 0. */
function mixed(targets: Alternative, shares: ArrayLike<number>): Target {
  let [constant, size] = [0, 0];
  const [slots, weights]: [number[], number[]] = [[], []];
  targets.forEach((target, t) => {
    const share = shares[t]!;
    constant += share * target.constant;
    size += Math.abs(share * target.constant);
    for (let k = 0; k < target.slots.length; k++) {
      slots.push(target.slots[k]!);
      weights.push(share * target.weights[k]!);
    }
  });
  return {
    slots,
    weights,
    constant: constant - 4 * (targets.length + 2) * unitRoundoff * size - Number.MIN_VALUE,
  };
}

/** Bounds with held units on one box, whose rows' bounds are known. */
export class NeuronBounder {
  readonly bends: readonly Bend[];
  readonly #bounder: BoxBounder;
  readonly #known: BoxBounds;
  readonly #rowLower: Float64Array;
  readonly #rowUpper: Float64Array;
  readonly #rows: Float64Array;
  readonly #values: Float64Array;
  /** Layers that hold bends. */
  readonly #bent: readonly Layer[];

  constructor(bounder: BoxBounder, known: BoxBounds, bends: readonly Bend[] = bendsOf(bounder, known)) {
    this.#bounder = bounder;
    this.#known = { ...known, rowLower: known.rowLower.slice(), rowUpper: known.rowUpper.slice() };
    this.bends = bends;
    this.#rowLower = known.rowLower.slice();
    this.#rowUpper = known.rowUpper.slice();
    this.#rows = new Float64Array(bounder.network.rows);
    this.#values = new Float64Array(bounder.network.slots);
    this.#bent = [...new Set(this.bends.map(({ layer }) => layer))].map((l) => bounder.network.layers[l]!);
    bounder.relaxAll(known);
  }

  /** The same bends with the bounds as they are now, for a part that will know more of its rows. */
  copy(): NeuronBounder {
    return new NeuronBounder(this.#bounder, this.#known, this.bends);
  }

  /** The free slopes of the lines as `relaxAll` chose them, and equal shares. */
  start(targets: Alternative): Dual {
    const { lines } = this.#bounder;
    this.#bounder.relaxAll(this.#known);
    return {
      slopes: Float32Array.from(this.bends, (bend) => this.#freeSlopes(bend, lines)[bend.row]!),
      multipliers: new Float32Array(0),
      shares: new Float64Array(targets.length).fill(1 / targets.length),
    };
  }

  /** All steps of `bounding` at once. */
  bounded(targets: Alternative, box: Box, held: readonly Held[], from: Dual, steps: number): Bounded {
    return finished(this.bounding(targets, box, held, from, steps));
  }

  /** The greatest bound that `steps` steps of ascent find; ends early once it is above 0. Nothing else may be bounded meanwhile. */
  *bounding(
    targets: Alternative,
    box: Box,
    held: readonly Held[],
    from: Dual,
    steps: number,
  ): Steps<Bounded> {
    const { lines, substitution, network } = this.#bounder;
    const { sizes } = this.#known;
    this.#hold(held);
    const slopes = from.slopes.slice();
    const multipliers = new Float32Array(held.length);
    multipliers.set(from.multipliers.subarray(0, held.length));
    const shares = from.shares.slice();
    let best: Omit<Bounded, "scores" | "point"> = {
      least: Number.NEGATIVE_INFINITY,
      rounding: 0,
      dual: from,
    };
    const ascent = new Ascent(this.bends.length + held.length);
    const scores = new Float64Array(this.bends.length);
    const point = new Float64Array(network.inputs);
    const isHeld = new Set(held.map(({ bend }) => bend));
    for (let step = 0; ; step++) {
      this.bends.forEach((bend, k) => {
        if (!isHeld.has(k) && this.#isOpen(bend))
          this.#freeSlopes(bend, lines)[bend.row] = this.#within(bend, slopes[k]!);
      });
      substitution.take(0, combined(targets, shares), sizes);
      substitution.substituteHeld(lines, sizes, this.#multipliersOf(held, multipliers));
      const least = substitution.lowerBound(0, box.lower, box.upper);
      if (least > best.least || step === 0)
        best = {
          least,
          rounding: substitution.roundings[0]!,
          dual: { slopes: slopes.slice(), multipliers: multipliers.slice(), shares: shares.slice() },
        };
      if (best.least > 0) break;
      this.#valuesAtLeast(box, point);
      this.#score(scores, isHeld, 1 / (steps + 1));
      if (step >= steps) break;
      yield;
      const pace = decay ** step;
      this.#moveSlopes(this.bends, slopes, isHeld, ascent, slopeStep * pace);
      this.#moveMultipliers(multipliers, held, ascent, multiplierStep * pace);
      if (targets.length > 1) this.#moveShares(shares, targets, shareStep * pace);
    }
    return { ...best, point, scores };
  }

  /**
   * Better bounds of a bend's row on the whole box, by ascent on the free slopes below it; all bounds after this use them.
   * Gives the products that it took, about.
   */
  *tightening(bend: number, steps: number): Steps<number> {
    const { substitution, network, lines } = this.#bounder;
    const { layer: l, unit, row } = this.bends[bend]!;
    const { box, sizes, rowLower, rowUpper } = this.#known;
    const before = substitution.work;
    const none: ReadonlySet<number> = new Set();
    for (const sign of [1, -1] as const) {
      if (!this.#isOpen(this.bends[bend]!)) break;
      this.#hold([]);
      const below = this.bends.filter(({ layer }) => layer < l);
      const slopes = Float32Array.from(below, (b) => this.#freeSlopes(b, lines)[b.row]!);
      const ascent = new Ascent(below.length);
      let best = Number.NEGATIVE_INFINITY;
      for (let step = 0; ; step++) {
        below.forEach((b, k) => {
          if (this.#isOpen(b)) this.#freeSlopes(b, lines)[b.row] = this.#within(b, slopes[k]!);
        });
        substitution.takeRow(0, network.layers[l]!, unit, sign, sizes);
        yield* substitution.substituting(l, 1, lines, sizes);
        best = Math.max(best, substitution.lowerBound(0, box.lower, box.upper));
        if (step >= steps || best >= 0) break;
        this.#valuesAtLeast(box, new Float64Array(network.inputs), l);
        this.#moveSlopes(below, slopes, none, ascent, slopeStep * decay ** step);
      }
      if (sign > 0) rowLower[row] = Math.min(rowUpper[row]!, Math.max(rowLower[row]!, best));
      else rowUpper[row] = Math.max(rowLower[row]!, Math.min(rowUpper[row]!, -best));
    }
    return 2 * (substitution.work - before);
  }

  /** Lines for the bounds of the rows as they are now, nothing held; `boundRow` is for these. */
  release(): void {
    this.#hold([]);
  }

  /**
   * Takes a better bound of a bend's row on the whole box, below (sign 1) or above (-1), with these slopes of all bends: those
   * of the layers before it count. Whatever the slopes, the bound is sound. The lines are those of the last `release`.
   */
  boundRow(bend: number, sign: 1 | -1, slopes: ArrayLike<number>): void {
    const { substitution, network, lines } = this.#bounder;
    const { layer: l, unit, row } = this.bends[bend]!;
    const { box, sizes, rowLower, rowUpper } = this.#known;
    for (const [k, b] of this.bends.entries()) {
      if (b.layer >= l) break;
      if (this.#isOpen(b)) this.#freeSlopes(b, lines)[b.row] = this.#within(b, slopes[k]!);
    }
    substitution.takeRow(0, network.layers[l]!, unit, sign, sizes);
    finished(substitution.substituting(l, 1, lines, sizes));
    const least = substitution.lowerBound(0, box.lower, box.upper);
    if (sign > 0) rowLower[row] = Math.min(rowUpper[row]!, Math.max(rowLower[row]!, least));
    else rowUpper[row] = Math.max(rowLower[row]!, Math.min(rowUpper[row]!, -least));
  }

  /**
   * Takes a better bound of a bend's row, below (sign 1) or above (-1), that holds where units are held so and all targets are
   * <= 0: pull (sum of share * target) + sign * row is bounded from below, and the first part is not above 0 there. From then
   * on everything that this bounder says holds for such points only. false: there are none.
   */
  boundRowWithin(
    bend: number,
    sign: 1 | -1,
    targets: Alternative,
    box: Box,
    held: readonly Held[],
    { slopes, multipliers, shares }: Dual,
    pull: number,
  ): boolean {
    const { row } = this.bends[bend]!;
    const { rowLower, rowUpper } = this.#known;
    const factors = shares.map((share) => Math.max(0, share) * Math.max(0, pull));
    const least = this.#leastRow(bend, sign, mixed(targets, factors), box, held, slopes, multipliers);
    if (sign > 0) {
      if (least > rowUpper[row]!) return false;
      rowLower[row] = Math.max(rowLower[row]!, least);
    } else {
      if (-least < rowLower[row]!) return false;
      rowUpper[row] = Math.min(rowUpper[row]!, -least);
    }
    return true;
  }

  /** Takes the least of a row's bounds on parts of the whole box, if these cover it; false: they do not. */
  boundRowByParts(
    bend: number,
    sign: 1 | -1,
    parts: readonly { readonly held: readonly Held[]; readonly slopes: ArrayLike<number> }[],
  ): boolean {
    if (!covers(parts.map(({ held }) => held))) return false;
    const { box, rowLower, rowUpper } = this.#known;
    const { row } = this.bends[bend]!;
    let least = Number.POSITIVE_INFINITY;
    for (const { held, slopes } of parts) {
      const multipliers = Float32Array.from(held, (own) => slopes[own.bend]!);
      const own = this.#leastRow(bend, sign, nothing, box, held, slopes, multipliers);
      least = Math.min(least, own);
    }
    if (sign > 0) rowLower[row] = Math.min(rowUpper[row]!, Math.max(rowLower[row]!, least));
    else rowUpper[row] = Math.max(rowLower[row]!, Math.min(rowUpper[row]!, -least));
    return true;
  }

  /** A lower bound of a target plus sign times a bend's row, where units are held so. */
  #leastRow(
    bend: number,
    sign: 1 | -1,
    target: Target,
    box: Box,
    held: readonly Held[],
    slopes: ArrayLike<number>,
    multipliers: Float32Array,
  ): number {
    const { substitution, lines } = this.#bounder;
    const { layer, unit } = this.bends[bend]!;
    const { sizes } = this.#known;
    this.#hold(held);
    const isHeld = new Set(held.map((own) => own.bend));
    this.bends.forEach((b, k) => {
      if (!isHeld.has(k) && this.#isOpen(b)) this.#freeSlopes(b, lines)[b.row] = this.#within(b, slopes[k]!);
    });
    substitution.take(0, target, sizes);
    const added = this.#multipliersOf(held, multipliers).map((own, l) =>
      l === layer ? [...own, { row: unit, factor: sign }] : own,
    );
    substitution.substituteHeld(lines, sizes, added);
    return substitution.lowerBound(0, box.lower, box.upper);
  }

  /** Bounds of a bend's row on the whole box, as they are now. */
  rangeOf(bend: number): readonly [lower: number, upper: number] {
    const { row } = this.bends[bend]!;
    return [this.#known.rowLower[row]!, this.#known.rowUpper[row]!];
  }

  /** Does the unit still bend on the whole box, by the bounds as they are now? */
  #isOpen({ row }: Bend): boolean {
    return this.#known.rowLower[row]! < 0 && this.#known.rowUpper[row]! > 0;
  }

  /** Lines where these units are held. */
  #hold(held: readonly Held[]): void {
    const { rowLower, rowUpper } = this.#known;
    this.#rowLower.set(rowLower);
    this.#rowUpper.set(rowUpper);
    for (const { bend, side } of held) {
      const { row } = this.bends[bend]!;
      // A unit that does not bend any more keeps its line: what is asked of it holds everywhere, or nowhere.
      if (rowLower[row]! < 0 && rowUpper[row]! > 0) (side > 0 ? this.#rowLower : this.#rowUpper)[row] = 0;
    }
    for (const layer of this.#bent) relax(layer, this.#rowLower, this.#rowUpper, this.#bounder.lines);
  }

  /** The side on which any slope between both of the unit's own is sound: below a convex bend, above a concave one. */
  #freeSlopes({ layer, unit }: Bend, { lowSlope, highSlope }: BoxBounder["lines"]): Float64Array {
    const { below, above } = this.#bounder.network.layers[layer]!;
    return above[unit]! > below[unit]! ? lowSlope : highSlope;
  }

  /** Only slopes between the unit's own are sound, and float32 may have rounded beyond these. */
  #within({ layer, unit }: Bend, slope: number): number {
    const { below, above } = this.#bounder.network.layers[layer]!;
    const [b, a] = [below[unit]!, above[unit]!];
    return Math.min(Math.max(a, b), Math.max(Math.min(a, b), slope));
  }

  /** What is added to the target: -beta z where z >= 0, beta z where z <= 0; by layer. */
  #multipliersOf(held: readonly Held[], multipliers: Float32Array): readonly (readonly Multiplier[])[] {
    const byLayer: Multiplier[][] = this.#bounder.network.layers.map(() => []);
    held.forEach(({ bend, side }, k) => {
      const { layer, unit } = this.bends[bend]!;
      if (multipliers[k]! > 0) byLayer[layer]!.push({ row: unit, factor: -side * multipliers[k]! });
    });
    return byLayer;
  }

  /** Rows and slots as the lines have them where the last form is least. */
  #valuesAtLeast({ lower, upper }: Box, point: Float64Array, end = Number.POSITIVE_INFINITY): void {
    const { network, lines, substitution } = this.#bounder;
    const { coefficients } = substitution;
    const values = this.#values;
    for (let i = 0; i < network.inputs; i++) {
      point[i] = coefficients[i]! > 0 ? lower[i]! : upper[i]!;
      values[i] = point[i]!;
    }
    for (const layer of network.layers.slice(0, end)) {
      const { firstRow, firstSlot, units, groups } = layer;
      const rows = this.#rows.subarray(firstRow, firstRow + layer.rows);
      rowValues(layer, values, rows);
      for (let unit = 0; unit < units; unit++) {
        const isLow = coefficients[firstSlot + unit]! > 0;
        const slopes = isLow ? lines.lowSlope : lines.highSlope;
        let value = (isLow ? lines.lowShift : lines.highShift)[firstSlot + unit]!;
        const [from, end] = groups.length > 0 ? [groups[unit]!, groups[unit + 1]!] : [unit, unit + 1];
        for (let k = from; k < end; k++) value += slopes[firstRow + k]! * rows[k]!;
        values[firstSlot + unit] = value;
      }
    }
  }

  #score(scores: Float64Array, isHeld: ReadonlySet<number>, share: number): void {
    const { network, substitution } = this.#bounder;
    this.bends.forEach(({ layer: l, unit, row }, k) => {
      if (isHeld.has(k) || !(this.#known.rowLower[row]! < 0 && this.#known.rowUpper[row]! > 0)) return;
      const layer = network.layers[l]!;
      const a = substitution.coefficients[layer.firstSlot + unit]!;
      if (a === 0) return;
      const z = this.#rows[row]!;
      const real = z * (z > 0 ? layer.above[unit]! : layer.below[unit]!);
      const cheat = Math.max(0, a * (real - this.#values[layer.firstSlot + unit]!));
      scores[k]! += share * (cheat + gapShare * Math.abs(a) * gapOf(layer, unit, this.#known));
    });
  }

  #moveSlopes(
    bends: readonly Bend[],
    slopes: Float32Array,
    isHeld: ReadonlySet<number>,
    ascent: Ascent,
    pace: number,
  ): void {
    const { network, substitution } = this.#bounder;
    bends.forEach(({ layer: l, unit, row }, k) => {
      const { firstSlot, below, above } = network.layers[l]!;
      const [b, c] = [below[unit]!, above[unit]!];
      const a = substitution.coefficients[firstSlot + unit]!;
      const isUsed = c > b ? a > 0 : a < 0;
      if (!isUsed || isHeld.has(k)) return;
      const way = ascent.way(k, a * this.#rows[row]!);
      const [least, greatest] = [Math.min(b, c), Math.max(b, c)];
      slopes[k] = between(slopes[k]! + pace * (greatest - least) * way, least, greatest);
    });
  }

  #moveMultipliers(multipliers: Float32Array, held: readonly Held[], ascent: Ascent, pace: number): void {
    const { network, substitution } = this.#bounder;
    held.forEach(({ bend, side }, k) => {
      const { layer, unit, row } = this.bends[bend]!;
      const a = Math.abs(substitution.coefficients[network.layers[layer]!.firstSlot + unit]!);
      const way = ascent.way(this.bends.length + k, -side * this.#rows[row]!);
      multipliers[k] = Math.max(0, multipliers[k]! + pace * (0.2 * a + 0.2 * multipliers[k]! + 1e-3) * way);
    });
  }

  #moveShares(shares: Float64Array, targets: Alternative, pace: number): void {
    const values = targets.map(({ slots, weights, constant }) => {
      let sum = constant;
      for (let k = 0; k < slots.length; k++) sum += weights[k]! * this.#values[slots[k]!]!;
      return sum;
    });
    const greatest = Math.max(...values.map(Math.abs), Number.MIN_VALUE);
    let sum = 0;
    values.forEach((value, t) => {
      shares[t] = Math.max(1e-6, shares[t]!) * Math.exp((pace * value) / greatest);
      sum += shares[t]!;
    });
    values.forEach((_, t) => {
      shares[t]! /= sum;
    });
  }
}

const between = (x: number, least: number, greatest: number): number =>
  Math.min(greatest, Math.max(least, x));

/** Running means of slopes and of their squares (Adam), by parameter. */
class Ascent {
  readonly #mean: Float64Array;
  readonly #size: Float64Array;

  constructor(parameters: number) {
    this.#mean = new Float64Array(parameters);
    this.#size = new Float64Array(parameters);
  }

  way(k: number, slope: number): number {
    const isFirst = this.#size[k] === 0;
    this.#mean[k] = isFirst ? slope : keepMean * this.#mean[k]! + (1 - keepMean) * slope;
    this.#size[k] = isFirst ? slope * slope : keepSize * this.#size[k]! + (1 - keepSize) * slope * slope;
    return this.#size[k]! > 0 ? this.#mean[k]! / Math.sqrt(this.#size[k]!) : 0;
  }
}
