// A ReLU network read as a pursuit: rows of weights are atoms, biases are thresholds, activations are codes (book, chapter 7, (7.13)).
// Atoms of length 1: ReLU(w x + b) = |w| ReLU(d x - t) with d = w / |w|, t = -b / |w|, and |w| moves on to the next layer.
import { frobeniusNorm, spectralNorm } from "../../linear-algebra/matrix-norm.ts";
import type { DenseLayer } from "../../train/dense-network.ts";
import { SparseError } from "../error.ts";
import { analyze, type Dictionary, requireSignal, synthesize } from "../pursuit/dictionary.ts";
import { rectifiedThreshold } from "../pursuit/thresholds.ts";
import { coherenceOf } from "./guarantees.ts";

/** One ReLU layer: a code is ReLU(D^T x - thresholds). */
export interface PursuitLayer {
  readonly dictionary: Dictionary;
  /** Below 0 where a bias is positive: no pursuit has such a threshold. */
  readonly thresholds: Float64Array;
}

export interface NetworkPursuit {
  readonly layers: readonly PursuitLayer[];
  /** The last layer, which has no ReLU, on codes of unit atoms: one row an output. */
  readonly readout: DenseLayer;
}

/**
 * Dense layers with ReLU between them as dictionaries of unit atoms with thresholds.
 * @example networkPursuit([{ W: [[0, 2]], b: [-1] }, { W: [[3]] }]).layers[0].thresholds // Float64Array [0.5]
 */
export function networkPursuit(network: readonly DenseLayer[]): NetworkPursuit {
  const layers: PursuitLayer[] = [];
  let lengths: readonly number[] | undefined;
  for (const [i, layer] of network.entries()) {
    const W = layer.W.map((row) => row.map((w, k) => w * (lengths?.[k] ?? 1)));
    if (i === network.length - 1) return { layers, readout: { ...layer, W } };
    const own = W.map((row) => Math.hypot(...row));
    const zero = own.indexOf(0);
    if (zero >= 0) throw new SparseError(`unit ${zero} of layer ${i + 1} has no weights: it is no atom`);
    const [count, size] = [W.length, W[0]!.length];
    const atoms = Float64Array.from(W.flatMap((row, j) => row.map((w) => w / own[j]!)));
    const thresholds = Float64Array.from(own, (length, j) => -(layer.b?.[j] ?? 0) / length);
    layers.push({ dictionary: { size, count, atoms }, thresholds });
    lengths = own;
  }
  throw new SparseError("a network has at least one layer");
}

/** The codes of all layers. */
export function pursuitCodes({ layers }: NetworkPursuit, x: Float64Array): readonly Float64Array[] {
  const codes: Float64Array[] = [];
  for (const { dictionary, thresholds } of layers) {
    const from = codes.at(-1) ?? x;
    requireSignal(dictionary, from);
    codes.push(analyze(dictionary, from).map((v, j) => rectifiedThreshold(v, thresholds[j]!)));
  }
  return codes;
}

/** What sparse coding can say of one layer of a network, on data. */
export interface LayerReading {
  readonly atoms: number;
  readonly coherence: number;
  /** No dictionary of this shape has a coherence that is less (Welch). */
  readonly leastCoherence: number;
  /** |D|_2. */
  readonly norm: number;
  /** |D^T D - I|_F: 0 for orthonormal atoms. */
  readonly defect: number;
  /** Atoms whose threshold is below 0. */
  readonly negativeThresholds: number;
  /** Atoms that are used by a code: on average, and at most. */
  readonly meanNonzeros: number;
  readonly mostNonzeros: number;
  /** Theorem 7.1: fewer nonzeros than this make a code the only sparsest one. */
  readonly uniqueBelow: number;
  /** The share of the data whose code has fewer. */
  readonly unique: number;
  /** Theorem 7.2 without noise: the share of the data with s < (1 + c / mu) / 2, c the least entry over the greatest. */
  readonly stable: number;
  /** |x_(i-1) - D_i x_i| / |x_(i-1)| on average: how far the codes are from making their signals. */
  readonly misfit: number;
}

/**
 * A report of each layer of a network: by how much it is a dictionary for which the guarantees of sparse coding hold.
 * @example networkReading(networkPursuit([{ W: [[1, 0], [0, 1]] }, { W: [[1, 1]] }]), [Float64Array.of(1, 2)])[0].coherence // 0
 */
export function networkReading(
  network: NetworkPursuit,
  data: readonly Float64Array[],
): readonly LayerReading[] {
  if (data.length === 0) throw new SparseError("a network is read on at least one example");
  const codes = data.map((x) => pursuitCodes(network, x));
  return network.layers.map(({ dictionary, thresholds }, i) => {
    const { size, count } = dictionary;
    const coherence = coherenceOf(dictionary);
    const sizes = codes.map((code) => code[i]!.filter((v) => v !== 0));
    const misfits = codes.map((code, k) => relativeMisfit(dictionary, code[i - 1] ?? data[k]!, code[i]!));
    const uniqueBelow = (1 + 1 / coherence) / 2;
    return {
      ...{ atoms: count, coherence, uniqueBelow },
      leastCoherence: count > size ? Math.sqrt((count - size) / (size * (count - 1))) : 0,
      norm: spectralNorm({ rows: count, columns: size, entries: dictionary.atoms }),
      defect: orthonormalityDefect(dictionary),
      negativeThresholds: thresholds.filter((t) => t < 0).length,
      meanNonzeros: mean(sizes.map((s) => s.length)),
      mostNonzeros: Math.max(...sizes.map((s) => s.length)),
      unique: mean(sizes.map((s) => Number(s.length < uniqueBelow))),
      stable: mean(
        sizes.map((s) =>
          Number(s.length === 0 || s.length < (1 + Math.min(...s) / Math.max(...s) / coherence) / 2),
        ),
      ),
      misfit: mean(misfits),
    };
  });
}

const mean = (list: readonly number[]): number => list.reduce((sum, v) => sum + v, 0) / list.length;

function relativeMisfit(dictionary: Dictionary, signal: Float64Array, code: Float64Array): number {
  const made = synthesize(dictionary, code);
  const length = Math.hypot(...signal);
  return length === 0 ? 0 : Math.hypot(...signal.map((v, k) => v - made[k]!)) / length;
}

/**
 * |D^T D - I|_F.
 * @example orthonormalityDefect(dictionaryOf(matrixOfRows([[1, 1], [0, 0]]))) // 1.4142135623730951
 */
export function orthonormalityDefect({ size, count, atoms }: Dictionary): number {
  const away = new Float64Array(count * count);
  for (let j = 0; j < count; j++)
    analyze({ size, count, atoms }, atoms.subarray(j * size, (j + 1) * size)).forEach((v, i) => {
      away[j * count + i] = v - Number(i === j);
    });
  return frobeniusNorm(away);
}
