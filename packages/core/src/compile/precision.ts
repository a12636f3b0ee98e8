// The two element types of compiled networks, and what their rounding costs.
import { gamma } from "../numbers/floating-point.ts";
import { mulUp } from "../numbers/rounding.ts";

export type Dtype = "f32" | "f64";

export interface Arithmetic {
  readonly dtype: Dtype;
  readonly type: "float32" | "float64";
  /** The unit roundoff u. */
  readonly u: number;
  /**
   * An absolute error that any operation may have: results below the normal range may be flushed to 0, and ONNX Runtime
   * takes a summand that is 0 as a float32 for 0, in f64 too.
   */
  readonly tiny: number;
  /** Sums of terms below this do not overflow. */
  readonly largest: number;
  /** The nearest number of the type. */
  round(x: number): number;
}

export const arithmetics: Readonly<Record<Dtype, Arithmetic>> = {
  f32: { dtype: "f32", type: "float32", u: 2 ** -24, tiny: 2 ** -125, largest: 2 ** 126, round: Math.fround },
  f64: { dtype: "f64", type: "float64", u: 2 ** -53, tiny: 2 ** -149, largest: 2 ** 1022, round: (x) => x },
};

/** What n roundings may change a sum by whose terms have this size in all; anything, where it may overflow. */
export const sumRounding = (n: number, size: number, { u, largest }: Arithmetic): number =>
  size < largest ? mulUp(gamma(n, u), size) : Number.POSITIVE_INFINITY;

/** A constant to add: ONNX Runtime leaves out one that is 0 as a float32, so it is stored as 0. */
export const summand = (x: number): number => (Math.fround(x) === 0 ? 0 : x);
