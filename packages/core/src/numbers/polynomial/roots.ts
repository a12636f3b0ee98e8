// Where a polynomial is positive and where negative, certified: between roots of its derivative it is monotone.
import {
  abs,
  add,
  compare,
  div,
  type Exact,
  max,
  mul,
  neg,
  reduce,
  sign,
  sub,
  toNumber,
} from "../exact/rational.ts";
import type { ExactPolynomial } from "./polynomial.ts";

/** An interval on which a polynomial has one sign inside; 0 when it is so short that nobody cares. */
export interface SignCell {
  readonly from: Exact;
  readonly to: Exact;
  readonly sign: number;
}

/**
 * Cuts [from, to] into cells of one sign each. Around roots that are not found exactly there remain cells of
 * sign 0, at most `width` long (and the whole interval is one for the polynomial zero).
 * @example signCells(new ExactPolynomial([-1, 2]), 0, 1, 2 ** -30) // - on [0, 1/2], + on [1/2, 1]
 */
export function signCells(p: ExactPolynomial, from: Exact, to: Exact, width: number): readonly SignCell[] {
  if (p.degree <= 0) return [{ from, to, sign: p.signAt(from) }];
  const cells: SignCell[] = [];
  const push = (cell: SignCell) => {
    if (compare(cell.from, cell.to) === 0) return;
    const last = cells.at(-1);
    if (last && last.sign === cell.sign && cell.sign !== 0)
      cells[cells.length - 1] = { ...last, to: cell.to };
    else cells.push(cell);
  };
  for (const monotone of signCells(p.derivative, from, to, width)) {
    if (monotone.sign === 0) {
      push({ ...monotone, sign: signOnShort(p, monotone) });
      continue;
    }
    const ends = [p.signAt(monotone.from), p.signAt(monotone.to)] as const;
    if (ends[0] * ends[1] >= 0) {
      push({ ...monotone, sign: ends[0] || ends[1] });
      continue;
    }
    const [low, high] = isolateRoot(p, monotone.from, monotone.to, width);
    push({ from: monotone.from, to: low, sign: ends[0] });
    push({ from: low, to: high, sign: 0 });
    push({ from: high, to: monotone.to, sign: ends[1] });
  }
  return cells;
}

/** The sign on a short interval, if the polynomial is too large at its start to reach zero; else 0. */
function signOnShort(p: ExactPolynomial, { from, to }: SignCell): number {
  const start = p.at(from);
  return compare(abs(start), variation(p, from, to)) > 0 ? sign(start) : 0;
}

/** A bound on |p(x) - p(from)| for x in [from, to]: w (|p'(from)| + w max |p''|), w the length. */
export function variation(p: ExactPolynomial, from: Exact, to: Exact): Exact {
  const slope = p.derivative;
  const width = sub(to, from);
  const reach = max(abs(from), abs(to));
  const steepest = add(abs(slope.at(from)), mul(width, slope.derivative.sizeWithin(reach)));
  return mul(width, steepest);
}

/** The root of a polynomial that changes sign once in [from, to]: between two numbers, or exactly where they agree. */
function isolateRoot(p: ExactPolynomial, from: Exact, to: Exact, width: number): readonly [Exact, Exact] {
  if (p.degree === 1) {
    const root = div(neg(p.coefficients[0]!), p.coefficients[1]!);
    return [root, root];
  }
  const atStart = p.signAt(from);
  let [low, high] = bracket(p, from, to, width, atStart);
  while (compare(sub(high, low), width) > 0) {
    const middle = mul(add(low, high), 0.5);
    const atMiddle = p.signAt(middle);
    if (atMiddle === 0) return [middle, middle];
    if (atMiddle === atStart) low = middle;
    else high = middle;
  }
  return [low, high];
}

/** A first bracket: around a root found in doubles, widened until the signs at its ends differ. */
function bracket(
  p: ExactPolynomial,
  from: Exact,
  to: Exact,
  width: number,
  atStart: number,
): readonly [Exact, Exact] {
  const guess = rootInDoubles(p, toNumber(from), toNumber(to));
  if (!(compare(from, guess) < 0 && compare(guess, to) < 0)) return [from, to];
  const simple = simpleFraction(guess);
  if (simple !== undefined && compare(from, simple) < 0 && compare(simple, to) < 0 && p.signAt(simple) === 0)
    return [simple, simple];
  const atGuess = p.signAt(guess);
  if (atGuess === 0) return [guess, guess];
  const direction = atGuess === atStart ? 1 : -1;
  let inner: Exact = guess;
  for (let step = width / 2; ; step *= 16) {
    const outer = add(guess, direction * step);
    const isInside = compare(from, outer) < 0 && compare(outer, to) < 0;
    if (!isInside) return direction > 0 ? [inner, to] : [from, inner];
    const found = p.signAt(outer);
    if (found === 0) return [outer, outer];
    if (found !== atGuess) return direction > 0 ? [inner, outer] : [outer, inner];
    inner = outer;
  }
}

/** A root in floating point, by Newton's steps kept inside a shrinking bracket; only a guess. */
function rootInDoubles(p: ExactPolynomial, from: number, to: number): number {
  let [low, high] = [from, to];
  let x = low + (high - low) / 2;
  const rises = p.near(low).value < p.near(high).value;
  for (let step = 0; step < 100; step++) {
    const { value } = p.near(x);
    if (value === 0) return x;
    if (value < 0 === rises) low = x;
    else high = x;
    const newton = x - value / p.derivative.near(x).value;
    const next = newton > low && newton < high ? newton : low + (high - low) / 2;
    if (Math.abs(next - x) <= 2 ** -50 * Math.abs(x)) return next;
    x = next;
  }
  return x;
}

/** The fraction with a denominator below 2^20 that a number seems to be, by its continued fraction. */
function simpleFraction(x: number): Exact | undefined {
  let [p, q, before, beforeQ] = [1, 0, 0, 1];
  for (let rest = x, step = 0; step < 40; step++) {
    const whole = Math.floor(rest);
    [p, q, before, beforeQ] = [whole * p + before, whole * q + beforeQ, p, q];
    if (q > 2 ** 20 || Math.abs(p) > 2 ** 53) return undefined;
    if (Math.abs(p / q - x) <= 2 ** -44 * Math.abs(x)) return reduce(BigInt(p), BigInt(q));
    rest = 1 / (rest - whole);
  }
  return undefined;
}
