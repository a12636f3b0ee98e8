// Polynomials as sums of univariate polynomials of linear forms (Waring's decomposition), exactly.
import { ConstructError } from "../../functions/error.ts";
import { degree, type Exponents } from "../../networks/monomial.ts";
import { type PolynomialTerms, type Term, variablesOf } from "../../networks/polynomial/terms.ts";
import { add, type Exact, mul, reduce, sign } from "../../numbers/exact/rational.ts";
import { solveExactly } from "./solve-exactly.ts";

/** p(<w, x>) with p(t) = c_0 + c_1 t + ... */
export interface RidgeTerm {
  readonly direction: readonly number[];
  readonly coefficients: readonly Exact[];
}

/**
 * C(n - 1 + k, k): the dimension of the forms of degree k in n variables.
 * @example formDimension(3, 4) // 15
 */
export function formDimension(variables: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (variables - 1 + i)) / i;
  return Math.round(ways);
}

/** All exponents of so many variables with this sum. */
export function exponentsOf(variables: number, total: number): Exponents[] {
  if (variables === 1) return [[total]];
  return Array.from({ length: total + 1 }, (_, k) => total - k).flatMap((head) =>
    exponentsOf(variables - 1, total - head).map((tail) => [head, ...tail]),
  );
}

/**
 * C(n-1+k, k) directions with whole coordinates on which no form of degree k vanishes: the points of a lattice.
 * @example latticeDirections(2, 2) // [[2, 0], [1, 1], [0, 2]]
 */
export const latticeDirections = (variables: number, k: number): number[][] =>
  exponentsOf(variables, k).map((alpha) => [...alpha]);

/**
 * A polynomial as sum_i p_i(<w_i, x>) for given directions with whole coordinates; as many as there are forms of the
 * polynomial's degree, by default those of a lattice. Lower degrees use the first directions that suffice.
 * @example ridgeDecomposition([{ coefficient: 1, exponents: [1, 1] }], [[1, 1], [1, -1], [1, 0]]).length // 2
 */
export function ridgeDecomposition(
  polynomial: PolynomialTerms,
  directions?: readonly (readonly number[])[],
): RidgeTerm[] {
  const variables = variablesOf(polynomial);
  const k = Math.max(0, ...polynomial.map(({ exponents }) => degree(exponents)));
  const ws = directions ?? latticeDirections(variables, k);
  if (ws.length < formDimension(variables, k))
    throw new ConstructError(
      `forms of degree ${k} in ${variables} variables need ${formDimension(variables, k)} directions, not ${ws.length}`,
    );
  if (ws.some((w) => w.length !== variables || !w.every(Number.isSafeInteger)))
    throw new ConstructError(`directions have ${variables} whole coordinates`);
  const coefficients = ws.map(() => new Array<Exact>(k + 1).fill(0));
  for (let s = 0; s <= k; s++) {
    const part = polynomial.filter(({ exponents }) => degree(exponents) === s);
    if (part.length === 0) continue;
    const { chosen, solution } = decomposeForm(variables, s, part, ws);
    chosen.forEach((i, at) => {
      coefficients[i]![s] = solution[at]!;
    });
  }
  return ws
    .map((direction, i) => ({ direction, coefficients: coefficients[i]! }))
    .filter(({ coefficients: cs }) => cs.some((c) => sign(c) !== 0));
}

/** sum_i c_i <w_i, x>^s = the form: an equation for each monomial, s! / alpha! w^alpha its entries. */
function decomposeForm(
  variables: number,
  s: number,
  part: PolynomialTerms,
  ws: readonly (readonly number[])[],
): { readonly chosen: readonly number[]; readonly solution: readonly Exact[] } {
  const monomials = exponentsOf(variables, s);
  const chosen = independentDirections(monomials, ws);
  if (chosen.length < monomials.length)
    throw new ConstructError(`all directions lie on the zeros of a form of degree ${s}: others are needed`);
  const rows = monomials.map((alpha) => chosen.map((i) => entryOf(alpha, ws[i]!)));
  const wanted = monomials.map((alpha) =>
    part.reduce(
      (sum: Exact, t: Term) => (String(t.exponents) === String(alpha) ? add(sum, t.coefficient) : sum),
      0,
    ),
  );
  return { chosen, solution: solveExactly(rows, wanted)! };
}

function entryOf(alpha: Exponents, w: readonly number[]): bigint {
  let [entry, n] = [1n, 0n];
  alpha.forEach((a) => {
    for (let i = 1n; i <= BigInt(a); i++) entry = (entry * ++n) / i;
  });
  alpha.forEach((a, j) => {
    entry *= BigInt(w[j]!) ** BigInt(a);
  });
  return entry;
}

const prime = 2147483629n; // below 2^31; a rank modulo it is at most the true one

/**
 * The dimension of the span of <w_i, x>^s; at most it, if a prime near 2^31 divides a minor by chance.
 * @example ridgeRank(2, [[1, 1], [1, -1], [2, 2]]) // 2
 */
export const ridgeRank = (s: number, directions: readonly (readonly number[])[]): number =>
  independentDirections(exponentsOf(directions[0]?.length ?? 1, s), directions).length;

/** The first directions whose powers are independent, found modulo a prime. */
function independentDirections(
  monomials: readonly Exponents[],
  ws: readonly (readonly number[])[],
): number[] {
  const chosen: number[] = [];
  const basis: { readonly lead: number; readonly row: readonly bigint[] }[] = [];
  for (const [i, w] of ws.entries()) {
    if (chosen.length === monomials.length) break;
    let row = monomials.map((alpha) => modulo(entryOf(alpha, w)));
    for (const { lead, row: other } of basis) {
      const factor = row[lead]!;
      if (factor !== 0n) row = row.map((x, j) => modulo(x - factor * other[j]!));
    }
    const lead = row.findIndex((x) => x !== 0n);
    if (lead < 0) continue;
    const scale = inverseOf(row[lead]!);
    basis.push({ lead, row: row.map((x) => modulo(x * scale)) });
    chosen.push(i);
  }
  return chosen;
}

const modulo = (x: bigint): bigint => ((x % prime) + prime) % prime;

/** x^(p-2) = 1/x. */
function inverseOf(x: bigint): bigint {
  let [result, base, rest] = [1n, x, prime - 2n];
  for (; rest > 0n; rest >>= 1n, base = modulo(base * base)) if (rest & 1n) result = modulo(result * base);
  return result;
}

/**
 * The sum of ridge polynomials, multiplied out.
 * @example expandRidges([{ direction: [1, 1], coefficients: [0, 0, 1] }]).length // 3
 */
export function expandRidges(ridges: readonly RidgeTerm[]): PolynomialTerms {
  const found = new Map<string, Term>();
  for (const { direction, coefficients } of ridges)
    for (const [s, c] of coefficients.entries()) {
      if (sign(c) === 0) continue;
      for (const exponents of exponentsOf(direction.length, s)) {
        const part = mul(c, reduce(entryOf(exponents, direction), 1n));
        const coefficient = add(found.get(String(exponents))?.coefficient ?? 0, part);
        found.set(String(exponents), { coefficient, exponents });
      }
    }
  return [...found.values()].filter(({ coefficient }) => sign(coefficient) !== 0);
}
