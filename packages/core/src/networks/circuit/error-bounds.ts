// What the network of a circuit errs by at most: bounds of every value, with outward rounding.

import { ConstructError } from "../../functions/error.ts";
import { type Slope, sensitivities } from "../../numbers/dataflow.ts";
import { type Perturbed, productChange, squareChange, sumChange } from "../../numbers/error-propagation.ts";
import { type Exact, sign, toNumber } from "../../numbers/exact/rational.ts";
import { addDown, addUp, mulDown, mulUp, roundDown, roundUp } from "../../numbers/exact/rounding.ts";
import {
  type Circuit,
  type Gate,
  isGate,
  operands,
  type Product,
  type Range,
  rangeOf,
  type Square,
  type Sum,
} from "./circuit.ts";
import type { Form } from "./form.ts";
import { squareGap } from "./identities.ts";
import { roomForErrors } from "./run.ts";

/** Errors are so large that a value leaves the bounds that a gate or a sum relies on: more levels would help. */
export class BoundError extends ConstructError {}

/** What is known of a value: where the exact one and the network's lie, and how far apart they are at most. */
export interface ValueBounds {
  readonly exact: Range;
  readonly network: Range;
  readonly error: number;
  /** How far a run in doubles may take the value beyond the range that sums rely on. */
  readonly excess: number;
}

/** What a run in doubles rounds: see RunRounding. */
export interface RunCharges {
  readonly local: ReadonlyMap<number, number>;
  readonly slack: ReadonlyMap<number, number>;
  readonly top: ReadonlyMap<number, number>;
}

export interface BoundsOptions {
  /** What rounding of weights changes each sum by at most. */
  readonly rounding?: ReadonlyMap<number, Exact>;
  /** Bounds of the values that a run in doubles computes, not of those that the network defines. */
  readonly run?: RunCharges;
}

/**
 * Bounds of all values of a circuit when its gates have so many levels (Infinity: exact gates).
 * A gate errs by c^2 4^-(m+1) or A B 4^-(m+1) itself, and passes on |x~ y~ - x y| <= |x~| |y~ - y| + |y| |x~ - x|.
 */
export function boundsOf(
  { values }: Circuit,
  levels: readonly number[],
  options: BoundsOptions = {},
): ValueBounds[] {
  const bounds: ValueBounds[] = [];
  values.forEach((value, index) => {
    const local = options.run?.local.get(index) ?? 0;
    if (value.kind === "source") {
      const exact: Range = [value.lower, value.upper];
      bounds.push({ exact, network: widen(exact, local), error: local, excess: local });
    } else if (value.kind === "sum") bounds.push(boundsOfSum(value, index, bounds, options));
    else bounds.push(boundsOfGate(value, bounds, levels[index]!, options.run && { local }));
  });
  return bounds;
}

function boundsOfSum(
  value: Sum,
  index: number,
  bounds: readonly ValueBounds[],
  { rounding, run }: BoundsOptions,
): ValueBounds {
  const ofRun = run ? roundingOfSum(value, index, bounds, run) : 0;
  const moved = addUp(rounding?.get(index) ?? 0, ofRun);
  const { exact, network, error } = boundsOfForm(value.of, bounds, roundUp(value.error ?? 0), moved);
  const known = value.within ? meet(exact, [roundDown(value.within[0]), roundUp(value.within[1])]) : exact;
  const reached = meet(network, widen(known, error));
  const beyond = value.range ? Math.max(0, value.range[0] - reached[0], reached[1] - value.range[1]) : 0;
  if (value.range && beyond > (run ? (roomForErrors / 2) * (value.range[1] - value.range[0]) : 0))
    throw new BoundError(`a sum of a circuit reaches [${reached}], beyond its range [${value.range}]`);
  // A unit that holds the sum cuts off what is below its range: no harm, unless the exact sum is there, too.
  const cut = value.held && value.range ? Math.max(0, value.range[0] - known[0]) : 0;
  return { exact: known, network: reached, error: addUp(error, cut), excess: beyond };
}

/**
 * Roundings of the sum itself. Its unit cuts off what is negative: what terms beyond their ranges add counts once more
 * where the sum can come so near to 0.
 */
function roundingOfSum(
  { of }: Sum,
  index: number,
  bounds: readonly ValueBounds[],
  { local, slack, top }: RunCharges,
): number {
  const own = local.get(index) ?? 0;
  const beyond = sumChange([...of.terms].map(([term, w]) => [w, bounds[term]!.excess]));
  const total = addUp(own, beyond);
  if (total > (roomForErrors / 2) * (top.get(index) ?? Number.POSITIVE_INFINITY))
    throw new BoundError(`rounding may change a sum of a circuit by ${total}`);
  return total > (slack.get(index) ?? Number.POSITIVE_INFINITY) ? total : own;
}

type FormBounds = Omit<ValueBounds, "excess">;

/** Bounds of an affine form of values; `off`: how far it is from what is meant, `moved`: the network's from it. */
function boundsOfForm(f: Form, bounds: readonly ValueBounds[], off = 0, moved = 0): FormBounds {
  const errors = [...f.terms].map(([index, w]) => [w, bounds[index]!.error] as const);
  const error = sumChange(errors, addUp(off, moved));
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
  const exact = widen(range("exact"), off);
  return { exact, network: meet(widen(range("network"), moved), widen(exact, error)), error };
}

/** What a gate reads, with what is known of it. */
function boundsOfOperand(gate: Gate, k: number, bounds: readonly ValueBounds[]): FormBounds {
  const { exact, network, error } = boundsOfForm(operands(gate)[k]!, bounds);
  const within = gate.within?.[k];
  if (!within) return { exact, network, error };
  const known = meet(exact, within);
  return { exact: known, network: meet(network, widen(known, error)), error };
}

function boundsOfGate(
  gate: Gate,
  bounds: readonly ValueBounds[],
  levels: number,
  run?: { readonly local: number },
): ValueBounds {
  const { exact, passedOn, scale, beyond } =
    gate.kind === "square" ? squareBounds(gate, bounds, !!run) : productBounds(gate, bounds, levels, !!run);
  const excess = addUp(beyond, run?.local ?? 0);
  if (excess > (roomForErrors / 2) * scale)
    throw new BoundError(`rounding may change a ${gate.kind} of a circuit by ${excess}`);
  const error = addUp(
    addUp(passedOn, mulUp(scale, squareGap(levels))),
    gate.kind === "square" ? (run?.local ?? 0) : excess,
  );
  return { exact, network: meet(widen(rangeOf(gate), excess), widen(exact, error)), error, excess };
}

interface GateBounds {
  readonly exact: Range;
  /** What the operands' errors add up to. */
  readonly passedOn: number;
  /** The gate's own error is this times 4^-(m+1). */
  readonly scale: number;
  /** How far operands beyond the gate's bounds, which only rounding makes, take it beyond its own range. */
  readonly beyond: number;
}

/** For s = c + e the network has c^2 + c e, between x^2 and s^2 for every x <= c: no more error than s^2 would have. */
function squareBounds(gate: Square, bounds: readonly ValueBounds[], run: boolean): GateBounds {
  const x = boundsOfOperand(gate, 0, bounds);
  const { above } = beyondBound(gate, x, gate.bound, run);
  const [low, high] = x.exact;
  const least = low <= 0 && high >= 0 ? 0 : Math.min(mulDown(low, low), mulDown(high, high));
  return {
    exact: [least, Math.max(mulUp(low, low), mulUp(high, high))],
    passedOn: squareChange(sizesOf(x)),
    scale: mulUp(gate.bound, gate.bound),
    beyond: mulUp(gate.bound, above),
  };
}

/**
 * For x = A + e and y = B + f the first square has h(1 + t) = 1 + t, t = (e/A + f/B) / 2, which is t + t^2 below its
 * own; for factors that are not negative, but for e and f, it misses h(t) <= t (t + 2^-m).
 */
function productBounds(
  gate: Product,
  bounds: readonly ValueBounds[],
  levels: number,
  run: boolean,
): GateBounds {
  const [x, y] = [0, 1].map((k) => boundsOfOperand(gate, k, bounds)) as [FormBounds, FormBounds];
  const [a, b] = [x, y].map((z, k) => beyondBound(gate, z, gate.bounds[k]!, run)) as [Beyond, Beyond];
  const scale = mulUp(...gate.bounds);
  const half = (e: number, f: number): number =>
    addUp(mulUp(gate.bounds[1] / 2, e), mulUp(gate.bounds[0] / 2, f)); // A B t
  const missed = mulUp(half(a.below, b.below), addUp(2 ** -levels, roomForErrors));
  const corners = x.exact.flatMap((p) => y.exact.map((q) => [mulDown(p, q), mulUp(p, q)] as const));
  return {
    exact: [Math.min(...corners.map((c) => c[0])), Math.max(...corners.map((c) => c[1]))],
    passedOn: productChange(sizesOf(x), sizesOf(y)),
    scale,
    beyond: addUp(mulUp(half(a.above, b.above), 1 + roomForErrors), missed),
  };
}

interface Beyond {
  readonly above: number;
  readonly below: number;
}

/** How far the operand is beyond the gate's bound, and below 0 where it must not be: nothing, but for rounding. */
function beyondBound(gate: Gate, { network }: FormBounds, bound: number, run: boolean): Beyond {
  const [above, below] = [size(network) - bound, gate.nonnegative ? -network[0] : 0];
  const allowed = run ? (roomForErrors / 2) * bound : 0;
  if (above > allowed)
    throw new BoundError(
      `a ${gate.kind} of a circuit reads values up to ${size(network)}, beyond its bound ${bound}`,
    );
  if (below > allowed)
    throw new BoundError(`a ${gate.kind} of nonnegative values reads values down to ${network[0]}`);
  return { above: Math.max(0, above), below: Math.max(0, below) };
}

const size = ([low, high]: Range): number => Math.max(Math.abs(low), Math.abs(high));
const sizesOf = ({ exact, network, error }: FormBounds): Perturbed => ({
  exact: size(exact),
  near: size(network),
  error,
});
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
  const sizeOf = (gate: Gate, k: number): number => size(boundsOfOperand(gate, k, bounds).exact);
  const slopesIn = (f: Form, slope: number): Slope[] =>
    [...f.terms].map(([index, coefficient]) => [index, slope * Math.abs(toNumber(coefficient))]);
  const L = sensitivities(
    [...values.keys()],
    values.map((_, index) => (outputs.includes(index) ? 1 : 0)),
    (index) => {
      const value = values[index]!;
      if (value.kind === "source") return [];
      if (value.kind === "sum") return slopesIn(value.of, 1);
      if (value.kind === "square") return slopesIn(value.of, 2 * sizeOf(value, 0));
      return value.of.flatMap((f, k) => slopesIn(f, sizeOf(value, 1 - k)));
    },
  );
  const scaleOf = (gate: Gate): number =>
    gate.kind === "square" ? gate.bound ** 2 : gate.bounds[0] * gate.bounds[1];
  return values.map((value, index) => (isGate(value) ? L[index]! * scaleOf(value) : 0));
}
