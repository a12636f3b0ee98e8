// Functions of several rows between planes. Slopes may be any doubles; shifts are computed with intervals for these slopes.
import {
  add,
  addDown,
  addUp,
  div,
  exp,
  type Interval,
  inverse,
  log,
  mul,
  mulDown,
  mulUp,
  neg,
  point,
  sqrt,
  sub,
} from "../../numbers/interval/index.ts";
import type { Surface } from "./activation.ts";
import type { Relaxation } from "./relaxation-lines.ts";

/** The least value of p a + q b - c on a box. */
const leastOf = (p: number, q: number, [al, au]: Ends, [bl, bu]: Ends, c: number): number =>
  p * (p > 0 ? al : au) + q * (q > 0 ? bl : bu) - c;
type Ends = readonly [number, number];

/**
 * a b (McCormick 1976). (a - al)(b - bl) >= 0 says a b >= bl a + al b - al bl, and so on for the other corners; the slopes
 * are the ends themselves, so only the shift is rounded. Of two planes on a side, the one whose extreme is nearer.
 */
export const product: Surface = {
  name: "Mul",
  value: (rows, first) => rows[first]! * rows[first + 1]!,
  slope: (rows, first, _, k) => rows[k === first ? first + 1 : first]!,
  range: (lower, upper, first) =>
    mul(
      { lower: lower[first]!, upper: upper[first]! },
      { lower: lower[first + 1]!, upper: upper[first + 1]! },
    ),
  lines: (lower, upper, first, _, { lowSlope, highSlope, lowShift, highShift }, slot) => {
    const a: Ends = [lower[first]!, upper[first]!];
    const b: Ends = [lower[first + 1]!, upper[first + 1]!];
    const corner = (i: 0 | 1, j: 0 | 1, sign: 1 | -1) =>
      leastOf(sign * b[j], sign * a[i], a, b, sign * a[i] * b[j]);
    const low = corner(0, 0, 1) >= corner(1, 1, 1) ? ([0, 0] as const) : ([1, 1] as const);
    const high = corner(0, 1, -1) >= corner(1, 0, -1) ? ([0, 1] as const) : ([1, 0] as const);
    lowSlope[first] = b[low[1]];
    lowSlope[first + 1] = a[low[0]];
    lowShift[slot] = -mulUp(a[low[0]], b[low[1]]);
    highSlope[first] = b[high[1]];
    highSlope[first + 1] = a[high[0]];
    highShift[slot] = -mulDown(a[high[0]], b[high[1]]);
  },
};

/** A convex decreasing function of x >= 1, with what lines around it need. */
interface Falling {
  readonly name: string;
  readonly value: (x: number) => number;
  readonly slope: (x: number) => number;
  readonly enclose: (x: Interval) => Interval;
  /** At most the least value of f(x) + theta x over x > 0, for theta > 0. */
  readonly conjugate: (theta: number) => number;
}

const reciprocal: Falling = {
  name: "Softmax",
  value: (x) => 1 / x,
  slope: (x) => -1 / (x * x),
  enclose: inverse,
  conjugate: (theta) => 2 * sqrt(point(theta)).lower,
};

const minusLog: Falling = {
  name: "LogSoftmax",
  value: (x) => -Math.log(x),
  slope: (x) => -1 / x,
  enclose: (x) => neg(log(x)),
  conjugate: (theta) => addDown(1, log(point(theta)).lower),
};

/** x = 1 + sum of e^row at one end of all rows. */
const total = (ends: Float64Array, first: number, end: number): Interval => {
  let sum = point(1);
  for (let k = first; k < end; k++) sum = add(sum, exp(point(ends[k]!)));
  return sum;
};

/** Below this, exponentials and their sums are far from overflow. */
const greatestExponent = 600;

/**
 * f(x) with x = 1 + sum of e^d over the rows d. Below: f(x) >= conjugate - theta x, and theta e^d <= m d + c at both ends,
 * hence between. Above: f(x) <= c - sigma x at both ends, hence between; sigma e^d >= m d + m (1 - log(m / sigma)), the
 * tangent of slope m. Where that is no better in the middle than the range, or numbers may overflow, the range is taken.
 */
const falling = (f: Falling): Surface => ({
  name: f.name,
  value: (rows, first, end) => f.value(plainTotal(rows, first, end)),
  slope: (rows, first, end, k) => f.slope(plainTotal(rows, first, end)) * Math.exp(rows[k]!),
  range: (lower, upper, first, end) => fallingRange(f, lower, upper, first, end),
  lines: (lower, upper, first, end, into, slot) => {
    const { lower: least, upper: greatest } = fallingRange(f, lower, upper, first, end);
    const middle = middles(lower, upper, first, end);
    let isSmall = true;
    for (let k = first; k < end; k++)
      if (!(upper[k]! < greatestExponent && lower[k]! > -greatestExponent)) isSmall = false;
    into.lowShift[slot] = isSmall ? lineBelow(f, lower, upper, first, end, into.lowSlope) : least;
    into.highShift[slot] = isSmall ? lineAbove(f, lower, upper, first, end, into.highSlope) : greatest;
    if (!isSmall || !(valueAt(into.lowSlope, into.lowShift[slot]!, middle, first) > least)) {
      into.lowSlope.fill(0, first, end);
      into.lowShift[slot] = least;
    }
    if (!isSmall || !(valueAt(into.highSlope, into.highShift[slot]!, middle, first) < greatest)) {
      into.highSlope.fill(0, first, end);
      into.highShift[slot] = greatest;
    }
  },
});

export const softmaxUnit = falling(reciprocal);
export const logSoftmaxUnit = falling(minusLog);

function plainTotal(rows: Float64Array, first: number, end: number): number {
  let sum = 1;
  for (let k = first; k < end; k++) sum += Math.exp(rows[k]!);
  return sum;
}

const middles = (lower: Float64Array, upper: Float64Array, first: number, end: number): Float64Array =>
  Float64Array.from({ length: end - first }, (_, k) => lower[first + k]! / 2 + upper[first + k]! / 2);

const valueAt = (slopes: Float64Array, shift: number, at: Float64Array, first: number): number =>
  at.reduce((sum, d, k) => sum + slopes[first + k]! * d, shift);

/** log(1 + sum of e^d) is at most log(1 + rows) plus the greatest d and 0: a logarithm is never infinite. */
function fallingRange(
  f: Falling,
  lower: Float64Array,
  upper: Float64Array,
  first: number,
  end: number,
): Interval {
  const [least, greatest] = [total(lower, first, end), total(upper, first, end)];
  if (f !== minusLog || Number.isFinite(greatest.upper))
    return { lower: f.enclose(point(greatest.upper)).lower, upper: f.enclose(point(least.lower)).upper };
  let most = 0;
  for (let k = first; k < end; k++) most = Math.max(most, upper[k]!);
  let sure = 0;
  for (let k = first; k < end; k++) sure = Math.max(sure, lower[k]!);
  return { lower: -addUp(most, log(point(1 + end - first)).upper), upper: -sure };
}

function lineBelow(
  f: Falling,
  lower: Float64Array,
  upper: Float64Array,
  first: number,
  end: number,
  slopes: Relaxation["lowSlope"],
): number {
  const center = (total(lower, first, end).upper + total(upper, first, end).upper) / 2;
  const theta = -f.slope(center);
  let shift = addDown(f.conjugate(theta), -theta);
  for (let k = first; k < end; k++) {
    const [l, u] = [lower[k]!, upper[k]!];
    const chord = u > l ? (theta * (Math.exp(u) - Math.exp(l))) / (u - l) : theta * Math.exp(l);
    const m = Number.isFinite(chord) ? chord : 0;
    const over = (d: number) => sub(mul(point(theta), exp(point(d))), mul(point(m), point(d))).upper;
    slopes[k] = -m;
    shift = addDown(shift, -Math.max(over(l), over(u)));
  }
  return shift;
}

function lineAbove(
  f: Falling,
  lower: Float64Array,
  upper: Float64Array,
  first: number,
  end: number,
  slopes: Relaxation["highSlope"],
): number {
  const [least, greatest] = [total(lower, first, end).lower, total(upper, first, end).upper];
  const chord = (f.value(least) - f.value(greatest)) / (greatest - least);
  const sigma = Number.isFinite(chord) && chord > 0 ? chord : -f.slope(greatest);
  const at = (x: number) => add(f.enclose(point(x)), mul(point(sigma), point(x))).upper;
  let shift = addUp(Math.max(at(least), at(greatest)), -sigma);
  for (let k = first; k < end; k++) {
    const m = sigma * Math.exp(lower[k]! / 2 + upper[k]! / 2);
    const tangent = m > 0 ? mul(point(m), sub(point(1), log(div(point(m), point(sigma))))).lower : 0;
    slopes[k] = -m;
    shift = addUp(shift, -tangent);
  }
  return shift;
}
