// Mean squared errors of draws by going through all of them: what the formulas of maurey.ts say, counted.
import { totalMass } from "./maurey.ts";
import { meanSquare, type RidgeSum } from "./ridge-sum.ts";
import { strata } from "./strata.ts";

/** One way a draw can fall: its probability, and its values at the points. */
interface Way {
  readonly chance: number;
  readonly values: Float64Array;
}

const plus = (a: Float64Array, b: Float64Array): Float64Array => a.map((v, i) => v + b[i]!);

/** The mean over all ways to take one of each list of |sum of what was taken - target|^2. */
function meanOver(lists: readonly (readonly Way[])[], rest: Float64Array): number {
  const [first, ...others] = lists;
  if (!first) return meanSquare(rest);
  return first.reduce((sum, { chance, values }) => sum + chance * meanOver(others, plus(rest, values)), 0);
}

const minusTarget = ({ units }: RidgeSum, rows: readonly Float64Array[]): Float64Array =>
  units.reduce(
    (rest, { weight }, j) => rest.map((v, i) => v - weight * rows[j]![i]!),
    new Float64Array(rows[0]!.length),
  );

/** E |f - mean of k draws|^2 over all (number of units)^k of them. */
export function countedMaureyError(sum: RidgeSum, rows: readonly Float64Array[], k: number): number {
  const mass = totalMass(sum);
  const ways = sum.units.map(({ weight }, j) => ({
    chance: Math.abs(weight) / mass,
    values: rows[j]!.map((v) => (Math.sign(weight) * mass * v) / k),
  }));
  return meanOver(new Array<readonly Way[]>(k).fill(ways), minusTarget(sum, rows));
}

/** E |f - one draw from each of k strata|^2 over all ways to draw. */
export function countedStratifiedError(sum: RidgeSum, rows: readonly Float64Array[], k: number): number {
  const cells = strata(sum.units, k).map(({ mass, members }) =>
    members.map(({ unit, share }) => ({
      chance: share / mass,
      values: rows[unit]!.map((v) => Math.sign(sum.units[unit]!.weight) * mass * v),
    })),
  );
  return meanOver(cells, minusTarget(sum, rows));
}
