// What bench/linear-algebra.ts times, in Node and in a page.
import { createRandom } from "@lemmata/core/numbers";
import { wholeBlock } from "../../packages/core/src/linear-algebra/block.ts";
import { packedTranspose } from "../../packages/core/src/linear-algebra/block-moves.ts";
import {
  cholesky,
  type Matrix,
  singularDecomposition,
  spectralDecomposition,
} from "../../packages/core/src/linear-algebra/index.ts";
import { productOf } from "../../packages/core/src/linear-algebra/product.ts";

const random = createRandom("linear algebra");
const square = (n: number): Matrix => ({ rows: n, columns: n, entries: random.normal(n * n) });
const transpose = (a: Matrix): Matrix => ({ ...a, entries: packedTranspose(wholeBlock(a)) });
const sum = (a: Matrix, b: Matrix): Matrix => ({ ...a, entries: a.entries.map((x, k) => x + b.entries[k]!) });
const identity = (n: number): Matrix => ({
  ...{ rows: n, columns: n },
  entries: Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0)),
});

/** The decompositions of random matrices of a size. */
export async function decompositions(n: number) {
  const g = square(n);
  const symmetric = sum(g, transpose(g));
  const positive = sum(await productOf(wholeBlock(g), wholeBlock(transpose(g))), identity(n));
  return {
    symmetric,
    tasks: {
      cholesky: () => cholesky(positive),
      eigh: () => spectralDecomposition(symmetric),
      svd: () => singularDecomposition(g),
    } satisfies Record<string, () => Promise<unknown>>,
  };
}

type Tasks = Awaited<ReturnType<typeof decompositions>>["tasks"];
const made = new Map<number, Tasks>();

/** The seconds that one of them takes here. */
export async function timed(name: keyof Tasks, n: number): Promise<number> {
  if (!made.has(n)) {
    made.clear();
    made.set(n, (await decompositions(n)).tasks);
  }
  const start = performance.now();
  await made.get(n)![name]();
  return (performance.now() - start) / 1e3;
}
