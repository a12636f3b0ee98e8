// Formulas in the syntax of mathjs, as expressions: numbers, names, + - * / ^, calls, vectors [a, b], ranges x[1:8].
import { atCharacter, type Token, tokens } from "./tokens.ts";

/** Sums and products are flat, so that a long one is not a deep one. */
export type Expression =
  | { readonly kind: "number"; readonly value: number; readonly at: number }
  | { readonly kind: "name"; readonly name: string; readonly at: number }
  | { readonly kind: "index"; readonly name: string; readonly index: Expression; readonly at: number }
  | { readonly kind: "range"; readonly from: Expression; readonly to: Expression; readonly at: number }
  | { readonly kind: "sum"; readonly terms: readonly Term[]; readonly at: number }
  | { readonly kind: "product"; readonly factors: readonly Factor[]; readonly at: number }
  | {
      readonly kind: "power";
      readonly base: Expression;
      readonly exponent: Expression;
      readonly elementwise: boolean;
      readonly at: number;
    }
  | { readonly kind: "vector"; readonly entries: readonly Expression[]; readonly at: number }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly args: readonly Expression[];
      readonly at: number;
    };
export interface Term {
  readonly negative: boolean;
  readonly of: Expression;
}
export interface Factor {
  readonly inverse: boolean;
  /** `.*` and `./` on vectors. */
  readonly elementwise: boolean;
  readonly of: Expression;
}

const deepest = 1000;

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(formula: string) {
    this.#tokens = tokens(formula);
  }

  get #token(): Token {
    return this.#tokens[this.#next]!;
  }

  #take(): Token {
    return this.#tokens[this.#next++]!;
  }

  #takes(...symbols: readonly string[]): Token | undefined {
    const { kind, text } = this.#token;
    return kind === "symbol" && symbols.includes(text) ? this.#take() : undefined;
  }

  #expect(symbol: string, after: string): void {
    if (!this.#takes(symbol)) throw this.#unexpected(`"${symbol}" is missing ${after}`);
  }

  #unexpected(wanted: string): Error {
    const { kind, text, at } = this.#token;
    return atCharacter(at, `${wanted}; here is ${kind === "end" ? "the end" : `"${text}"`}`);
  }

  whole(): Expression {
    if (this.#token.kind === "end") throw atCharacter(1, "the formula is empty");
    const expression = this.#sum();
    if (this.#next < this.#tokens.length - 1) throw this.#unexpected("an operator is missing");
    return expression;
  }

  #sum(): Expression {
    if (++this.#depth > deepest)
      throw atCharacter(this.#token.at, `brackets are nested more than ${deepest} deep`);
    const { at } = this.#token;
    const terms: Term[] = [];
    let sign = this.#takes("+", "-");
    do {
      terms.push({ negative: sign?.text === "-", of: this.#product() });
      sign = this.#takes("+", "-");
    } while (sign);
    this.#depth--;
    return terms.length === 1 && !terms[0]!.negative ? terms[0]!.of : { kind: "sum", terms, at };
  }

  #product(): Expression {
    const { at } = this.#token;
    const factors: Factor[] = [{ inverse: false, elementwise: false, of: this.#signed() }];
    for (;;) {
      const operator = this.#takes("*", "/", ".*", "./");
      if (operator) {
        factors.push({
          inverse: operator.text.endsWith("/"),
          elementwise: operator.text.startsWith("."),
          of: this.#signed(),
        });
      } else if (this.#isImplicit(factors.at(-1)!)) {
        factors.push({ inverse: false, elementwise: false, of: this.#power() });
      } else break;
    }
    return factors.length === 1 ? factors[0]!.of : { kind: "product", factors, at };
  }

  /** `2x` and `2(x + 1)`; after a division it could mean two things. */
  #isImplicit({ inverse, of }: Factor): boolean {
    const { kind, text, at } = this.#token;
    if (of.kind !== "number" || !(kind === "name" || (kind === "symbol" && text === "("))) return false;
    if (inverse)
      throw atCharacter(at, `write * between ${of.value} and "${text}", and brackets around what divides`);
    return true;
  }

  /** -x^2 is -(x^2), but 2 * -x and 2^-x have a sign of their own. */
  #signed(): Expression {
    const sign = this.#takes("+", "-");
    if (!sign) return this.#power();
    if (++this.#depth > deepest) throw atCharacter(sign.at, `more than ${deepest} signs`);
    const of = this.#signed();
    this.#depth--;
    return sign.text === "-" ? { kind: "sum", terms: [{ negative: true, of }], at: sign.at } : of;
  }

  #power(): Expression {
    const base = this.#primary();
    const operator = this.#takes("^", ".^");
    if (!operator) return base;
    if (++this.#depth > deepest) throw atCharacter(operator.at, `more than ${deepest} powers`);
    const exponent = this.#signed();
    this.#depth--;
    return { kind: "power", base, exponent, elementwise: operator.text === ".^", at: operator.at };
  }

  #primary(): Expression {
    const token = this.#token;
    const { at } = token;
    if (token.kind === "number") return { kind: "number", value: this.#number(), at };
    if (token.kind === "name") {
      const { text } = this.#take();
      if (this.#takes("(")) return { kind: "call", name: text, args: this.#list(")"), at };
      if (this.#takes("[")) return { kind: "index", name: text, index: this.#index(), at };
      return { kind: "name", name: text, at };
    }
    if (this.#takes("(")) {
      const inner = this.#sum();
      this.#expect(")", `after the "(" at character ${at}`);
      return inner;
    }
    if (this.#takes("[")) return { kind: "vector", entries: this.#list("]"), at };
    throw this.#unexpected("a number, a name or a bracket is missing");
  }

  #number(): number {
    const { text, at } = this.#take();
    const value = Number(text);
    if (!Number.isFinite(value)) throw atCharacter(at, `${text} is too large a number`);
    return value;
  }

  #list(closing: string): Expression[] {
    const entries: Expression[] = [];
    if (this.#takes(closing)) return entries;
    do entries.push(this.#sum());
    while (this.#takes(","));
    this.#expect(closing, "at the end of the list");
    return entries;
  }

  #index(): Expression {
    const from = this.#sum();
    const index: Expression = this.#takes(":") ? { kind: "range", from, to: this.#sum(), at: from.at } : from;
    this.#expect("]", "after the index");
    return index;
  }
}

/**
 * The expression that a formula stands for.
 * @example parseFormula("x^2 + 1").kind // "sum"
 */
export const parseFormula = (formula: string): Expression => new Parser(formula).whole();
