// The k-sparse autoencoder (Makhzani and Frey 2013): codes keep their k greatest entries, and make their signal again.
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor, view } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { SparseError } from "../error.ts";
import type { Dictionary } from "../pursuit/dictionary.ts";

export interface KSparseOptions {
  /** Entries of a code that are kept. */
  readonly k: number;
  /** The decoder's weights are the encoder's, transposed; default: true. */
  readonly tied?: boolean;
  /** Which entries are the greatest: of all by their values, as in the paper, or by their sizes; default: "value". */
  readonly by?: "value" | "size";
}

/**
 * From signals "x" [N, n] to the same again, "y": y = D z + c, z the k greatest entries of D^T x + b. It begins with these atoms
 * and without biases.
 * @example kSparseAutoencoder(dictionaryOf(matrixOfRows([[1, 0], [0, 1]])), { k: 1 }).outputs[0].name // "y"
 */
export const kSparseAutoencoder = (dictionary: Dictionary, options: KSparseOptions): Graph =>
  graph({ x: float64("N", dictionary.size) }, ({ x }) => {
    const { size } = dictionary;
    const { code, decoder } = encoded(x, dictionary, options);
    const bias = x.builder.weight(view("float64", [1, size], new Float64Array(size)), "decoder.bias");
    return { y: code.matmul(decoder).add(bias) };
  });

/**
 * Its first half: from signals "x" to codes "z" with k entries that are not 0.
 * @example kSparseEncoder(dictionaryOf(matrixOfRows([[1, 0], [0, 1]])), { k: 1 }).outputs[0].name // "z"
 */
export const kSparseEncoder = (dictionary: Dictionary, options: KSparseOptions): Graph =>
  graph({ x: float64("N", dictionary.size) }, ({ x }) => ({ z: encoded(x, dictionary, options).code }));

function encoded(
  x: Value,
  { size, count, atoms }: Dictionary,
  { k, tied = true, by = "value" }: KSparseOptions,
): { readonly code: Value; readonly decoder: Value } {
  if (!(Number.isSafeInteger(k) && k >= 1 && k <= count))
    throw new SparseError(`a code of ${count} entries keeps 1 to ${count} of them, not ${k}`);
  const weight = (label: string, dims: readonly number[], entries: Float64Array): Value =>
    x.builder.weight(view("float64", dims, entries), label);
  const decoder = weight("atoms", [count, size], atoms.slice());
  const encoder = tied ? decoder : weight("encoder", [count, size], atoms.slice());
  const bias = weight("encoder.bias", [1, count], new Float64Array(count));
  return { code: keptOf(x.matmul(encoder.transpose()).add(bias), k, by), decoder };
}

/** The entries of each row that are no less than its k-th greatest one: in a tie more than k. No slope runs through the choice. */
function keptOf(v: Value, k: number, by: "value" | "size"): Value {
  const rank = by === "size" ? v.abs() : v;
  const many = v.builder.lift(tensor([k], { type: "int64" }), "int64");
  const [greatest] = v.builder.apply("TopK", [rank, many], { axis: -1 }, 2);
  const least = (greatest as Value).slice(1, k - 1, k);
  return rank.op("GreaterOrEqual", [least]).op("Where", [v, v.builder.lift(0, "float64")]);
}
