// Polynomials of several variables on the unit ball, in L_2, exactly: moments, projections, and the operator
// D = Δ - (x·∇)² - n x·∇, whose eigenfunctions are the polynomials orthogonal to all of lower degree.
import type { Exponents } from "../../networks/monomial.ts";
import type { PolynomialTerms } from "../../networks/polynomial/terms.ts";
import { add, div, type Exact, fraction, mul, reduce, sign, sub } from "../../numbers/exact/rational.ts";
import { exponentsOf } from "../ridge/decomposition.ts";
import { solveExactly } from "../ridge/solve-exactly.ts";

/** All exponents with a sum of at most k. */
export const monomialsUpTo = (variables: number, k: number): readonly Exponents[] =>
  Array.from({ length: k + 1 }, (_, s) => exponentsOf(variables, s)).flat();

/**
 * The mean of x^alpha |x|^a on the ball: prod_i (alpha_i - 1)!! / (n (n+2) ... (n+|alpha|-2)) · n / (n + |alpha| + a).
 * @example ballMoment([2, 0], 0) // 0.25
 */
export function ballMoment(alpha: Exponents, a: Exact = 0): Exact {
  if (alpha.some((e) => e % 2 === 1)) return 0;
  const [n, total] = [alpha.length, alpha.reduce((s, e) => s + e, 0)];
  let [top, bottom] = [BigInt(n), 1n];
  for (const e of alpha) for (let i = e - 1; i > 1; i -= 2) top *= BigInt(i);
  for (let i = 0; i < total; i += 2) bottom *= BigInt(n + i);
  return div(reduce(top, bottom), add(n + total, a));
}

const sumOf = (alpha: Exponents, beta: Exponents): Exponents => alpha.map((e, i) => e + beta[i]!);

/** The mean of p q on the ball. */
export function ballProduct(p: PolynomialTerms, q: PolynomialTerms): Exact {
  let sum: Exact = 0;
  for (const s of p)
    for (const t of q)
      sum = add(sum, mul(mul(s.coefficient, t.coefficient), ballMoment(sumOf(s.exponents, t.exponents))));
  return sum;
}

/** The polynomial of degree at most k nearest to f in L_2, where `moments` are the means of f x^alpha. */
export function nearestPolynomial(
  variables: number,
  k: number,
  moments: (alpha: Exponents) => Exact,
): PolynomialTerms {
  const monomials = monomialsUpTo(variables, k);
  let common = 1n; // makes all moments up to degree 2k whole
  for (let i = 0; i <= 2 * k; i += 2) common *= BigInt(variables + i);
  const gram = monomials.map((alpha) =>
    monomials.map((beta) => fraction(mul(ballMoment(sumOf(alpha, beta)), reduce(common, 1n))).numerator),
  );
  const wanted = monomials.map((alpha) => mul(moments(alpha), reduce(common, 1n)));
  const solution = solveExactly(gram, wanted)!;
  return monomials.map((exponents, i) => ({ coefficient: solution[i]!, exponents }));
}

/** f less its nearest polynomial of degree at most k. */
export function residualOnBall(f: PolynomialTerms, variables: number, k: number): PolynomialTerms {
  const nearest = nearestPolynomial(variables, k, (exponents) =>
    ballProduct(f, [{ coefficient: 1, exponents }]),
  );
  return collected([...f, ...nearest.map((t) => ({ ...t, coefficient: sub(0, t.coefficient) }))]);
}

/**
 * -D p: x^alpha goes to |alpha| (|alpha| + n) x^alpha - sum_i alpha_i (alpha_i - 1) x^(alpha - 2 e_i).
 * @example minusBallOperator([{ coefficient: 1, exponents: [1] }])[0].coefficient // 2
 */
export const minusBallOperator = (p: PolynomialTerms): PolynomialTerms =>
  collected(
    p.flatMap(({ coefficient, exponents }) => {
      const total = exponents.reduce((s, e) => s + e, 0);
      return [
        { coefficient: mul(coefficient, total * (total + exponents.length)), exponents },
        ...exponents.map((e, i) => ({
          coefficient: mul(coefficient, -e * (e - 1)),
          exponents: exponents.map((x, j) => (i === j ? Math.max(0, x - 2) : x)),
        })),
      ];
    }),
  );

function collected(terms: PolynomialTerms): PolynomialTerms {
  const found = new Map<string, PolynomialTerms[number]>();
  for (const { coefficient, exponents } of terms) {
    const before = found.get(String(exponents))?.coefficient ?? 0;
    found.set(String(exponents), { coefficient: add(before, coefficient), exponents });
  }
  return [...found.values()].filter(({ coefficient }) => sign(coefficient) !== 0);
}

/**
 * The squared distance of |x|^a from all polynomials of degree at most k in n variables, over its squared norm: the
 * nearest is a polynomial of |x|^2, and Cauchy's determinant gives prod_{j <= k/2} ((a - 2j) / (a + 2j + n))^2.
 * @example powerDistance(1, 1, 0) // 0.25
 */
export function powerDistance(a: Exact, variables: number, k: number): Exact {
  let product: Exact = 1;
  for (let j = 0; 2 * j <= k; j++) product = mul(product, div(sub(a, 2 * j), add(a, 2 * j + variables)));
  return mul(product, product);
}
