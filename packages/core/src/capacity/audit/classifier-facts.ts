// What the bounds read of an audited classifier: widths, upper bounds of norms, margins and the size of its inputs.
import { type Graph, isSparse } from "../../graph/graph.ts";
import { elementCount, numbers, type Tensor } from "../../graph/tensor.ts";
import type { ClassifierFacts } from "../bounds/classifier-bounds.ts";
import type { AuditedModel } from "../measures/audited-model.ts";
import type { LinearLayer } from "../measures/linear-layers.ts";
import type { ModelMeasures } from "../measures/measure-model.ts";
import type { NetworkChain } from "./network-chain.ts";
import { storedWeights } from "./stored-weights.ts";

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
  const { count, bits } = storedNumbers(model.graph);
  return {
    n: x.dims[0]!,
    delta,
    // Without a chain the bounds by widths name that and nothing else.
    widths: chain.layered ? chain.widths : [elementCount(x.dims.slice(1)), ...layers.map((l) => l.rows)],
    parameters: count,
    bits,
    trainError: measures.trainError!,
    margins: measures.margins!.sorted,
    spectralNorms: measures.layers.map((l) => l.spectral.upper),
    frobeniusNorms: measures.layers.map((l) => (l.toeplitz?.frobenius ?? l.frobenius) * roundedUp),
    rowNormSums: measures.layers.map((l) => (l.toeplitz?.norm21 ?? l.norm21) * roundedUp),
    lastRowNorm: last ? Math.max(...rowNorms(last)) * roundedUp : 0,
    dataNorm: Math.sqrt(energy(x)) * roundedUp,
    inputRadius,
    greatestParameter: greatestSize([...layers.map((l) => l.entries), ...chain.biases]) * roundedUp,
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
  const square = chain.biases.map((b, k) => places[k]! * b.reduce((s, v) => s + v * v, 0) * roundedUp);
  const size = chain.biases.map((b, k) => places[k]! * b.reduce((s, v) => s + Math.abs(v), 0) * roundedUp);
  const last = layers.at(-1)!;
  const rows = rowNorms(last).map((r, i) => Math.hypot(r, chain.biases.at(-1)![i] ?? 0));
  return {
    ...facts,
    widths: facts.widths.map((w, k) => (k === facts.widths.length - 1 ? w : w + 1)),
    frobeniusNorms: facts.frobeniusNorms.map((f, k) => Math.sqrt(f * f + square[k]! + (isLast(k) ? 0 : 1))),
    rowNormSums: facts.rowNormSums.map((s, k) => s + size[k]! + (isLast(k) ? 0 : 1)),
    spectralNorms: facts.spectralNorms.map((s, k) =>
      isLast(k) ? Math.sqrt(s * s + square[k]!) : blockNorm(s, Math.sqrt(square[k]!)),
    ),
    lastRowNorm: Math.max(...rows) * roundedUp,
    dataNorm: Math.sqrt(facts.dataNorm ** 2 + facts.n),
    inputRadius: Math.sqrt(facts.inputRadius ** 2 + 1),
    biasFree: true,
  };
}

/** |[[s, b], [0, 1]]|_2, which is not below |[[A, b], [0, 1]]|_2 where s >= |A|_2. */
function blockNorm(s: number, b: number): number {
  const trace = s * s + b * b + 1;
  return Math.sqrt((trace + Math.sqrt(Math.max(0, trace * trace - 4 * s * s))) / 2) * roundedUp;
}

function rowNorms({ rows, columns, entries }: LinearLayer): readonly number[] {
  return Array.from({ length: rows }, (_, i) =>
    Math.sqrt(entries.subarray(i * columns, (i + 1) * columns).reduce((s, v) => s + v * v, 0)),
  );
}

function energy(x: Tensor): number {
  const values = numbers(x);
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k]! ** 2;
  return sum;
}

/** As the layers apply them: factors of Gemm and of constants are in them. */
function greatestSize(parts: readonly Float64Array[]): number {
  let greatest = 0;
  for (const part of parts) for (const w of part) greatest = Math.max(greatest, Math.abs(w));
  return greatest;
}

/** All numbers of the file that are no shapes, statistics and constants included: the code length of Occam's bound. */
function storedNumbers(graph: Graph): { readonly count: number; readonly bits: number } {
  let [count, bits] = [0, 0];
  for (const [, weight] of storedWeights(graph)) {
    count += elementCount(weight.dims);
    bits = Math.max(bits, isSparse(weight) ? 64 : (widthOf[weight.type] ?? 64));
  }
  return { count, bits };
}

const widthOf: Readonly<Record<string, number>> = {
  ...{ float16: 16, bfloat16: 16, float32: 32, float64: 64 },
  ...{ int8: 8, uint8: 8, int16: 16, uint16: 16, int32: 32, uint32: 32 },
};
