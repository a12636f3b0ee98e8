// Boolean formulas: "s = a ^ b ^ c; carry = maj(a, b, c)", with & | ^ ! or and, or, xor, not between signals or before them, and
// and(...), or, xor, not, maj, if, threshold(k, ...).
import { DiscreteError } from "../../error.ts";
import type { CircuitBuilder } from "../builder.ts";
import type { Circuit, Literal } from "../circuit.ts";
import { assemble, type Definition } from "../definitions.ts";

type Expression =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "constant"; readonly literal: Literal }
  | {
      readonly kind: "call";
      readonly call: string;
      readonly least: number;
      readonly args: readonly Expression[];
    };

interface Token {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

type Call = (builder: CircuitBuilder, args: readonly Literal[], least: number) => Literal;
const calls: Readonly<Record<string, { readonly arity?: number; readonly make: Call }>> = {
  and: { make: (b, args) => b.and(args) },
  or: { make: (b, args) => b.or(args) },
  xor: { make: (b, args) => b.xor(args) },
  not: { arity: 1, make: (_, [a]) => a! ^ 1 },
  maj: { make: (b, args) => b.majority(args) },
  if: { arity: 3, make: (b, [c, t, e]) => b.choose(c!, t!, e!) },
  threshold: { make: (b, args, least) => b.threshold(least, args) },
};
/** The loosest first. */
const operators: readonly (readonly [string, string])[] = [
  ["|", "or"],
  ["^", "xor"],
  ["&", "and"],
];
const deepest = 500;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  text.split(/\r\n|\n|\r/).forEach((raw, k) => {
    const line = raw.replace(/#.*$/, "");
    for (const { 0: word, index } of line.matchAll(/[\p{L}_][\p{L}\p{N}_.[\]]*|\d+|\S/gu))
      tokens.push({ text: word, line: k + 1, column: index + 1 });
    tokens.push({ text: "\n", line: k + 1, column: line.length + 1 });
  });
  return tokens;
}

const isName = (text: string): boolean => /^[\p{L}_]/u.test(text);

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #brackets = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  get next(): Token {
    // Inside of brackets a line may end anywhere.
    while (this.#brackets > 0 && this.#tokens[this.#at]?.text === "\n") this.#at++;
    return this.#tokens[this.#at] ?? { text: "", line: this.#tokens.at(-1)?.line ?? 1, column: 1 };
  }

  take(): Token {
    const token = this.next;
    this.#at++;
    return token;
  }

  fail(expected: string, { text, line, column }: Token = this.next): never {
    const found = text === "\n" || text === "" ? "the end" : `"${text}"`;
    throw new DiscreteError(`line ${line}, column ${column}: ${expected} is expected, not ${found}`);
  }

  expect(text: string): void {
    if (this.next.text !== text) this.fail(`"${text}"`);
    this.take();
  }

  skipEnds(): void {
    while (this.next.text === "\n" || this.next.text === ";") this.take();
  }

  expression(level = 0): Expression {
    const operator = operators[level];
    if (!operator) return this.#factor();
    const args = [this.expression(level + 1)];
    while (operator.includes(this.next.text)) {
      this.take();
      args.push(this.expression(level + 1));
    }
    return args.length === 1 ? args[0]! : { kind: "call", call: operator[1], least: 0, args };
  }

  #factor(): Expression {
    const token = this.take();
    const isNot = token.text === "not" && (isName(this.next.text) || /^[01!~]$/.test(this.next.text));
    if (token.text === "!" || token.text === "~" || isNot) {
      const of = this.#deeper(() => this.#factor(), token);
      return { kind: "call", call: "not", least: 0, args: [of] };
    }
    if (token.text === "(") {
      const inner = this.#nested(() => this.expression(), token);
      this.expect(")");
      return inner;
    }
    if (token.text === "0" || token.text === "1") return { kind: "constant", literal: Number(token.text) };
    if (!isName(token.text)) this.fail("a signal, 0, 1, ! or a bracket", token);
    return this.next.text === "(" ? this.#call(token) : { kind: "name", name: token.text };
  }

  #deeper<T>(parse: () => T, { line, column }: Token): T {
    if (++this.#depth > deepest)
      throw new DiscreteError(`line ${line}, column ${column}: the formula is nested too deep`);
    const found = parse();
    this.#depth--;
    return found;
  }

  /** Up to the closing bracket, before which a line may end. */
  #nested<T>(parse: () => T, token: Token): T {
    this.#brackets++;
    const found = this.#deeper(parse, token);
    void this.next;
    this.#brackets--;
    return found;
  }

  #call(token: Token): Expression {
    const known = Object.hasOwn(calls, token.text) ? calls[token.text] : undefined;
    if (!known) this.fail(`one of ${Object.keys(calls).join(", ")}`, token);
    this.take();
    let least = 0;
    if (token.text === "threshold") {
      const number = this.take();
      if (!/^\d+$/.test(number.text)) this.fail("the least number of true arguments", number);
      least = Number(number.text);
      this.expect(",");
    }
    const args = this.#nested(() => {
      const list = [this.expression()];
      while (this.next.text === ",") {
        this.take();
        list.push(this.expression());
      }
      return list;
    }, token);
    this.expect(")");
    if (known.arity !== undefined && args.length !== known.arity)
      throw new DiscreteError(
        `line ${token.line}, column ${token.column}: ${token.text} takes ${known.arity} arguments, not ${args.length}`,
      );
    return { kind: "call", call: token.text, least, args };
  }
}

function namesIn(expression: Expression, into: Set<string>): Set<string> {
  if (expression.kind === "name") into.add(expression.name);
  if (expression.kind === "call") for (const arg of expression.args) namesIn(arg, into);
  return into;
}

function made(expression: Expression, builder: CircuitBuilder, read: (name: string) => Literal): Literal {
  if (expression.kind === "name") return read(expression.name);
  if (expression.kind === "constant") return expression.literal;
  const args = expression.args.map((arg) => made(arg, builder, read));
  return calls[expression.call]!.make(builder, args, expression.least);
}

interface Statement {
  readonly name: string;
  readonly line: number;
  readonly reads: readonly string[];
  readonly expression: Expression;
}

/**
 * The circuit of definitions "name = formula", one a line or with ";" between them, or of one formula, called y. Inputs are
 * what nothing defines, in the order of their first use, or of a first line "inputs a b c"; outputs what nothing reads.
 * @example readFormulas("s = a ^ b; c = a & b").outputs.map((o) => o.name) // ["s", "c"]
 */
export function readFormulas(text: string): Circuit {
  const parser = new Parser(text);
  const statements: Statement[] = [];
  let inputs: string[] | undefined;
  for (parser.skipEnds(); parser.next.text !== ""; parser.skipEnds()) {
    const token = parser.next;
    if (token.text === "inputs" && statements.length === 0 && !inputs) {
      parser.take();
      inputs = [];
      while (isName(parser.next.text)) inputs.push(parser.take().text);
    } else statements.push(statementOf(parser, statements.length));
    const end = parser.next.text;
    if (end !== "\n" && end !== ";" && end !== "") parser.fail("an operator, or the end of the line");
  }
  if (statements.length === 0) throw new DiscreteError("line 1: there is no formula");
  const defined = new Set(statements.map(({ name }) => name));
  const read = new Set(statements.flatMap(({ reads }) => reads));
  const free = [...read].filter((name) => !defined.has(name));
  const ends = statements.filter(({ name }) => !read.has(name));
  const [first] = statements as [Statement];
  if (ends.length === 0) ends.push(first); // all of them read each other: the cycle is found from any
  return assemble({
    inputs: inputs ?? free,
    definitions: statements.map(
      ({ name, line, reads, expression }): Definition => ({
        name,
        place: `line ${line}`,
        reads,
        make: (builder, readSignal) => made(expression, builder, readSignal),
      }),
    ),
    outputs: ends.map(({ name, line }) => ({ name, of: name, place: `line ${line}` })),
  });
}

function statementOf(parser: Parser, index: number): Statement {
  const start = parser.next;
  const first = parser.expression();
  if (parser.next.text !== "=") {
    if (index > 0) parser.fail('"="');
    return { name: "y", line: start.line, reads: [...namesIn(first, new Set())], expression: first };
  }
  if (first.kind !== "name") parser.fail("a name before =", start);
  parser.take();
  const expression = parser.expression();
  return { name: first.name, line: start.line, reads: [...namesIn(expression, new Set())], expression };
}
