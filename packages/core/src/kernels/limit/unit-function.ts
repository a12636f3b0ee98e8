// A function of one number that is applied to each unit.
import type { Dual } from "../../functions/dual.ts";
import type { ScalarFunction } from "../../functions/series-dual.ts";

export interface UnitFunction extends ScalarFunction {
  /** The closed form of its Gaussian expectations, if there is one. */
  readonly dual?: Dual;
}

/** x -> x: what a field is before anything is applied to it. */
export const identity: UnitFunction = { value: (x) => x, slope: () => 1, kinks: [] };
