// Along a plateau to fewer neurons (Theorem 4.10): where their outputs on the examples are linearly dependent, some are scaled up
// and others down with the outputs of the network unchanged and no greater penalty, until one is 0.
import { leftSingular, smallSvd } from "../../linear-algebra/small-svd.ts";
import type { Neuron, TwoLayer } from "./two-layer.ts";

/** What a neuron gives on all examples, output by output. */
function responses({ incoming, outgoing }: Neuron, x: readonly Float64Array[]): Float64Array {
  const active = x.map((row) =>
    Math.max(
      0,
      row.reduce((sum, v, c) => sum + v * incoming[c]!, 0),
    ),
  );
  return Float64Array.from([...outgoing].flatMap((u) => active.map((z) => u * z)));
}

const penalty = ({ incoming, outgoing }: Neuron): number =>
  [...incoming, ...outgoing].reduce((sum, w) => sum + w * w, 0) / 2;

const scaled = ({ incoming, outgoing }: Neuron, by: number): Neuron => ({
  incoming: incoming.map((w) => w * by),
  outgoing: outgoing.map((w) => w * by),
});

export interface Slide {
  readonly net: TwoLayer;
  /** Neurons that became 0, and are left out. */
  readonly removed: number;
  /** Penalty of the neurons before, and after each removal. */
  readonly penalties: readonly number[];
}

/** A combination of outputs of length 1 that is this short is rounding. */
const negligible = 1e-14;

/**
 * W_i(t) = (1 + t a_i)^(1/2) W_i with sum_i a_i phi_i = 0 and sum_i a_i theta_i <= 0, again and again; inputs padded already.
 * @example slid({ neurons: [1, 2].map((w) => ({ incoming: Float64Array.of(w), outgoing: Float64Array.of(w) })), hasBias: false }, [Float64Array.of(1)]).removed // 1
 */
export function slid(net: TwoLayer, x: readonly Float64Array[]): Slide {
  let neurons = [...net.neurons];
  const total = (): number => neurons.reduce((sum, n) => sum + penalty(n), 0);
  const penalties = [total()];
  const count = neurons.length;
  const isAlive = (n: Neuron): boolean => responses(n, x).some((v) => v !== 0);
  const before = neurons.length;
  neurons = neurons.filter(isAlive);
  if (neurons.length < before) penalties.push(total());
  for (;;) {
    const found = dependence(neurons, x);
    if (!found) return { net: { ...net, neurons }, removed: count - neurons.length, penalties };
    const rising = neurons.reduce((sum, n, j) => sum + found[j]! * penalty(n), 0);
    const a = rising > 0 ? found.map((v) => -v) : found;
    const least = Math.min(...a);
    if (!(least < 0)) return { net: { ...net, neurons }, removed: count - neurons.length, penalties };
    const gone = a.indexOf(least);
    neurons = neurons
      .map((n, j) => scaled(n, Math.sqrt(Math.max(0, 1 - a[j]! / least))))
      .filter((_, j) => j !== gone);
    penalties.push(total());
  }
}

/** a with sum_j a_j phi_j = 0, of length 1, relative to the sizes of the phi_j; undefined where they are independent. */
function dependence(neurons: readonly Neuron[], x: readonly Float64Array[]): readonly number[] | undefined {
  if (neurons.length === 0) return undefined;
  const all = neurons.map((n) => responses(n, x));
  const sizes = all.map((phi) => Math.hypot(...phi));
  // Outputs that overflow are no outputs to keep.
  if (!sizes.every((size) => size < Number.POSITIVE_INFINITY)) return undefined;
  const units = all.map((phi, j) => phi.map((v) => v / sizes[j]!));
  const count = all[0]!.length;
  if (neurons.length > count) {
    // More neurons than numbers: a direction that no singular value belongs to.
    const columns = Array.from({ length: count }, (_, i) => Float64Array.from(units, (u) => u[i]!));
    return [...smallSvd(columns, neurons.length).right[count]!].map((v, j) => v / sizes[j]!);
  }
  const { values, left } = leftSingular(units);
  const least = values.indexOf(Math.min(...values));
  return values[least]! > negligible ? undefined : [...left[least]!].map((v, j) => v / sizes[j]!);
}
