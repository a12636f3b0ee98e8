// Networks of arithmetic circuits with certificates: what they err by at most, proved with outward rounding.
import type { Graph } from "../graph/graph.ts";
import { ConstructError } from "./error.ts";
import type { Circuit } from "./product-circuit.ts";
import { BoundError, boundsOf, errorWeights } from "./product-error.ts";
import { lower } from "./product-layers.ts";
import { fewestUnits, uniformLevels, unitsOf } from "./product-levels.ts";

export interface Certified {
  readonly network: Graph;
  /** sup |network - target| is at most this, for the real function that the stored weights define. */
  readonly error: number;
  readonly units: number;
  readonly circuit: Circuit;
  /** Levels of the gates, by place in the circuit. */
  readonly levels: readonly number[];
}

/** The network of a circuit with given levels; the greatest certified error of its outputs. */
export function certified(circuit: Circuit, levels: readonly number[], name?: string): Certified {
  const { network, rounding } = lower(circuit, levels, name);
  const bounds = boundsOf(circuit, levels, rounding);
  const error = Math.max(...circuit.outputs.map((index) => bounds[index]!.error));
  return { network, error, units: unitsOf(circuit, levels), circuit, levels };
}

/**
 * The network with the fewest hidden units, of those of several circuits with one output for the same function, that
 * errs by at most eps.
 */
export function certifiedWithin(circuits: readonly Circuit[], eps: number, name?: string): Certified {
  const failures: ConstructError[] = [];
  const plans = circuits.flatMap((circuit) => attempt(() => allot(circuit, eps), failures));
  for (const plan of plans.sort((a, b) => a.units - b.units)) {
    const [found] = attempt(() => afterRounding(plan, eps, name), failures);
    if (found) return found;
  }
  throw failures[0] ?? new ConstructError("no circuit to certify");
}

function attempt<T>(build: () => T, failures: ConstructError[]): T[] {
  try {
    return [build()];
  } catch (cause) {
    if (!(cause instanceof ConstructError)) throw cause;
    failures.push(cause);
    return [];
  }
}

interface Allotment {
  readonly circuit: Circuit;
  readonly levels: readonly number[];
  readonly units: number;
  /** What the gates may add to the error, by their weights. */
  readonly budget: number;
}

/**
 * The levels with the fewest units that keep to eps before rounding. The weights of the gates are of first order, so
 * several budgets for their errors are tried, and equal levels, too.
 */
function allot(circuit: Circuit, eps: number, most = Number.POSITIVE_INFINITY): Allotment {
  const weights = errorWeights(circuit);
  const output = circuit.outputs[0]!;
  const errorAt = (levels: readonly number[]): number | undefined =>
    withinBounds(() => boundsOf(circuit, levels)[output]!.error);
  const unavoidable = errorAt(circuit.values.map(() => Number.POSITIVE_INFINITY)) ?? eps;
  const first = Math.min(most, (eps - unavoidable) * (1 - 2 ** -30));
  const found: Allotment[] = [];
  const isEnough = (levels: readonly number[], budget: number): boolean => {
    const error = errorAt(levels);
    if (error === undefined || error > eps) return false;
    found.push({ circuit, levels, units: unitsOf(circuit, levels), budget });
    return true;
  };
  let [enough, tooMuch] = [first, first];
  for (let tries = 0; tries < 30 && enough > 0; tries++, enough /= 2) {
    if (isEnough(fewestUnits(circuit, weights, enough), enough)) break;
    tooMuch = enough;
  }
  for (let tries = 0; tries < 6 && tooMuch > enough && found.length > 0; tries++) {
    const between = (enough + tooMuch) / 2;
    if (isEnough(fewestUnits(circuit, weights, between), between)) enough = between;
    else tooMuch = between;
  }
  for (let levels = 1; most === Number.POSITIVE_INFINITY && levels <= 40 && found.length > 0; levels++)
    if (isEnough(uniformLevels(circuit, levels), first)) break;
  if (found.length === 0) throw tooAccurate(eps, unavoidable);
  return found.reduce((best, next) => (next.units < best.units ? next : best));
}

/** The network, with a smaller budget for the gates where the rounding of weights needs room. */
function afterRounding({ circuit, levels, budget }: Allotment, eps: number, name?: string): Certified {
  let found = certified(circuit, levels, name);
  for (let attempts = 0, most = budget; found.error > eps; attempts++) {
    most -= 2 * (found.error - eps);
    if (attempts === 10 || most <= 0) throw tooAccurate(eps, found.error - eps);
    found = certified(circuit, allot(circuit, eps, most).levels, name);
  }
  return found;
}

const tooAccurate = (eps: number, rounding: number): ConstructError =>
  new ConstructError(
    `no network with weights in double precision is certified to err by at most ${eps}: rounding them costs about ${rounding}`,
  );

/** Nothing where errors are still so large that a value leaves the bounds of a gate. */
function withinBounds(error: () => number): number | undefined {
  try {
    return error();
  } catch (cause) {
    if (cause instanceof BoundError) return undefined;
    throw cause;
  }
}
