// Optimizers: what a step makes of a weight, from its gradient and what the optimizer remembers of it.
import { tensor } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import { descended } from "./descended.ts";

export interface Update {
  readonly weight: Value;
  readonly gradient: Value;
  /** The learning rate of this step: a scalar in the weight's type. */
  readonly rate: Value;
  /** Steps made before this one: an f64 scalar. */
  readonly step: Value;
  /** What the optimizer remembers, one value a slot, in the weight's shape; zeros at first. */
  readonly slots: readonly Value[];
}

export interface Updated {
  readonly weight: Value;
  readonly slots: readonly Value[];
}

export interface Optimizer {
  readonly slots: number;
  /** A rate that works for networks of usual scaling. */
  readonly defaultRate: number;
  readonly update: (given: Update) => Updated;
}

/** The numbers that optimizers take; each reads its own. */
export interface Coefficients {
  readonly momentum: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
}
export const defaultCoefficients: Coefficients = { momentum: 0.9, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

const descent: Optimizer = {
  slots: 0,
  defaultRate: 0.1,
  update: ({ weight, gradient, rate }) => ({ weight: descended(weight, gradient, rate), slots: [] }),
};

/** v = mu v + g; w = w - eta v. Nesterov's step looks ahead: w - eta (g + mu v). */
const momentum =
  (lookAhead: boolean) =>
  ({ momentum: mu }: Coefficients): Optimizer => ({
    slots: 1,
    defaultRate: 0.05,
    update: ({ weight, gradient, rate, slots: [velocity] }) => {
      const next = velocity!.mul(mu).add(gradient);
      const direction = lookAhead ? gradient.add(next.mul(mu)) : next;
      return { weight: weight.sub(direction.mul(rate)), slots: [next] };
    },
  });

/**
 * Adam, with m and v kept as m / (1 - beta1) and v / (1 - beta2), and all corrections in scalars: fewer passes over the
 * weights. w - eta m^ / (sqrt v^ + eps), m^ = m / (1 - beta1^t), v^ = v / (1 - beta2^t).
 */
const adam = (coefficients: Coefficients): Optimizer => ({
  slots: 2,
  defaultRate: 1e-3,
  update: ({ weight, gradient, rate, step, slots }) => {
    const [first, second] = slots as [Value, Value];
    const mean = first.mul(coefficients.beta1).add(gradient);
    const spread = second.mul(coefficients.beta2).add(gradient.mul(gradient));
    const { size, guard } = correctionsOf(step, rate, coefficients);
    const direction = mean.mul(size).div(spread.sqrt().add(guard));
    return { weight: weight.sub(direction), slots: [mean, spread] };
  },
});

interface Corrections {
  /** What multiplies m, with the rate. */
  readonly size: Value;
  /** What is added to the root of v. */
  readonly guard: Value;
}

/** By their step: all weights share them, since each of these dozen nodes takes as long as a thousand weights. */
const corrections = new WeakMap<Value, Corrections & { readonly of: readonly unknown[] }>();

function correctionsOf(step: Value, rate: Value, { beta1, beta2, epsilon }: Coefficients): Corrections {
  const of = [rate, beta1, beta2, epsilon];
  const known = corrections.get(step);
  if (known?.of.every((each, k) => each === of[k])) return known;
  const time = step.add(1);
  const kept = (beta: number) => one(step).sub(step.builder.lift(beta, "float64").pow(time));
  const root = kept(beta2)
    .div(1 - beta2)
    .sqrt();
  const size = root.mul(1 - beta1).div(kept(beta1));
  const found = {
    of,
    size: rate.mul(size.op("CastLike", [rate])),
    guard: root.mul(epsilon).op("CastLike", [rate]),
  };
  corrections.set(step, found);
  return found;
}

const one = (like: Value): Value => like.builder.lift(tensor(1, { type: "float64" }), "float64");

/** AdamW differs from Adam in how it decays weights, which the step sees to. */
export const optimizers = {
  gd: () => descent,
  sgd: () => descent,
  momentum: momentum(false),
  nesterov: momentum(true),
  adam,
  adamw: adam,
} as const satisfies Readonly<Record<string, (coefficients: Coefficients) => Optimizer>>;

export type OptimizerName = keyof typeof optimizers;
