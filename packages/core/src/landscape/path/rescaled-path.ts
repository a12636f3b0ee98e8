// Any path from a network that is worse than zero made to go down all the way, by the size of its outputs (Safran and Shamir 2016).
import { LandscapeError } from "../error.ts";

export interface RescaledPath {
  /** Factors of the last layer at each place. */
  readonly factors: readonly number[];
  /** The objective with these factors: strictly decreasing. */
  readonly values: readonly number[];
  /** The level that the values come down to before the last factor is let go. */
  readonly zero: number;
}

/**
 * Factors c(s) for which risk(s, c) = the loss of c times the outputs at place s goes down: risk(s, .) is convex with the
 * same value at 0 for all s, so above that value there is one factor for each level. At the end c goes to 1.
 * @example rescaledPath((s, c) => (c * (2 - s) - 0.1) ** 2, 4).factors[0] // 1
 */
export function rescaledPath(risk: (place: number, factor: number) => number, steps: number): RescaledPath {
  const [zero, start] = [risk(0, 0), risk(0, 1)];
  if (!(start > zero)) throw new LandscapeError("the start is no worse than a network that is 0");
  const [factors, values]: [number[], number[]] = [[], []];
  for (let k = 0; k <= steps; k++) {
    // Halfway down to the value of 0, in equal steps.
    const level = start - ((start - zero) / 2) * (k / steps);
    const factor = k === 0 ? 1 : factorOf((c) => risk(k / steps, c), level);
    factors.push(factor);
    values.push(risk(k / steps, factor));
  }
  return { factors, values, zero };
}

/** c > 0 with f(c) = level above f(0), f convex: by doubling and halving. */
function factorOf(f: (c: number) => number, level: number): number {
  let high = 1;
  while (f(high) < level) {
    high *= 2;
    if (high > 2 ** 100)
      throw new LandscapeError(
        "no factor brings a network of the path up to its level: it is 0 on all examples, or its loss falls with every factor",
      );
  }
  let low = 0;
  for (let k = 0; k < 200; k++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (f(middle) < level) low = middle;
    else high = middle;
  }
  return high;
}
