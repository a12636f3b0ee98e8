// What sums, squares and products make of the errors of what they read, rounded up.
import { abs, type Exact } from "./exact/rational.ts";
import { addUp, mulUp } from "./exact/rounding.ts";

/** A number x and what stands in for it, x': bounds of |x|, |x'| and |x' - x|. */
export interface Perturbed {
  readonly exact: number;
  readonly near: number;
  readonly error: number;
}

/** Where x' is known by its error alone. */
export const perturbed = (exact: number, error: number): Perturbed => ({
  exact,
  near: addUp(exact, error),
  error,
});

/**
 * |sum w x' - sum w x| <= sum |w| |x' - x|, and what was there `before`.
 * @example sumChange([[2, 0.5], [-1, 0.25]]) // 1.25
 */
export function sumChange(terms: Iterable<readonly [weight: Exact, error: number]>, before = 0): number {
  let change = before;
  for (const [weight, error] of terms) change = addUp(change, mulUp(abs(weight), error));
  return change;
}

/**
 * |x'^2 - x^2| = |x' + x| |x' - x|.
 * @example squareChange(perturbed(2, 0.5)) // 2.25
 */
export const squareChange = ({ exact, near, error }: Perturbed): number => mulUp(addUp(exact, near), error);

/**
 * |x' y' - x y| <= |x'| |y' - y| + |y| |x' - x|, or the same with x and y exchanged.
 * @example productChange(perturbed(2, 0.5), perturbed(1, 0)) // 0.5
 */
export const productChange = (x: Perturbed, y: Perturbed): number =>
  Math.min(
    addUp(mulUp(x.near, y.error), mulUp(y.exact, x.error)),
    addUp(mulUp(x.exact, y.error), mulUp(y.near, x.error)),
  );
