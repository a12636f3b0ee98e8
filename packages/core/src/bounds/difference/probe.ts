// Points where two networks differ: their values in plain floating point, and ascent along the gradient.
import type { Random } from "../../numbers/random.ts";
import type { Target } from "../linear/back-substitution.ts";
import { Evaluation } from "../linear/evaluate.ts";
import type { Network } from "../linear/network.ts";
import type { Box } from "../linear/row-bounds.ts";
import { leakyGradient } from "./leaky-gradient.ts";

const clamp = (x: number, lower: number, upper: number): number => Math.min(upper, Math.max(lower, x));

const [openSteps, openLength] = [160, 0.04];

function addNormalized(slopes: Float64Array, into: Float64Array): void {
  const size = slopes.reduce((m, g) => Math.max(m, Math.abs(g)), 0);
  if (size > 0) for (let i = 0; i < into.length; i++) into[i]! += slopes[i]! / size;
}

export interface ProbeOptions {
  /** Points of the box to climb from too. */
  readonly starts?: readonly Float64Array[];
  readonly points?: number;
  readonly climbs?: number;
  readonly steps?: number;
  /** End when more than this is seen. */
  readonly enough?: number;
  readonly isOver?: () => boolean;
}

/** Keeps the point with the greatest |difference| that it has seen. */
export class Probe {
  greatest = Number.NEGATIVE_INFINITY;
  point: Float64Array | undefined;
  output = 0;
  /** The greatest |output| of the first network so far. */
  scale = 0;
  readonly #first: Evaluation;
  readonly #second: Evaluation;

  constructor(first: Network, second: Network) {
    this.#first = new Evaluation(first);
    this.#second = new Evaluation(second);
  }

  #difference(k: number): number {
    const [a, b] = [this.#first, this.#second];
    return b.slots[b.network.firstOutput + k]! - a.slots[a.network.firstOutput + k]!;
  }

  /** Where a network has no value (0/0, say), all of them are NaN, which differs from nothing. */
  #evaluate(x: Float64Array): void {
    for (const evaluation of [this.#first, this.#second])
      try {
        evaluation.at(x);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        evaluation.slots.fill(Number.NaN);
      }
  }

  /** The output that differs most at a point; size -1 where none has a value. */
  at(x: Float64Array): { readonly size: number; readonly output: number } {
    this.#evaluate(x);
    const { network, slots } = this.#first;
    let [size, output] = [-1, 0];
    for (let k = 0; k < network.outputNames.length; k++) {
      const found = Math.abs(this.#difference(k));
      if (found > size) [size, output] = [found, k];
      const value = Math.abs(slots[network.firstOutput + k]!);
      if (value > this.scale) this.scale = value;
    }
    if (size > this.greatest) {
      this.greatest = size;
      this.point = Float64Array.from(x);
      this.output = output;
    }
    return { size, output };
  }

  /** Outputs of both at a point, in double precision. */
  valuesAt(x: Float64Array): { readonly first: Float64Array; readonly second: Float64Array } {
    this.at(x);
    const outputs = ({ network, slots }: Evaluation): Float64Array => slots.slice(network.firstOutput);
    return { first: outputs(this.#first), second: outputs(this.#second) };
  }

  /** Begins anew. */
  forget(): void {
    this.greatest = Number.NEGATIVE_INFINITY;
    this.point = undefined;
  }

  /** Ascent on all rows of the first network that are not above 0 yet; from there on the difference. */
  open(box: Box, from: Float64Array, gates: readonly Target[], isDone: () => boolean): void {
    const { lower, upper } = box;
    let x = from;
    for (let step = 0; step < openSteps && !isDone(); step++) {
      this.at(x);
      const closed = gates.filter((gate) => !(this.#first.value(gate) > 0));
      if (closed.length === 0) break;
      const slopes = new Float64Array(x.length);
      for (const gate of closed) addNormalized(leakyGradient(this.#first, gate), slopes);
      const length = openLength * (1 - step / openSteps);
      x = x.map((v, i) => clamp(v + length * slopes[i]! * (upper[i]! - lower[i]!), lower[i]!, upper[i]!));
    }
    this.climb(box, x, openSteps / 4, isDone);
  }

  /** Projected ascent by the gradient's sign, with shorter and shorter steps, on the output that differs most. */
  climb({ lower, upper }: Box, from: Float64Array, steps: number, isDone: () => boolean): void {
    let x = from;
    for (let step = 0; step < steps && !isDone(); step++) {
      const { size, output } = this.at(x);
      if (size < 0) return;
      const sign = Math.sign(this.#difference(output));
      const [a, b] = [this.#first, this.#second].map((evaluation) =>
        evaluation.gradient({
          slots: [evaluation.network.firstOutput + output],
          weights: [sign],
          constant: 0,
        }),
      ) as [Float64Array, Float64Array];
      const length = 0.5 * (1 - step / steps) ** 2;
      x = x.map((v, i) =>
        clamp(v + length * Math.sign(b[i]! - a[i]!) * (upper[i]! - lower[i]!), lower[i]!, upper[i]!),
      );
    }
    this.at(x);
  }

  /** Random points and corners, then ascent from the best; ends early when over or when more than `enough` is seen. */
  search(box: Box, random: Random, options: ProbeOptions = {}): void {
    const { points = 200, climbs = 8, steps = 40, enough = Number.POSITIVE_INFINITY } = options;
    const { lower, upper } = box;
    const seen: { readonly x: Float64Array; readonly size: number }[] = [];
    const isDone = (): boolean => options.isOver?.() === true || this.greatest > enough;
    for (const x of options.starts ?? []) if (!isDone()) seen.push({ x, size: this.at(x).size });
    for (let n = 0; n < points && !isDone(); n++) {
      const x = lower.map((l, i) => {
        const share = random.uniform();
        return clamp(l + (n % 2 ? share : Math.round(share)) * (upper[i]! - l), l, upper[i]!);
      });
      seen.push({ x, size: this.at(x).size });
    }
    seen.sort((p, q) => q.size - p.size);
    for (const { x } of seen.slice(0, climbs)) this.climb(box, x, steps, isDone);
  }
}
