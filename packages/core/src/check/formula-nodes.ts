// What a formula's expression means, as nodes: vectors, indices, sums and products over them are taken apart.

import { type Expression, parseFormula } from "../formula/formula.ts";
import type { UnivariateName } from "../functions/names.ts";
import * as I from "../numbers/interval/index.ts";
import { Refutation } from "./error.ts";
import { constantForm, type Form, type FormulaNode, NodeTable, paired } from "./formula-form.ts";

type Meaning = Form | readonly Form[];
type Indices = ReadonlyMap<string, number>;

/** Doubles next to pi and e: both are a little above. */
const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };
const functions: ReadonlySet<string> = new Set(
  "sqrt exp log sin cos tan asin acos atan sinh cosh tanh erf sigmoid abs relu".split(" "),
);
const mostTerms = 100_000;
/** Sums inside of sums multiply. */
const mostParts = 2_000_000;
const refuse = (reason: string): Refutation => new Refutation("the formula", reason);
const isVector = (m: Meaning): m is readonly Form[] => Array.isArray(m);
const factor = (of: Form) => ({ isInverse: false, of });
const term = (of: Form) => ({ negative: false, of });

class Reading {
  readonly table = new NodeTable();
  readonly #variables: ReadonlyMap<string, number>;
  #parts = 0;

  constructor(variables: readonly string[]) {
    this.#variables = new Map(
      variables.map((name) => [name, this.table.add({ op: "variable", args: [], name })]),
    );
  }

  scalar(e: Expression, indices: Indices = new Map()): Form {
    const meaning = this.#meaning(e, indices);
    if (isVector(meaning)) throw refuse("it is a vector where one number is needed");
    return meaning;
  }

  #meaning(e: Expression, indices: Indices): Meaning {
    if (++this.#parts > mostParts) throw refuse(`written out, the formula has more than ${mostParts} parts`);
    const { table } = this;
    switch (e.kind) {
      case "number":
        return constantForm(I.point(e.value));
      case "name":
        return this.#named(e.name, indices);
      case "index":
        return this.#indexed(e, indices);
      case "vector":
        return e.entries.flatMap((entry) => this.#meaning(entry, indices));
      case "range":
        throw refuse("a range stands outside of an index");
      case "sum":
        return entrywise(
          e.terms.map((t) => this.#meaning(t.of, indices)),
          (of) => table.sum(of.map((f, k) => ({ negative: e.terms[k]!.negative, of: f }))),
        );
      case "product":
        return this.#product(e, indices);
      case "power": {
        const [base, exponent] = [this.#meaning(e.base, indices), this.scalar(e.exponent, indices)];
        if (isVector(base) && !e.elementwise) throw refuse("a vector is raised to a power");
        return isVector(base) ? base.map((b) => table.power(b, exponent)) : table.power(base, exponent);
      }
      case "call":
        return this.#call(e, indices);
    }
  }

  /** Vectors are multiplied entry by entry, where .* and ./ say so. */
  #product({ factors }: Expression & { kind: "product" }, indices: Indices): Meaning {
    const parts = factors.map((f) => this.#meaning(f.of, indices));
    const vectors = factors.filter((_, k) => isVector(parts[k]!));
    const plain = factors.some((f, k) => isVector(parts[k]!) && !f.elementwise && (f.inverse || k > 0));
    if (plain && (vectors.length > 1 || vectors[0]!.inverse))
      throw refuse("vectors are multiplied without .* and ./");
    return entrywise(parts, (of) =>
      this.table.product(of.map((f, k) => ({ isInverse: factors[k]!.inverse, of: f }))),
    );
  }

  /** An index, a variable, `x_i` with an index i, or a constant. */
  #named(name: string, indices: Indices): Form {
    const index = indices.get(name);
    if (index !== undefined) return constantForm(I.point(index));
    const [, base, subscript] = /^(.+)_([^_]+)$/.exec(name) ?? [];
    const place = subscript === undefined ? undefined : indices.get(subscript);
    const id = this.#variables.get(name) ?? (place === undefined ? undefined : this.#element(base!, place));
    if (id !== undefined) return this.table.form(id);
    const value = Object.hasOwn(constants, name) ? constants[name] : undefined;
    if (value === undefined) throw refuse(`the box has no variable "${name}"`);
    return constantForm({ lower: value, upper: value + 2 ** -51 });
  }

  #element(base: string, index: number): number | undefined {
    return this.#variables.get(`${base}${index}`) ?? this.#variables.get(`${base}_${index}`);
  }

  #indexed({ name, index }: Expression & { kind: "index" }, indices: Indices): Meaning {
    const element = (k: number): Form => {
      const id = this.#element(name, k);
      if (id === undefined) throw refuse(`the box has no variable "${name}${k}"`);
      return this.table.form(id);
    };
    if (index.kind !== "range") return element(integer(index, indices));
    return counted(integer(index.from, indices), integer(index.to, indices)).map(element);
  }

  #call({ name, args }: Expression & { kind: "call" }, indices: Indices): Meaning {
    const { table } = this;
    const [first] = args;
    if ((name === "sum" || name === "prod") && args.length === 4 && first?.kind === "name") {
      const values = counted(integer(args[1]!, indices), integer(args[2]!, indices)).map((k) =>
        this.scalar(args[3]!, new Map([...indices, [first.name, k]])),
      );
      return name === "sum" ? table.sum(values.map(term)) : table.product(values.map(factor));
    }
    const given = args.map((a) => this.#meaning(a, indices));
    if (functions.has(name)) {
      const call = (f: Form): Form => table.call(name as UnivariateName | "abs" | "relu", f);
      if (given.length !== 1) throw refuse(`${name} takes one argument`);
      return isVector(given[0]!) ? given[0].map(call) : call(given[0]!);
    }
    return this.#ofSeveral(name, given, given.flat());
  }

  #ofSeveral(name: string, given: readonly Meaning[], all: readonly Form[]): Form {
    const { table } = this;
    const number = (x: number): Form => constantForm(I.point(x));
    if (all.length === 0) throw refuse(`${name} has no arguments`);
    const [a, b] = given.map((g) => (isVector(g) ? g : [g]));
    const isPair = given.length === 2 && a!.length === b!.length;
    if (name === "max" || name === "min") return paired(all, (x, y) => table.extreme(name, x, y));
    if (name === "sum") return table.sum(all.map(term));
    if (name === "prod") return table.product(all.map(factor));
    if (name === "square" && all.length === 1) return table.power(all[0]!, number(2));
    if (name === "cube" && all.length === 1) return table.power(all[0]!, number(3));
    if (name === "norm")
      return table.call("sqrt", table.sum(all.map((v) => term(table.power(v, number(2))))));
    if (name === "pow" && isPair && all.length === 2) return table.power(all[0]!, all[1]!);
    if (name === "dot" && isPair)
      return table.sum(a!.map((v, k) => term(table.product([factor(v), factor(b![k]!)]))));
    throw refuse(`there is no function "${name}" of ${all.length} numbers`);
  }
}

/** One result for each entry, where vectors of one length are among the parts. */
function entrywise(parts: readonly Meaning[], combine: (of: readonly Form[]) => Form): Meaning {
  const lengths = new Set(parts.flatMap((p) => (isVector(p) ? [p.length] : [])));
  if (lengths.size > 1) throw refuse("vectors of different lengths meet");
  const [length] = lengths;
  const at = (k: number): readonly Form[] => parts.map((p) => (isVector(p) ? p[k]! : p));
  return length === undefined ? combine(at(0)) : Array.from({ length }, (_, k) => combine(at(k)));
}

function counted(from: number, to: number): readonly number[] {
  if (to < from || to - from >= mostTerms) throw refuse(`from ${from} to ${to} is no range`);
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
}

/** Indices in plain numbers. */
function integer(e: Expression, indices: Indices): number {
  const value = numberOf(e, indices);
  if (!Number.isSafeInteger(value)) throw refuse(`an index is ${value}`);
  return value;
}

function numberOf(e: Expression, indices: Indices): number {
  const of = (inner: Expression): number => numberOf(inner, indices);
  switch (e.kind) {
    case "number":
      return e.value;
    case "name":
      return indices.get(e.name) ?? Number.NaN;
    case "sum":
      return e.terms.reduce((s, t) => (t.negative ? s - of(t.of) : s + of(t.of)), 0);
    case "product":
      return e.factors.reduce((p, f) => (f.inverse ? p / of(f.of) : p * of(f.of)), 1);
    case "power":
      return of(e.base) ** of(e.exponent);
    default:
      return Number.NaN;
  }
}

/** Nodes, each after its arguments, and the one that is the formula. */
export interface FormulaNodes {
  readonly nodes: readonly FormulaNode[];
  readonly output: number;
}

/** All nodes that a formula mentions, those too that come to nothing: log x in 0 log x. */
export function readFormula(formula: string, variables: readonly string[]): FormulaNodes {
  const reading = new Reading(variables);
  const output = reading.table.node(reading.scalar(parseFormula(formula)));
  return { nodes: reading.table.nodes, output };
}

/** Those that the formula's value depends on, and the variables. */
export function pruned({ nodes, output }: FormulaNodes): FormulaNodes {
  const needed = new Set([output]);
  for (let id = nodes.length - 1; id >= 0; id--) {
    if (nodes[id]!.op === "variable") needed.add(id);
    if (needed.has(id)) for (const arg of nodes[id]!.args) needed.add(arg);
  }
  const place = new Map([...needed].sort((a, b) => a - b).map((id, k) => [id, k]));
  const kept = nodes.filter((_, id) => needed.has(id));
  return {
    nodes: kept.map((node) => ({ ...node, args: node.args.map((a) => place.get(a)!) })),
    output: place.get(output)!,
  };
}

/**
 * The nodes of a formula in these variables, and the one that is the formula.
 * @example formulaNodes("(x + 1)^2", ["x"]).nodes.map((node) => node.op) // ["variable", "affine", "square"]
 */
export const formulaNodes = (formula: string, variables: readonly string[]): FormulaNodes =>
  pruned(readFormula(formula, variables));
