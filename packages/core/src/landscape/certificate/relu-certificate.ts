// Is a two-layer ReLU network with weight decay globally optimal, over networks of all widths (Theorem 4.9)? A bound from below
// by the convex problem that its outputs solve.
import { LandscapeError } from "../error.ts";
import type { ConvexLoss } from "./convex-loss.ts";
import { type PolarBounds, type PolarOptions, reluPolar } from "./relu-polar.ts";
import { type Neuron, outputsOf, paddedInputs, penaltyOf, type TwoLayer } from "./two-layer.ts";

export interface CertificateOptions extends PolarOptions {
  readonly decay: number;
  /** A gap up to this part of the objective counts as none; default 1e-6. */
  readonly gapTolerance?: number;
}

export type CertificateVerdict = "globally optimal" | "not optimal" | "unknown";

export interface OptimalityCertificate {
  /** loss + (decay / 2) |w|^2 */
  readonly objective: number;
  /** No network of this kind, however wide, is below. */
  readonly lowerBound: number;
  readonly gap: number;
  readonly verdict: CertificateVerdict;
  /** <G, Z> / (2 decay penalty of the neurons) - 1, 0 at every local minimum: the objective along a scaling of all neurons. */
  readonly scaling: number;
  /** max <G, neuron> over neurons of penalty 1, against the decay: at most it at a global minimum. */
  readonly polar: PolarBounds;
  /** Lowers the objective where the polar is above the decay. */
  readonly neuron?: Neuron;
  /** The objective with that neuron. */
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
  { decay, gapTolerance = 1e-6, ...options }: CertificateOptions,
): OptimalityCertificate {
  if (!(decay > 0))
    throw new LandscapeError(
      "a certificate needs weight decay above 0: without it the convex problem has no bound",
    );
  const x = paddedInputs(inputs, net);
  const z = outputsOf(net, x, outputs);
  const objective = loss.value(z) + decay * penaltyOf(net);
  const pull = loss.pull(z);
  const polar = reluPolar(x, pull, { ...options, enough: options.enough ?? decay });
  // The bound is that of the point that the pull stands for: what was computed, or the nearest that has a conjugate.
  const blur = loss.pullRounding(outputs);
  const lengths = x.reduce((sum, row) => sum + Math.sqrt(row.reduce((s, v) => s + v * v, 0)), 0);
  const pulled = polar.upper + blur * Math.sqrt(outputs) * lengths * (1 + 2 ** -30);
  const reach = Math.min(loss.most, pulled > 0 ? decay / pulled : Number.POSITIVE_INFINITY);
  // Sums of both signs, from above.
  const sums = net.offset
    ? pull.map((row) => {
        const size = row.reduce((a, b) => a + Math.abs(b), 0);
        return Math.abs(row.reduce((a, b) => a + b, 0)) + x.length * (2 ** -52 * size + blur);
      })
    : [];
  const pushed = sums.reduce((sum, s) => sum + s * s, 0);
  const dual = (t: number): number => loss.dual(z, t) - (t * t * pushed) / (2 * decay);
  const best = greatest(dual, reach);
  // The terms of the dual are at most three times the loss of 0 in size together (square), or entropies, whose slope at a
  // probability that is off by 2^-53 is at most 40: (terms + 40) 2^-53 of it, and this is more.
  const slack =
    (x.length * outputs + 8) *
    2 ** -48 *
    Math.max(Math.abs(objective), Math.abs(best), loss.value(z.map((row) => row.map(() => 0))));
  // The penalty and the loss are never below 0.
  const lowerBound = Math.max(0, best - slack);
  const gap = objective - lowerBound;
  const scaling = scalingOf(net, x, pull, outputs, decay);
  const added =
    polar.lower > decay * (1 + 1e-9) ? withNeuron(net, x, loss, outputs, decay, polar) : undefined;
  const verdict: CertificateVerdict =
    gap <= gapTolerance * objective
      ? "globally optimal"
      : (added && added.improved < objective) || Math.abs(scaling) > 1e-3
        ? "not optimal"
        : "unknown";
  return { objective, lowerBound, gap, verdict, scaling, polar, ...added };
}

/** The greatest value of a concave function on [0, end], end perhaps infinite, by golden sections. */
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
  return Math.max(f(0), f((low + top) / 2), Number.isFinite(end) ? f(end) : Number.NEGATIVE_INFINITY);
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

/** The polar neuron with the size that lowers the objective most, by halving. */
function withNeuron(
  net: TwoLayer,
  x: readonly Float64Array[],
  loss: ConvexLoss,
  outputs: number,
  decay: number,
  { neuron, response }: PolarBounds,
): { readonly neuron: Neuron; readonly improved: number } {
  const length = Math.sqrt(response.reduce((sum, r) => sum + r * r, 0));
  const sized = (size: number): Neuron => ({
    incoming: neuron.map((v) => Math.sqrt(size) * v),
    outgoing: response.map((r) => (Math.sqrt(size) * r) / length),
  });
  const at = (size: number): number => {
    const wider = { ...net, neurons: [...net.neurons, sized(size)] };
    return loss.value(outputsOf(wider, x, outputs)) + decay * penaltyOf(wider);
  };
  let [size, value] = [1, at(1)];
  for (let up = true, k = 0; k < 80; k++) {
    const [more, less] = [at(size * 1.5), at(size / 1.5)];
    up = more < less;
    if (Math.min(more, less) >= value) break;
    [size, value] = up ? [size * 1.5, more] : [size / 1.5, less];
  }
  return { neuron: sized(size), improved: value };
}
