// What the bounds read of an audited classifier: widths, upper bounds of norms, margins and the size of its inputs.

import type { ClassifierFacts } from "../generalization/bounds/classifier-bounds.ts";
import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import type { AuditedModel } from "../measures/audited-model.ts";
import { euclidean, greatestMagnitude } from "../measures/euclidean.ts";
import type { LinearLayer } from "../measures/linear-layers.ts";
import type { ModelMeasures } from "../measures/measure-model.ts";
import { codeLength } from "./code-length.ts";
import type { NetworkChain } from "./network-chain.ts";

export interface FactsInput {
  readonly model: AuditedModel;
  readonly layers: readonly LinearLayer[];
  readonly chain: NetworkChain;
  readonly measures: ModelMeasures;
  readonly x: Tensor;
  readonly delta: number;
  /** |x|_2 of all inputs that the law can draw; infinite if unknown. */
  readonly inputRadius: number;
}

/** Makes up for the rounding of a sum of squares. */
const roundedUp = 1 + 1e-9;

/** Norms as upper bounds, of whole operators for convolutions. */
export function classifierFacts(input: FactsInput): ClassifierFacts {
  const { model, layers, chain, measures, x, delta, inputRadius } = input;
  const last = layers.at(-1);
  const { count, bits } = codeLength(model.graph);
  return {
    n: x.dims[0]!,
    delta,
    // Without a chain the bounds by widths name that and nothing else.
    widths: chain.layered ? chain.widths : [elementCount(x.dims.slice(1)), ...layers.map((l) => l.rows)],
    parameters: count,
    bits: count > 0 ? bits / count : 0,
    trainError: measures.trainError!,
    margins: measures.margins!.sorted,
    spectralNorms: measures.layers.map((l) => l.spectral.upper),
    frobeniusNorms: measures.layers.map((l) => (l.toeplitz?.frobenius ?? l.frobenius) * roundedUp),
    rowNormSums: measures.layers.map((l) => (l.toeplitz?.norm21 ?? l.norm21) * roundedUp),
    lastRowNorm: last ? Math.max(...rowNorms(last)) * roundedUp : 0,
    dataNorm: euclidean(numbers(x)) * roundedUp,
    inputRadius,
    // As the layers apply them: factors of Gemm and of constants are in them.
    greatestParameter:
      greatestMagnitude([...layers.map((l) => l.entries), ...chain.biases].map(greatestMagnitude)) *
      roundedUp,
    activation: chain.activation ?? "sigmoid", // of another activation no bound by norms or pieces is stated
    biasFree: chain.biases.every((b) => b.length === 0),
    layered: chain.layered,
    fullyConnected: chain.fullyConnected && chain.activation !== undefined,
  };
}

/**
 * The same network on the input (x, 1), without biases: hidden layers become [[A, b], [0, 1]] and pass the 1 on, which
 * ReLU keeps; the last one becomes [A, b]. Norms of the blocks bound those of the whole.
 */
export function homogenizedFacts(facts: ClassifierFacts, { layers, chain }: FactsInput): ClassifierFacts {
  const isLast = (k: number): boolean => k === layers.length - 1;
  const places = layers.map(({ convolution }) => (convolution ? elementCount(convolution.output) : 1));
  const norm = chain.biases.map((b, k) => Math.sqrt(places[k]!) * euclidean(b) * roundedUp);
  const size = chain.biases.map((b, k) => places[k]! * b.reduce((s, v) => s + Math.abs(v), 0) * roundedUp);
  const last = layers.at(-1)!;
  const rows = rowNorms(last).map((r, i) => Math.hypot(r, chain.biases.at(-1)![i] ?? 0));
  return {
    ...facts,
    widths: facts.widths.map((w, k) => (k === facts.widths.length - 1 ? w : w + 1)),
    frobeniusNorms: facts.frobeniusNorms.map(
      (f, k) => Math.hypot(f, norm[k]!, isLast(k) ? 0 : 1) * roundedUp,
    ),
    rowNormSums: facts.rowNormSums.map((s, k) => s + size[k]! + (isLast(k) ? 0 : 1)),
    spectralNorms: facts.spectralNorms.map((s, k) =>
      isLast(k) ? Math.hypot(s, norm[k]!) * roundedUp : blockNorm(s, norm[k]!),
    ),
    lastRowNorm: Math.max(...rows) * roundedUp,
    dataNorm: Math.hypot(facts.dataNorm, Math.sqrt(facts.n)) * roundedUp,
    inputRadius: Math.hypot(facts.inputRadius, 1) * roundedUp,
    biasFree: true,
  };
}

/** |[[s, b], [0, 1]]|_2, which is not below |[[A, b], [0, 1]]|_2 where s >= |A|_2. */
function blockNorm(s: number, b: number): number {
  const most = Math.max(s, b, 1); // in units of it, no square overflows
  if (most === Number.POSITIVE_INFINITY) return most;
  const [p, q, r] = [s / most, b / most, 1 / most];
  const trace = p * p + q * q + r * r;
  return most * Math.sqrt((trace + Math.sqrt(Math.max(0, trace * trace - 4 * (p * r) ** 2))) / 2) * roundedUp;
}

function rowNorms({ rows, columns, entries }: LinearLayer): readonly number[] {
  return Array.from({ length: rows }, (_, i) => euclidean(entries.subarray(i * columns, (i + 1) * columns)));
}
