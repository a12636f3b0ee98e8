// Checks a certificate of a two-layer ReLU network in rational arithmetic, from the network and the data alone: for one output,
// neurons of one or two incoming weights, the square loss. Shares no line with what made the certificate.
import {
  abs,
  add,
  compare,
  div,
  type Exact,
  max,
  mul,
  neg,
  sign,
  sub,
} from "../../numbers/exact/rational.ts";
import { LandscapeError } from "../error.ts";
import type { OptimalityCertificate } from "./relu-certificate.ts";
import type { Neuron, TwoLayer } from "./two-layer.ts";

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
  const { objective, lowerBound, dual, gap, verdict, polar, neuron, scale, improved } = certificate;
  const m = inputs.length;
  if (![objective, lowerBound, gap, polar.lower].every(Number.isFinite)) return "there is no number";
  if (!(decay > 0) || !(gapTolerance >= 0)) return "the decay is not above 0, or the tolerance below it";
  const width = inputs[0]!.length + (net.hasBias ? 1 : 0);
  const isNeuron = (n: Neuron): boolean => n.incoming.length === width && n.outgoing.length === 1;
  const isWhole =
    [...net.neurons, ...(neuron ? [neuron] : [])].every(isNeuron) && (net.offset?.length ?? 1) === 1;
  if (!isWhole || targets.length !== m)
    return "the check is for one output, and neurons that fit the examples";
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
    return add(mean(rest.map((r) => mul(r, r))), div(mul(decay, squares(weights)), 2));
  };
  const exact = exactObjective(net);
  if (!isNear(objective, exact)) return "the objective is another one";
  const pull = [...(dual.pull[0] ?? [])];
  if (pull.length !== m || dual.pull.length !== 1 || ![dual.t, ...pull].every(Number.isFinite))
    return "the dual point is not one for these examples";
  const polarSquare = exactPolarSquare(x, pull);
  const isAbove =
    polar.upper === Number.POSITIVE_INFINITY ||
    (polar.upper >= 0 && compare(mul(polar.upper, polar.upper), polarSquare) >= 0);
  if (!isAbove) return "the polar is above its upper bound";
  if (!(polar.lower >= 0) || compare(mul(polar.lower, polar.lower), polarSquare) > 0)
    return "the polar is below its lower bound";
  const above = exceeds(lowerBound, {
    pull,
    t: dual.t,
    targets: [...targets],
    decay,
    polarSquare,
    hasOffset: net.offset !== undefined,
  });
  if (above) return above;
  if (compare(sub(exact, lowerBound), gap) > 0) return "the gap is greater than is said";
  if (verdict === "globally optimal" && compare(gap, mul(gapTolerance, exact)) > 0)
    return "the gap is not within the tolerance";
  if (improved === undefined) return verdict === "not optimal" ? "no better network is shown" : undefined;
  const other = exactObjective(
    neuron
      ? { ...net, neurons: [...net.neurons, neuron] }
      : { ...net, neurons: net.neurons.map((n) => scaled(n, scale ?? 1)) },
  );
  if (!isNear(improved, other)) return "the better network does not have the objective that is said";
  if (verdict === "not optimal" && compare(other, exact) >= 0) return "the better network is not better";
  return undefined;
}

/** Within 2^-40 of the number, and 2^-500 for what underflows. */
const isNear = (value: number, exact: Exact): boolean =>
  Number.isFinite(value) && compare(abs(sub(value, exact)), add(mul(2 ** -40, abs(exact)), 2 ** -500)) <= 0;

/** As the weights are rounded when they are scaled. */
const scaled = ({ incoming, outgoing }: Neuron, by: number): Neuron => ({
  incoming: incoming.map((w) => by * w),
  outgoing: outgoing.map((w) => by * w),
});

interface DualFacts {
  readonly pull: Rationals;
  readonly t: number;
  readonly targets: Rationals;
  readonly decay: number;
  readonly polarSquare: Exact;
  readonly hasOffset: boolean;
}

/**
 * Why a number is no bound by the dual point Q = t G: max <Q, neuron> = t polar is at most the decay, and the number at most
 * <Q, y> - m |Q|^2 / 4 - (sum Q)^2 / (2 decay). 0 is a bound as well.
 */
function exceeds(
  value: number,
  { pull, t, targets, decay, polarSquare, hasOffset }: DualFacts,
): string | undefined {
  if (value <= 0) return undefined;
  if (compare(mul(mul(t, t), polarSquare), mul(decay, decay)) > 0) return "the dual point is out of reach";
  const q = pull.map((g) => mul(t, g));
  const pushed = hasOffset ? sumOf(q) : 0;
  const lost = add(div(mul(q.length, inner(q, q)), 4), div(mul(pushed, pushed), mul(2, decay)));
  return compare(value, sub(inner(q, targets), lost)) > 0
    ? "the lower bound is above what the dual point gives"
    : undefined;
}
