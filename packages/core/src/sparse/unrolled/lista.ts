// Learned iterations (Gregor and LeCun 2010): x <- T(W y + S x), as many times as layers. They begin as those of basis pursuit.
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { view } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { train } from "../../train/train.ts";
import { SparseError } from "../error.ts";
import { correlation, type Dictionary, squaredNormAbove } from "../pursuit/dictionary.ts";

export interface ListaOptions {
  readonly iterations: number;
  /** One pair of matrices for all iterations (tied), or one for each; default: tied. */
  readonly tied?: boolean;
}

/** From signals "y" [N, n] to codes "x" [N, atoms]: at first `iterations` steps of proximal descent for lambda. */
export function listaGraph(
  dictionary: Dictionary,
  lambda: number,
  { iterations, tied = true }: ListaOptions,
): Graph {
  if (!(lambda > 0)) throw new SparseError(`lambda is a positive number, not ${lambda}`);
  if (!(Number.isSafeInteger(iterations) && iterations >= 1))
    throw new SparseError(`iterations are a whole number from 1 up, not ${iterations}`);
  const { size, count, atoms } = dictionary;
  const L = squaredNormAbove(dictionary);
  const encoder = new Float64Array(size * count);
  const inner = new Float64Array(count * count);
  for (let j = 0; j < count; j++) {
    for (let i = 0; i < size; i++) encoder[i * count + j] = atoms[j * size + i]! / L;
    for (let k = 0; k < count; k++)
      inner[k * count + j] =
        Number(j === k) - correlation(atoms, j * size, atoms.subarray(k * size, (k + 1) * size)) / L;
  }
  return graph({ y: float64("N", size) }, ({ y }) => {
    const known = new Map<string, Value>();
    const weight = (label: string, dims: readonly number[], entries: Float64Array): Value => {
      const value = known.get(label) ?? y.builder.weight(view("float64", dims, entries.slice()), label);
      known.set(label, value);
      return value;
    };
    let x: Value | undefined;
    for (let k = 1; k <= iterations; k++) {
      const own = tied ? "" : `.${k}`;
      const seen = y.matmul(weight(`encoder${own}`, [size, count], encoder));
      const v = x ? seen.add(x.matmul(weight(`inner${own}`, [count, count], inner))) : seen;
      const threshold = weight(`threshold${own}`, [1, count], new Float64Array(count).fill(lambda / L));
      x = v.sub(threshold).relu().sub(v.neg().sub(threshold).relu());
    }
    return { x: x! };
  });
}

/** Fits a network of iterations to codes, by Adam on |x - codes|^2. */
export async function trainedLista(
  network: Graph,
  signals: readonly Float64Array[],
  codes: readonly Float64Array[],
  { steps = 300, rate = 1e-3, seed = 0 }: { steps?: number; rate?: number; seed?: number } = {},
): Promise<Graph> {
  const rows = (list: readonly Float64Array[]) => {
    const width = list[0]!.length;
    const all = new Float64Array(list.length * width);
    list.forEach((v, k) => {
      all.set(v, k * width);
    });
    return view("float64", [list.length, width], all);
  };
  const { model } = await train(
    network,
    { x: rows(signals), target: rows(codes) },
    { loss: "square", optimizer: "adam", batch: "full", steps, rate, seed },
  );
  return model;
}
