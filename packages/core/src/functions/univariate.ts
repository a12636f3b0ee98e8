// Functions of one variable in formulas: values, derivatives, enclosures, Taylor coefficients, and where they bend.
import type { Univariate } from "./definition.ts";
import { power } from "./library/power.ts";
import { partsOf } from "./library.ts";
import type { UnivariateName } from "./names.ts";

export type { Univariate } from "./definition.ts";

const table = new Map<UnivariateName, Univariate>(partsOf("formula").map(([, f]) => [f.name, f]));

/**
 * A function of one variable by its name.
 * @example univariateFunction("exp").value(0) // 1
 */
export function univariateFunction(name: UnivariateName, exponent?: number): Univariate {
  return name === "power" ? power(exponent!) : table.get(name)!;
}
