// Deep Taylor decomposition of one neuron: r(a) = c max(0, w a + b) with c = R / x is expanded at a reference point, and
// its first-order terms are the messages to the layer below.
import { ExplainError } from "./error.ts";

export interface Neuron {
  readonly weights: ArrayLike<number>;
  readonly bias: number;
}

/** The rules that have a reference point; the box has one pair of bounds for each input. */
export type RootRule =
  | { readonly kind: "zero" | "z-plus" | "w-square" }
  | { readonly kind: "epsilon"; readonly epsilon: number }
  | { readonly kind: "gamma"; readonly gamma: number }
  | { readonly kind: "z-box"; readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };

export interface TaylorStep {
  /** The reference point. */
  readonly root: Float64Array;
  /** w root + b, which is 0 at a root and negative where the neuron is closed. */
  readonly preActivation: number;
  /** c (w root + b): the zeroth-order term of the linear piece that is active at `a`. */
  readonly residual: number;
  /** (a_j - root_j) w_j c. */
  readonly messages: Float64Array;
  readonly distance: number;
  /** How far the point lies outside of the rule's domain, a quadrant or a box; 0 inside. */
  readonly outside: number;
}

const dot = (u: ArrayLike<number>, v: ArrayLike<number>): number => {
  let sum = 0;
  for (let j = 0; j < u.length; j++) sum += u[j]! * v[j]!;
  return sum;
};

/** Along which a rule looks for its reference point: a - t direction. */
function direction(rule: RootRule, { weights }: Neuron, a: ArrayLike<number>): Float64Array {
  return Float64Array.from(a, (v, j) => {
    const w = weights[j]!;
    switch (rule.kind) {
      case "gamma":
        return v * (w >= 0 ? 1 + rule.gamma : 1);
      case "z-plus":
        return w >= 0 ? v : 0;
      case "w-square":
        return w;
      case "z-box":
        return v - (w >= 0 ? rule.low[j]! : rule.high[j]!);
      default:
        return v;
    }
  });
}

/** How far along it: to the hinge of the neuron, for `zero` and `epsilon` towards the origin. */
function stepLength(rule: RootRule, z: number, slope: number): number {
  if (rule.kind === "zero") return 1;
  if (rule.kind === "epsilon") return z / (z + rule.epsilon);
  if (slope === 0)
    throw new ExplainError(`the pre-activation does not change along the line of ${rule.kind}`);
  return z / slope;
}

function outsideOf(rule: RootRule, root: Float64Array): number {
  if (rule.kind === "w-square") return 0;
  const [low, high] =
    rule.kind === "z-box"
      ? [(j: number) => rule.low[j]!, (j: number) => rule.high[j]!]
      : [() => 0, () => Number.POSITIVE_INFINITY];
  return root.reduce((worst, v, j) => Math.max(worst, low(j) - v, v - high(j)), 0);
}

/**
 * What a neuron that is active at `a`, with this relevance, hands on by Taylor expansion at the reference point of a rule.
 * @example taylorStep({ weights: [1, -1], bias: 0 }, [3, 1], 2, { kind: "z-plus" }).distance // 2
 */
export function taylorStep(
  neuron: Neuron,
  a: ArrayLike<number>,
  relevance: number,
  rule: RootRule,
): TaylorStep {
  const { weights, bias } = neuron;
  const z = dot(weights, a) + bias;
  if (!(z > 0)) throw new ExplainError(`the neuron is closed (${z}): it has no relevance to hand on`);
  const c = relevance / z;
  const line = direction(rule, neuron, a);
  const t = stepLength(rule, z, dot(line, weights));
  const root = line.map((d, j) => a[j]! - t * d);
  const preActivation = dot(weights, root) + bias;
  return {
    root,
    preActivation,
    residual: c * preActivation,
    messages: root.map((v, j) => (a[j]! - v) * weights[j]! * c),
    distance: Math.hypot(...root.map((v, j) => a[j]! - v)),
    outside: outsideOf(rule, root),
  };
}

/**
 * How constant c = R / x is over points near each other: its standard deviation over its mean, and that of R itself.
 * @example constancy([2, 4, 6], [1, 2, 3]).ofFactor // 0
 */
export function constancy(
  relevance: ArrayLike<number>,
  activation: ArrayLike<number>,
): { readonly ofFactor: number; readonly ofRelevance: number } {
  const all = Array.from(activation, (x, n) => ({ R: relevance[n]!, x })).filter(({ x }) => x > 0);
  return { ofFactor: variation(all.map(({ R, x }) => R / x)), ofRelevance: variation(all.map(({ R }) => R)) };
}

/** Standard deviation over |mean|; 0 for numbers that are all the same. */
function variation(values: readonly number[]): number {
  const mean = values.reduce((s, v) => s + v, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((s, v) => s + (v - mean) ** 2, 0) / values.length);
  return deviation === 0 ? 0 : deviation / Math.abs(mean);
}
