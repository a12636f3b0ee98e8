// Stochastic gradient descent with two-point noise, where the expectation is a finite sum: all 2^K paths.

type Vector = readonly number[];

export interface ConvexObjective {
  readonly value: (theta: Vector) => number;
  readonly slope: (theta: Vector) => Vector;
}

export interface NoisyDescent {
  readonly objective: ConvexObjective;
  readonly dimension: number;
  readonly steps: number;
  /** The step size of step k = 1, 2, ... */
  readonly rate: (k: number) => number;
  /** D^k = slope + noise or slope - noise, each with probability 1/2; what the noise is may depend on step and place. */
  readonly noise: (k: number, theta: Vector) => Vector;
  /** Steps end in the ball of this radius: iterates outside are moved to the nearest point of it. */
  readonly radius?: number;
}

export interface NoisyPath {
  /** Theta^0, ..., Theta^K */
  readonly iterates: readonly Vector[];
  /** D^1, ..., D^K */
  readonly directions: readonly Vector[];
}

/**
 * The nearest point of the ball of this radius.
 * @example projected([3, 4], 1) // [0.6, 0.8]
 */
export function projected(theta: Vector, radius: number): Vector {
  const norm = Math.hypot(...theta);
  return norm <= radius ? theta : theta.map((v) => (v * radius) / norm);
}

/**
 * All paths from 0, each of probability 2^-K.
 * @example [...noisyPaths({ objective: { value: () => 0, slope: () => [0] }, dimension: 1, steps: 3, rate: () => 1, noise: () => [1] })].length // 8
 */
export function* noisyPaths(descent: NoisyDescent): Generator<NoisyPath> {
  const { objective, dimension, steps, rate, noise, radius } = descent;
  for (let code = 0; code < 2 ** steps; code++) {
    const iterates: Vector[] = [new Array<number>(dimension).fill(0)];
    const directions: Vector[] = [];
    for (let k = 1; k <= steps; k++) {
      const theta = iterates.at(-1)!;
      const sign = (code >> (k - 1)) & 1 ? 1 : -1;
      const [slope, xi] = [objective.slope(theta), noise(k, theta)];
      const D = slope.map((v, j) => v + sign * xi[j]!);
      const next = theta.map((v, j) => v - rate(k) * D[j]!);
      directions.push(D);
      iterates.push(radius === undefined ? next : projected(next, radius));
    }
    yield { iterates, directions };
  }
}

/**
 * The mean of iterates `from` to `to`, both included.
 * @example averageIterate({ iterates: [[0], [1], [5]], directions: [] }, 1, 2) // [3]
 */
export const averageIterate = ({ iterates }: NoisyPath, from: number, to: number): Vector =>
  iterates[0]!.map(
    (_, j) => iterates.slice(from, to + 1).reduce((sum, theta) => sum + theta[j]!, 0) / (to - from + 1),
  );
