// A B^T for matrices with one row an example. ONNX Runtime reads the second one by rows: nobody transposes it.
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { view } from "../../graph/tensor.ts";
import { worthThreads } from "../../linear-algebra/product.ts";
import { type Rows, threadsOf } from "./features.ts";

let product: Graph | undefined;
const productGraph = (): Graph => {
  product ??= graph(
    { a: float64("M", "K"), b: float64("N", "K") },
    ({ a, b }) => ({ c: a.op("Gemm", [b], { transB: 1 }) }),
    { name: "gram" },
  );
  return product;
};

/** Rows of a symmetric product that are computed at once, from the diagonal on. */
const strip = 64;

/** A B^T; of A A^T (the same object) one half is computed. */
export async function gram(a: Rows, b: Rows, threads?: number): Promise<Float64Array> {
  const [rows, columns] = [count(a), count(b)];
  if (a !== b || rows < 2 * strip) return times(a, b, threads);
  const result = new Float64Array(rows * columns);
  for (let from = 0; from < rows; from += strip) {
    const to = Math.min(rows, from + strip);
    const part = await times(some(a, from, to), some(a, from, rows), threads);
    for (let i = from, at = 0; i < to; i++)
      for (let j = from; j < rows; j++, at++) {
        result[i * columns + j] = part[at]!;
        result[j * columns + i] = part[at]!;
      }
  }
  return result;
}

const count = ({ entries, width }: Rows): number => entries.length / width;

const some = ({ entries, width }: Rows, from: number, to: number): Rows => ({
  entries: entries.subarray(from * width, to * width),
  width,
});

async function times(a: Rows, b: Rows, threads: number | undefined): Promise<Float64Array> {
  const [rows, columns, inner] = [count(a), count(b), a.width];
  const { c } = await run(
    productGraph(),
    { a: view("float64", [rows, inner], a.entries), b: view("float64", [columns, inner], b.entries) },
    rows * columns * inner < worthThreads ? { threads: 1 } : threadsOf(threads),
  );
  return c!.data as Float64Array;
}
