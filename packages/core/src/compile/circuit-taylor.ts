// How far a circuit of squares, products and bends is from a function: on each of many cells the Taylor polynomial of the
// difference at the middle, and a remainder, in interval arithmetic.

import type { FunctionNode } from "../formula/nodes.ts";
import type { Univariate } from "../functions/univariate.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import type { ServantCircuit } from "./servant-circuit.ts";

/** Enclosures of Taylor coefficients; those that are left out are 0. */
type Series = readonly Interval[];

const zero = I.point(0);

function product(a: Series, b: Series, order: number): Series {
  return Array.from({ length: Math.min(order + 1, a.length + b.length - 1) }, (_, k) => {
    let sum = zero;
    for (let j = Math.max(0, k - b.length + 1); j < Math.min(k + 1, a.length); j++)
      sum = I.add(sum, I.mul(a[j]!, b[k - j]!));
    return sum;
  });
}

function square(a: Series, order: number): Series {
  return Array.from({ length: Math.min(order + 1, 2 * a.length - 1) }, (_, k) => {
    let sum = zero;
    for (let j = Math.max(0, k - a.length + 1); 2 * j < k; j++) sum = I.add(sum, I.mul(a[j]!, a[k - j]!));
    sum = I.add(sum, sum);
    return k % 2 === 0 ? I.add(sum, I.squared(a[k / 2]!)) : sum;
  });
}

/** constant + sum_k weights[k] series[k]. */
function weighted(constant: Interval, weights: readonly Interval[], of: readonly Series[]): Series {
  const length = of.reduce((most, s) => Math.max(most, s.length), 1);
  return Array.from({ length }, (_, k) =>
    of.reduce(
      (sum, s, j) => (k < s.length ? I.add(sum, I.mul(weights[j]!, s[k]!)) : sum),
      k === 0 ? constant : zero,
    ),
  );
}

function nodeSeries(node: FunctionNode, args: readonly Series[], order: number): Series {
  const [a, b] = args as [Series, Series];
  switch (node.op) {
    case "affine":
      return weighted(node.constant, node.coefficients, args);
    case "square":
      return square(a, order);
    case "product":
      return product(a, b, order);
    case "max":
    case "min": {
      const isGreater = a[0]!.lower >= b[0]!.upper;
      if (!isGreater && !(a[0]!.upper <= b[0]!.lower)) throw new RangeError("a bend inside a cell");
      return isGreater === (node.op === "max") ? a : b;
    }
    default:
      throw new RangeError(`no rule for ${node.op}`);
  }
}

/** The Taylor series of a circuit's output, for z in an interval. */
function outputSeries({ nodes, output }: ServantCircuit, z: Interval, order: number): Series {
  const found: Series[] = [[z, I.point(1)]];
  nodes.forEach((node, id) => {
    if (id > 0)
      found.push(
        nodeSeries(
          node,
          (node.args as readonly number[]).map((a) => found[a]!),
          order,
        ),
      );
  });
  const terms = [...output.terms];
  return weighted(
    I.point(output.constant),
    terms.map(([, w]) => I.point(w)),
    terms.map(([id]) => found[id]!),
  );
}

/** Terms that are worth their while: beyond its degree a polynomial has none. */
const orderFor = ({ degree }: ServantCircuit): number => Math.max(6, Math.min(12, degree + 2));

/** A bound of |f - circuit| on a cell, and what it is at least in its middle. */
interface CellError {
  readonly most: number;
  readonly least: number;
}

function cellError(f: Univariate, circuit: ServantCircuit, from: number, to: number): CellError {
  const middle = Math.min(to, Math.max(from, from / 2 + to / 2));
  const [right, left] = [I.sub(I.point(to), I.point(middle)), I.sub(I.point(middle), I.point(from))];
  const reach = I.point(Math.max(right.upper, left.upper));
  const [cell, order] = [{ lower: from, upper: to }, orderFor(circuit)];
  try {
    const difference = (x: Interval, n: number): Interval[] => {
      const own = outputSeries(circuit, x, n);
      return f.taylor(x, n).map((c, k) => (k < own.length ? I.sub(c, own[k]!) : c));
    };
    const here = difference(I.point(middle), order - 1);
    let sum = I.abs(difference(cell, order)[order]!);
    for (let j = order - 1; j >= 0; j--) sum = I.add(I.mul(sum, reach), I.abs(here[j]!));
    return {
      most: Number.isNaN(sum.upper) ? Number.POSITIVE_INFINITY : sum.upper,
      least: I.abs(here[0]!).lower,
    };
  } catch (error) {
    if (error instanceof RangeError) return { most: Number.POSITIVE_INFINITY, least: 0 }; // too wide a cell
    throw error;
  }
}

const [deepest, mostCells] = [16, 6000];

/**
 * A bound of |f - circuit| on the interval, if one below `allowed` is found: cells are halved until they show it.
 * @example circuitBound(univariateFunction("power", 3), servantCircuit([{ lower: -1, upper: 1, series: [0, 0.75, 0, 0.25] }], 0, arithmetics.f64), { lower: -1, upper: 1 }, 1e-12) < 1e-12 // true
 */
export function circuitBound(
  f: Univariate,
  circuit: ServantCircuit,
  { lower, upper }: Interval,
  allowed: number,
): number | undefined {
  const ends = [lower, ...circuit.knots.filter((x) => x > lower && x < upper), upper];
  const open = ends.slice(1).map((to, k) => ({ from: ends[k]!, to, depth: 0 }));
  let [most, least] = [0, 0];
  // First in, first out: soon it is known how large the error is at least, and what a sharp bound would be.
  for (let k = 0; k < open.length; k++) {
    const { from, to, depth } = open[k]!;
    const error = cellError(f, circuit, from, to);
    least = Math.max(least, error.least);
    const isSharp = error.most <= Math.max(3 * least, allowed / 16) || depth >= deepest / 2;
    if (error.most <= allowed && isSharp) {
      most = Math.max(most, error.most);
      continue;
    }
    const middle = from / 2 + to / 2;
    if (depth === deepest || open.length > mostCells || !(middle > from && middle < to)) return undefined;
    open.push({ from, to: middle, depth: depth + 1 }, { from: middle, to, depth: depth + 1 });
  }
  return most;
}
