// What the network of a circuit errs by at most: bounds of every value, with outward rounding.
import { abs, type Exact, sign, toNumber } from "../engine/exact.ts";
import { ConstructError } from "./error.ts";
import { type Circuit, type Gate, isGate, type Product, rangeOf, type Square } from "./product-circuit.ts";
import type { Form } from "./product-form.ts";
import { addDown, addUp, mulDown, mulUp, roundDown, roundUp } from "./product-rounding.ts";

/** Errors are so large that a value leaves the bounds that a gate or a sum relies on: more levels would help. */
export class BoundError extends ConstructError {}

export type Range = readonly [number, number];

/** What is known of a value: where the exact one and the network's lie, and how far apart they are at most. */
export interface ValueBounds {
  readonly exact: Range;
  readonly network: Range;
  readonly error: number;
}

/**
 * Bounds of all values of a circuit when its gates have so many levels (Infinity: exact gates).
 * A gate errs by c^2 4^-(m+1) or A B 4^-(m+1) itself, and passes on |x~ y~ - x y| <= |x~| |y~ - y| + |y| |x~ - x|.
 */
export function boundsOf(
  { values }: Circuit,
  levels: readonly number[],
  rounding: ReadonlyMap<number, Exact> = new Map(),
): ValueBounds[] {
  const bounds: ValueBounds[] = [];
  values.forEach((value, index) => {
    if (value.kind === "source") {
      const exact: Range = [value.lower, value.upper];
      bounds.push({ exact, network: exact, error: 0 });
    } else if (value.kind === "sum") {
      const own = addUp(value.error ?? 0, rounding.get(index) ?? 0);
      const { exact, network, error } = boundsOfForm(value.of, bounds, own);
      const known = value.within
        ? meet(exact, [roundDown(value.within[0]), roundUp(value.within[1])])
        : exact;
      const reached = meet(network, widen(known, error));
      if (value.range && (reached[0] < value.range[0] || reached[1] > value.range[1]))
        throw new BoundError(`a sum of a circuit reaches [${reached}], beyond its range [${value.range}]`);
      bounds.push({ exact: known, network: reached, error });
    } else bounds.push(boundsOfGate(value, bounds, levels[index]!));
  });
  return bounds;
}

/** Bounds of an affine form of values. */
function boundsOfForm(f: Form, bounds: readonly ValueBounds[], own = 0): ValueBounds {
  let error = own;
  for (const [index, coefficient] of f.terms)
    error = addUp(error, mulUp(abs(coefficient), bounds[index]!.error));
  const range = (of: "exact" | "network"): Range => {
    let [low, high] = [roundDown(f.constant), roundUp(f.constant)];
    for (const [index, coefficient] of f.terms) {
      const [from, to] = bounds[index]![of];
      const [least, most] = sign(coefficient) > 0 ? [from, to] : [to, from];
      low = addDown(low, mulDown(coefficient, least));
      high = addUp(high, mulUp(coefficient, most));
    }
    return [low, high];
  };
  const exact = range("exact");
  return { exact, network: meet(range("network"), widen(exact, error)), error };
}

function boundsOfGate(gate: Gate, bounds: readonly ValueBounds[], levels: number): ValueBounds {
  const quarter = levels === Number.POSITIVE_INFINITY ? 0 : 4 ** -(levels + 1);
  const { exact, passedOn, scale } =
    gate.kind === "square" ? squareBounds(gate, bounds) : productBounds(gate, bounds);
  const error = addUp(passedOn, mulUp(scale, quarter));
  return { exact, network: meet(rangeOf(gate), widen(exact, error)), error };
}

interface GateBounds {
  readonly exact: Range;
  /** What the operands' errors add up to. */
  readonly passedOn: number;
  /** The gate's own error is this times 4^-(m+1). */
  readonly scale: number;
}

function squareBounds(gate: Square, bounds: readonly ValueBounds[]): GateBounds {
  const x = boundsOfForm(gate.of, bounds);
  requireBound(gate, x, gate.bound);
  const [low, high] = x.exact;
  const least = low <= 0 && high >= 0 ? 0 : Math.min(mulDown(low, low), mulDown(high, high));
  return {
    exact: [least, Math.max(mulUp(low, low), mulUp(high, high))],
    passedOn: mulUp(addUp(size(x.exact), size(x.network)), x.error),
    scale: mulUp(gate.bound, gate.bound),
  };
}

function productBounds(gate: Product, bounds: readonly ValueBounds[]): GateBounds {
  const [x, y] = gate.of.map((f) => boundsOfForm(f, bounds)) as [ValueBounds, ValueBounds];
  requireBound(gate, x, gate.bounds[0]);
  requireBound(gate, y, gate.bounds[1]);
  const corners = x.exact.flatMap((p) => y.exact.map((q) => [mulDown(p, q), mulUp(p, q)] as const));
  const [xThenY, yThenX] = [
    addUp(mulUp(size(x.network), y.error), mulUp(size(y.exact), x.error)),
    addUp(mulUp(size(x.exact), y.error), mulUp(size(y.network), x.error)),
  ];
  return {
    exact: [Math.min(...corners.map((c) => c[0])), Math.max(...corners.map((c) => c[1]))],
    passedOn: Math.min(xThenY, yThenX),
    scale: mulUp(...gate.bounds),
  };
}

function requireBound(gate: Gate, { network }: ValueBounds, bound: number): void {
  if (size(network) > bound)
    throw new BoundError(
      `a ${gate.kind} of a circuit reads values up to ${size(network)}, beyond its bound ${bound}`,
    );
  if (gate.nonnegative && network[0] < 0)
    throw new BoundError(`a ${gate.kind} of nonnegative values reads values down to ${network[0]}`);
}

const size = ([low, high]: Range): number => Math.max(Math.abs(low), Math.abs(high));
const meet = (a: Range, b: Range): Range => [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
const widen = ([low, high]: Range, by: number): Range => [addDown(low, -by), addUp(high, by)];

/**
 * How much a unit of error of each value adds to the error of the only output, and c^2 or A B times that for a gate:
 * the output errs by sum_g weight_g 4^-(m_g + 1), to first order (exactly so when all bounds are 1).
 */
export function errorWeights(circuit: Circuit): number[] {
  const { values, outputs } = circuit;
  const bounds = boundsOf(
    circuit,
    values.map(() => Number.POSITIVE_INFINITY),
  );
  const weights = values.map((_, index): number => (outputs.includes(index) ? 1 : 0));
  const passTo = (f: Form, factor: number): void => {
    for (const [index, coefficient] of f.terms) weights[index]! += factor * Math.abs(toNumber(coefficient));
  };
  for (const [index, value] of [...values.entries()].reverse()) {
    const weight = weights[index]!;
    if (value.kind === "sum") passTo(value.of, weight);
    if (value.kind === "square") {
      passTo(value.of, 2 * weight * size(boundsOfForm(value.of, bounds).exact));
      weights[index] = weight * value.bound ** 2;
    }
    if (value.kind === "product") {
      const [x, y] = value.of.map((f) => size(boundsOfForm(f, bounds).exact)) as [number, number];
      passTo(value.of[0], weight * y);
      passTo(value.of[1], weight * x);
      weights[index] = weight * value.bounds[0] * value.bounds[1];
    }
  }
  return values.map((value, index) => (isGate(value) ? weights[index]! : 0));
}
