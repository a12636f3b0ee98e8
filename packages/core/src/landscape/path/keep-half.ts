// A path between two wide two-layer ReLU networks that hardly climbs (Freeman and Bruna 2017; book, sect. 1.5.1): each network
// is moved onto half of its neurons, one half for the first and the other for the second; then they are mixed by their
// outputs alone, where the loss is convex.
import type { ConvexLoss } from "../certificate/convex-loss.ts";
import { type Neuron, outputsOf, paddedInputs, penaltyOf, type TwoLayer } from "../certificate/two-layer.ts";
import { LandscapeError } from "../error.ts";

/** near: neurons move a little; constant: the function stays; convex: outgoing weights alone move. */
export type SegmentKind = "near" | "constant" | "convex";

export interface KeptHalf {
  /** Each neuron's incoming weights as those of its nearest kept neuron: outgoing weights as they were. */
  readonly moved: TwoLayer;
  /** The same function by the kept neurons alone. */
  readonly gathered: TwoLayer;
  /** How far each neuron's incoming weights moved. */
  readonly moves: Float64Array;
}

export interface LowBarrierPath {
  readonly nodes: readonly TwoLayer[];
  readonly segments: readonly SegmentKind[];
  readonly halves: readonly [KeptHalf, KeptHalf];
}

export interface KeepOptions {
  /** A neuron may move to a multiple of a kept one, which ReLU passes on to the outputs; default true. */
  readonly multiples?: boolean;
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);
const scaled = (v: Float64Array, by: number): Float64Array => v.map((w) => by * w);

/**
 * The network moved onto the neurons for which `isKept` holds.
 * @example keptHalf({ hasBias: false, neurons: [1, 3].map((w) => ({ incoming: Float64Array.of(w), outgoing: Float64Array.of(1) })) }, (j) => j === 0, { multiples: false }).moves // Float64Array [0, 2]
 */
export function keptHalf(
  net: TwoLayer,
  isKept: (neuron: number) => boolean,
  { multiples = true }: KeepOptions = {},
): KeptHalf {
  const { neurons } = net;
  const kept = neurons.flatMap((_, j) => (isKept(j) ? [j] : []));
  if (kept.length === 0) throw new LandscapeError("a path through half of the neurons needs two of them");
  const nearest = neurons.map(({ incoming }, j) => {
    if (isKept(j)) return { to: j, by: 1, distance: 0 };
    return kept
      .map((k) => {
        const other = neurons[k]!.incoming;
        const square = dot(other, other);
        const by = multiples ? (square > 0 ? Math.max(0, dot(incoming, other) / square) : 0) : 1;
        return { to: k, by, distance: Math.hypot(...incoming.map((v, c) => v - by * other[c]!)) };
      })
      .reduce((best, found) => (found.distance < best.distance ? found : best));
  });
  const sums = neurons.map(({ outgoing }) => new Float64Array(outgoing.length));
  nearest.forEach(({ to, by }, j) => {
    neurons[j]!.outgoing.forEach((u, k) => {
      sums[to]![k]! += by * u;
    });
  });
  const moved = neurons.map(
    ({ outgoing }, j): Neuron => ({
      incoming: scaled(neurons[nearest[j]!.to]!.incoming, nearest[j]!.by),
      outgoing,
    }),
  );
  return {
    moved: { ...net, neurons: moved },
    gathered: { ...net, neurons: moved.map(({ incoming }, j) => ({ incoming, outgoing: sums[j]! })) },
    moves: Float64Array.from(nearest, ({ distance }) => distance),
  };
}

/**
 * Eight networks and the seven straight segments between them, from one network to another of the same sizes.
 */
export function lowBarrierPath(from: TwoLayer, to: TwoLayer, options: KeepOptions = {}): LowBarrierPath {
  const [n, m] = [from.neurons.length, to.neurons.length];
  const isSame =
    n === m && from.hasBias === to.hasBias && (from.offset === undefined) === (to.offset === undefined);
  if (!isSame) throw new LandscapeError("a path needs two networks of the same layout");
  const isFirst = (j: number): boolean => j < Math.ceil(n / 2);
  const [first, second] = [
    keptHalf(from, isFirst, options),
    keptHalf(to, (j) => !isFirst(j), options),
  ] as const;
  /** The first half of one network's neurons and the second of the other's, with the outputs of one of the two. */
  const mixed = (outgoing: TwoLayer): TwoLayer => ({
    ...outgoing,
    neurons: outgoing.neurons.map((neuron, j) => ({
      incoming: (isFirst(j) ? from : to).neurons[j]!.incoming,
      outgoing: neuron.outgoing,
    })),
  });
  return {
    nodes: [
      ...[from, first.moved, first.gathered, mixed(first.gathered)],
      ...[mixed(second.gathered), second.gathered, second.moved, to],
    ],
    segments: ["near", "constant", "constant", "convex", "constant", "constant", "near"],
    halves: [first, second],
  };
}

/** The network a fraction of the way along a segment. */
export const mixedTwoLayer = (a: TwoLayer, b: TwoLayer, t: number): TwoLayer => {
  const mix = (v: Float64Array, w: Float64Array) => v.map((x, k) => (1 - t) * x + t * w[k]!);
  return {
    ...a,
    neurons: a.neurons.map(({ incoming, outgoing }, j) => ({
      incoming: mix(incoming, b.neurons[j]!.incoming),
      outgoing: mix(outgoing, b.neurons[j]!.outgoing),
    })),
    ...(a.offset ? { offset: mix(a.offset, b.offset!) } : {}),
  };
};

export interface PathCertificate {
  /** No point of the path has a greater objective: see below. */
  readonly greatest: number;
  /** `greatest` less the greater end. */
  readonly barrier: number;
  /** Of both ends: the farthest move of a neuron, and how far outputs may move on any example. */
  readonly moves: readonly [number, number];
  readonly outputs: readonly [number, number];
}

/**
 * What no point of the path exceeds, by the ends alone. While neuron j moves by at most e_j, the outputs on x move by at most
 * |x| sum_j |u_j| e_j; the loss of that, with the decay of the longer end of each segment. In doubles, not rounded outwards.
 */
export function pathCertificate(
  { nodes, halves }: LowBarrierPath,
  inputs: readonly Float64Array[],
  loss: ConvexLoss,
  outputs: number,
  decay = 0,
): PathCertificate {
  const x = paddedInputs(inputs, nodes[0]!);
  const lengths = Float64Array.from(x, (row) => Math.sqrt(dot(row, row)));
  const ends = [nodes[0]!, nodes.at(-1)!] as const;
  const risks = ends.map((net) => loss.value(outputsOf(net, x, outputs)));
  const rates = ends.map(({ neurons }, side) =>
    neurons.reduce(
      (sum, { outgoing }, j) => sum + Math.sqrt(dot(outgoing, outgoing)) * halves[side]!.moves[j]!,
      0,
    ),
  );
  const raised = risks.map((risk, side) => loss.raised(risk, scaled(lengths, rates[side]!)));
  const penalty = decay * Math.max(...nodes.map(penaltyOf));
  const greatest = Math.max(...raised) + penalty;
  const longest = Math.max(...lengths);
  return {
    greatest,
    barrier: greatest - Math.max(...ends.map((net, side) => risks[side]! + decay * penaltyOf(net))),
    moves: [Math.max(...halves[0].moves), Math.max(...halves[1].moves)],
    outputs: [rates[0]! * longest, rates[1]! * longest],
  };
}
