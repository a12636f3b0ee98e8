// Monomials of local coordinates as gates in stages: degree 2 in the first, degrees 3 and 4 in the second, and so on.
import type { Form } from "../../networks/circuit/form.ts";
import { combine, form } from "../../networks/circuit/form.ts";
import { type Carried, type GateTask, positiveValue, signedValue } from "./gate-stage.ts";

/** A local coordinate in [-1, 1]: the difference of two values of which one is 0. */
export interface LocalCoordinate {
  readonly name: string;
  readonly positive: Carried;
  readonly negative: Carried;
}

/** The factors of a monomial, in a fixed order. */
export type Factors = readonly LocalCoordinate[];

const difference = ({ positive, negative }: LocalCoordinate, sign: 1 | -1): Form =>
  combine([
    [1, positive.form],
    [-sign, negative.form],
  ]);

/** The coordinate as a form of the last layer. */
export const coordinateForm = (t: LocalCoordinate): Form => difference(t, 1);
const absoluteForm = (t: LocalCoordinate): Form => difference(t, -1);

export interface Monomial {
  readonly factors: Factors;
  readonly value: Carried;
  /** The stage after which it is known: ceil(log2 degree). */
  readonly stage: number;
  /** Sums that it is added to, besides being kept itself. */
  readonly into: (readonly [Carried, number])[];
  /** The halves that are multiplied. */
  readonly halves: readonly [Factors, Factors];
}

export const stageOf = (degree: number): number => Math.ceil(Math.log2(degree));
const keyOf = (factors: Factors): string => factors.map((f) => f.name).join(" ");

/** Monomials of degree at least 2 that have been asked for, each once, with those that they are made of. */
export class MonomialTable {
  readonly #known = new Map<string, Monomial>();

  ask(factors: Factors): Monomial {
    const key = keyOf(factors);
    const before = this.#known.get(key);
    if (before) return before;
    const half = Math.ceil(factors.length / 2);
    const halves = split(factors, half);
    for (const part of halves) if (part.length > 1) this.ask(part);
    const isSquare = keyOf(halves[0]) === keyOf(halves[1]);
    const made: Monomial = {
      factors,
      value: isSquare ? positiveValue(form(), 1) : signedValue(form(), 1),
      stage: stageOf(factors.length),
      into: [],
      halves,
    };
    this.#known.set(key, made);
    return made;
  }

  /** The value of a product of coordinates, as a form of the last layer. */
  formOf(factors: Factors): Form {
    return factors.length === 1 ? coordinateForm(factors[0]!) : this.ask(factors).value.form;
  }

  inStage(stage: number): readonly Monomial[] {
    return [...this.#known.values()].filter((m) => m.stage === stage);
  }

  /** What a monomial's gate reads. */
  task({ halves: [left, right], value, into }: Monomial, isKept: boolean): GateTask {
    const targets = isKept ? [[value, 1] as const, ...into] : into;
    if (value.shift > 0) {
      const operands = [this.formOf(left), this.formOf(right)];
      return { gate: { kind: "product", of: [form(), form()], bounds: [1, 1] }, operands, into: targets };
    }
    const nonnegative = left.length === 1 || this.ask(left).value.shift === 0;
    const operand = left.length === 1 ? absoluteForm(left[0]!) : this.formOf(left);
    return {
      gate: { kind: "square", of: form(), bound: 1, nonnegative },
      operands: [operand],
      into: targets,
    };
  }

  /** The last stage in which a value is read as a half of another monomial; 0 if never. */
  lastUse(): ReadonlyMap<Carried, number> {
    const last = new Map<Carried, number>();
    for (const { halves, stage } of this.#known.values())
      for (const part of halves)
        for (const value of part.length === 1
          ? [part[0]!.positive, part[0]!.negative]
          : [this.ask(part).value])
          last.set(value, Math.max(last.get(value) ?? 0, stage));
    return last;
  }
}

/** Equal halves where every factor occurs an even number of times, else the first and the last ones. */
function split(factors: Factors, half: number): readonly [Factors, Factors] {
  const isEven = factors.length % 2 === 0 && factors.every((f, k) => k % 2 === 1 || f === factors[k + 1]);
  if (isEven) {
    const every = factors.filter((_, k) => k % 2 === 0);
    return [every, every];
  }
  return [factors.slice(0, half), factors.slice(half)];
}
