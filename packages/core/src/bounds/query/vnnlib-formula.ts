// Formulas of VNN-LIB: and, or, comparisons, sums and products. A product of variables is a variable of its own.
import { mul } from "../../numbers/exact/rational.ts";
import { type Atom, constant, exactDecimal, type Linear, minus, plus, times, variable } from "./linear.ts";
import type { Formula } from "./query.ts";
import { type Expression, failAt, isList, type List, shown, type Word } from "./s-expression.ts";

/** What names mean. */
export interface Scope {
  lookUp(word: Word): number | undefined;
  /** The variable that stands for a product of two. */
  product(a: number, b: number, at: List): number;
}

const atom = (linear: Linear, strict: boolean): Formula => ({
  kind: "atom",
  atom: { linear, strict } satisfies Atom,
});

/** Each comparison of two sides, as formulas of their difference. */
const comparisons: Readonly<Record<string, (left: Linear, right: Linear) => Formula>> = {
  "<=": (left, right) => atom(minus(left, right), false),
  ">=": (left, right) => atom(minus(right, left), false),
  "<": (left, right) => atom(minus(left, right), true),
  ">": (left, right) => atom(minus(right, left), true),
  "==": equal,
  "=": equal,
  "!=": (left, right) => ({
    kind: "or",
    parts: [atom(minus(left, right), true), atom(minus(right, left), true)],
  }),
};

function equal(left: Linear, right: Linear): Formula {
  return { kind: "and", parts: [atom(minus(left, right), false), atom(minus(right, left), false)] };
}

const operators = new Set([...Object.keys(comparisons), "+", "-", "*", "/", "and", "or"]);
const written = (e: Expression): string => (isList(e) ? "(...)" : shown(e.text));

/** An operator between what it joins: said as such, with the form that is read. */
export function refuseInfix(items: readonly Expression[]): void {
  const [left, operator, right] = items;
  if (!left || !operator || isList(operator) || !right || !operators.has(operator.text)) return;
  if (!isList(left) && operators.has(left.text)) return;
  failAt(
    operator,
    `"${shown(operator.text)}" stands between what it joins: operators come first, as in (${shown(operator.text)} ${written(left)} ${written(right)})`,
  );
}

export function readFormula(expression: Expression, scope: Scope): Formula {
  if (!isList(expression)) failAt(expression, `"${shown(expression.text)}" is not a formula`);
  const items = joined(expression.items);
  const [head, ...parts] = items;
  refuseInfix(items);
  if (!head || isList(head)) failAt(expression, "a formula begins with and, or, or a comparison");
  if (head.text === "and" || head.text === "or") {
    if (parts.length === 0) failAt(head, `${head.text} of nothing`);
    return { kind: head.text, parts: parts.map((part) => readFormula(part, scope)) };
  }
  const comparison = Object.hasOwn(comparisons, head.text) ? comparisons[head.text] : undefined;
  if (!comparison) failAt(head, `"${shown(head.text)}" is not supported: and, or, <=, >=, <, >, ==, != are`);
  if (parts.length !== 2) failAt(expression, `${head.text} compares two terms, not ${parts.length}`);
  return comparison(readTerm(parts[0]!, scope), readTerm(parts[1]!, scope));
}

function readTerm(expression: Expression, scope: Scope): Linear {
  if (!isList(expression)) return readWord(expression, scope);
  const items = joined(expression.items);
  const [head, ...parts] = items;
  refuseInfix(items);
  if (!head || isList(head)) failAt(expression, "a term begins with +, - or *");
  const terms = parts.map((part) => readTerm(part, scope));
  const [first, ...rest] = terms;
  if (!first) failAt(expression, `${shown(head.text)} of nothing`);
  switch (head.text) {
    case "+":
      return rest.reduce(plus, first);
    case "-":
      return rest.length === 0 ? times(first, -1) : rest.reduce(minus, first);
    case "*":
      return rest.reduce((product, factor) => multiplied(product, factor, expression, scope), first);
    default:
      failAt(head, `"${shown(head.text)}" is not supported in terms: +, - and * are`);
  }
}

/** Terms that a product may have once it is multiplied out. */
const mostTerms = 4096;

function multiplied(a: Linear, b: Linear, list: List, scope: Scope): Linear {
  if (b.coefficients.size === 0) return times(a, b.constant);
  if (a.coefficients.size === 0) return times(b, a.constant);
  if (a.coefficients.size * b.coefficients.size > mostTerms)
    failAt(list, `more than ${mostTerms} terms once its products are multiplied out`);
  // (a + c)(b + d) = a b + c b + d a + c d
  let sum = plus(
    plus(times({ ...a, constant: 0 }, b.constant), times({ ...b, constant: 0 }, a.constant)),
    constant(mul(a.constant, b.constant)),
  );
  for (const [i, p] of a.coefficients)
    for (const [j, q] of b.coefficients)
      sum = plus(sum, times(variable(scope.product(i, j, list)), mul(p, q)));
  return sum;
}

/** A name and its indices, which may stand apart: X [0]. */
const joined = (items: readonly Expression[]): readonly Expression[] =>
  items.reduce<Expression[]>((found, item) => {
    const before = found.at(-1);
    const isIndex = !isList(item) && item.text.startsWith("[") && before && !isList(before);
    if (isIndex) found[found.length - 1] = { ...before, text: before.text + item.text };
    else found.push(item);
    return found;
  }, []);

function readWord(word: Word, scope: Scope): Linear {
  const index = scope.lookUp(word);
  if (index !== undefined) return variable(index);
  const value = exactDecimal(word.text);
  if (value === undefined) failAt(word, `"${shown(word.text)}" is neither a number nor a declared variable`);
  return constant(value);
}
