// Networks of arithmetic circuits with certificates: what they err by at most, proved with outward rounding.
import type { Graph } from "../graph/graph.ts";
import { ConstructError } from "./error.ts";
import type { Circuit } from "./product-circuit.ts";
import { BoundError, boundsOf, errorWeights } from "./product-error.ts";
import { lower } from "./product-layers.ts";
import { fewestUnits, unitsOf } from "./product-levels.ts";

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
  for (const { circuit, budget } of plans.sort((a, b) => a.units - b.units)) {
    const [found] = attempt(() => afterRounding(circuit, eps, budget, name), failures);
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

/** The levels with the fewest units that keep to eps before rounding. Weights are of first order: so, try. */
function allot(circuit: Circuit, eps: number, start = Number.POSITIVE_INFINITY): Allotment {
  const weights = errorWeights(circuit);
  const output = circuit.outputs[0]!;
  const errorAt = (levels: readonly number[]): number => boundsOf(circuit, levels)[output]!.error;
  const unavoidable = errorAt(circuit.values.map(() => Number.POSITIVE_INFINITY));
  let budget = Math.min(start, (eps - unavoidable) * (1 - 2 ** -30));
  for (let attempts = 0; attempts < 30 && budget > 0; attempts++) {
    const levels = fewestUnits(circuit, weights, budget);
    const error = withinBounds(() => errorAt(levels));
    if (error !== undefined && error <= eps)
      return { circuit, levels, units: unitsOf(circuit, levels), budget };
    budget = error === undefined ? budget / 4 : Math.min(budget - 1.01 * (error - eps), 0.99 * budget);
  }
  throw tooAccurate(eps, unavoidable);
}

/** The network, with a smaller budget for the gates where the rounding of weights needs room. */
function afterRounding(circuit: Circuit, eps: number, budget: number, name?: string): Certified {
  let [start, excess] = [budget, 0];
  for (let attempts = 0; attempts < 10 && start > 0; attempts++) {
    const found = certified(circuit, allot(circuit, eps, start).levels, name);
    if (found.error <= eps) return found;
    excess = found.error - eps;
    start -= 2 * excess;
  }
  throw tooAccurate(eps, excess);
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
