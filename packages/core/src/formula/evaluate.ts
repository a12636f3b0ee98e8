// A formula's values in doubles, for many points at once: straight from the expression, not by way of the function
// graph, so that a comparison with the network tests the graph too.

import { univariateFunction } from "../functions/univariate.ts";
import { type Algebra, Elaboration } from "./elaborate.ts";
import type { Expression } from "./formula.ts";

type Batch = Float64Array;

class BatchAlgebra implements Algebra<Batch> {
  readonly #columns: ReadonlyMap<string, Batch>;
  readonly #length: number;

  constructor(columns: ReadonlyMap<string, Batch>, length: number) {
    this.#columns = columns;
    this.#length = length;
  }

  #map(f: (k: number) => number): Batch {
    const found = new Float64Array(this.#length);
    for (let k = 0; k < found.length; k++) found[k] = f(k);
    return found;
  }

  number(value: number): Batch {
    return new Float64Array(this.#length).fill(value);
  }

  constant(name: "pi" | "e"): Batch {
    return this.number(name === "pi" ? Math.PI : Math.E);
  }

  variable(name: string): Batch | undefined {
    return this.#columns.get(name);
  }

  sum(terms: readonly { readonly negative: boolean; readonly of: Batch }[]): Batch {
    const found = new Float64Array(this.#length);
    for (const { negative, of } of terms)
      for (let k = 0; k < found.length; k++) found[k]! += negative ? -of[k]! : of[k]!;
    return found;
  }

  product(factors: readonly { readonly inverse: boolean; readonly of: Batch }[]): Batch {
    const found = this.number(1);
    for (const { inverse, of } of factors)
      for (let k = 0; k < found.length; k++) found[k] = inverse ? found[k]! / of[k]! : found[k]! * of[k]!;
    return found;
  }

  power(base: Batch, exponent: Batch): Batch {
    return this.#map((k) => base[k]! ** exponent[k]!);
  }

  call(name: Parameters<Algebra<Batch>["call"]>[0], arg: Batch): Batch {
    if (name === "relu") return this.#map((k) => Math.max(0, arg[k]!));
    if (name === "abs") return this.#map((k) => Math.abs(arg[k]!));
    const { value } = univariateFunction(name);
    return this.#map((k) => value(arg[k]!));
  }

  extreme(name: "max" | "min", a: Batch, b: Batch): Batch {
    return this.#map((k) => Math[name](a[k]!, b[k]!));
  }
}

/**
 * The formula at points given by one array of values for each variable.
 * @example evaluateFormula(parseFormula("x^2 + y"), new Map([["x", Float64Array.of(3)], ["y", Float64Array.of(1)]])) // Float64Array [10]
 */
export function evaluateFormula(
  expression: Expression,
  columns: ReadonlyMap<string, Float64Array>,
): Float64Array {
  const length = columns.values().next().value?.length ?? 1;
  return new Elaboration(new BatchAlgebra(columns, length), columns.keys()).scalar(expression);
}
