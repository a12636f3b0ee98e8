// The words of a formula, each with its place.
import { CompileError } from "./error.ts";

export interface Token {
  readonly kind: "number" | "name" | "symbol" | "end";
  readonly text: string;
  /** Of the first character, counted from 1. */
  readonly at: number;
}

const pattern =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>\p{L}[\p{L}\p{N}_]*)|(?<symbol>\.[*/^]|\*\*|[-+*/^()[\],:−·]))/uy;
const spellings: Readonly<Record<string, string>> = { "**": "^", "−": "-", "·": "*" };
const longestFormula = 4_000_000;

/** An error that says where in the formula it is. */
export const atCharacter = (at: number, message: string): CompileError =>
  new CompileError(`formula, character ${at}: ${message}`);

/**
 * The tokens of a formula; the last one is its end.
 * @example tokens("2 x").length // 3
 */
export function tokens(formula: string): readonly Token[] {
  if (formula.length > longestFormula)
    throw new CompileError(`a formula has at most ${longestFormula} characters, not ${formula.length}`);
  const found: Token[] = [];
  let position = 0;
  for (;;) {
    pattern.lastIndex = position;
    const match = pattern.exec(formula);
    if (!match) break;
    const [kind, text] = Object.entries(match.groups!).find(([, value]) => value !== undefined)!;
    position = pattern.lastIndex;
    const at = position - text!.length + 1;
    found.push({ kind: kind as Token["kind"], text: spellings[text!] ?? text!, at });
    if (position === formula.length) break;
  }
  const rest = formula.slice(position);
  if (rest.trim() !== "") {
    const at = position + rest.search(/\S/) + 1;
    throw atCharacter(at, `"${[...rest.trim()][0]}" has no meaning here`);
  }
  return [...found, { kind: "end", text: "", at: formula.trimEnd().length + 1 }];
}
