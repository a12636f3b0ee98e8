// The least value of a function of many variables by its gradients: limited-memory BFGS with steps that are halved.

export interface Minimum {
  readonly x: Float64Array;
  readonly value: number;
  /** The value before each step, and at the end. */
  readonly values: readonly number[];
}

export interface MinimizeOptions {
  readonly iterations: number;
  /** Pairs of steps and changes of the gradient that are remembered; default: 10. */
  readonly memory?: number;
  /** Stops where the value has fallen below this share of the first one; default: 0. */
  readonly share?: number;
  /** Called after each step, with where it has come to. */
  readonly onStep?: (value: number, step: number, x: Float64Array) => void | Promise<void>;
}

type Evaluate = (x: Float64Array) => Promise<{ readonly value: number; readonly gradient: Float64Array }>;

/** How often a step is halved before the search gives up. */
const mostHalvings = 30;
/** A step must gain this share of what its slope promises (Armijo). */
const sufficient = 1e-4;

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};

/**
 * Descends from a start; ends early where no step along the direction gains anything.
 * @example (await minimize(async (x) => ({ value: x[0] ** 2, gradient: x.map((v) => 2 * v) }), Float64Array.of(3), { iterations: 20 })).value < 1e-9 // true
 */
export async function minimize(
  evaluate: Evaluate,
  start: Float64Array,
  { iterations, memory = 10, share = 0, onStep }: MinimizeOptions,
): Promise<Minimum> {
  let x = start.slice();
  let at = await evaluate(x);
  const values = [at.value];
  const pairs: { step: Float64Array; change: Float64Array }[] = [];
  for (let k = 0; k < iterations && at.value > share * values[0]!; k++) {
    const direction = descentDirection(at.gradient, pairs);
    const slope = dot(direction, at.gradient);
    if (!(slope < 0)) break;
    // The first step knows no scale of the function: it is as long as the gradient asks, at most 1.
    let length = pairs.length === 0 ? Math.min(1, 1 / Math.sqrt(-slope)) : 1;
    let next: typeof at | undefined;
    let moved = x;
    for (let halving = 0; halving < mostHalvings && !next; halving++, length /= 2) {
      const step = length;
      moved = x.map((v, i) => v + step * direction[i]!);
      const tried = await evaluate(moved);
      if (tried.value <= at.value + sufficient * step * slope) next = tried;
    }
    if (!next) break;
    const gained = next;
    const step = moved.map((v, i) => v - x[i]!);
    const before = at.gradient;
    const change = gained.gradient.map((v, i) => v - before[i]!);
    if (dot(step, change) > 1e-12 * dot(change, change)) pairs.push({ step, change });
    if (pairs.length > memory) pairs.shift();
    [x, at] = [moved, gained];
    values.push(at.value);
    await onStep?.(at.value, k + 1, x);
  }
  return { x, value: at.value, values };
}

/** Minus the gradient times an inverse Hessian from the last steps, in two loops over them. */
function descentDirection(
  gradient: Float64Array,
  pairs: readonly { readonly step: Float64Array; readonly change: Float64Array }[],
): Float64Array {
  let q = gradient.map((v) => -v);
  const shares = new Float64Array(pairs.length);
  for (let i = pairs.length - 1; i >= 0; i--) {
    const { step, change } = pairs[i]!;
    const share = dot(step, q) / dot(step, change);
    shares[i] = share;
    q = q.map((v, k) => v - share * change[k]!);
  }
  const last = pairs.at(-1);
  if (last) {
    const scale = dot(last.step, last.change) / dot(last.change, last.change);
    q = q.map((v) => scale * v);
  }
  pairs.forEach(({ step, change }, i) => {
    const rest = shares[i]! - dot(change, q) / dot(step, change);
    q = q.map((v, k) => v + rest * step[k]!);
  });
  return q;
}
