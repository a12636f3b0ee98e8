// What an expression means, in any algebra: numbers, batches of numbers, or nodes of a function graph. Vectors, indices
// and sums over them are taken apart here, so that an algebra knows scalars only.
import { curvedNames } from "../functions/names.ts";
import type { Expression, Factor } from "./formula.ts";
import { atCharacter } from "./tokens.ts";

/** Scalars T with the operations of formulas. */
export interface Algebra<T> {
  number(value: number): T;
  constant(name: "pi" | "e"): T;
  variable(name: string): T | undefined;
  sum(terms: readonly { readonly negative: boolean; readonly of: T }[]): T;
  product(factors: readonly { readonly inverse: boolean; readonly of: T }[]): T;
  power(base: T, exponent: T): T;
  call(name: FunctionName, arg: T): T;
  extreme(name: "max" | "min", a: T, b: T): T;
}

export const functionNames = [...curvedNames, "abs", "relu"] as const;
export type FunctionName = (typeof functionNames)[number];
const isFunction = (name: string): name is FunctionName =>
  (functionNames as readonly string[]).includes(name);
const others = ["max", "min", "pow", "sum", "prod", "dot", "norm", "square", "cube"] as const;

type Meaning<T> = T | readonly T[];
type Indices = ReadonlyMap<string, number>;
const mostTerms = 100_000;
/** Sums inside of sums multiply. */
const mostParts = 2_000_000;

/** Elaborates one expression; errors say where in the formula they are. */
export class Elaboration<T> {
  readonly #algebra: Algebra<T>;
  readonly #variables: ReadonlySet<string>;
  #parts = 0;

  constructor(algebra: Algebra<T>, variables: Iterable<string>) {
    this.#algebra = algebra;
    this.#variables = new Set(variables);
  }

  scalar(expression: Expression, indices: Indices = new Map()): T {
    const meaning = this.#meaning(expression, indices);
    if (Array.isArray(meaning))
      throw atCharacter(
        expression.at,
        "here is a vector where one number is needed; try sum(...) or norm(...)",
      );
    return meaning as T;
  }

  #meaning(e: Expression, indices: Indices): Meaning<T> {
    if (++this.#parts > mostParts)
      throw atCharacter(e.at, `written out, the formula has more than ${mostParts} parts`);
    switch (e.kind) {
      case "number":
        return this.#algebra.number(e.value);
      case "name":
        return this.#name(e.name, e.at, indices);
      case "index":
        return this.#indexed(e, indices);
      case "vector":
        return e.entries.flatMap((entry) => this.#meaning(entry, indices) as T | T[]);
      case "range":
        throw atCharacter(e.at, "a range belongs into an index: x[1:8]");
      case "sum":
        return this.#sum(e, indices);
      case "product":
        return this.#product(e, indices);
      case "power": {
        const [base, exponent] = [this.#meaning(e.base, indices), this.scalar(e.exponent, indices)];
        if (!Array.isArray(base)) return this.#algebra.power(base as T, exponent);
        if (!e.elementwise) throw atCharacter(e.at, "the power of a vector, entry by entry, is written .^");
        return base.map((b) => this.#algebra.power(b as T, exponent));
      }
      case "call":
        return this.#call(e, indices);
    }
  }

  #name(name: string, at: number, indices: Indices): T {
    const index = indices.get(name);
    if (index !== undefined) return this.#algebra.number(index);
    const variable = this.#algebra.variable(this.#subscripted(name, indices));
    if (variable !== undefined) return variable;
    if (name === "pi" || name === "e") return this.#algebra.constant(name);
    const known = [...this.#variables];
    const shown = known.length > 6 ? [...known.slice(0, 4), "...", known.at(-1)] : known;
    const hint = isFunction(name)
      ? `${name} is a function: write ${name}(...)`
      : `the box gives no range for it`;
    throw atCharacter(at, `"${name}": ${hint} (variables: ${shown.join(", ") || "none"})`);
  }

  /** `x_i` with an index i of a sum is the variable x3 or x_3, whichever the box has. */
  #subscripted(name: string, indices: Indices): string {
    if (this.#variables.has(name)) return name;
    const [, base, index] = /^(.+)_([^_]+)$/.exec(name) ?? [];
    const value = index === undefined ? undefined : indices.get(index);
    return value === undefined ? name : this.#element(base!, value);
  }

  #element(base: string, index: number): string {
    return this.#variables.has(`${base}_${index}`) ? `${base}_${index}` : `${base}${index}`;
  }

  #indexed({ name, index, at }: Expression & { kind: "index" }, indices: Indices): Meaning<T> {
    const element = (k: number): T => {
      const variable = this.#algebra.variable(this.#element(name, k));
      if (variable === undefined)
        throw atCharacter(at, `"${name}[${k}]": the box has no variable "${name}${k}"`);
      return variable;
    };
    if (index.kind !== "range") return element(this.#integer(index, indices));
    const [from, to] = [this.#integer(index.from, indices), this.#integer(index.to, indices)];
    this.#checkCount(from, to, at);
    return Array.from({ length: to - from + 1 }, (_, k) => element(from + k));
  }

  #checkCount(from: number, to: number, at: number): void {
    if (to - from + 1 > mostTerms)
      throw atCharacter(at, `from ${from} to ${to} are more than ${mostTerms} terms`);
    if (to < from) throw atCharacter(at, `there is nothing from ${from} to ${to}`);
  }

  #integer(e: Expression, indices: Indices): number {
    const value = new Elaboration(doubles, []).scalar(e, indices);
    if (!Number.isSafeInteger(value)) throw atCharacter(e.at, `an index is a whole number, not ${value}`);
    return value;
  }

  #sum({ terms, at }: Expression & { kind: "sum" }, indices: Indices): Meaning<T> {
    const parts = terms.map(({ negative, of }) => ({ negative, of: this.#meaning(of, indices) }));
    const combine = (scalars: readonly { negative: boolean; of: T }[]): T => this.#algebra.sum(scalars);
    return entrywise(parts, at, "added", combine);
  }

  #product({ factors, at }: Expression & { kind: "product" }, indices: Indices): Meaning<T> {
    const parts = factors.map((f) => ({ ...f, of: this.#meaning(f.of, indices) }));
    const vectors = parts.filter((p) => Array.isArray(p.of));
    const plain = vectors.length > 1 && parts.some((p, k) => k > 0 && !p.elementwise && Array.isArray(p.of));
    if (plain || vectors.some((v) => v.inverse && !v.elementwise))
      throw atCharacter(at, "a product of vectors is dot(a, b), or entry by entry a .* b and a ./ b");
    const combine = (scalars: readonly (Factor & { of: T })[]): T => this.#algebra.product(scalars);
    return entrywise(parts as never, at, "multiplied", combine as never);
  }

  #call(e: Expression & { kind: "call" }, indices: Indices): Meaning<T> {
    const { name, args, at } = e;
    if ((name === "sum" || name === "prod") && args.length === 4 && args[0]!.kind === "name")
      return this.#overIndex(e, indices);
    if (isFunction(name)) {
      if (args.length !== 1) throw atCharacter(at, `${name} takes one argument, not ${args.length}`);
      const arg = this.#meaning(args[0]!, indices);
      return Array.isArray(arg)
        ? arg.map((a) => this.#algebra.call(name, a as T))
        : this.#algebra.call(name, arg as T);
    }
    const given = args.map((a) => this.#meaning(a, indices));
    const flat = given.flat() as T[];
    const times = (...of: T[]): T => this.#algebra.product(of.map((f) => ({ inverse: false, of: f })));
    const plus = (of: readonly T[]): T => this.#algebra.sum(of.map((t) => ({ negative: false, of: t })));
    const need = (ok: boolean, what: string): void => {
      if (!ok) throw atCharacter(at, `${name} takes ${what}`);
    };
    switch (name as (typeof others)[number]) {
      case "max":
      case "min":
        need(flat.length > 0, "at least one argument");
        return balanced(flat, (a, b) => this.#algebra.extreme(name as "max" | "min", a, b));
      case "sum":
        need(flat.length > 0, "at least one argument, or (index, from, to, term)");
        return plus(flat);
      case "prod":
        need(flat.length > 0, "at least one argument, or (index, from, to, factor)");
        return times(...flat);
      case "pow":
        need(flat.length === 2 && given.length === 2, "a base and an exponent");
        return this.#algebra.power(flat[0]!, flat[1]!);
      case "square":
      case "cube":
        need(flat.length === 1, "one argument");
        return this.#algebra.power(flat[0]!, this.#algebra.number(name === "square" ? 2 : 3));
      case "norm":
        return this.#algebra.call(
          "sqrt",
          plus(flat.map((v) => this.#algebra.power(v, this.#algebra.number(2)))),
        );
      case "dot": {
        const [a, b] = given.map((g) => (Array.isArray(g) ? (g as T[]) : [g as T]));
        need(given.length === 2 && a!.length === b!.length, "two vectors of the same length");
        return plus(a!.map((v, k) => times(v, b![k]!)));
      }
      default:
        throw atCharacter(
          at,
          `there is no function "${name}"; there are ${[...functionNames, ...others].join(", ")}`,
        );
    }
  }

  /** sum(i, 1, 8, x[i]^2): the index counts from the second to the third argument. */
  #overIndex({ name, args, at }: Expression & { kind: "call" }, indices: Indices): T {
    const index = (args[0] as Expression & { kind: "name" }).name;
    const [from, to] = [this.#integer(args[1]!, indices), this.#integer(args[2]!, indices)];
    this.#checkCount(from, to, at);
    const parts = Array.from({ length: to - from + 1 }, (_, k) =>
      this.scalar(args[3]!, new Map([...indices, [index, from + k]])),
    );
    return name === "sum"
      ? this.#algebra.sum(parts.map((of) => ({ negative: false, of })))
      : this.#algebra.product(parts.map((of) => ({ inverse: false, of })));
  }
}

/** One result for each entry where vectors are among the parts; a scalar goes with every entry. */
function entrywise<T, P extends { readonly of: Meaning<T> }>(
  parts: readonly P[],
  at: number,
  what: string,
  combine: (scalars: readonly (P & { readonly of: T })[]) => T,
): Meaning<T> {
  const lengths = parts.flatMap((p) => (Array.isArray(p.of) ? [p.of.length] : []));
  if (lengths.length === 0) return combine(parts as never);
  if (lengths.some((n) => n !== lengths[0]))
    throw atCharacter(at, `vectors of ${[...new Set(lengths)].join(" and ")} entries cannot be ${what}`);
  return Array.from({ length: lengths[0]! }, (_, k) =>
    combine(parts.map((p) => ({ ...p, of: Array.isArray(p.of) ? p.of[k]! : p.of })) as never),
  );
}

/** A tree of depth log2 n. */
export function balanced<T>(values: readonly T[], join: (a: T, b: T) => T): T {
  if (values.length === 1) return values[0]!;
  const half = Math.ceil(values.length / 2);
  return balanced(
    Array.from({ length: half }, (_, k) =>
      2 * k + 1 < values.length ? join(values[2 * k]!, values[2 * k + 1]!) : values[2 * k]!,
    ),
    join,
  );
}

/** Plain numbers, for indices. */
const doubles: Algebra<number> = {
  number: (value) => value,
  constant: (name) => (name === "pi" ? Math.PI : Math.E),
  variable: () => undefined,
  sum: (terms) => terms.reduce((s, { negative, of }) => (negative ? s - of : s + of), 0),
  product: (factors) => factors.reduce((p, { inverse, of }) => (inverse ? p / of : p * of), 1),
  power: (a, b) => a ** b,
  call: () => Number.NaN,
  extreme: (name, a, b) => Math[name](a, b),
};
