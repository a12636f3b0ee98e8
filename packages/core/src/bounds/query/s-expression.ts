// Text in parentheses, with the lines that errors point at.
import { DataError } from "../../data/error.ts";

export interface Word {
  readonly text: string;
  readonly line: number;
}
export interface List {
  readonly items: readonly Expression[];
  readonly line: number;
}
export type Expression = Word | List;

export const isList = (e: Expression): e is List => "items" in e;

/** Stops with a message that begins with the line. */
export function failAt({ line }: { readonly line: number }, reason: string): never {
  throw new DataError(`line ${line}: ${reason}`);
}

const deepest = 500;
const tokens = /"[^"\n]*"|;[^\n]*|\n|[()]|\[[^\][()\n]*\]|[^\s()[\];]+(?:\[[^\][()\n]*\])?|\S/g;

/** The expressions of a text, one after the other. */
export function parseExpressions(text: string): readonly List[] {
  const top: Expression[] = [];
  const open: { readonly items: Expression[]; readonly line: number }[] = [];
  let line = 1;
  for (const [token] of text.matchAll(tokens)) {
    if (token === "\n") line++;
    else if (token.startsWith(";")) continue;
    else if (token === "(") {
      if (open.length >= deepest) failAt({ line }, `more than ${deepest} parentheses inside each other`);
      open.push({ items: [], line });
    } else if (token === ")") {
      const closed = open.pop() ?? failAt({ line }, 'a ")" without its "("');
      (open.at(-1)?.items ?? top).push(closed);
    } else if (open.length === 0) failAt({ line }, `"${shown(token)}" stands outside of parentheses`);
    else if (token === "[" || token === "]") failAt({ line }, `a "${token}" without its partner`);
    else open.at(-1)!.items.push({ text: token, line });
  }
  const [first] = open;
  if (first) failAt(first, 'a "(" without its ")"');
  return top as readonly List[];
}

/** At most so much of a name is repeated in a message. */
export const shown = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}...` : text);
