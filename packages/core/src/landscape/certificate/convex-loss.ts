// Convex losses of a network's outputs, with what a bound from below needs: the slope, and the conjugate at points of the ray
// from 0 to the slope, in doubles for searching and rounded outwards for proving.
import {
  add,
  div,
  exp,
  type Interval,
  interval,
  log,
  mul,
  point,
  softplus as softplusOf,
  squared,
  sub,
} from "../../numbers/interval/index.ts";
import { LandscapeError } from "../error.ts";

/** Targets: numbers for each output (square), or the class of each example. */
export type Targets = { readonly values: readonly Float64Array[] } | { readonly classes: Int32Array };

export interface ConvexLoss {
  /** The mean over examples. */
  value(z: readonly Float64Array[]): number;
  /** -dL/dz, one row an output. */
  pull(z: readonly Float64Array[]): Float64Array[];
  /** min over all z' of L(z') + t <G, z'> for G the pull at z; concave in t, for t in [0, most]. */
  dual(z: readonly Float64Array[], t: number): number;
  readonly most: number;
  /** At most that minimum for the G that `pull` stands for, which is it but for `drift`; -Infinity for t out of reach. */
  dualBelow(pull: readonly Float64Array[], t: number): number;
  /** How far an entry of example i of a computed pull may be from that of a G for which the minimum is finite. */
  drift(pull: readonly Float64Array[]): Float64Array;
  /** The loss where output k of example i is within errors[k][i] of z[k][i]. */
  enclosed(z: readonly Float64Array[], errors: readonly Float64Array[]): Interval;
  /** The loss is at most this when the outputs of example i move by at most moves[i] from where the loss is `value`. */
  raised(value: number, moves: Float64Array): number;
}

export type CertifiedLoss = "square" | "logistic" | "cross-entropy";

/**
 * The loss as train defines it.
 * @example convexLoss("square", { values: [Float64Array.of(1)] }).value([Float64Array.of(3)]) // 4
 */
export function convexLoss(name: CertifiedLoss, targets: Targets): ConvexLoss {
  if (name === "square") return square("values" in targets ? targets.values : fail());
  return name === "logistic" ? logistic(classesOf(targets)) : crossEntropy(classesOf(targets));
}

const fail = (): never => {
  throw new LandscapeError("the square loss needs numbers as targets");
};
const classesOf = (targets: Targets): Int32Array => {
  if ("classes" in targets) return targets.classes;
  throw new LandscapeError("this loss needs classes as targets");
};

/** L = |Y - Z|^2 / m, L*: <Q, Y> - m |Q|^2 / 4. */
function square(y: readonly Float64Array[]): ConvexLoss {
  const m = y[0]!.length;
  const pull = (z: readonly Float64Array[]) =>
    z.map((row, k) => row.map((v, i) => (2 * (y[k]![i]! - v)) / m));
  const inner = (a: readonly Float64Array[], b: readonly Float64Array[]) =>
    a.reduce((sum, row, k) => sum + row.reduce((s, v, i) => s + v * b[k]![i]!, 0), 0);
  return {
    most: Number.POSITIVE_INFINITY,
    drift: (pull) => new Float64Array(pull[0]!.length),
    // The root of the loss is a norm of Y - Z.
    raised: (value, moves) =>
      (Math.sqrt(value) + Math.sqrt(moves.reduce((sum, v) => sum + v * v, 0) / m)) ** 2,
    value: (z) =>
      z.reduce((sum, row, k) => sum + row.reduce((s, v, i) => s + (v - y[k]![i]!) ** 2, 0), 0) / m,
    pull,
    dual: (z, t) => {
      const g = pull(z);
      return t * inner(g, y) - (m / 4) * t * t * inner(g, g);
    },
    dualBelow: (g, t) => {
      const along = sumOf(g, (v, k, i) => mul(point(v), point(y[k]![i]!)));
      const square = sumOf(g, (v) => squared(point(v)));
      const half = mul(div(point(t), point(2)), point(t));
      return below(sub(mul(point(t), along), mul(div(mul(point(m), half), point(2)), square)));
    },
    enclosed: (z, errors) =>
      div(
        sumOf(z, (v, k, i) => squared(sub(within(v, errors[k]![i]!), point(y[k]![i]!)))),
        point(m),
      ),
  };
}

const zero = point(0);
const within = (v: number, error: number): Interval => add(point(v), interval(-error, error));
const nonnegative = ({ lower, upper }: Interval): Interval =>
  interval(Math.max(0, lower), Math.max(0, upper));
/** What is no number is no bound. */
const below = ({ lower }: Interval): number => (Number.isNaN(lower) ? Number.NEGATIVE_INFINITY : lower);

const sumOf = (
  rows: readonly Float64Array[],
  term: (v: number, k: number, i: number) => Interval,
): Interval => rows.reduce((sum, row, k) => row.reduce((s, v, i) => add(s, term(v, k, i)), sum), zero);

function meanOf(m: number, each: (i: number) => Interval): Interval {
  let sum = zero;
  for (let i = 0; i < m; i++) sum = add(sum, each(i));
  return div(sum, point(m));
}

/** t m v, for v that is not negative: a probability. */
const share = (v: number, t: number, m: number): Interval =>
  v < 0 ? { lower: Number.NaN, upper: Number.NaN } : mul(mul(point(t), point(m)), point(v));

/** -p ln p, concave: least at an end; no number out of [0, 1]. */
function entropyOf({ lower, upper }: Interval): Interval {
  if (!(lower >= 0 && upper <= 1)) return { lower: Number.NaN, upper: Number.NaN };
  const ends = [lower, upper].map((p) => (p === 0 ? zero : mul(point(-p), log(point(p)))));
  return { lower: Math.min(...ends.map((e) => e.lower)), upper: 1 };
}

const mean = (v: Float64Array): number => v.reduce((sum, x) => sum + x, 0) / v.length;
const entropy = (p: number): number => (p > 0 ? -p * Math.log(p) : 0);
const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** ln(1 + e^-u), u = y z: its conjugate is an entropy. */
function logistic(classes: Int32Array): ConvexLoss {
  const m = classes.length;
  const signs = Float64Array.from(classes, (c) => 2 * c - 1);
  return {
    most: 1,
    drift: (pull) => new Float64Array(pull[0]!.length),
    raised: (value, moves) => value + mean(moves), // slopes are in [-1, 0]
    value: ([z]) => z!.reduce((sum, v, i) => sum + softplus(-signs[i]! * v), 0) / m,
    pull: ([z]) => [z!.map((v, i) => (signs[i]! * sigmoid(-signs[i]! * v)) / m)],
    dualBelow: ([g], t) =>
      below(
        meanOf(m, (i) => {
          const p = share(signs[i]! * g![i]!, t, m);
          return add(entropyOf(p), entropyOf(sub(point(1), p)));
        }),
      ),
    enclosed: ([z], [errors]) =>
      meanOf(m, (i) => softplusOf(mul(point(-signs[i]!), within(z![i]!, errors![i]!)))),
    dual: ([z], t) =>
      z!.reduce((sum, v, i) => {
        const p = t * sigmoid(-signs[i]! * v);
        return sum + entropy(p) + entropy(1 - p);
      }, 0) / m,
  };
}

function crossEntropy(classes: Int32Array): ConvexLoss {
  const m = classes.length;
  const shares = (z: readonly Float64Array[], i: number): number[] => {
    const top = Math.max(...z.map((row) => row[i]!));
    const powers = z.map((row) => Math.exp(row[i]! - top));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((p) => p / sum);
  };
  const each = (f: (i: number) => number): number => classes.reduce((sum, _, i) => sum + f(i), 0) / m;
  return {
    most: 1,
    // Pulls that do not sum to 0 have no conjugate: the one of the class is put right.
    drift: (pull) =>
      Float64Array.from(classes, (_, i) => {
        const whole = pull.reduce((sum, row) => add(sum, point(row[i]!)), zero);
        return Math.max(-whole.lower, whole.upper);
      }),
    enclosed: (z, errors) =>
      meanOf(m, (i) => {
        const around = z.map((row, k) => within(row[i]!, errors[k]![i]!));
        const top = Math.max(...z.map((row) => row[i]!));
        const powers = around.map((v) => exp(sub(v, point(top))));
        // An upper end is at least that of the class itself.
        const spread = log(powers.reduce(add));
        const own = sub(point(top), around[classes[i]!]!);
        return nonnegative(add(spread, own));
      }),
    dualBelow: (pull, t) =>
      below(
        meanOf(m, (i) => {
          const others = pull.flatMap((row, k) => (k === classes[i] ? [] : [share(-row[i]!, t, m)]));
          const rest = sub(point(1), others.reduce(add, zero));
          return [...others, rest].reduce((sum, p) => add(sum, entropyOf(p)), zero);
        }),
      ),
    raised: (value, moves) => value + Math.SQRT2 * mean(moves), // a slope is the difference of two probabilities
    value: (z) =>
      each((i) => {
        const top = Math.max(...z.map((row) => row[i]!));
        return top + Math.log(z.reduce((sum, row) => sum + Math.exp(row[i]! - top), 0)) - z[classes[i]!]![i]!;
      }),
    pull: (z) => {
      const all = Array.from({ length: m }, (_, i) => shares(z, i));
      return z.map((_, k) => Float64Array.from(all, (p, i) => ((classes[i] === k ? 1 : 0) - p[k]!) / m));
    },
    dual: (z, t) =>
      each((i) =>
        shares(z, i).reduce((sum, p, k) => sum + entropy(t * p + (classes[i] === k ? 1 - t : 0)), 0),
      ),
  };
}
