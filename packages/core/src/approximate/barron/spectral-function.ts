// Functions given by their waves: f(x) = int cos(<omega, x> + theta) dLambda(omega, theta), Lambda a positive measure.
// Frequencies are angular: f^ = (2 pi)^-d int f(x) e^{-i <omega, x>} dx. Then C_f = int |omega| |f^| is Telgarsky's
// int ||grad g~||; where transforms have e^{-2 pi i <xi, x>}, the constant of int |xi| |g^| is C_f / (2 pi).

import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";

/** x -> cos(<omega, x> + phase). */
export interface Wave {
  readonly omega: Float64Array;
  readonly phase: number;
}

/** An atom of Lambda, or a node of a quadrature for it. */
export interface WeightedWave extends Wave {
  readonly weight: number;
}

export type MomentOrder = 0 | 1 | 2;

/** A function with a representation by waves. */
export interface SpectralFunction {
  readonly dimension: number;
  readonly formula: string;
  value(x: ArrayLike<number>): number;
  /** The gradient at 0: the linear part of the ReLU representation. */
  readonly slope: Float64Array;
  /** int |omega|^order dLambda; order 1 is Barron's constant of this representation. */
  moment(order: MomentOrder): number;
  /** A wave from |omega|^order dLambda / moment(order). */
  draw(order: MomentOrder, random: Random): Wave;
  /** Each frequency has one phase only: then the moments are those of |f^|, and else upper bounds for them. */
  readonly tight: boolean;
  /** f^ as [real part, imaginary part], where Lambda has a density. */
  readonly transform?: (omega: ArrayLike<number>) => readonly [number, number];
  /** Lambda itself, where it is finitely many atoms. */
  readonly atoms?: readonly WeightedWave[];
  /** The size of typical frequencies: where a quadrature has to look. */
  readonly bandwidth: number;
}

/** |a| */
export const euclideanLength = (a: ArrayLike<number>): number => Math.sqrt(dot(a, a));
