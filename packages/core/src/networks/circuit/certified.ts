// Networks of arithmetic circuits with certificates: what they err by at most, proved with outward rounding.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Circuit } from "./circuit.ts";
import { BoundError, boundsOf, errorWeights, type ValueBounds } from "./error-bounds.ts";
import { type LowerOptions, lower } from "./layers.ts";
import { fewestUnits, uniformLevels, unitsOf } from "./levels.ts";

export interface Certified {
  readonly network: Graph;
  /** sup |network - target| is at most this, for the real function that the stored weights define. */
  readonly error: number;
  /** |computed - target| is at most this when the network runs in f64, whatever the order of its sums. */
  readonly runError: number;
  readonly units: number;
  readonly circuit: Circuit;
  /** Levels of the gates, by place in the circuit. */
  readonly levels: readonly number[];
}

/** The network of a circuit with given levels; the greatest certified errors of its outputs. */
export function certified(
  circuit: Circuit,
  levels: readonly number[],
  options: LowerOptions = {},
): Certified {
  const { network, rounding, run, extraUnits } = lower(circuit, levels, options);
  const greatest = (bounds: readonly ValueBounds[]): number =>
    Math.max(...circuit.outputs.map((index) => bounds[index]!.error));
  const error = greatest(boundsOf(circuit, levels, { rounding }));
  const ofRun = withinBounds(() => greatest(boundsOf(circuit, levels, { rounding, run })));
  const runError = ofRun ?? Number.POSITIVE_INFINITY;
  return { network, error, runError, units: unitsOf(circuit, levels) + extraUnits, circuit, levels };
}

/** Ways to write a circuit's network that round less and less, for more and more units. */
const writings: readonly LowerOptions[] = [
  {},
  { finish: true },
  { finish: true, split: 10 },
  { finish: true, split: 6 },
  { finish: true, split: 4 },
];

export interface Request {
  readonly eps: number;
  readonly name: string;
  /** What is asked for, as messages say it: "1/x on [0.5, 1]". */
  readonly what: string;
}

/**
 * The network with the fewest hidden units, of those of several circuits with one output for the same function, that
 * errs by at most eps when it runs in f64.
 */
export function certifiedWithin(makers: readonly (() => Circuit)[], request: Request): Certified {
  const failures: ConstructError[] = [];
  const circuits = makers.flatMap((make) => attempt(make, failures));
  const plans = circuits.flatMap((circuit) => attempt(() => allot(circuit, request.eps), failures));
  let best: Certified | undefined;
  for (const plan of plans.sort((a, b) => a.units - b.units)) {
    if (best && plan.units >= best.units) break;
    const found = fewestRoundings(plan, request, failures);
    if (found && !(best && best.units <= found.units)) best = found;
  }
  if (best) return best;
  if (!failures.some((f) => f instanceof RoundingError))
    throw failures[0] ?? new ConstructError("no circuit");
  throw new ConstructError(
    `${request.what} cannot be certified to ${request.eps} in double precision: rounding alone may cost ${leastRunError(circuits).toPrecision(1)}`,
  );
}

/** Of the writings of a circuit that keep to eps, the one with the fewest units. */
function fewestRoundings(
  plan: Allotment,
  { eps, name }: Request,
  failures: ConstructError[],
): Certified | undefined {
  let best: Certified | undefined;
  for (const writing of writings) {
    const [found] = attempt(() => afterRounding(plan, eps, { ...writing, name }), failures);
    if (found && !(best && best.units <= found.units)) best = found;
    if (found && found.runError - found.error < eps / 8) break; // less rounding would hardly save a level
  }
  return best;
}

/** What is left of the error when the gates have more levels than doubles can tell. */
const leastRunError = (circuits: readonly Circuit[]): number =>
  Math.min(
    ...circuits.flatMap((circuit) =>
      attempt(() => certified(circuit, uniformLevels(circuit, 28), writings.at(-1)).runError, []),
    ),
  );

/** Rounding alone costs more than the error asked for. */
class RoundingError extends ConstructError {}

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
}

/**
 * The levels with the fewest units that keep to eps before rounding. The weights of the gates are of first order, so
 * several budgets for their errors are tried, and equal levels, too.
 */
function allot(circuit: Circuit, eps: number): Allotment {
  const weights = errorWeights(circuit);
  const output = circuit.outputs[0]!;
  const errorAt = (levels: readonly number[]): number | undefined =>
    withinBounds(() => boundsOf(circuit, levels)[output]!.error);
  const unavoidable = errorAt(circuit.values.map(() => Number.POSITIVE_INFINITY)) ?? eps;
  const first = (eps - unavoidable) * (1 - 2 ** -30);
  const found: Allotment[] = [];
  const isEnough = (levels: readonly number[]): boolean => {
    const error = errorAt(levels);
    if (error === undefined || error > eps) return false;
    found.push({ circuit, levels, units: unitsOf(circuit, levels) });
    return true;
  };
  let [enough, tooMuch] = [first, first];
  for (let tries = 0; tries < 30 && enough > 0; tries++, enough /= 2) {
    if (isEnough(fewestUnits(circuit, weights, enough))) break;
    tooMuch = enough;
  }
  for (let tries = 0; tries < 6 && tooMuch > enough && found.length > 0; tries++) {
    const between = (enough + tooMuch) / 2;
    if (isEnough(fewestUnits(circuit, weights, between))) enough = between;
    else tooMuch = between;
  }
  for (let levels = 1; levels <= 40 && found.length > 0; levels++)
    if (isEnough(uniformLevels(circuit, levels))) break;
  if (found.length === 0) throw new RoundingError(`rounding of weights costs ${unavoidable}`);
  return found.reduce((best, next) => (next.units < best.units ? next : best));
}

/** The network, with less error of its gates where rounding needs room. */
function afterRounding({ circuit, levels }: Allotment, eps: number, options: LowerOptions): Certified {
  let found = certified(circuit, levels, options);
  for (let attempts = 0, left = eps; found.runError > eps; attempts++) {
    left -= (found.runError - eps) * (1 + 2 ** -10);
    if (attempts === 10 || !(left > 0)) throw new RoundingError(`a run errs by ${found.runError}`);
    found = certified(circuit, allot(circuit, left).levels, options);
  }
  return found;
}

/** Nothing where errors are still so large that a value leaves the bounds of a gate. */
function withinBounds(error: () => number): number | undefined {
  try {
    return error();
  } catch (cause) {
    if (cause instanceof BoundError) return undefined;
    throw cause;
  }
}
