// Fourier transforms as two small matrix products. A signal lies on a sheet of P rows and Q columns: a picture as it is;
// of one variable, sample t = Q t1 + t2 lies at (t1, t2) and frequency f = f1 + P f2 at (f1, f2), with
// e^(-2 pi i f t / P Q) = e^(-2 pi i f1 t1 / P) e^(-2 pi i f t2 / P Q): the second factor belongs to the second product.
// Layouts, in which the columns C (filters times batch) come last: signals [P, Q, C], spectra [P, Q, 2, C].
import { rootsOfUnity } from "./fourier.ts";

export interface Sheet {
  readonly p: number;
  readonly q: number;
  /** Whether one variable was cut into rows. */
  readonly isCut: boolean;
}

/** Weights with their dimensions. */
export interface Weights {
  readonly dims: readonly number[];
  readonly values: Float64Array;
}

/** Which samples of a signal the rows of a sheet's axis show, and how many there are: padding inside of the product. */
export interface Source {
  readonly from: readonly number[];
  readonly length: number;
}

const plain = (n: number): Source => ({ from: Array.from({ length: n }, (_, k) => k), length: n });

/** [(p, 2) x P]: the first product of a real signal. */
export function rowsForward({ p }: Sheet, source: Source = plain(p)): Weights {
  const roots = rootsOfUnity(p);
  const values = new Float64Array(2 * p * source.length);
  for (let f = 0; f < p; f++)
    source.from.forEach((at, t) => {
      values[2 * f * source.length + at]! += roots.re[(f * t) % p]!;
      values[(2 * f + 1) * source.length + at]! -= roots.im[(f * t) % p]!;
    });
  return { dims: [2 * p, source.length], values };
}

/** [(q, 2) x (2, Q)] for every row, or for each of the rows: the second product. */
export function columnsForward({ p, q, isCut }: Sheet, source: Source = plain(q)): Weights {
  const n = source.length;
  const batches = isCut ? p : 1;
  const period = isCut ? p * q : q;
  const roots = rootsOfUnity(period);
  const values = new Float64Array(batches * 4 * q * n);
  for (let f1 = 0; f1 < batches; f1++)
    for (let f2 = 0; f2 < q; f2++) {
      const f = isCut ? f1 + p * f2 : f2;
      const [re, im] = [(f1 * q + f2) * 4 * n, (f1 * q + f2) * 4 * n + 2 * n];
      source.from.forEach((at, t) => {
        const [c, s] = [roots.re[(f * t) % period]!, roots.im[(f * t) % period]!];
        values[re + at]! += c;
        values[re + n + at]! += s;
        values[im + at]! -= s;
        values[im + n + at]! += c;
      });
    }
  return { dims: [...(isCut ? [p] : []), 2 * q, 2 * n], values };
}

/** [(2, q) x (q, 2)]: the first product back, with its factor 1 / Q. */
export function columnsBack({ p, q, isCut }: Sheet): Weights {
  const batches = isCut ? p : 1;
  const period = isCut ? p * q : q;
  const roots = rootsOfUnity(period);
  const values = new Float64Array(batches * 4 * q * q);
  for (let f1 = 0; f1 < batches; f1++)
    for (let t = 0; t < q; t++)
      for (let f2 = 0; f2 < q; f2++) {
        const f = isCut ? f1 + p * f2 : f2;
        const [c, s] = [roots.re[(f * t) % period]! / q, roots.im[(f * t) % period]! / q];
        const [re, im] = [(f1 * 2 * q + t) * 2 * q + 2 * f2, (f1 * 2 * q + q + t) * 2 * q + 2 * f2];
        values[re] = c;
        values[re + 1] = -s;
        values[im] = s;
        values[im + 1] = c;
      }
  return { dims: [...(isCut ? [p] : []), 2 * q, 2 * q], values };
}

/** [(2, P) x (p, 2)]: the second product back, with its factor 1 / P. */
export function rowsBack({ p }: Sheet): Weights {
  const roots = rootsOfUnity(p);
  const values = new Float64Array(4 * p * p);
  for (let t = 0; t < p; t++)
    for (let f = 0; f < p; f++) {
      const [c, s] = [roots.re[(f * t) % p]! / p, roots.im[(f * t) % p]! / p];
      const [re, im] = [t * 2 * p + 2 * f, (p + t) * 2 * p + 2 * f];
      values[re] = c;
      values[re + 1] = -s;
      values[im] = s;
      values[im + 1] = c;
    }
  return { dims: [2 * p, 2 * p], values };
}
