// Covering numbers of classes of networks in the sup norm: how many functions come within eps of all others.
// Logarithms throughout: the numbers themselves have thousands of digits.
import { logFactorial, logMultisets } from "../numbers/combinatorics.ts";

/** Fully connected networks with these widths (input first, output last), all weights and biases within [-B, B]. */
export interface NetworkClass {
  readonly widths: readonly number[];
  readonly B: number;
  /** |x|_2 of all inputs. */
  readonly inputRadius: number;
  readonly activation: BoundedSlope;
}

/** Activations whose Lipschitz constant and size are known on every interval [-r, r]. */
export const boundedSlopes = {
  relu: { lipschitz: 1, size: (r: number) => r },
  tanh: { lipschitz: 1, size: (r: number) => Math.tanh(r) },
  sigmoid: { lipschitz: 0.25, size: (r: number) => 1 / (1 + Math.exp(-r)) },
} as const;
export type BoundedSlope = keyof typeof boundedSlopes;

/** Weights and biases. */
export const denseParameterCount = (widths: readonly number[]): number =>
  widths.slice(1).reduce((sum, d, l) => sum + d * (widths[l]! + 1), 0);

/** ln of the permutations of all hidden layers, d_1! ... d_L!. */
export const logPermutations = (widths: readonly number[]): number =>
  widths.slice(1, -1).reduce((sum, d) => sum + logFactorial(d), 0);

/**
 * ln N(eps) of shallow networks as printed (Shen, Theorem 3). It fails for small B, for great eps, and for steep
 * activations that are not homogeneous; `certifiedLogCovering` does not.
 */
export function shallowLogCovering(
  { widths, B, inputRadius, activation: name }: NetworkClass,
  eps: number,
): number {
  const [d0, d1] = widths as [number, number];
  const base = (16 * B * B * (inputRadius + 1) * Math.sqrt(d0) * d1) / eps;
  const hidden = d0 * d1 + d1;
  return (
    denseParameterCount(widths) * Math.log(base) +
    hidden * Math.log(boundedSlopes[name].lipschitz) -
    logFactorial(d1)
  );
}

/** ln N(eps) of deep networks as printed (Shen, Theorem 4); it fails for small B and for great eps. */
export function deepLogCovering(
  { widths, B, inputRadius, activation: name }: NetworkClass,
  eps: number,
): number {
  const L = widths.length - 2;
  const base =
    Math.log(4 * (L + 1) * (inputRadius + 1)) +
    (L + 2) * Math.log(2 * B) +
    L * Math.log(boundedSlopes[name].lipschitz) +
    widths.slice(0, -1).reduce((sum, d) => sum + Math.log(d), 0) -
    Math.log(eps);
  return denseParameterCount(widths) * base - logPermutations(widths);
}

export interface CertifiedCovering {
  readonly logCovering: number;
  /** The same without the discount for permutations. */
  readonly logGrid: number;
  /** |f(x; s) - f(x; t)| <= lipschitz * max |s - t|. */
  readonly lipschitz: number;
  /** Cells along each axis of the parameters' cube. */
  readonly cells: number;
}

/** Makes up for the rounding of the few hundred operations of a bound. */
const roundedUp = 1 + 1e-12;

/** How far outputs move when every parameter moves by at most 1: errors and sizes layer by layer. */
export function parameterLipschitz({
  widths,
  B,
  inputRadius,
  activation: name,
}: Omit<NetworkClass, "eps">): number {
  const { lipschitz, size } = boundedSlopes[name];
  let [largest, moved] = [inputRadius, 0];
  widths.slice(1).forEach((_, l) => {
    // |x|_1 <= sqrt(d_0) |x|_2 at the input; every unit of a hidden layer is bounded by itself.
    const fan = l === 0 ? Math.sqrt(widths[0]!) : widths[l]!;
    const isLast = l === widths.length - 2;
    const before = fan * (B * moved + largest) + 1;
    const range = fan * B * largest + B;
    [largest, moved] = isLast ? [range, before] : [size(range), lipschitz * before];
  });
  return moved * roundedUp;
}

/**
 * A bound on ln N(eps) that holds for every eps, every B and every activation of the list: parameters on a grid of cells
 * within eps of each other; the biases of a layer may be sorted, so multisets of cells are enough for them.
 * @example certifiedLogCovering({ widths: [1, 128, 1], B: 1, inputRadius: 1, activation: "relu" }, 0.01).logCovering // 3679.2...
 */
export function certifiedLogCovering(networks: NetworkClass, eps: number): CertifiedCovering {
  const { widths, B } = networks;
  const lipschitz = parameterLipschitz(networks);
  const cells = Math.max(1, Math.ceil(((B * lipschitz) / eps) * roundedUp));
  const hidden = widths.slice(1, -1);
  const units = hidden.reduce((a, b) => a + b, 0);
  const S = denseParameterCount(widths);
  const sorted = hidden.reduce((sum, d) => sum + logMultisets(cells, d), 0);
  return {
    logCovering: ((S - units) * Math.log(cells) + sorted) * roundedUp,
    logGrid: S * Math.log(cells) * roundedUp,
    lipschitz,
    cells,
  };
}

/** The greatest |f(x)| of the class: all weights B, x along the diagonal. */
export function greatestOutput({ widths, B, inputRadius, activation: name }: NetworkClass): number {
  const { size } = boundedSlopes[name];
  return widths.slice(1).reduce((largest, _, l) => {
    const range = (l === 0 ? Math.sqrt(widths[0]!) : widths[l]!) * B * largest + B;
    return l === widths.length - 2 ? range : size(range);
  }, inputRadius);
}

/**
 * A lower bound on ln N(eps): with f also t f is in the class for |t| <= 1 (its last layer scaled), and a function
 * within eps of some of them serves t from an interval of length at most 2 eps / max |f|.
 */
export const leastLogCovering = (networks: NetworkClass, eps: number): number =>
  Math.log(Math.max(1, Math.ceil(greatestOutput(networks) / eps / roundedUp)));

/**
 * ln of the volume of the parameters whose hidden biases descend: one representative for each orbit of permutations.
 * @example logEffectiveVolume([1, 128, 1], 1) // -229.5...
 */
export const logEffectiveVolume = (widths: readonly number[], B: number): number =>
  denseParameterCount(widths) * Math.log(2 * B) - logPermutations(widths);
