// The variables of a formula, in the order in which it has them.
import { type Algebra, Elaboration } from "./elaborate.ts";
import { parseFormula } from "./formula.ts";

/**
 * Names of the variables of a formula: all names but functions, indices of sums, and the constants pi and e.
 * @example variablesOf("sum(i, 1, 3, x[i]^2) + y") // ["x1", "x2", "x3", "y"]
 */
export function variablesOf(formula: string, known: readonly string[] = []): readonly string[] {
  const found = new Set<string>();
  const nothing = 0;
  const recorder: Algebra<number> = {
    number: () => nothing,
    constant: () => nothing,
    variable: (name) => {
      if ((name === "pi" || name === "e") && !known.includes(name)) return undefined;
      found.add(name);
      return nothing;
    },
    sum: () => nothing,
    product: () => nothing,
    power: () => nothing,
    call: () => nothing,
    extreme: () => nothing,
  };
  new Elaboration(recorder, known).scalar(parseFormula(formula));
  return [...found];
}
