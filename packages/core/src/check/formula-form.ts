// Sums of nodes with coefficients, and the table of nodes that a formula needs. The rules are identities of real
// functions; that they are applied in a fixed order makes the nodes of a formula the same ones wherever they are made.

import type { UnivariateName } from "../functions/names.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import type { CertificateNode } from "./certificate.ts";
import { Refutation } from "./error.ts";
import { enclosureOf } from "./functions.ts";

export interface FormulaNode {
  readonly op: CertificateNode["op"];
  readonly args: readonly number[];
  readonly name?: string;
  readonly exponent?: number;
  readonly coefficients?: readonly Interval[];
  readonly constant?: Interval;
}

/** constant + sum of coefficients times nodes. */
export interface Form {
  readonly constant: Interval;
  readonly terms: ReadonlyMap<number, Interval>;
}
export interface Factor {
  readonly isInverse: boolean;
  readonly of: Form;
}

export const constantForm = (constant: Interval): Form => ({ constant, terms: new Map() });
const is = ({ lower, upper }: Interval, x: number): boolean => lower === x && upper === x;
const isConstant = ({ terms }: Form): boolean => terms.size === 0;
const mostExponent = 1024;

export function combination(parts: readonly { readonly scale: Interval; readonly of: Form }[]): Form {
  let constant = I.point(0);
  const terms = new Map<number, Interval>();
  for (const { scale, of } of parts) {
    constant = I.add(constant, I.mul(scale, of.constant));
    for (const [id, c] of of.terms) {
      const scaled = I.mul(scale, c);
      terms.set(id, terms.has(id) ? I.add(terms.get(id)!, scaled) : scaled);
    }
  }
  for (const [id, c] of terms) if (is(c, 0)) terms.delete(id);
  return { constant, terms };
}

/** Pairs of neighbours, then pairs of pairs. */
export function paired<T>(values: readonly T[], join: (a: T, b: T) => T): T {
  let level = [...values];
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, k) =>
      2 * k + 1 < level.length ? join(level[2 * k]!, level[2 * k + 1]!) : level[2 * k]!,
    );
  return level[0]!;
}

/** The nodes of a formula, equal ones once. */
export class NodeTable {
  readonly nodes: FormulaNode[] = [];
  readonly #known = new Map<string, number>();

  add(node: FormulaNode): number {
    const bounds = [...(node.constant ? [node.constant] : []), ...(node.coefficients ?? [])];
    const numbers = bounds.flatMap(({ lower, upper }) => [lower, upper]);
    const key = [node.op, ...node.args, node.name ?? "", node.exponent ?? "", ...numbers].join(" ");
    const known = this.#known.get(key) ?? this.nodes.push(node) - 1;
    this.#known.set(key, known);
    return known;
  }

  form(id: number): Form {
    const { op, args, coefficients, constant } = this.nodes[id]!;
    if (op !== "affine") return { constant: I.point(0), terms: new Map([[id, I.point(1)]]) };
    return { constant: constant!, terms: new Map(args.map((a, k) => [a, coefficients![k]!])) };
  }

  node(form: Form): number {
    const { factor, id } = this.#factored(form);
    if (id !== undefined && is(factor, 1)) return id;
    const sorted = [...form.terms].sort((a, b) => a[0] - b[0]);
    const [args, coefficients] = [sorted.map(([a]) => a), sorted.map(([, c]) => c)];
    return this.add({ op: "affine", args, coefficients, constant: form.constant });
  }

  /** factor times node, where the form is no more than that. */
  #factored({ constant, terms }: Form): { readonly factor: Interval; readonly id?: number } {
    const [[id, factor]] = [...terms, [undefined, constant]] as [[number | undefined, Interval]];
    return terms.size === 1 && is(constant, 0) ? { factor, id: id! } : { factor: I.point(1) };
  }

  #split(form: Form): { readonly factor: Interval; readonly id?: number } {
    if (isConstant(form)) return { factor: form.constant };
    const found = this.#factored(form);
    return found.id === undefined ? { factor: I.point(1), id: this.node(form) } : found;
  }

  sum(terms: readonly { readonly negative: boolean; readonly of: Form }[]): Form {
    return combination(terms.map(({ negative, of }) => ({ scale: I.point(negative ? -1 : 1), of })));
  }

  /** Equal factors become powers, exponentials add their arguments, constants go before the product. */
  product(factors: readonly Factor[]): Form {
    let scale = I.point(1);
    const counts = [new Map<number, number>(), new Map<number, number>()] as const;
    let exponent: Form | undefined;
    for (const { isInverse, of } of factors) {
      const { factor, id } = this.#split(of);
      scale = isInverse ? defined("1/x", () => I.div(scale, factor)) : I.mul(scale, factor);
      if (id === undefined) continue;
      const { op, args } = this.nodes[id]!;
      const count = counts[isInverse ? 1 : 0];
      if (op !== "exp") count.set(id, (count.get(id) ?? 0) + 1);
      else
        exponent = combination([
          ...(exponent ? [{ scale: I.point(1), of: exponent }] : []),
          { scale: I.point(isInverse ? -1 : 1), of: this.form(args[0]!) },
        ]);
    }
    const parts = [
      ...[...counts[0]].map(([id, n]) => this.#integerPower(id, n)),
      ...[...counts[1]].map(([id, n]) => this.#integerPower(id, -n)),
      ...(exponent ? [this.call("exp", exponent)] : []),
    ];
    for (const part of parts) if (isConstant(part)) scale = I.mul(scale, part.constant);
    const split = parts.filter((p) => !isConstant(p)).map((p) => this.#split(p));
    for (const { factor } of split) scale = I.mul(scale, factor);
    if (split.length === 0) return constantForm(scale);
    const id = paired(
      split.map((p) => p.id!),
      (a, b) => this.#times(a, b),
    );
    return combination([{ scale, of: this.form(id) }]);
  }

  #times(a: number, b: number): number {
    return a === b
      ? this.add({ op: "square", args: [a] })
      : this.add({ op: "product", args: [Math.min(a, b), Math.max(a, b)] });
  }

  /** A constant exponent is the double nearest to it; any other is taken to e^(y log x). */
  power(base: Form, exponent: Form): Form {
    if (!isConstant(exponent)) {
      const log = isConstant(base)
        ? constantForm(defined("log", () => I.log(base.constant)))
        : this.call("log", base);
      return this.call("exp", this.product([exponent, log].map((of) => ({ isInverse: false, of }))));
    }
    if (isConstant(base)) return constantForm(defined("^", () => I.pow(base.constant, exponent.constant)));
    const { lower, upper } = exponent.constant;
    const p = lower === upper ? lower : (lower + upper) / 2;
    if (Math.abs(p) > mostExponent)
      throw new Refutation("the formula", `the exponent ${p} is beyond ${mostExponent}`);
    if (p === 0) return constantForm(I.point(1));
    if (p === 0.5) return this.call("sqrt", base);
    if (!Number.isInteger(p)) return this.#unary("power", this.node(base), p);
    const { factor, id } = this.#split(base);
    return combination([{ scale: I.pow(factor, I.point(p)), of: this.#integerPower(id!, p) }]);
  }

  #integerPower(id: number, n: number): Form {
    if (n === 1) return this.form(id);
    if (n === 2) return this.form(this.add({ op: "square", args: [id] }));
    return n === -1 ? this.#reciprocal(id) : this.#unary("power", id, n);
  }

  /** 1 / (1 + e^v) = sigmoid(-v). */
  #reciprocal(id: number): Form {
    const { constant, terms } = this.form(id);
    const [[of, factor]] = [...terms, [id, constant]] as [[number, Interval]];
    const { op, args } = this.nodes[of]!;
    if (op !== "exp" || terms.size !== 1 || !is(constant, 1) || !is(factor, 1))
      return this.#unary("reciprocal", id);
    return this.call("sigmoid", combination([{ scale: I.point(-1), of: this.form(args[0]!) }]));
  }

  #unary(op: UnivariateName, id: number, exponent?: number): Form {
    return this.form(this.add({ op, args: [id], ...(exponent === undefined ? {} : { exponent }) }));
  }

  call(name: UnivariateName | "abs" | "relu", arg: Form): Form {
    if (name === "relu") return this.extreme("max", arg, constantForm(I.point(0)));
    if (isConstant(arg))
      return constantForm(
        name === "abs" ? I.abs(arg.constant) : defined(name, () => enclosureOf({ op: name }, arg.constant)),
      );
    if (name !== "abs") return this.#unary(name, this.node(arg));
    const { factor, id } = this.#split(arg);
    return combination([{ scale: I.abs(factor), of: this.form(this.add({ op: "abs", args: [id!] })) }]);
  }

  extreme(op: "max" | "min", a: Form, b: Form): Form {
    if (isConstant(a) && isConstant(b))
      return constantForm((op === "max" ? I.max : I.min)(a.constant, b.constant));
    const args = [this.node(a), this.node(b)] as const;
    return args[0] === args[1] ? a : this.form(this.add({ op, args }));
  }
}

function defined(what: string, compute: () => Interval): Interval {
  try {
    const found = compute();
    if (Number.isFinite(found.lower) && Number.isFinite(found.upper)) return found;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new Refutation("the formula", `${what} of a constant has no value`);
}
