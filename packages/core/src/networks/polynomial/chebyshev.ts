// Polynomials in the Chebyshev basis: coefficients that do not cancel, and products that keep to [-1, 1].
import { add, div, type Exact, mul, sign } from "../../numbers/exact/rational.ts";
import type { CircuitBuilder } from "../circuit/circuit.ts";
import { type Form, form, variable } from "../circuit/form.ts";
import type { Exponents } from "../monomial.ts";
import type { PolynomialTerms } from "./terms.ts";

/**
 * A polynomial of t in the basis T_alpha = T_alpha_1(t_1) ... T_alpha_d(t_d), exactly.
 * @example chebyshevTerms(univariate([0, 0, 1])).map((t) => t.coefficient) // [0.5, 0.5]
 */
export function chebyshevTerms(p: PolynomialTerms): PolynomialTerms {
  const total = new Map<string, { coefficient: Exact; exponents: Exponents }>();
  for (const { coefficient, exponents } of p) {
    let parts: { coefficient: Exact; exponents: readonly number[] }[] = [{ coefficient, exponents: [] }];
    for (const exponent of exponents)
      parts = parts.flatMap((part) =>
        powerInBasis(exponent).map(([k, c]) => ({
          coefficient: mul(part.coefficient, c),
          exponents: [...part.exponents, k],
        })),
      );
    for (const { coefficient: c, exponents: e } of parts) {
      const key = e.join(" ");
      total.set(key, { coefficient: add(total.get(key)?.coefficient ?? 0, c), exponents: e });
    }
  }
  return [...total.values()].filter(({ coefficient }) => sign(coefficient) !== 0);
}

/** t^n = 2^(1-n) sum_{j <= n/2} binomial(n, j) T_(n-2j), with half of the term T_0. */
function powerInBasis(n: number): (readonly [k: number, coefficient: Exact])[] {
  const result: (readonly [number, Exact])[] = [];
  let binomial: Exact = 1;
  for (let j = 0; 2 * j <= n; j++) {
    result.push([n - 2 * j, mul(binomial, 2 ** (2 * j === n ? -n : 1 - n))]);
    binomial = div(mul(binomial, n - j), j + 1);
  }
  return result;
}

/** A value that gates read: |value| <= 1, the network's |value| <= bound. */
interface Operand {
  readonly of: Form;
  readonly bound: number;
}

/**
 * Adds the products that make these T_alpha of sources in [-1, 1]: T_2n = 2 T_n^2 - 1, T_(2n+1) = 2 T_n T_(n+1) - T_1,
 * one gate each. Gives each T_alpha as a form of gates and sources, all of size at most 1.
 */
export function addChebyshev(
  builder: CircuitBuilder,
  sources: readonly number[],
  wanted: readonly Exponents[],
): (alpha: Exponents) => Form {
  const products = new ChebyshevProducts(builder, sources);
  const of = (alpha: Exponents): Form =>
    alpha.every((a) => a === 0) ? form([], 1) : products.inAll(alpha).of;
  for (const alpha of wanted) of(alpha);
  return of;
}

/** Makes each product once. */
class ChebyshevProducts {
  readonly #builder: CircuitBuilder;
  readonly #sources: readonly number[];
  readonly #made = new Map<string, Operand>();

  constructor(builder: CircuitBuilder, sources: readonly number[]) {
    this.#builder = builder;
    this.#sources = sources;
  }

  /** T_alpha, not 1: the first of its factors times the product of the others. */
  inAll(alpha: Exponents): Operand {
    const first = alpha.findIndex((a) => a > 0);
    const rest = alpha.map((a, k) => (k === first ? 0 : a));
    if (rest.every((a) => a === 0)) return this.#inOne(alpha[first]!, this.#sources[first]!);
    return this.#once(alpha.join(" "), () => {
      const own = this.#inOne(alpha[first]!, this.#sources[first]!);
      return { of: variable(this.#multiply(own, this.inAll(rest))), bound: 2 };
    });
  }

  /** T_n of one source. */
  #inOne(n: number, source: number): Operand {
    return this.#once(`${source}:${n}`, () => {
      if (n === 1) return { of: variable(source), bound: 1 };
      const above = this.#inOne(Math.ceil(n / 2), source);
      const gate = this.#multiply(above, this.#inOne(Math.floor(n / 2), source));
      // 2 T_n^2 - 1 keeps to [-1, 1] where T_n does; products may err beyond it.
      if (n % 2 === 0) return { of: form([[gate, 2]], -1), bound: above.bound };
      const twiceLessT = [
        [gate, 2],
        [source, -1],
      ] as const;
      return { of: form(twiceLessT), bound: 2 };
    });
  }

  #multiply(x: Operand, y: Operand): number {
    const unit = [-1, 1] as const;
    if (x === y) return this.#builder.add({ kind: "square", of: x.of, bound: x.bound, within: [unit] });
    const [of, bounds] = [[x.of, y.of] as const, [x.bound, y.bound] as const];
    return this.#builder.add({ kind: "product", of, bounds, within: [unit, unit] });
  }

  #once(key: string, make: () => Operand): Operand {
    const known = this.#made.get(key) ?? make();
    this.#made.set(key, known);
    return known;
  }
}
