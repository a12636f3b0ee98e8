// Taylor coefficients f(x), f'(x), f''(x) / 2!, ... of elementary functions, by the recurrences that their
// differential equations give.

/** Coefficients of h^0, h^1, ... in f(x + h). */
export type Jet = Float64Array;

const convolve = (a: Jet, b: Jet, k: number): number => {
  let total = 0;
  for (let i = 0; i <= k; i++) total += a[i]! * b[k - i]!;
  return total;
};

/** The jet of f with f(x) = start and f' = rate(f, k), the k-th coefficient of the right-hand side. */
function solve(order: number, start: number, rate: (f: Jet, k: number) => number): Jet {
  const f = new Float64Array(order + 1);
  f[0] = start;
  for (let k = 0; k < order; k++) f[k + 1] = rate(f, k) / (k + 1);
  return f;
}

/** f' = f. */
export const expJet = (order: number, x: number): Jet => solve(order, Math.exp(x), (f, k) => f[k]!);

/** s' = s - s^2 for the logistic function, from its tail at -|x|, where nothing cancels: s(x) = 1 - s(-x). */
export function logisticJet(order: number, x: number): Jet {
  const e = Math.exp(-Math.abs(x));
  const tail = solve(order, e / (1 + e), (s, k) => s[k]! - convolve(s, s, k));
  return x <= 0 ? tail : tail.map((c, k) => (k === 0 ? 1 / (1 + e) : k % 2 === 0 ? -c : c));
}

/** ln(1 + e^x), whose derivative is the logistic function. */
export function softplusJet(order: number, x: number): Jet {
  const slope = logisticJet(order, x);
  const value = Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  return Float64Array.from({ length: order + 1 }, (_, k) => (k === 0 ? value : slope[k - 1]! / k));
}

/** tanh x = 2 s(2 x) - 1. */
export function tanhJet(order: number, x: number): Jet {
  return logisticJet(order, 2 * x).map((c, k) => (k === 0 ? Math.tanh(x) : 2 * 2 ** k * c));
}

/** g' = -x g for g = exp(-x^2 / 2). */
export const gaussianJet = (order: number, x: number): Jet =>
  solve(order, Math.exp((-x * x) / 2), (g, k) => -(x * g[k]! + (k > 0 ? g[k - 1]! : 0)));

/** q f' = -q' f / 2 for f = q^(-1/2), q(x + h) = (1 + a x^2) + 2 a x h + a h^2. */
function inverseRootJet(order: number, a: number, x: number): Jet {
  const q = [1 + a * x * x, 2 * a * x, a] as const;
  return solve(order, 1 / Math.hypot(1, Math.sqrt(a) * x), (f, k) => {
    if (q[0] === Number.POSITIVE_INFINITY) return 0;
    const right = -(q[1] * f[k]!) / 2 - (k > 0 ? q[2] * f[k - 1]! : 0);
    // The terms of q f' that hold derivatives known by now: f' has coefficients (i + 1) f_{i+1}.
    const known = q[1] * k * f[k]! + (k > 0 ? q[2] * (k - 1) * f[k - 1]! : 0);
    return (right - known) / q[0];
  });
}

/** x / sqrt(1 + a x^2). */
export function isruJet(order: number, a: number, x: number): Jet {
  const f = inverseRootJet(order, a, x);
  return f.map((c, k) => x * c + (k > 0 ? f[k - 1]! : 0));
}

/** 1 / q with q = 1 + x^2 is the derivative of arctan. */
export function arctanJet(order: number, x: number): Jet {
  const q = 1 + x * x;
  const slope = new Float64Array(order + 1);
  for (let k = 0; k <= order; k++) {
    const known = (k > 0 ? 2 * x * slope[k - 1]! : 0) + (k > 1 ? slope[k - 2]! : 0);
    slope[k] = ((k === 0 ? 1 : 0) - known) / q;
  }
  return slope.map((_, k) => (k === 0 ? Math.atan(x) : slope[k - 1]! / k));
}

/** sin(x + shift): each derivative is a quarter turn. */
export function sineJet(order: number, x: number, quarterTurns: number): Jet {
  const cycle = [Math.sin(x), Math.cos(x), -Math.sin(x), -Math.cos(x)];
  let factorial = 1;
  return Float64Array.from({ length: order + 1 }, (_, k) => {
    if (k > 0) factorial *= k;
    return cycle[(k + quarterTurns) % 4]! / factorial;
  });
}

/** x / (1 + |x|) = +-(1 - 1 / (1 + |x|)); at 0 from the right, where the first derivative is that of both sides. */
export function softsignJet(order: number, x: number): Jet {
  const [q, sign] = [1 + Math.abs(x), x < 0 ? -1 : 1];
  return Float64Array.from({ length: order + 1 }, (_, k) =>
    k === 0 ? x / q : -((-sign) ** k * sign) / q ** (k + 1),
  );
}

/** max(0, x)^degree away from 0: binomial coefficients. */
export function powerJet(order: number, degree: number, x: number): Jet {
  let binomial = 1;
  return Float64Array.from({ length: order + 1 }, (_, k) => {
    if (k > 0) binomial *= (degree - k + 1) / k;
    return binomial === 0 ? 0 : binomial * x ** (degree - k);
  });
}
