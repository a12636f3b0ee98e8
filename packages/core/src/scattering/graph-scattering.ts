// Scattering of a signal on a graph: diffusion wavelets, absolute values, the average <v, .>, and what a change of the
// graph can change of it (book 1, Theorem 8.21, for signals that are carried along).
import { type Matrix, singularDecomposition } from "../linear-algebra/index.ts";
import { type Diffusion, diffusionWavelets } from "./diffusion.ts";
import { energy } from "./energy.ts";
import { ScatteringError } from "./error.ts";

export interface GraphScatteringOptions {
  /** J wavelets. */
  readonly scales: number;
  /** m: orders 0 .. m - 1; default: 3. */
  readonly layers?: number;
}

/**
 * <v, |psi_{j_k} ... |psi_{j_1} x|...|> for all j and k < layers: J^k numbers of order k, the last index fastest.
 * @example (await graphScattering(await lazyDiffusion([[0, 1], [1, 0]]), [1, 2], { scales: 3 })).map((order) => order.length) // [1, 3, 9]
 */
export async function graphScattering(
  diffusion: Diffusion,
  x: ArrayLike<number>,
  options: GraphScatteringOptions,
): Promise<readonly Float64Array[]> {
  return (await graphTransform(diffusion, options))(x);
}

/**
 * The same for many signals: the wavelets are made once.
 * @example (await graphTransform(await lazyDiffusion([[0, 1], [1, 0]]), { scales: 3 }))([1, 2]).length // 3
 */
export async function graphTransform(
  diffusion: Diffusion,
  { scales, layers = 3 }: GraphScatteringOptions,
): Promise<(x: ArrayLike<number>) => readonly Float64Array[]> {
  const { stationary } = diffusion;
  const wavelets = await diffusionWavelets(diffusion, scales);
  return (x) => {
    if (x.length !== stationary.length)
      throw new ScatteringError(
        `the signal has ${x.length} numbers, the graph ${stationary.length} vertices`,
      );
    let layer: readonly Float64Array[] = [Float64Array.from(x)];
    const orders: Float64Array[] = [];
    for (let k = 0; k < layers; k++) {
      if (k > 0) layer = layer.flatMap((u) => wavelets.map((psi) => applied(psi, u).map(Math.abs)));
      orders.push(
        Float64Array.from(layer, (u) => u.reduce((sum, value, i) => sum + value * stationary[i]!, 0)),
      );
    }
    return orders;
  };
}

function applied({ rows, columns, entries }: Matrix, x: Float64Array): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += entries[i * columns + j]! * x[j]!;
    return sum;
  });
}

export interface GraphCertificate {
  /** |S_G x - S_G' x'| for signals that are given on matching vertices. */
  readonly measured: number;
  /** d = |T - T'|, the vertices matched as they are numbered. */
  readonly distance: number;
  /** By |v - v'| and |W - W'| as they are: (sum_k (|v - v'| + k |W - W'|)^2)^1/2 |x|. */
  readonly bound: number;
  /** The printed one: |v - v'| <= (2 d / (1 - beta_-))^1/2 and |W - W'| <= c d. */
  readonly printed: number;
}

/**
 * The change of scattering coefficients from one graph to another of as many vertices, with its bounds.
 * @example (await graphCertificate(await lazyDiffusion([[0, 1], [1, 0]]), await lazyDiffusion([[0, 1], [1, 0]]), [1, 2], { scales: 2 })).measured // 0
 */
export async function graphCertificate(
  a: Diffusion,
  b: Diffusion,
  x: ArrayLike<number>,
  options: GraphScatteringOptions,
): Promise<GraphCertificate> {
  if (a.stationary.length !== b.stationary.length)
    throw new ScatteringError(
      `graphs of ${a.stationary.length} and ${b.stationary.length} vertices have no matching`,
    );
  const [one, other] = [await graphScattering(a, x, options), await graphScattering(b, x, options)];
  const measured = Math.sqrt(
    one.reduce((sum, order, k) => sum + energy(order.map((v, i) => v - other[k]![i]!)), 0),
  );
  const distance = await differenceNorm([a.operator], [b.operator]);
  const averages = Math.sqrt(energy(a.stationary.map((v, i) => v - b.stationary[i]!)));
  const wavelets = await differenceNorm(
    await diffusionWavelets(a, options.scales),
    await diffusionWavelets(b, options.scales),
  );
  const [least, most] = [Math.min(a.gap, b.gap), Math.max(a.gap, b.gap) ** 2];
  const size = Math.sqrt(energy(x));
  const total = (first: number, slope: number): number =>
    size * Math.hypot(...one.map((_, k) => first + k * slope));
  return {
    ...{ measured, distance, bound: total(averages, wavelets) },
    printed: total(
      Math.sqrt((2 * distance) / (1 - least)),
      distance * Math.sqrt((most * (1 + most)) / (1 - most) ** 3),
    ),
  };
}

/** The norm of the stacked differences. */
async function differenceNorm(a: readonly Matrix[], b: readonly Matrix[]): Promise<number> {
  const { columns } = a[0]!;
  const entries = Float64Array.from(
    a.flatMap(({ entries: values }, j) => Array.from(values, (v, k) => v - b[j]!.entries[k]!)),
  );
  const { values } = await singularDecomposition({ rows: entries.length / columns, columns, entries });
  return values[0] ?? 0;
}
