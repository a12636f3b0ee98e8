// Affine forms constant + sum of coefficient * variable, with exact coefficients; variables are numbered.
import { add, type Exact, mul, sign } from "../../numbers/exact/rational.ts";

export interface Form {
  readonly constant: Exact;
  /** Coefficients that are not zero, by variable. */
  readonly terms: ReadonlyMap<number, Exact>;
}

/**
 * The affine form with these terms [variable, coefficient].
 * @example form([[0, 2], [3, -1]], 5).terms.size // 2
 */
export const form = (terms: Iterable<readonly [number, Exact]> = [], constant: Exact = 0): Form => ({
  constant,
  terms: new Map([...terms].filter(([, coefficient]) => sign(coefficient) !== 0)),
});

/** A variable by itself. */
export const variable = (index: number): Form => form([[index, 1]]);

/**
 * a f + b g + ...
 * @example combine([[2, variable(0)], [1, form([], 3)]]).constant // 3
 */
export function combine(parts: Iterable<readonly [Exact, Form]>): Form {
  let constant: Exact = 0;
  const terms = new Map<number, Exact>();
  for (const [factor, part] of parts) {
    constant = add(constant, mul(factor, part.constant));
    for (const [index, coefficient] of part.terms)
      terms.set(index, add(terms.get(index) ?? 0, mul(factor, coefficient)));
  }
  return form(terms, constant);
}

export const scaled = (f: Form, factor: Exact): Form => combine([[factor, f]]);
export const shifted = (f: Form, by: Exact): Form => ({ ...f, constant: add(f.constant, by) });
/** f without its constant. */
export const linearPart = (f: Form): Form => ({ ...f, constant: 0 });

/** The form with forms put in for its variables. */
export const substitute = (f: Form, of: (index: number) => Form): Form =>
  shifted(combine([...f.terms].map(([index, coefficient]) => [coefficient, of(index)] as const)), f.constant);
