// Formulas to more than 60 digits, as a reference that shares nothing with the code under test but the parser: numbers are
// integers times 2^-320.
import { type Expression, parseFormula } from "../../../src/formula/formula.ts";

const bits = 320n;
export const one = 1n << bits;

/** A double, exactly (as long as it is a multiple of 2^-320). */
export function fixed(x: number): bigint {
  if (Number.isInteger(x)) return BigInt(x) << bits;
  let [value, shift] = [x, 0];
  while (!Number.isInteger(value)) [value, shift] = [value * 2 ** 16, shift + 16];
  return shift <= 320 ? BigInt(value) << (bits - BigInt(shift)) : BigInt(value) >> (BigInt(shift) - bits);
}
/** To the nearest double or the one next to it. */
export function toDouble(x: bigint): number {
  const size = x < 0n ? -x : x;
  const excess = BigInt(Math.max(0, size.toString(2).length - 64));
  const value = Number(size >> excess) * 2 ** Number(excess) * 2 ** -320;
  return x < 0n ? -value : value;
}

const times = (a: bigint, b: bigint): bigint => (a * b) >> bits;
const over = (a: bigint, b: bigint): bigint => {
  if (b === 0n) throw new RangeError("division by zero");
  return (a << bits) / b;
};

function integerRoot(n: bigint): bigint {
  if (n < 2n) return n;
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}
const root = (x: bigint): bigint => {
  if (x < 0n) throw new RangeError("the root of a negative number");
  return integerRoot(x << bits);
};

/** atan(1/n) = sum_k (-1)^k / ((2k + 1) n^(2k + 1)); with signs +, atanh(1/n). */
function inverseSeries(n: bigint, alternating: boolean): bigint {
  let [power, sum, k] = [one / n, 0n, 0n];
  while (power !== 0n) {
    const term = power / (2n * k + 1n);
    sum += alternating && k % 2n === 1n ? -term : term;
    power /= n * n;
    k++;
  }
  return sum;
}
const pi = 4n * (4n * inverseSeries(5n, true) - inverseSeries(239n, true));
const ln2 = 2n * inverseSeries(3n, false);
const nearest = (a: bigint, b: bigint): bigint => (a + (b >> 1n)) / b - (a + (b >> 1n) < 0n ? 1n : 0n);

function exp(x: bigint): bigint {
  const k = nearest(x, ln2);
  const r = (x - k * ln2) >> 8n;
  let [term, sum] = [one, one];
  for (let n = 1n; term !== 0n; n++) {
    term = times(term, r) / n;
    if (term === -1n) break;
    sum += term;
  }
  for (let j = 0; j < 8; j++) sum = times(sum, sum);
  return k >= 0n ? sum << k : sum >> -k;
}

function log(x: bigint): bigint {
  if (x <= 0n) throw new RangeError("the logarithm of a number that is not positive");
  // x = m 2^k with m near 1; Halley's iteration on e^y = m triples the digits each time.
  const k = BigInt(x.toString(2).length) - bits;
  const m = k >= 0n ? x >> k : x << -k;
  let y = fixed(Math.log(toDouble(m)));
  for (let j = 0; j < 3; j++) {
    const e = exp(y);
    y += over(2n * (m - e), m + e);
  }
  return y + k * ln2;
}

function waves(x: bigint): readonly [sin: bigint, cos: bigint] {
  const turn = pi >> 1n;
  const k = nearest(x, turn);
  const r = x - k * turn;
  const square = times(r, r);
  const series = (first: bigint, start: bigint): bigint => {
    let [term, sum] = [first, first];
    for (let n = start; term !== 0n && term !== -1n; n += 2n) {
      term = -times(term, square) / (n * (n + 1n));
      sum += term;
    }
    return sum;
  };
  const [s, c] = [series(r, 2n), series(one, 1n)];
  const quarter = ((k % 4n) + 4n) % 4n;
  if (quarter === 0n) return [s, c];
  if (quarter === 1n) return [c, -s];
  return quarter === 2n ? [-s, -c] : [-c, s];
}

function atan(x: bigint): bigint {
  let y = fixed(Math.atan(toDouble(x)));
  for (let j = 0; j < 4; j++) {
    const [s, c] = waves(y);
    // tan(atan x - y) = (x - tan y) / (1 + x tan y), a small number t with atan t = t - t^3/3 + ...
    const t = over(times(x, c) - s, c + times(x, s));
    y += t - times(times(t, t), t) / 3n;
  }
  return y;
}

function asin(x: bigint): bigint {
  if (x > one || x < -one) throw new RangeError("the arcsine of a number beyond 1");
  if (x === one || x === -one) return x === one ? pi >> 1n : -(pi >> 1n);
  return atan(over(x, root(one - times(x, x))));
}

/** 2 / sqrt(pi) e^(-x^2) sum_n 2^n x^(2n + 1) / (1 3 5 ... (2n + 1)). */
function erf(x: bigint): bigint {
  const square = times(x, x);
  let [term, sum] = [x, x];
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    term = (2n * times(term, square)) / (2n * n + 1n);
    sum += term;
  }
  return times(over(2n * one, root(pi)), times(exp(-square), sum));
}

function integerPower(x: bigint, n: number): bigint {
  if (n < 0) return over(one, integerPower(x, -n));
  let [result, base] = [one, x];
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

/** x^p; a constant exponent is a double. */
function power(x: bigint, p: bigint): bigint {
  const exponent = toDouble(p);
  if (Number.isInteger(exponent)) return integerPower(x, exponent);
  if (x === 0n && p > 0n) return 0n;
  return exp(times(p, log(x)));
}

const functions: Readonly<Record<string, (x: bigint) => bigint>> = {
  sqrt: root,
  exp,
  log,
  sin: (x) => waves(x)[0],
  cos: (x) => waves(x)[1],
  tan: (x) => over(...waves(x)),
  asin,
  acos: (x) => (pi >> 1n) - asin(x),
  atan,
  sinh: (x) => (exp(x) - exp(-x)) >> 1n,
  cosh: (x) => (exp(x) + exp(-x)) >> 1n,
  tanh: (x) => over(exp(x) - exp(-x), exp(x) + exp(-x)),
  erf,
  sigmoid: (x) => over(one, one + exp(-x)),
  abs: (x) => (x < 0n ? -x : x),
  relu: (x) => (x < 0n ? 0n : x),
};

function evaluated(e: Expression, at: ReadonlyMap<string, bigint>): bigint {
  const of = (inner: Expression): bigint => evaluated(inner, at);
  switch (e.kind) {
    case "number":
      return fixed(e.value);
    case "name": {
      const value = at.get(e.name) ?? { pi, e: exp(one) }[e.name];
      if (value === undefined) throw new RangeError(`what is ${e.name}?`);
      return value;
    }
    case "sum":
      return e.terms.reduce((s, t) => (t.negative ? s - of(t.of) : s + of(t.of)), 0n);
    case "product":
      return e.factors.reduce((p, f) => (f.inverse ? over(p, of(f.of)) : times(p, of(f.of))), one);
    case "power":
      return power(of(e.base), of(e.exponent));
    case "call": {
      const args = e.args.map(of);
      if (e.name === "max") return args.reduce((a, b) => (a > b ? a : b));
      if (e.name === "min") return args.reduce((a, b) => (a < b ? a : b));
      const f = functions[e.name];
      if (!f || args.length !== 1) throw new RangeError(`what is ${e.name}?`);
      return f(args[0]!);
    }
    default:
      throw new RangeError(`no reference for a ${e.kind}`);
  }
}

/** The value of a formula at a point of doubles, times 2^320; off by far less than 2^-220 for numbers of ordinary size. */
export function reference(formula: string, names: readonly string[]): (x: readonly number[]) => bigint {
  const expression = parseFormula(formula);
  return (x) => evaluated(expression, new Map(names.map((name, k) => [name, fixed(x[k]!)])));
}
