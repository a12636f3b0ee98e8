// How far training with a fixed kernel has come: what gradient flow or gradient descent makes of each eigenvalue (1.24).
import { KernelError } from "./error.ts";

export interface TrainingTime {
  /** The time of gradient flow, or the number of steps of gradient descent; infinite: until nothing changes any more. */
  readonly time: number;
  /** The learning rate of gradient descent; without one it is gradient flow. */
  readonly rate?: number | undefined;
  /** The loss is the mean over so many examples. */
  readonly examples: number;
}

/**
 * phi(mu) with alpha(t) = phi(K + ridge) y, from alpha' = -(2/m) ((K + ridge) alpha - y) and alpha(0) = 0: the flow of the
 * mean squared error, whose square is not halved. (1 - e^(-2 mu t / m)) / mu; of descent (1 - (1 - 2 eta mu / m)^t) / mu.
 * @example trainingFilter({ time: Infinity, examples: 2 })(4) // 0.25
 */
export function trainingFilter({ time, rate, examples }: TrainingTime): (mu: number) => number {
  if (!(time >= 0)) throw new KernelError(`a time of training is 0 or more, not ${time}`);
  if (rate !== undefined && !(rate > 0 && Number.isFinite(rate)))
    throw new KernelError(`a learning rate is above 0, not ${rate}`);
  if (rate !== undefined && Number.isFinite(time) && !Number.isInteger(time))
    throw new KernelError(`gradient descent takes a whole number of steps, not ${time}`);
  if (time === Number.POSITIVE_INFINITY) return (mu) => 1 / mu;
  const speed = (2 / examples) * (rate ?? 1);
  return (mu) => {
    if (mu === 0) return speed * time;
    const z = speed * mu;
    if (rate === undefined) return -Math.expm1(-z * time) / mu;
    // Near 1 the power would lose digits that the logarithm keeps; beyond 1 there is no logarithm.
    return (z < 0.5 ? -Math.expm1(time * Math.log1p(-z)) : 1 - (1 - z) ** time) / mu;
  };
}

/**
 * Gradient descent with a rate of at least m / mu, for the greatest eigenvalue mu, does not converge: refused.
 * @example requireConvergence({ time: 10, rate: 0.1, examples: 5 }, 2)
 */
export function requireConvergence({ rate, examples }: TrainingTime, greatest: number): void {
  const most = examples / greatest;
  if (rate !== undefined && !(rate < most))
    throw new KernelError(
      `gradient descent with rate ${rate} diverges: the kernel's greatest eigenvalue ${greatest.toPrecision(4)} allows rates below ${most.toPrecision(4)}`,
    );
}
