import { type Expansion, powersFor, proved } from "../../src/compile/expansion.ts";
import { foldings } from "../../src/compile/fold.ts";
import { arithmetics } from "../../src/compile/precision.ts";
import type { Univariate } from "../../src/compile/univariate.ts";
import type { Interval } from "../../src/engine/interval.ts";

/** The expansion without folds. */
export function expand(f: Univariate, on: Interval, delta: number): Expansion {
  const [plain] = foldings(f, on, arithmetics.f64);
  return proved(powersFor(f, on, delta, arithmetics.f64)!, plain!, on, delta)!;
}
