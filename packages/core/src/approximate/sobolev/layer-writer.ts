// Writes ReLU layers from exact forms, and bounds what rounding does to each unit when the network runs in doubles.

import type { Graph } from "../../graph/graph.ts";
import { type Form, variable } from "../../networks/circuit/form.ts";
import { exactLayer } from "../../networks/circuit/rows.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { graphOf } from "../../networks/layers/layers.ts";
import { abs, type Exact, toNumber } from "../../numbers/exact/rational.ts";
import { gamma } from "../../numbers/floating-point.ts";
import { SobolevError } from "./error.ts";

/** A unit relu(of). */
export interface UnitRow {
  readonly of: Form;
  /** The unit is at most this, in real arithmetic, on the box. */
  readonly most: number;
  /** One of many of which few are positive at any input: see Locality. */
  readonly local?: boolean;
  /** Of the local units that this one reads, where better known than for the whole layer. */
  readonly reads?: Locality;
  /** The row is T(s) or T(s) - 1/2, T(s) = 2 u - 4 v the triangle map: then this is u. */
  readonly triangleOf?: Form;
}

/**
 * At every input at most `count` local units of a layer are positive, also when rounded (the forms of the others are far
 * below 0), and they add up to at most `total`.
 */
export interface Locality {
  readonly count: number;
  readonly total: number;
}

/** At least the real sum of n nonnegative numbers, of which this is the sum in doubles. */
const outward = (sum: number, n: number): number => sum * (1 + (n + 4) * 2 ** -51);
/**
 * What computing 2 u - 4 v - 1/2 with u, v in [0, 1], and v = relu(s - 1/2) apart from u = relu(s), may add to twice the
 * error of u: less than 300 roundings.
 */
const triangleRounding = 2 ** -44;
/** Bumps that are far away have forms below -1: rounding must not bring them near 0. */
const greatestSlack = 1 / 4;
const sizeOf = (w: Exact): number => Math.abs(typeof w === "number" ? w : toNumber(abs(w)));

/** Layers from the input on; every unit comes with a bound of its size and of its rounding error. */
export class LayerWriter {
  readonly layers: Layer[] = [];
  width: number;
  units = 0;
  #most: Float64Array;
  #error: Float64Array;
  #local: readonly boolean[];
  #greatestLocalError = 0;
  #locality: Locality = { count: 0, total: 0 };

  constructor(sides: readonly { readonly lower: number; readonly upper: number }[]) {
    this.width = sides.length;
    this.#most = Float64Array.from(sides, ({ lower, upper }) => Math.max(Math.abs(lower), Math.abs(upper)));
    this.#error = new Float64Array(sides.length);
    this.#local = sides.map(() => false);
  }

  /** A layer of units; their values as forms over it. */
  push(rows: readonly UnitRow[], locality: Locality = { count: 0, total: 0 }): Form[] {
    const error = Float64Array.from(rows, (row) => this.#errorOf(row));
    this.layers.push(
      exactLayer(
        rows.map((row) => row.of),
        this.width,
      ),
    );
    this.width = rows.length;
    this.units += rows.length;
    this.#most = Float64Array.from(rows, (row) => row.most);
    this.#error = error;
    this.#local = rows.map((row) => row.local ?? false);
    this.#locality = locality;
    this.#greatestLocalError = error.reduce((most, e, k) => (this.#local[k] ? Math.max(most, e) : most), 0);
    if (this.#greatestLocalError > greatestSlack)
      throw new SobolevError(
        `rounding may move a bump by ${this.#greatestLocalError}: too many cells for doubles`,
      );
    return rows.map((_, k) => variable(k));
  }

  /** The triangle map has slopes 2 and -2: its error only doubles, though u and v err together. */
  #errorOf({ of, reads, triangleOf }: UnitRow): number {
    if (!triangleOf) return this.rounding(of, reads);
    const before = this.#error[triangleOf.terms.keys().next().value!]!;
    if (before > greatestSlack)
      throw new SobolevError(
        `rounding may move a gate's value by ${before}: the box is too far from 0 for double precision`,
      );
    return outward(2 * before + triangleRounding, 1);
  }

  /**
   * What a form of the last layer's units is off by when it is computed: sum |w| e + gamma_{n+1} (sum |w| (M + e) + |b|).
   * Of local units only `count` have a part in it: adding exact zeros rounds nothing.
   */
  rounding({ terms, constant }: Form, { count, total }: Locality = this.#locality): number {
    let [passedOn, size, plain, greatestLocal] = [0, sizeOf(constant), 0, 0];
    for (const [unit, weight] of terms) {
      const w = sizeOf(weight);
      if (this.#local[unit]) {
        if (w > greatestLocal) greatestLocal = w;
        continue;
      }
      plain++;
      passedOn += w * this.#error[unit]!;
      size += w * (this.#most[unit]! + this.#error[unit]!);
    }
    if (greatestLocal > 0) {
      passedOn += greatestLocal * count * this.#greatestLocalError;
      size += greatestLocal * (total + count * this.#greatestLocalError);
      plain += count;
    }
    const underflow = (plain + 1) * Number.MIN_VALUE;
    return outward(passedOn + gamma(plain + 2) * outward(size, terms.size + 4) + underflow, terms.size + 8);
  }

  /** The network whose outputs are these forms of the last layer's units. */
  network(outputs: readonly Form[], name: string): Graph {
    const layers = [...this.layers, exactLayer(outputs, this.width)];
    return graphOf({ layers, activation: "relu", exact: true }, { name });
  }
}
