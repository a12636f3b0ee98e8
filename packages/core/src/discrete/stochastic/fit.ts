// Small shallow networks fitted to a kernel, by gradients of the squared error from finite differences and many starts.
import type { Random } from "../../numbers/random.ts";
import { type Kernel, totalVariation } from "./kernel.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));

/** The kernel of d - m - s by sums over all 2^m states; of each unit first the bias, then the weights. */
function shallowKernel(parameters: Float64Array, d: number, m: number, s: number): Kernel {
  const chances = (bits: number, columns: number, units: number, from: number): number[] =>
    Array.from({ length: units }, (_, u) => {
      const at = from + u * (columns + 1);
      let z = parameters[at]!;
      for (let c = 0; c < columns; c++) if ((bits >> (columns - 1 - c)) & 1) z += parameters[at + 1 + c]!;
      return sigma(z);
    });
  const law = (on: readonly number[], state: number): number =>
    on.reduce((product, p, k) => product * ((state >> (on.length - 1 - k)) & 1 ? p : 1 - p), 1);
  const outputs = Array.from({ length: 2 ** m }, (_, h) => chances(h, m, s, m * (d + 1)));
  const rows = Array.from({ length: 2 ** d }, (_, x) => {
    const hidden = chances(x, d, m, 0);
    const row = new Float64Array(2 ** s);
    outputs.forEach((on, h) => {
      const p = law(hidden, h);
      for (let y = 0; y < row.length; y++) row[y]! += p * law(on, y);
    });
    return row;
  });
  return { inputs: d, outputs: s, rows };
}

const squaredError = (a: Kernel, b: Kernel): number =>
  a.rows.reduce((sum, row, r) => row.reduce((t, p, c) => t + (p - b.rows[r]![c]!) ** 2, sum), 0);

/**
 * The least total variation that a shallow network of m hidden units was found to have, all of its weights free.
 * @example fitShallow(kernelOf([[1, 0], [0, 1]]), 1, { starts: 1, steps: 1, random: createRandom(1) }) <= 1 // true
 */
export function fitShallow(
  target: Kernel,
  m: number,
  { starts, steps, random }: { readonly starts: number; readonly steps: number; readonly random: Random },
): number {
  const { inputs: d, outputs: s } = target;
  const size = m * (d + 1) + s * (m + 1);
  const loss = (p: Float64Array): number => squaredError(shallowKernel(p, d, m, s), target);
  let best = 1;
  for (let start = 0; start < starts; start++) {
    const p = random.normal(size).map((v) => 2 * v);
    const [mean, square] = [new Float64Array(size), new Float64Array(size)];
    for (let t = 1; t <= steps; t++) {
      const slopes = p.map((v, k) => {
        const h = 1e-4;
        p[k] = v + h;
        const above = loss(p);
        p[k] = v - h;
        const below = loss(p);
        p[k] = v;
        return (above - below) / (2 * h);
      });
      slopes.forEach((g, k) => {
        mean[k] = 0.9 * mean[k]! + 0.1 * g;
        square[k] = 0.99 * square[k]! + 0.01 * g * g;
        const step = mean[k]! / (1 - 0.9 ** t) / (Math.sqrt(square[k]! / (1 - 0.99 ** t)) + 1e-9);
        p[k] = p[k]! - 0.2 * step;
      });
    }
    best = Math.min(best, totalVariation(shallowKernel(p, d, m, s), target));
  }
  return best;
}
