// Checks a certificate of a two-layer ReLU network in rational arithmetic, from the network and the data alone: for one output,
// neurons of one or two incoming weights, the square loss. Shares no line with what made the certificate.
import {
  add,
  compare,
  div,
  type Exact,
  max,
  mul,
  neg,
  sign,
  sub,
  toNumber,
} from "../../numbers/exact/rational.ts";
import { LandscapeError } from "../error.ts";
import type { OptimalityCertificate } from "./relu-certificate.ts";
import type { TwoLayer } from "./two-layer.ts";

type Rationals = readonly Exact[];

const sumOf = (terms: Rationals): Exact => terms.reduce(add, 0);
const inner = (a: Rationals, b: Rationals): Exact => sumOf(a.map((v, k) => mul(v, b[k]!)));
const relu = (a: Exact): Exact => max(a, 0);

/**
 * The square of max over |v| = 1 of |sum_i q_i relu(<v, x_i>)|, for x in one or two dimensions. The plane is cut at every kink
 * <v, x_i> = 0; in a sector the sum is <c, v>, greatest at c if c is in it, else at an end.
 * @example exactPolarSquare([[3, 4]], [2]) // 100
 */
export function exactPolarSquare(x: readonly Rationals[], q: Rationals): Exact {
  const d = x[0]?.length ?? 0;
  if (d !== 1 && d !== 2) throw new LandscapeError("the exact polar is for one or two dimensions");
  const at = (v: Rationals): Exact =>
    inner(
      q,
      x.map((row) => relu(inner(row, v))),
    );
  const valueSquare = (v: Rationals): Exact => div(mul(at(v), at(v)), inner(v, v));
  if (d === 1) return [[1], [-1]].map(valueSquare).reduce(max);
  const kinks = x
    .filter((row) => row.some((c) => sign(c) !== 0))
    .flatMap(([a, b]): Rationals[] => [
      [neg(b!), a!],
      [b!, neg(a!)],
    ]);
  if (kinks.length === 0) return 0;
  let best: Exact = kinks.map(valueSquare).reduce(max);
  // A sector's active examples are those at a kink's ray, and of those on its edge the ones on its left side (or right).
  for (const ray of kinks)
    for (const side of [1, -1]) {
      const turned: Rationals = side === 1 ? [neg(ray[1]!), ray[0]!] : [ray[1]!, neg(ray[0]!)];
      const isActive = (row: Rationals): boolean => {
        const here = sign(inner(row, ray));
        return here > 0 || (here === 0 && sign(inner(row, turned)) > 0);
      };
      const c = [0, 1].map((k) => sumOf(x.map((row, i) => (isActive(row) ? mul(q[i]!, row[k]!) : 0))));
      // <c, v> is the sum where the same examples are active as in the sector.
      for (const direction of [c, c.map(neg)])
        if (sign(inner(c, c)) > 0 && x.every((row) => isSame(row, direction, isActive(row))))
          best = max(best, inner(c, c));
    }
  return best;
}

/** Is the example active at v, or on its edge? */
const isSame = (row: Rationals, v: Rationals, active: boolean): boolean => {
  const here = sign(inner(row, v));
  return here === 0 || here > 0 === active;
};

export interface CheckedData {
  readonly inputs: readonly Float64Array[];
  readonly targets: Float64Array;
  readonly decay: number;
  readonly gapTolerance?: number;
}

/** Why a certificate is refused; undefined: what it says holds exactly. */
export function refusal(
  net: TwoLayer,
  { inputs, targets, decay, gapTolerance = 1e-6 }: CheckedData,
  certificate: OptimalityCertificate,
): string | undefined {
  const { objective, lowerBound, gap, verdict, polar, neuron, improved } = certificate;
  const m = inputs.length;
  const x: Rationals[] = inputs.map((row) => (net.hasBias ? [...row, 1] : [...row]));
  const mean = (terms: Rationals): Exact => div(sumOf(terms), m);
  const squares = (v: Iterable<number>): Exact => sumOf([...v].map((w) => mul(w, w)));
  const outputsOf = ({ neurons, offset }: TwoLayer): Rationals =>
    x.map((row) =>
      add(
        offset?.[0] ?? 0,
        sumOf(neurons.map(({ incoming, outgoing }) => mul(outgoing[0]!, relu(inner([...incoming], row))))),
      ),
    );
  const exactObjective = (of: TwoLayer): Exact => {
    const rest = outputsOf(of).map((z, i) => sub(targets[i]!, z));
    const weights = [
      ...of.neurons.flatMap(({ incoming, outgoing }) => [...incoming, ...outgoing]),
      ...(of.offset ?? []),
    ];
    return add(mean(rest.map((r) => mul(r, r))), mul(decay / 2, squares(weights)));
  };
  const exact = exactObjective(net);
  if (Math.abs(toNumber(exact) - objective) > 2 ** -40 * (1 + toNumber(exact)))
    return "the objective is another one";
  const pull = outputsOf(net).map((z, i) => div(mul(2, sub(targets[i]!, z)), m));
  const polarSquare = exactPolarSquare(x, pull);
  if (!(polar.upper >= 0) || compare(mul(polar.upper, polar.upper), polarSquare) < 0)
    return "the polar is above its upper bound";
  if (!(polar.lower >= 0) || compare(mul(polar.lower, polar.lower), polarSquare) > 0)
    return "the polar is below its lower bound";
  if (
    !isBelowDual(lowerBound, {
      pull,
      targets: [...targets],
      decay,
      polarSquare,
      hasOffset: net.offset !== undefined,
    })
  )
    return "the lower bound is above the dual's greatest value";
  if (Math.abs(gap - (objective - lowerBound)) > 2 ** -40 * (1 + objective))
    return "the gap is not what is between the bounds";
  const isWithin = compare(sub(exact, lowerBound), mul(gapTolerance * (1 + 2 ** -30), exact)) <= 0;
  if (verdict === "globally optimal" && !isWithin) return "the gap is not within the tolerance";
  if (neuron && improved !== undefined) {
    const wider = toNumber(exactObjective({ ...net, neurons: [...net.neurons, neuron] }));
    if (Math.abs(wider - improved) > 2 ** -40 * (1 + wider))
      return "the neuron does not give the objective that is said";
  }
  return undefined;
}

interface DualFacts {
  readonly pull: Rationals;
  readonly targets: Rationals;
  readonly decay: number;
  readonly polarSquare: Exact;
  readonly hasOffset: boolean;
}

/**
 * Is a number at most max of D(t) = a t - b t^2 over t polar <= decay, a = <G, y>, b = m |G|^2 / 4 + (sum G)^2 / (2 decay)?
 * 0 is a bound as well.
 */
function isBelowDual(value: number, { pull, targets, decay, polarSquare, hasOffset }: DualFacts): boolean {
  if (value <= 0) return true;
  const a = inner(pull, targets);
  const pushed = hasOffset ? sumOf(pull) : 0;
  const b = add(div(mul(pull.length, inner(pull, pull)), 4), div(mul(pushed, pushed), 2 * decay));
  if (sign(a) <= 0) return false;
  const best = div(a, mul(2, b));
  // Free: a^2 / (4 b) at t = a / (2 b).
  if (compare(mul(mul(best, best), polarSquare), mul(decay, decay)) <= 0)
    return compare(value, div(mul(a, a), mul(4, b))) <= 0;
  // At the end t = decay / P: value + b decay^2 / P^2 <= a decay / P, both sides above 0, squared.
  const left = add(value, div(mul(b, mul(decay, decay)), polarSquare));
  return compare(mul(mul(left, left), polarSquare), mul(mul(a, a), mul(decay, decay))) <= 0;
}
