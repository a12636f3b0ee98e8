// Is a two-layer ReLU network with weight decay globally optimal, over networks of all widths (Theorem 4.9)? A bound from below
// by the convex problem that its outputs solve.
import { add, type Interval, mul, point, squared } from "../../numbers/interval/index.ts";
import { addDown, addUp, divDown, divUp, mulUp, sqrtUp } from "../../numbers/rounding.ts";
import { LandscapeError } from "../error.ts";
import type { ConvexLoss } from "./convex-loss.ts";
import { type PolarBounds, type PolarOptions, reluPolar } from "./relu-polar.ts";
import { type Neuron, outputErrors, outputsOf, paddedInputs, penaltyOf, type TwoLayer } from "./two-layer.ts";

export const defaultGapTolerance = 1e-6;

export interface CertificateOptions extends PolarOptions {
  readonly decay: number;
  /** A gap up to this part of the objective counts as none; default 1e-6. */
  readonly gapTolerance?: number;
}

export type CertificateVerdict = "globally optimal" | "not optimal" | "unknown";

export interface OptimalityCertificate {
  /** loss + (decay / 2) |w|^2 */
  readonly objective: number;
  /** Proved, rounding included: no network of this kind, however wide, is below. */
  readonly lowerBound: number;
  /** The point t G of the dual that gives the bound: G is the pull as rounded, which `polar` is about too. */
  readonly dual: { readonly pull: readonly Float64Array[]; readonly t: number };
  /** Proved: the objective of the stored weights is above the lower bound by no more. */
  readonly gap: number;
  /** Proved: the gap is within the tolerance, or the network with `neuron`, or scaled, is better. */
  readonly verdict: CertificateVerdict;
  /** <G, Z> / (2 decay penalty of the neurons) - 1, 0 at every local minimum: the objective along a scaling of all neurons. */
  readonly scaling: number;
  /** max <G, neuron> over neurons of penalty 1, against the decay: at most it at a global minimum. */
  readonly polar: PolarBounds;
  /** Lowers the objective where the polar is above the decay. */
  readonly neuron?: Neuron;
  /** With all weights of neurons times this number the objective is lower; where no neuron is known that lowers it. */
  readonly scale?: number;
  /** The objective with that neuron, or with these weights. */
  readonly improved?: number;
}

/**
 * The certificate of a network on examples (inputs not padded).
 * @example certifyTwoLayer({ neurons: [], hasBias: false }, [Float64Array.of(1)], convexLoss("square", { values: [Float64Array.of(1)] }), 1, { decay: 3 }).verdict // "globally optimal"
 */
export function certifyTwoLayer(
  net: TwoLayer,
  inputs: readonly Float64Array[],
  loss: ConvexLoss,
  outputs: number,
  { decay, gapTolerance = defaultGapTolerance, ...options }: CertificateOptions,
): OptimalityCertificate {
  if (!(decay > 0))
    throw new LandscapeError(
      "a certificate needs weight decay above 0: without it the convex problem has no bound",
    );
  const x = paddedInputs(inputs, net);
  const z = outputsOf(net, x, outputs);
  const settings = { loss, x, outputs, decay };
  const objective = loss.value(z) + decay * penaltyOf(net);
  const around = enclosed(net, settings);
  if (!Number.isFinite(objective) || !Number.isFinite(around.upper)) throw tooGreat();
  const pull = loss.pull(z);
  const polar = reluPolar(x, pull, { ...options, enough: options.enough ?? decay });
  const { lowerBound, t } = boundBelow(z, pull, polar.upper, net.offset !== undefined, settings);
  const gap = addUp(around.upper, -lowerBound);
  const scaling = scalingOf(net, x, pull, outputs, decay);
  const found = better(net, polar, scaling, objective, settings);
  const verdict: CertificateVerdict =
    gap <= gapTolerance * around.lower
      ? "globally optimal"
      : found && enclosed(found.net, settings).upper < around.lower
        ? "not optimal"
        : "unknown";
  return { objective, lowerBound, dual: { pull, t }, gap, verdict, scaling, polar, ...found?.how };
}

interface Settings {
  readonly loss: ConvexLoss;
  /** Inputs padded already. */
  readonly x: readonly Float64Array[];
  readonly outputs: number;
  readonly decay: number;
}

const tooGreat = () =>
  new LandscapeError("the objective is no number: those of the data or of the weights are too great");

/** The objective of the stored weights, rounded both ways. */
function enclosed(net: TwoLayer, { loss, x, outputs, decay }: Settings): Interval {
  const weights = [
    ...net.neurons.flatMap(({ incoming, outgoing }) => [...incoming, ...outgoing]),
    ...(net.offset ?? []),
  ];
  const squares = weights.reduce((sum, w) => add(sum, squared(point(w))), point(0));
  const [z, errors] = [outputsOf(net, x, outputs), outputErrors(net, x, outputs)];
  if (![...z, ...errors].every((row) => row.every(Number.isFinite))) throw tooGreat();
  const { lower, upper } = loss.enclosed(z, errors);
  if (!(lower <= upper && upper < Number.POSITIVE_INFINITY)) throw tooGreat();
  return add({ lower, upper }, mul(mul(point(decay), point(0.5)), squares));
}

/**
 * The dual at t G for t max <G, neuron> <= decay: t is sought in doubles, and what it proves is rounded downwards. An offset c of
 * the outputs with its own decay takes t^2 (sum G)^2 / (2 decay).
 */
function boundBelow(
  z: readonly Float64Array[],
  pull: readonly Float64Array[],
  polar: number,
  hasOffset: boolean,
  { loss, x, decay }: Settings,
): { readonly lowerBound: number; readonly t: number } {
  const drift = loss.drift(pull);
  const pulled = x.reduce((sum, row, i) => addUp(sum, mulUp(drift[i]!, lengthUp(row))), polar);
  const reach = Math.min(loss.most, pulled > 0 ? divDown(decay, pulled) : Number.POSITIVE_INFINITY);
  const drifted = drift.reduce(addUp, 0);
  const sums = hasOffset
    ? pull.map((row) => {
        const { lower, upper } = row.reduce((sum, v) => add(sum, point(v)), point(0));
        return addUp(Math.max(-lower, upper), drifted);
      })
    : [];
  const pushed = sums.reduce((sum, s) => addUp(sum, mulUp(s, s)), 0);
  const best = greatest((t) => loss.dual(z, t) - (t * t * pushed) / (2 * decay), reach);
  const provedAt = (t: number): number => {
    const spent = mulUp(0.5, divUp(mulUp(mulUp(t, t), pushed), decay));
    return addDown(loss.dualBelow(pull, t), -spent);
  };
  // Near the end of its range a dual point may be out of it by rounding.
  const places = [best, best * (1 - 2 ** -40)].map((t) => Math.min(t, reach));
  // The penalty and the loss are never below 0.
  return places
    .map((t) => ({ t, lowerBound: provedAt(t) }))
    .reduce((most, found) => (found.lowerBound > most.lowerBound ? found : most), { t: 0, lowerBound: 0 });
}

const lengthUp = (row: Float64Array): number => sqrtUp(row.reduce((sum, v) => addUp(sum, mulUp(v, v)), 0));

/** Where a concave function is greatest on [0, end], end perhaps infinite, by golden sections. */
function greatest(f: (t: number) => number, end: number): number {
  let high = Number.isFinite(end) ? end : 1;
  if (!Number.isFinite(end)) while (f(2 * high) > f(high) && high < 2 ** 60) high *= 2;
  let [low, top] = [0, Number.isFinite(end) ? end : 2 * high];
  const ratio = (Math.sqrt(5) - 1) / 2;
  for (let k = 0; k < 120; k++) {
    const [a, b] = [top - ratio * (top - low), low + ratio * (top - low)];
    if (f(a) < f(b)) low = a;
    else top = b;
  }
  const places = [0, (low + top) / 2, ...(Number.isFinite(end) ? [end] : [])];
  return places.reduce((best, t) => (f(t) > f(best) ? t : best));
}

function scalingOf(
  net: TwoLayer,
  x: readonly Float64Array[],
  pull: readonly Float64Array[],
  outputs: number,
  decay: number,
): number {
  const { offset: _, ...bare } = net;
  const z = outputsOf(bare, x, outputs);
  const inner = pull.reduce((sum, row, k) => sum + row.reduce((s, g, i) => s + g * z[k]![i]!, 0), 0);
  const penalty = decay * penaltyOf(bare);
  return penalty === 0 ? 0 : inner / penalty - 1;
}

interface Better {
  readonly net: TwoLayer;
  readonly how:
    | { readonly neuron: Neuron; readonly improved: number }
    | { readonly scale: number; readonly improved: number };
}

/** The network with the polar neuron, or with neurons of another size, whichever lowers the objective. */
function better(
  net: TwoLayer,
  polar: PolarBounds,
  scaling: number,
  objective: number,
  settings: Settings,
): Better | undefined {
  const { loss, x, outputs, decay } = settings;
  const value = (of: TwoLayer): number => loss.value(outputsOf(of, x, outputs)) + decay * penaltyOf(of);
  const widened = polar.lower > decay * (1 + 1e-9) ? withNeuron(net, polar, value) : undefined;
  if (widened && widened.improved < objective) {
    const { neuron } = widened;
    return { net: { ...net, neurons: [...net.neurons, neuron] }, how: widened };
  }
  if (scaling === 0) return undefined;
  const scaled = (scale: number): TwoLayer => ({
    ...net,
    neurons: net.neurons.map(({ incoming, outgoing }) => ({
      incoming: incoming.map((w) => scale * w),
      outgoing: outgoing.map((w) => scale * w),
    })),
  });
  const sizes = Array.from({ length: 45 }, (_, k) => 1 + Math.sign(scaling) * 2 ** -k);
  const best = sizes
    .map((scale) => ({ scale, improved: value(scaled(scale)) }))
    .reduce((least, s) => (s.improved < least.improved ? s : least), { scale: 1, improved: objective });
  return best.improved < objective ? { net: scaled(best.scale), how: best } : undefined;
}

/** The polar neuron with the size that lowers the objective most, by halving. */
function withNeuron(
  net: TwoLayer,
  { neuron, response }: PolarBounds,
  value: (of: TwoLayer) => number,
): { readonly neuron: Neuron; readonly improved: number } {
  const length = Math.sqrt(response.reduce((sum, r) => sum + r * r, 0));
  const sized = (size: number): Neuron => ({
    incoming: neuron.map((v) => Math.sqrt(size) * v),
    outgoing: response.map((r) => (Math.sqrt(size) * r) / length),
  });
  const at = (size: number): number => value({ ...net, neurons: [...net.neurons, sized(size)] });
  let [size, least] = [1, at(1)];
  for (let k = 0; k < 80; k++) {
    const [more, less] = [at(size * 1.5), at(size / 1.5)];
    if (Math.min(more, less) >= least) break;
    [size, least] = more < less ? [size * 1.5, more] : [size / 1.5, less];
  }
  return { neuron: sized(size), improved: least };
}
