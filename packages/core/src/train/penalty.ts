// What is added to plain descent: penalties on weights, clipped gradients, averages of iterates.
import type { Value } from "../graph/value.ts";

export interface Penalties {
  /** lambda/2 |w|^2: lambda w is added to the gradient; for adamw, w shrinks by eta lambda instead (default there: 0.01). */
  readonly weightDecay?: number;
  /** lambda |w|_1: lambda sign(w) is added to the gradient. */
  readonly l1?: number;
  /** lambda |w|_1 by its proximal step: after the step each weight moves by eta lambda towards 0, and stops there. */
  readonly proximalL1?: number;
}

/** The gradient of the penalized loss. */
export function penalized(gradient: Value, weight: Value, { weightDecay, l1 }: Penalties): Value {
  const decayed = weightDecay ? gradient.add(weight.mul(weightDecay)) : gradient;
  return l1 ? decayed.add(weight.op("Sign").mul(l1)) : decayed;
}

/** sign(w) max(|w| - eta lambda, 0) */
export function proximal(weight: Value, rate: Value, lambda: number): Value {
  return weight.op("Sign").mul(weight.abs().sub(rate.mul(lambda)).relu());
}

/** All gradients, scaled down together where their common Euclidean norm exceeds the limit. */
export function clippedByNorm(gradients: readonly Value[], limit: number): readonly Value[] {
  const squares = gradients.map((g) => g.op("ReduceSumSquare", [], { keepdims: 0 }));
  const norm = squares.reduce((sum, s) => sum.add(s)).sqrt();
  const { builder } = norm;
  const bound = builder.lift(limit, norm.type.type);
  const factor = bound.div(norm.max(bound));
  return gradients.map((g) => g.mul(factor));
}

/**
 * The average of the iterates after step t (counted from 0): the plain mean of w_1 .. w_{t+1}, or with a decay d the
 * moving one, d a + (1 - d) w, which starts at the first iterate.
 */
export function averaged(average: Value, weight: Value, step: Value, decay: number | undefined): Value {
  const time = step.add(1);
  const share = time.op("Reciprocal");
  const moving = decay === undefined ? share : share.max(1 - decay);
  return average.add(weight.sub(average).mul(moving.op("CastLike", [weight])));
}
