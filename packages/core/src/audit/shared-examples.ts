// How many examples of one set are in another: whoever tests on the training examples should know.
import { numbers, type Tensor } from "../graph/tensor.ts";
import type { Examples } from "../train/data/dataset.ts";

/** Inputs as 53 bits each: two multiplicative hashes of their numbers. */
function rowKeys(x: Tensor): readonly number[] {
  const values = numbers(x);
  const bits = new Uint32Array(Float32Array.from(values).buffer);
  const [n, width] = [x.dims[0]!, values.length / x.dims[0]!];
  return Array.from({ length: n }, (_, i) => {
    let [h, g] = [0x811c9dc5, 0x9747b28c];
    for (let k = i * width; k < (i + 1) * width; k++) {
      h = Math.imul(h ^ bits[k]!, 0x01000193);
      g = Math.imul(g ^ (bits[k]! >>> 7), 0x85ebca6b) ^ (g >>> 13);
    }
    return (h >>> 0) * 2 ** 21 + ((g >>> 0) & 0x1fffff);
  });
}

/** Test examples whose input and target are those of a training example. */
export function sharedExamples(data: Examples, test: Examples): number {
  const targets = (y: Tensor, n: number): ((i: number) => string) => {
    const values = numbers(y);
    const width = values.length / n;
    return (i) => values.subarray(i * width, (i + 1) * width).join();
  };
  const keysOf = ({ x, y }: Examples): readonly string[] => {
    const target = targets(y, x.dims[0]!);
    return rowKeys(x).map((key, i) => `${key} ${target(i)}`);
  };
  const known = new Set(keysOf(data));
  return keysOf(test).reduce((count, key) => count + (known.has(key) ? 1 : 0), 0);
}
