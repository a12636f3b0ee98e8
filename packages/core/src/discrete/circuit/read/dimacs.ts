// DIMACS: clauses of a conjunctive normal form. The circuit says whether an assignment satisfies them all.
import { DiscreteError } from "../../error.ts";
import { CircuitBuilder } from "../builder.ts";
import type { Circuit } from "../circuit.ts";
import { linesOf } from "./lines.ts";

/**
 * The circuit with an input for each variable and the output "satisfied".
 * @example readDimacs("p cnf 2 2\n1 2 0\n-1 0\n").outputs[0].name // "satisfied"
 */
export function readDimacs(text: string): Circuit {
  const lines = linesOf(text, /^\s*c\b.*$/);
  const [head, ...rest] = lines;
  const [p, format, variables, clauses] = head?.words ?? [];
  const [n, m] = [Number(variables), Number(clauses)];
  if (
    p !== "p" ||
    format !== "cnf" ||
    !(Number.isSafeInteger(n) && n >= 0 && Number.isSafeInteger(m) && m >= 0)
  )
    throw new DiscreteError(`line ${head?.number ?? 1}: a DIMACS file begins "p cnf variables clauses"`);
  const builder = new CircuitBuilder(Array.from({ length: n }, (_, k) => `x${k + 1}`));
  const made: number[] = [];
  let clause: number[] = [];
  for (const { number, words } of rest) {
    if (words[0] === "%") break; // how some public files end
    for (const word of words) {
      const literal = /^-?\d+$/.test(word) ? Number(word) : Number.NaN;
      if (!(Math.abs(literal) <= n))
        throw new DiscreteError(`line ${number}: "${word}" is no literal of ${n} variables`);
      if (literal !== 0) clause.push(builder.input(Math.abs(literal) - 1) + (literal < 0 ? 1 : 0));
      else {
        made.push(builder.or(clause));
        clause = [];
      }
    }
  }
  const end = lines.at(-1)!.number;
  if (clause.length > 0) throw new DiscreteError(`line ${end}: the last clause does not end in 0`);
  if (made.length !== m)
    throw new DiscreteError(`line ${head!.number}: ${m} clauses are announced, ${made.length} are there`);
  return builder.finish([{ name: "satisfied", literal: builder.and(made) }]);
}
