// Convex losses of a network's outputs, with what a bound from below needs: the slope, and the conjugate at points of the ray
// from 0 to the slope.
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
  /** How far an entry of the pull may be from one of a point for which the conjugate is finite: 0 where every point will do. */
  pullRounding(outputs: number): number;
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
    pullRounding: () => 0,
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
  };
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
    pullRounding: () => 0,
    raised: (value, moves) => value + mean(moves), // slopes are in [-1, 0]
    value: ([z]) => z!.reduce((sum, v, i) => sum + softplus(-signs[i]! * v), 0) / m,
    pull: ([z]) => [z!.map((v, i) => (signs[i]! * sigmoid(-signs[i]! * v)) / m)],
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
    // Shares that do not sum to 1 have no conjugate: those that do are (outputs + 4) roundings away.
    pullRounding: (outputs) => ((outputs + 4) * 2 ** -52) / m,
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
