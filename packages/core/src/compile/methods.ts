// Which functions are evaluated by a polynomial rather than by a spline: those for which it takes fewer units.
import type { Interval } from "../engine/interval.ts";
import { type Expansion, type Powers, powersFor, proved } from "./expansion.ts";
import { type Folding, foldings } from "./fold.ts";
import { isUnivariate, type UnivariateNode } from "./function-graph.ts";
import { splineCost } from "./plan-spline.ts";
import { levelsFor } from "./plan-square.ts";
import type { Arithmetic } from "./precision.ts";
import { type Methods, operationsFor, type Program } from "./program.ts";
import { type Univariate, univariateFunction } from "./univariate.ts";

/** About how many units the squares and products of a polynomial take, in a variable of at most this size. */
function polynomialUnits(coefficients: readonly number[], size: number, delta: number): number {
  const { squares, products } = operationsFor(coefficients);
  const weight = coefficients.reduce((sum, a, k) => sum + Math.abs(a) * k * size ** k, 0);
  const levels = levelsFor(delta / (Math.max(1, squares + products) * Math.max(weight, 1e-300)));
  return (squares + 2 * products) * Math.max(1, levels);
}

/** Splines with fewer units are not worth the depth of a polynomial. */
const fewUnits = 20;
/** Computed arguments may leave the exact range by this part of its width. */
const margin = 2 ** -10;
/** A polynomial's own error, as a part of the node's share. */
const truncationShare = 1 / 8;

class Chooser {
  readonly #arithmetic: Arithmetic;
  readonly #known = new Map<string, Expansion | undefined>();

  constructor(arithmetic: Arithmetic) {
    this.#arithmetic = arithmetic;
  }

  splineUnits(f: Univariate, range: Interval, delta: number): number {
    const units = ({ shifts, curve, range: on }: Folding): number =>
      shifts.length + splineCost(curve, on) / Math.sqrt(delta);
    return Math.min(...foldings(f, range, this.#arithmetic).map(units));
  }

  expansion(f: Univariate, range: Interval, delta: number, most: number): Expansion | undefined {
    const key = [f.name, f.exponent, range.lower, range.upper, delta].join(" ");
    if (!this.#known.has(key)) this.#known.set(key, this.#expansion(f, range, delta, most));
    return this.#known.get(key);
  }

  #expansion(f: Univariate, range: Interval, delta: number, most: number): Expansion | undefined {
    const room = (range.upper - range.lower) * margin;
    const on = { lower: range.lower - room, upper: range.upper + room };
    if (!isSmooth(f, on)) return undefined;
    const target = delta * truncationShare;
    let best: { units: number; powers: Powers; folding: Folding } | undefined;
    for (const folding of foldings(f, on, this.#arithmetic)) {
      const powers =
        folding.defect < target / 2 && powersFor(folding.curve, folding.range, target, this.#arithmetic);
      if (!powers) continue;
      const units = folding.shifts.length + polynomialUnits(powers.coefficients, 1, delta);
      if (units < Math.min(most, best?.units ?? Number.POSITIVE_INFINITY)) best = { units, powers, folding };
    }
    return best && proved(best.powers, best.folding, on, target);
  }
}

/** Defined with all derivatives on the interval. */
function isSmooth(f: Univariate, on: Interval): boolean {
  try {
    return f.taylor(on, 2).every(({ lower, upper }) => Number.isFinite(lower) && Number.isFinite(upper));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const highestMonomial = 64;
const isMonomial = ({ op, exponent = 0 }: UnivariateNode): boolean =>
  op === "power" && Number.isInteger(exponent) && exponent > 2 && exponent <= highestMonomial;

/** The cheapest ways to evaluate the nodes of a program at these local errors. */
export function chooseMethods(
  { nodes, ranges }: Program,
  deltas: ReadonlyMap<number, number>,
  arithmetic: Arithmetic,
): Methods {
  const chooser = new Chooser(arithmetic);
  const monomials = new Set<number>();
  const expansions = new Map<number, Expansion>();
  for (const [id, delta] of deltas) {
    const node = nodes[id]!;
    if (!isUnivariate(node)) continue;
    const range = ranges[node.args[0]]!;
    const f = univariateFunction(node.op, node.exponent);
    const units = chooser.splineUnits(f, range, delta);
    if (isMonomial(node)) {
      const coefficients = Array.from({ length: node.exponent! + 1 }, (_, k) =>
        k === node.exponent ? 1 : 0,
      );
      if (polynomialUnits(coefficients, Math.max(-range.lower, range.upper), delta) < units) {
        monomials.add(id);
        continue;
      }
    }
    if (units < fewUnits) continue;
    const expansion = chooser.expansion(f, range, delta, units);
    if (expansion) expansions.set(id, expansion);
  }
  return { monomials, expansions };
}
