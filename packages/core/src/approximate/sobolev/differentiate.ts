// Derivatives of formulas, symbolically: expressions that print, and that can be differentiated again.
import { type Algebra, Elaboration, type FunctionName } from "../../formula/elaborate.ts";
import { type Expression, type Factor, parseFormula, type Term } from "../../formula/formula.ts";
import { variablesOf } from "../../formula/variables.ts";
import { SobolevError } from "./error.ts";
import { expressionText } from "./expression-text.ts";

const at = 1;
const number = (value: number): Expression => ({ kind: "number", value, at });
const name = (of: string): Expression => ({ kind: "name", name: of, at });
const call = (of: string, ...args: readonly Expression[]): Expression => ({
  kind: "call",
  name: of,
  args,
  at,
});
const isNumber = (e: Expression, value?: number): e is Expression & { kind: "number" } =>
  e.kind === "number" && (value === undefined || e.value === value);

/** Sums are flat, without zeros; numbers are added where that is exact. */
function sum(terms: readonly Term[]): Expression {
  const flat = terms.flatMap(({ negative, of }): readonly Term[] =>
    of.kind === "sum"
      ? of.terms.map((t) => ({ ...t, negative: t.negative !== negative }))
      : [{ negative, of }],
  );
  const whole = flat.filter(({ of }) => isNumber(of) && Number.isSafeInteger(of.value));
  const total = whole.reduce(
    (s, { negative, of }) => s + (negative ? -1 : 1) * (of as { value: number }).value,
    0,
  );
  const rest = flat.filter((t) => !whole.includes(t) && !isNumber(t.of, 0));
  const shown = total === 0 ? rest : [...rest, { negative: total < 0, of: number(Math.abs(total)) }];
  if (shown.length === 0) return number(0);
  return shown.length === 1 && !shown[0]!.negative ? shown[0]!.of : { kind: "sum", terms: shown, at };
}
const plus = (...of: readonly Expression[]): Expression => sum(of.map((e) => ({ negative: false, of: e })));
const minus = (a: Expression, b: Expression): Expression =>
  sum([
    { negative: false, of: a },
    { negative: true, of: b },
  ]);

const factor = (of: Expression, inverse = false): Factor => ({ inverse, elementwise: false, of });

/** Products are flat, without ones and signs; whole numbers are multiplied. */
function product(factors: readonly Factor[]): Expression {
  let negative = false;
  const flat = factors.flatMap((f): readonly Factor[] => {
    let { of } = f;
    if (of.kind === "sum" && of.terms.length === 1) {
      negative = negative !== of.terms[0]!.negative;
      of = of.terms[0]!.of;
    }
    return of.kind === "product"
      ? of.factors.map((g) => ({ ...g, inverse: g.inverse !== f.inverse }))
      : [{ ...f, of }];
  });
  if (flat.some((f) => !f.inverse && isNumber(f.of, 0))) return number(0);
  const whole = flat.filter((f) => !f.inverse && isNumber(f.of) && Number.isSafeInteger(f.of.value));
  const total = whole.reduce((p, { of }) => p * (of as { value: number }).value, 1);
  const rest = flat.filter((f) => !whole.includes(f) && !isNumber(f.of, 1));
  const front = total === 1 && rest.some((f) => !f.inverse) ? [] : [factor(number(total))];
  const shown = [...front, ...rest.filter((f) => !f.inverse), ...rest.filter((f) => f.inverse)];
  const one: Expression = shown.length === 1 ? shown[0]!.of : { kind: "product", factors: shown, at };
  return negative ? { kind: "sum", terms: [{ negative: true, of: one }], at } : one;
}
const times = (...of: readonly Expression[]): Expression => product(of.map((e) => factor(e)));
const over = (a: Expression, b: Expression): Expression => product([factor(a), factor(b, true)]);

function power(base: Expression, exponent: Expression): Expression {
  if (isNumber(exponent, 0)) return number(1);
  if (isNumber(exponent, 1)) return base;
  return { kind: "power", base, exponent, elementwise: false, at };
}
const square = (e: Expression): Expression => power(e, number(2));

/** Scalars only: vectors, sums over indices, dot and norm are taken apart. */
const scalars = (variables: ReadonlySet<string>): Algebra<Expression> => ({
  number,
  constant: name,
  variable: (of) => (variables.has(of) ? name(of) : undefined),
  sum,
  product: (factors) => product(factors.map(({ of, inverse }) => factor(of, inverse))),
  power,
  call: (of: FunctionName, arg) => call(of, arg),
  extreme: (of, a, b) => call(of, a, b),
});

/** f'(u) by the name of f. */
const derivativeOf: Readonly<Record<string, (u: Expression) => Expression>> = {
  exp: (u) => call("exp", u),
  log: (u) => over(number(1), u),
  sqrt: (u) => over(number(1), times(number(2), call("sqrt", u))),
  sin: (u) => call("cos", u),
  cos: (u) => minus(number(0), call("sin", u)),
  tan: (u) => plus(square(call("tan", u)), number(1)),
  asin: (u) => over(number(1), call("sqrt", minus(number(1), square(u)))),
  acos: (u) => over(number(-1), call("sqrt", minus(number(1), square(u)))),
  atan: (u) => over(number(1), plus(square(u), number(1))),
  sinh: (u) => call("cosh", u),
  cosh: (u) => call("sinh", u),
  tanh: (u) => minus(number(1), square(call("tanh", u))),
  sigmoid: (u) => times(call("sigmoid", u), minus(number(1), call("sigmoid", u))),
  erf: (u) => over(times(number(2), call("exp", minus(number(0), square(u)))), call("sqrt", name("pi"))),
};

function derive(e: Expression, x: string): Expression {
  switch (e.kind) {
    case "number":
      return number(0);
    case "name":
      return number(e.name === x ? 1 : 0);
    case "sum":
      return sum(e.terms.map((t) => ({ ...t, of: derive(t.of, x) })));
    case "product":
      return plus(...e.factors.map((f, k) => withFactor(e.factors, k, derive(f.of, x))));
    case "power":
      return derivedPower(e, x);
    case "call": {
      const outer = derivativeOf[e.name];
      const inner = e.args.map((a) => derive(a, x));
      if (inner.every((d) => isNumber(d, 0))) return number(0);
      if (!outer) throw new SobolevError(`${expressionText(e)} has a kink: it has no derivative everywhere`);
      return times(outer(e.args[0]!), inner[0]!);
    }
    default:
      throw new SobolevError(`a ${e.kind} is no scalar expression`);
  }
}

/** The product with its factor k derived: u' or, for a division, -u' / u^2. */
function withFactor(factors: readonly Factor[], k: number, derived: Expression): Expression {
  if (isNumber(derived, 0)) return number(0);
  const { of, inverse } = factors[k]!;
  const replaced = [...factors.slice(0, k), factor(derived), ...factors.slice(k + 1)];
  return inverse ? minus(number(0), product([...replaced, factor(square(of), true)])) : product(replaced);
}

/** n u^(n-1) u' for a constant exponent, else u^v (v' log u + v u' / u). */
function derivedPower(e: Expression & { kind: "power" }, x: string): Expression {
  const [base, exponent] = [derive(e.base, x), derive(e.exponent, x)];
  if (isNumber(exponent, 0)) {
    if (isNumber(base, 0)) return number(0);
    return times(e.exponent, power(e.base, minus(e.exponent, number(1))), base);
  }
  const growth = times(exponent, call("log", e.base));
  return times(e, isNumber(base, 0) ? growth : plus(growth, over(times(e.exponent, base), e.base)));
}

/**
 * The derivative of a formula by one of its variables. Vectors and sums over indices are written out.
 * @example expressionText(differentiate(parseFormula("x^2 * sin(y)"), "x")) // "2 * x * sin(y)"
 */
export function differentiate(expression: Expression, variable: string): Expression {
  const names = new Set(variablesOf(expressionText(expression)));
  names.add(variable);
  return derive(new Elaboration(scalars(names), names).scalar(expression), variable);
}

/**
 * D^alpha f as an expression, alpha by the variables' names.
 * @example expressionText(partialDerivative(parseFormula("x^3 * y"), ["x", "y"], [2, 1])) // "6 * x"
 */
export const partialDerivative = (
  expression: Expression,
  variables: readonly string[],
  alpha: readonly number[],
): Expression =>
  variables.reduce((found, variable, k) => {
    let derived = found;
    for (let i = 0; i < alpha[k]!; i++) derived = differentiate(derived, variable);
    return derived;
  }, expression);

/** The derivative of a formula given as text. */
export const derivativeText = (formula: string, variable: string): string =>
  expressionText(differentiate(parseFormula(formula), variable));
