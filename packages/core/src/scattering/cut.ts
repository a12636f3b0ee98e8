// Fourier transforms as two small matrix products. An axis of n = P Q samples is cut into P rows of Q: sample t = Q t1 + t2
// lies at (t1, t2) and frequency f = f1 + P f2 at (f1, f2), and e^(-2 pi i f t / n) = e^(-2 pi i f1 t1 / P) e^(-2 pi i f t2 / n):
// the first factor is one product for all t2, the second one for each f1. With Q = 1 there is only the first.
import { rootsOfUnity } from "./fourier.ts";

export interface Cut {
  readonly p: number;
  readonly q: number;
}

/** Weights with their dimensions. */
export interface Weights {
  readonly dims: readonly number[];
  readonly values: Float64Array;
}

/** [(f1, 2) x t1]: the first product of a real signal. */
export function firstReal({ p }: Cut): Weights {
  const roots = rootsOfUnity(p);
  const values = new Float64Array(2 * p * p);
  for (let f = 0; f < p; f++)
    for (let t = 0; t < p; t++) {
      values[2 * f * p + t] = roots.re[(f * t) % p]!;
      values[(2 * f + 1) * p + t] = -roots.im[(f * t) % p]!;
    }
  return { dims: [2 * p, p], values };
}

/** [(f1, 2) x (2, t1)]: the first product of a complex one. */
export const firstComplex = ({ p }: Cut): Weights => ({ ...second({ p: 1, q: p }), dims: [2 * p, 2 * p] });

/** [f1][(f2, 2) x (2, t2)]: the second product. */
export function second({ p, q }: Cut): Weights {
  const roots = rootsOfUnity(p * q);
  const values = new Float64Array(p * 4 * q * q);
  for (let f1 = 0; f1 < p; f1++)
    for (let f2 = 0; f2 < q; f2++)
      for (let t = 0; t < q; t++) {
        const at = ((f1 + p * f2) * t) % (p * q);
        const [c, s] = [roots.re[at]!, roots.im[at]!];
        const [re, im] = [(f1 * q + f2) * 4 * q + t, (f1 * q + f2) * 4 * q + 2 * q + t];
        values[re] = c;
        values[re + q] = s;
        values[im] = -s;
        values[im + q] = c;
      }
  return { dims: [p, 2 * q, 2 * q], values };
}

/** [f1][(2, t2) x (f2, 2)]: the first product back, with its factor 1 / Q. */
export function firstBack({ p, q }: Cut): Weights {
  const roots = rootsOfUnity(p * q);
  const values = new Float64Array(p * 4 * q * q);
  for (let f1 = 0; f1 < p; f1++)
    for (let t = 0; t < q; t++)
      for (let f2 = 0; f2 < q; f2++) {
        const at = ((f1 + p * f2) * t) % (p * q);
        const [c, s] = [roots.re[at]! / q, roots.im[at]! / q];
        const [re, im] = [(f1 * 2 * q + t) * 2 * q + 2 * f2, (f1 * 2 * q + q + t) * 2 * q + 2 * f2];
        values[re] = c;
        values[re + 1] = -s;
        values[im] = s;
        values[im + 1] = c;
      }
  return { dims: [p, 2 * q, 2 * q], values };
}

/** [(2, t1) x (f1, 2)]: the second product back, with its factor 1 / P. */
export const secondBack = ({ p }: Cut): Weights => ({ ...firstBack({ p: 1, q: p }), dims: [2 * p, 2 * p] });
