// Descent on loss + (decay / 2) |w|^2 of a two-layer ReLU network, by limited-memory BFGS with halved steps. Minima lie on kinks,
// where gradients do not settle: a neuron that comes to a kink <v, x_i> = 0 is held there.
import type { ConvexLoss } from "./convex-loss.ts";
import { dot, FlatObjective, type Held, type Penalized, without } from "./flat-objective.ts";
import { outputsOf, penaltyOf, type TwoLayer } from "./two-layer.ts";

export interface DescentSettings extends Penalized {
  readonly steps?: number;
}

/** Inputs padded already. */
export const objectiveOf = (
  net: TwoLayer,
  x: readonly Float64Array[],
  loss: ConvexLoss,
  { outputs, decay }: Penalized,
): number => loss.value(outputsOf(net, x, outputs)) + decay * penaltyOf(net);

/** All weights in one vector: v_1, u_1, v_2, ..., and the offset. */
const joined = ({ neurons, offset }: TwoLayer): Float64Array =>
  Float64Array.from([
    ...neurons.flatMap(({ incoming, outgoing }) => [...incoming, ...outgoing]),
    ...(offset ?? []),
  ]);

function parted(theta: Float64Array, like: TwoLayer): TwoLayer {
  let at = 0;
  const take = (size: number): Float64Array => {
    at += size;
    return theta.slice(at - size, at);
  };
  const neurons = like.neurons.map(({ incoming, outgoing }) => ({
    incoming: take(incoming.length),
    outgoing: take(outgoing.length),
  }));
  return { ...like, neurons, ...(like.offset ? { offset: take(like.offset.length) } : {}) };
}

const memory = 12;

/** Where descent with these kinks held comes to rest. */
function rested(
  net: TwoLayer,
  x: readonly Float64Array[],
  loss: ConvexLoss,
  settings: DescentSettings,
  held: Held,
): TwoLayer {
  const land = new FlatObjective(net, x, loss, settings, held);
  let theta = joined(net);
  if (theta.length === 0) return net;
  let [f, g] = [land.value(theta), land.slope(theta)];
  let pairs: { readonly s: Float64Array; readonly y: Float64Array }[] = [];
  for (let step = 0; step < (settings.steps ?? 2000); step++) {
    let direction = newtonLike(g, pairs);
    if (!(dot(direction, g) < 0)) [direction, pairs] = [g.map((v) => -v), []];
    const expected = dot(direction, g);
    let rate = pairs.length === 0 ? Math.min(1, 1 / Math.sqrt(dot(g, g))) : 1;
    let next = theta;
    let lower = f;
    for (let k = 0; k < 50; k++, rate /= 2) {
      next = theta.map((w, i) => w + rate * direction[i]!);
      lower = land.value(next);
      if (lower <= f + 1e-4 * rate * expected) break;
    }
    if (!(lower < f)) {
      if (pairs.length === 0) break;
      pairs = [];
      continue;
    }
    const after = land.slope(next);
    const [s, y] = [next.map((w, i) => w - theta[i]!), after.map((v, i) => v - g[i]!)];
    if (dot(s, y) > 1e-12 * dot(y, y)) pairs = [...pairs.slice(1 - memory), { s, y }];
    const fall = f - lower;
    [theta, f, g] = [next, lower, after];
    if (fall <= 1e-15 * Math.abs(f) && Math.sqrt(dot(g, g)) < 1e-10) break;
  }
  return parted(theta, net);
}

/** -H g by the last pairs of steps and changes of the slope (two loops). */
function newtonLike(
  g: Float64Array,
  pairs: readonly { readonly s: Float64Array; readonly y: Float64Array }[],
): Float64Array {
  let r = g.slice();
  const shares: number[] = [];
  for (const { s, y } of pairs.toReversed()) {
    const share = dot(s, r) / dot(s, y);
    shares.push(share);
    r = r.map((v, k) => v - share * y[k]!);
  }
  const last = pairs.at(-1);
  if (last) {
    const scale = dot(last.s, last.y) / dot(last.y, last.y);
    r = r.map((v) => v * scale);
  }
  for (const { s, y } of pairs) {
    const back = dot(y, r) / dot(s, y);
    const share = shares.pop()!;
    r = r.map((v, k) => v + (share - back) * s[k]!);
  }
  return r.map((v) => -v);
}

/** A neuron this near to a kink, as an angle, is tried on it. */
const near = 1e-2;

/** Steps after which a kink that does not help is left. */
const firstSteps = 100;

/** Where descent from a network comes to rest; the objective never rises. Inputs padded already. */
export function descended(
  start: TwoLayer,
  x: readonly Float64Array[],
  loss: ConvexLoss,
  settings: DescentSettings,
): TwoLayer {
  const value = (net: TwoLayer): number => objectiveOf(net, x, loss, settings);
  let held: Held = start.neurons.map(({ incoming }) => kinksAt(incoming, x));
  let net = rested(start, x, loss, settings, held);
  for (let again = true; again; ) {
    again = false;
    for (let j = 0; j < net.neurons.length; j++) {
      const kink = nearestKink(net.neurons[j]!.incoming, x, held[j]!);
      if (!kink) continue;
      const wider = held.map((basis, k) => (k === j ? [...basis, kink] : basis));
      const turned = {
        ...net,
        neurons: net.neurons.map((n, k) =>
          k === j ? { ...n, incoming: without(n.incoming, wider[j]!) } : n,
        ),
      };
      const soon = rested(turned, x, loss, { ...settings, steps: firstSteps }, wider);
      // What is not nearly there by now seldom gets there.
      if (!(value(soon) < value(net) * (1 + 1e-4))) continue;
      const tried = rested(soon, x, loss, settings, wider);
      if (!(value(tried) < value(net) * (1 - 1e-14))) continue;
      [net, held, again] = [tried, wider, true];
    }
  }
  return net;
}

const angleTo = (v: Float64Array, row: Float64Array): number =>
  Math.abs(dot(v, row)) / Math.sqrt(dot(v, v) * dot(row, row) || 1);

/** Kinks that a neuron is on already, but for rounding. */
function kinksAt(v: Float64Array, x: readonly Float64Array[]): readonly Float64Array[] {
  const basis: Float64Array[] = [];
  for (const row of x) {
    if (basis.length >= v.length - 1 || angleTo(v, row) > 1e-12) continue;
    const rest = without(row, basis);
    const length = Math.sqrt(dot(rest, rest));
    if (length > 1e-6 * Math.sqrt(dot(row, row))) basis.push(rest.map((c) => c / length));
  }
  return basis;
}

/** The direction of the nearest kink that is not held yet, of length 1 and orthogonal to the others. */
function nearestKink(
  v: Float64Array,
  x: readonly Float64Array[],
  basis: readonly Float64Array[],
): Float64Array | undefined {
  if (basis.length >= v.length - 1) return undefined;
  let [best, found]: [number, Float64Array | undefined] = [near, undefined];
  for (const row of x) {
    const rest = without(row, basis);
    const length = Math.sqrt(dot(rest, rest));
    if (length <= 1e-6 * Math.sqrt(dot(row, row))) continue;
    const angle = angleTo(v, rest);
    if (angle < best) [best, found] = [angle, rest.map((c) => c / length)];
  }
  return found;
}

/**
 * The best sizes of the neurons, their directions as they are: a convex problem, which kinks do not touch. One after the
 * other, each by golden sections.
 */
export function resized(
  start: TwoLayer,
  x: readonly Float64Array[],
  loss: ConvexLoss,
  settings: DescentSettings,
): TwoLayer {
  const scaled = (net: TwoLayer, j: number, by: number): TwoLayer => ({
    ...net,
    neurons: net.neurons.map((n, k) =>
      k === j ? { incoming: n.incoming.map((w) => by * w), outgoing: n.outgoing.map((w) => by * w) } : n,
    ),
  });
  const value = (net: TwoLayer): number => objectiveOf(net, x, loss, settings);
  let net = start;
  for (let sweep = 0; sweep < 20; sweep++) {
    const before = value(net);
    for (let j = 0; j < net.neurons.length; j++) {
      const at = (t: number): number => value(scaled(net, j, Math.sqrt(t)));
      let [low, high] = [0.25, 4];
      for (let k = 0; k < 60; k++) {
        const [a, b] = [high - 0.618034 * (high - low), low + 0.618034 * (high - low)];
        if (at(a) < at(b)) high = b;
        else low = a;
      }
      const best = (low + high) / 2;
      if (at(best) < value(net)) net = scaled(net, j, Math.sqrt(best));
    }
    if (!(value(net) < before * (1 - 1e-15))) break;
  }
  return net;
}
