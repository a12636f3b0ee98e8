// Eigenvalues of symmetric matrices with rational entries: their polynomial exactly, each root between two rationals.
import { add, compare, div, type Exact, mul, neg, sign, sub, toNumber } from "../numbers/exact/rational.ts";
import { ExactPolynomial, type Polynomial } from "../numbers/polynomial/polynomial.ts";
import { signCells } from "../numbers/polynomial/roots.ts";
import { type MatrixOf, matrixAlgebra, rationals } from "./matrix-algebra.ts";

/** The number lies here; from = to where it is known exactly. */
export interface Enclosure {
  readonly from: Exact;
  readonly to: Exact;
}

/**
 * det(x 1 - A), lowest coefficient first, by Faddeev and Le Verrier: M <- A M + c 1, c = -tr(A M) / k.
 * @example characteristicPolynomial([[2, 1], [1, 2]]) // [3, -4, 1]
 */
export function characteristicPolynomial(a: MatrixOf<Exact>): Polynomial {
  const n = a.length;
  const { product, plus, times, identity, trace } = matrixAlgebra(rationals);
  const coefficients: Exact[] = Array.from({ length: n + 1 }, (_, k) => (k === n ? 1 : 0));
  let m = identity(n);
  for (let k = 1; k <= n; k++) {
    const image = product(a, m);
    const c = div(neg(trace(image)), k);
    coefficients[n - k] = c;
    m = plus(image, times(c, identity(n)));
  }
  return coefficients;
}

/** The remainder of p by q. */
function remainder(p: Polynomial, q: Polynomial): Polynomial {
  const rest = [...p];
  for (let degree = rest.length - 1; degree >= q.length - 1; degree--) {
    const factor = div(rest[degree]!, q.at(-1)!);
    if (sign(factor) !== 0)
      q.forEach((c, k) => {
        const at = degree - q.length + 1 + k;
        rest[at] = sub(rest[at]!, mul(factor, c));
      });
  }
  return new ExactPolynomial(rest.slice(0, q.length - 1)).coefficients;
}

/**
 * Whether no root is double: p and its derivative have no common factor.
 * @example isSquareFree([1, -2, 1]) // false
 */
export function isSquareFree(p: Polynomial): boolean {
  let [a, b] = [new ExactPolynomial(p).coefficients, new ExactPolynomial(p).derivative.coefficients];
  while (b.length > 0) [a, b] = [b, remainder(a, b)];
  return a.length <= 1;
}

/**
 * The eigenvalues in descending order, each within `width` (relative to the greatest bound on them); undefined where two
 * are equal.
 * @example exactEigenvalues([[2, 1], [1, 2]], 1e-9).map((e) => e.from) // [3, 1]
 */
export function exactEigenvalues(a: MatrixOf<Exact>, width = 2 ** -60): readonly Enclosure[] | undefined {
  const p = new ExactPolynomial(characteristicPolynomial(a));
  if (!isSquareFree(p.coefficients)) return undefined;
  const reach = a
    .map((row) => row.reduce<Exact>((sum, x) => add(sum, sign(x) < 0 ? neg(x) : x), 1))
    .reduce((most, x) => (compare(x, most) > 0 ? x : most));
  const scale = Math.max(1, 2 ** Math.ceil(Math.log2(toNumber(reach))));
  for (let wide = width * scale; ; wide /= 2 ** 20) {
    const roots = rootsOf(p, neg(reach), reach, wide);
    if (roots.length === a.length) return roots.toReversed();
  }
}

/** Between cells of different signs lies a root, and so does one in each cell without a sign. */
function rootsOf(p: ExactPolynomial, from: Exact, to: Exact, width: number): readonly Enclosure[] {
  const cells = signCells(p, from, to, width);
  return cells.flatMap((cell, k) => {
    if (cell.sign === 0) return [{ from: cell.from, to: cell.to }];
    const next = cells[k + 1];
    return next && next.sign !== 0 ? [{ from: cell.to, to: cell.to }] : [];
  });
}
