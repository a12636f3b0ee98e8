// Formulas as forms over nodes, with the simplifications that save units: sums merge, constants fold, equal factors
// become powers, exponentials multiply by adding.

import type { UnivariateName } from "../functions/names.ts";
import { univariateFunction } from "../functions/univariate.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import { type Algebra, balanced, type FunctionName } from "./elaborate.ts";
import { CompileError } from "./error.ts";
import { combine, constantForm, type Form, isConstant, type NodeBuilder } from "./nodes.ts";

const piEnclosure: Interval = { lower: Math.PI, upper: Math.PI + 2 ** -51 };
/** Math.E is below e = 2.718281828459045235... */
const eEnclosure: Interval = { lower: Math.E, upper: Math.E + 2 ** -51 };
const isPointAt = (x: Interval, value: number): boolean => x.lower === value && x.upper === value;
const greatestExponent = 1024;

export class FormAlgebra implements Algebra<Form> {
  readonly #builder: NodeBuilder;
  readonly #variables: ReadonlyMap<string, number>;
  /** Names of variables that the formula has. */
  readonly used = new Set<string>();

  constructor(builder: NodeBuilder, variables: ReadonlyMap<string, number>) {
    this.#builder = builder;
    this.#variables = variables;
  }

  number(value: number): Form {
    return constantForm(I.point(value));
  }

  constant(name: "pi" | "e"): Form {
    return constantForm(name === "pi" ? piEnclosure : eEnclosure);
  }

  variable(name: string): Form | undefined {
    const id = this.#variables.get(name);
    this.used.add(name);
    return id === undefined ? undefined : this.#builder.form(id);
  }

  sum(terms: readonly { readonly negative: boolean; readonly of: Form }[]): Form {
    return combine(terms.map(({ negative, of }) => ({ scale: I.point(negative ? -1 : 1), form: of })));
  }

  product(factors: readonly { readonly inverse: boolean; readonly of: Form }[]): Form {
    let scale = I.point(1);
    const powers = new Map<number, number>();
    const inverses = new Map<number, number>();
    let exponents: Form | undefined;
    for (const { inverse, of } of factors) {
      const { factor, id } = this.#split(of);
      scale = inverse ? folded(() => I.div(scale, factor), "1/x") : I.mul(scale, factor);
      if (id === undefined) continue;
      const node = this.#builder.nodes[id]!;
      if (node.op === "exp") {
        const form = this.#builder.form(node.args[0]!);
        exponents = combine([
          ...(exponents ? [{ scale: I.point(1), form: exponents }] : []),
          { scale: I.point(inverse ? -1 : 1), form },
        ]);
      } else {
        const counts = inverse ? inverses : powers;
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
    const parts = [
      ...[...powers].map(([id, n]) => this.#integerPower(id, n)),
      ...[...inverses].map(([id, n]) => this.#integerPower(id, -n)),
      ...(exponents ? [this.call("exp", exponents)] : []),
    ];
    for (const part of parts) if (isConstant(part)) scale = I.mul(scale, part.constant);
    const ids = parts.filter((p) => !isConstant(p)).map((p) => this.#split(p));
    for (const { factor } of ids) scale = I.mul(scale, factor);
    if (ids.length === 0) return constantForm(scale);
    const id = balanced(
      ids.map((p) => p.id!),
      (a, b) =>
        a === b ? this.#square(a) : this.#builder.add({ op: "product", args: a < b ? [a, b] : [b, a] }),
    );
    return scaled(scale, this.#builder.form(id));
  }

  power(base: Form, exponent: Form): Form {
    if (!isConstant(exponent)) {
      const logarithm = isConstant(base)
        ? constantForm(folded(() => I.log(base.constant), "log"))
        : this.call("log", base);
      return this.call(
        "exp",
        this.product([
          { inverse: false, of: exponent },
          { inverse: false, of: logarithm },
        ]),
      );
    }
    if (isConstant(base)) return constantForm(folded(() => I.pow(base.constant, exponent.constant), "^"));
    // A constant exponent that is no double (1/3) stands for the double in the middle of its enclosure.
    const p = middle(exponent.constant);
    if (Math.abs(p) > greatestExponent)
      throw new CompileError(`the exponent ${p} is beyond ${greatestExponent}`);
    if (p === 0) return this.number(1);
    if (p === 0.5) return this.call("sqrt", base);
    if (!Number.isInteger(p)) return this.#unary("power", this.#builder.node(base), p);
    const { factor, id } = this.#split(base);
    return scaled(I.pow(factor, I.point(p)), this.#integerPower(id!, p));
  }

  call(name: FunctionName, arg: Form): Form {
    if (name === "relu") return this.extreme("max", arg, this.number(0));
    if (isConstant(arg)) {
      const value =
        name === "abs"
          ? I.abs(arg.constant)
          : folded(() => univariateFunction(name).enclosure(arg.constant), name);
      return constantForm(value);
    }
    if (name !== "abs") return this.#unary(name, this.#builder.node(arg));
    const { factor, id } = this.#split(arg);
    return scaled(I.abs(factor), this.#builder.form(this.#builder.add({ op: "abs", args: [id!] })));
  }

  extreme(name: "max" | "min", a: Form, b: Form): Form {
    if (isConstant(a) && isConstant(b))
      return constantForm((name === "max" ? I.max : I.min)(a.constant, b.constant));
    const [first, second] = [this.#builder.node(a), this.#builder.node(b)];
    if (first === second) return a;
    return this.#builder.form(this.#builder.add({ op: name, args: [first, second] }));
  }

  /** A form as a factor times one node; the node alone where nothing but a factor stands before it. */
  #split(form: Form): { readonly factor: Interval; readonly id: number | undefined } {
    if (isConstant(form)) return { factor: form.constant, id: undefined };
    const [[id, factor]] = [...form.terms] as [[number, Interval]];
    return form.terms.size === 1 && isPointAt(form.constant, 0)
      ? { factor, id }
      : { factor: I.point(1), id: this.#builder.node(form) };
  }

  #square(id: number): number {
    return this.#builder.add({ op: "square", args: [id] });
  }

  #integerPower(id: number, n: number): Form {
    if (n === 1) return this.#builder.form(id);
    if (n === 2) return this.#builder.form(this.#square(id));
    if (n !== -1) return this.#unary("power", id, n);
    const exponent = this.#exponentBesideOne(id);
    return exponent ? this.call("sigmoid", scaled(I.point(-1), exponent)) : this.#unary("reciprocal", id);
  }

  /** v, if a node is 1 + exp(v): its reciprocal is sigmoid(-v), which is never large. */
  #exponentBesideOne(id: number): Form | undefined {
    const { constant, terms } = this.#builder.form(id);
    const [[of, weight] = [id, I.point(0)]] = terms;
    const inner = this.#builder.nodes[of]!;
    const isSum = terms.size === 1 && is(constant, 1) && is(weight, 1);
    return isSum && inner.op === "exp" ? this.#builder.form(inner.args[0]) : undefined;
  }

  #unary(op: UnivariateName, id: number, exponent?: number): Form {
    const node = exponent === undefined ? { op, args: [id] as const } : { op, args: [id] as const, exponent };
    return this.#builder.form(this.#builder.add(node));
  }
}

const is = ({ lower, upper }: Interval, x: number): boolean => lower === x && upper === x;
const middle = ({ lower, upper }: Interval): number => (lower === upper ? lower : (lower + upper) / 2);
const scaled = (scale: Interval, form: Form): Form => combine([{ scale, form }]);

/** A constant, or an error that says which operation has no value there. */
function folded(compute: () => Interval, operation: string): Interval {
  try {
    const value = compute();
    if (Number.isFinite(value.lower) && Number.isFinite(value.upper)) return value;
  } catch (error) {
    if (error instanceof RangeError) throw new CompileError(`${operation} of a constant: ${error.message}`);
    throw error;
  }
  throw new CompileError(`${operation} of a constant: the result is too large a number`);
}
