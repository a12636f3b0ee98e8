// Functions of one Gaussian number that are made of others: f(g(x)), f(x) + g(x), f(x) g(x), ...
import type { Applied, Field, Meaning } from "./meaning.ts";
import { identity, type UnitFunction } from "./unit-function.ts";

/** How two functions of the same number become one: the value, and the slope from values and slopes. */
export interface Combination {
  value(f: number, g: number): number;
  slope(f: number, g: number, df: number, dg: number): number;
  /** Whether there is a kink where the two are equal. */
  readonly isKinked?: boolean;
}

/** Where a function may change its course: farther out a normal number of moderate variance does not come. */
const farthest = 64;
const steps = 8192;

/** The zeros of h between -64 and 64, as far as they lie 1/64 apart. */
function zeros(h: (x: number) => number): readonly number[] {
  const found: number[] = [];
  const at = (k: number): number => -farthest + (2 * farthest * k) / steps;
  for (let k = 0; k < steps; k++) {
    let [low, high] = [at(k), at(k + 1)];
    const [left, right] = [h(low), h(high)];
    if (left === 0 && right !== 0 && k > 0) found.push(low);
    if (!(left * right < 0)) continue;
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2;
      if (h(middle) * left > 0) low = middle;
      else high = middle;
    }
    found.push((low + high) / 2);
  }
  return found;
}

/** outer(inner(x)): kinks of the inner one, and where it meets those of the outer one. */
export function composed(outer: UnitFunction, inner: UnitFunction): UnitFunction {
  if (inner === identity) return outer;
  return {
    value: (x) => outer.value(inner.value(x)),
    slope: (x) => outer.slope(inner.value(x)) * inner.slope(x),
    kinks: [...inner.kinks, ...outer.kinks.flatMap((y) => zeros((x) => inner.value(x) - y))],
  };
}

export function combined(
  { value, slope, isKinked }: Combination,
  f: UnitFunction,
  g: UnitFunction,
): UnitFunction {
  const meet = isKinked ? zeros((x) => f.value(x) - g.value(x)) : [];
  return {
    value: (x) => value(f.value(x), g.value(x)),
    slope: (x) => slope(f.value(x), g.value(x), f.slope(x), g.slope(x)),
    kinks: [...f.kinks, ...g.kinks, ...meet],
  };
}

/** factor f(x). */
export const multiplied = (f: UnitFunction, factor: number): UnitFunction =>
  factor === 1 ? f : { value: (x) => factor * f.value(x), slope: (x) => factor * f.slope(x), kinks: f.kinks };

/** f(factor x). */
const stretched = (f: UnitFunction, factor: number): UnitFunction =>
  factor === 1
    ? f
    : {
        value: (x) => f.value(factor * x),
        slope: (x) => factor * f.slope(factor * x),
        kinks: f.kinks.map((x) => x / factor),
      };

/** A value as a function of the Gaussian field that it comes from, numbers that multiply taken along. */
export function rooted(value: Field | Applied): { readonly field: Field; readonly f: UnitFunction } {
  const [start, f] =
    value.kind === "field" ? [value, identity] : [value.field, multiplied(value.f, value.factor)];
  const { multiple } = start;
  return multiple?.of.gaussian
    ? { field: multiple.of, f: stretched(f, multiple.factor) }
    : { field: start, f };
}

/** Whether two values are functions of one Gaussian field. */
export function shareField(a: Meaning | undefined, b: Meaning | undefined): boolean {
  if (!a || !b || a.kind === "weight" || b.kind === "weight") return false;
  const [p, q] = [rooted(a).field, rooted(b).field];
  return p.key === q.key && p.gaussian && q.gaussian;
}
