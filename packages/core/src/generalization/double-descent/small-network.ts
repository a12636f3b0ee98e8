// A network inputs - width - tanh - 1 by hand: thousands of trainings on a few examples each.

/** An input. */
export type Signal = ArrayLike<number>;

export interface SmallNetwork {
  readonly inputs: number;
  readonly width: number;
  /** W by rows, b, a, c of sum_u a_u tanh(<W_u, x> + b_u) + c */
  readonly weights: Float64Array;
}

/**
 * How many weights that is.
 * @example networkWeights(2, 10) // 25
 */
export const networkWeights = (width: number, inputs: number): number => width * (inputs + 2) + 1;

/**
 * Its value at x; the gradient with respect to the weights goes into `gradient`.
 * @example networkValue({ inputs: 1, width: 1, weights: new Float64Array([1, 0, 2, 3]) }, [0]) // 3
 */
export function networkValue(
  { inputs, width, weights }: SmallNetwork,
  x: Signal,
  gradient?: Float64Array,
): number {
  const [b, a] = [width * inputs, width * (inputs + 1)];
  let value = weights[a + width]!;
  if (gradient) gradient[a + width] = 1;
  for (let u = 0; u < width; u++) {
    let before = weights[b + u]!;
    for (let j = 0; j < inputs; j++) before += weights[u * inputs + j]! * x[j]!;
    const hidden = Math.tanh(before);
    value += weights[a + u]! * hidden;
    if (!gradient) continue;
    const inner = weights[a + u]! * (1 - hidden * hidden);
    for (let j = 0; j < inputs; j++) gradient[u * inputs + j] = inner * x[j]!;
    gradient[b + u] = inner;
    gradient[a + u] = hidden;
  }
  return value;
}
