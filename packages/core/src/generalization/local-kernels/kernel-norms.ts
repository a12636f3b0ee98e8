// Each layer's kernel norm beside the Frobenius norm of its whole matrix.
import type { Graph } from "../../graph/graph.ts";
import { type LinearLayer, linearLayers } from "../../measures/linear-layers.ts";
import { type PatchGeometry, patchGeometry } from "./patch-geometry.ts";

export interface KernelNorms {
  readonly name: string;
  readonly kind: "dense" | "convolution" | "scale";
  /** Of the filter bank at one place; of a dense layer, of its matrix. */
  readonly kernelNorm: number;
  /** The greatest norm of a filter, that is, of the weights of one output. */
  readonly filterNorm: number;
  /** Of the matrix of the whole layer, with the kernel at every place (Toeplitz). */
  readonly frobeniusNorm: number;
  /** Places of the kernel, and its taps at one place (channels not counted). */
  readonly patches: number;
  readonly taps: number;
  /** The greatest number of windows that share an input place. */
  readonly multiplicity: number;
  readonly axes: readonly PatchGeometry[];
}

export interface KernelNormReport {
  readonly layers: readonly KernelNorms[];
  readonly kernelProduct: number;
  readonly frobeniusProduct: number;
  /** log10 of the quotient of the two products. */
  readonly log10Gap: number;
  /** Operators with weights that were not read. */
  readonly unread: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Kernel norms and Frobenius norms of all layers of a network, and their products.
 * @example (await kernelNorms(net)).layers[0].multiplicity // 1
 */
export async function kernelNorms(graph: Graph): Promise<KernelNormReport> {
  const { layers: linear, unread } = await linearLayers(graph);
  const layers = linear.map(layerNorms);
  const product = (of: (layer: KernelNorms) => number): number => layers.reduce((p, l) => p * of(l), 1);
  return {
    ...{ layers, unread },
    kernelProduct: product((l) => l.kernelNorm),
    frobeniusProduct: product((l) => l.frobeniusNorm),
    log10Gap: layers.reduce((sum, l) => sum + Math.log10(l.frobeniusNorm / l.kernelNorm || 1), 0),
  };
}

const norm = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k]! ** 2;
  return Math.sqrt(sum);
};

function layerNorms(layer: LinearLayer): KernelNorms {
  const { name, kind, rows, columns, entries, convolution } = layer;
  const filters = Array.from({ length: rows }, (_, r) =>
    norm(entries.subarray(r * columns, (r + 1) * columns)),
  );
  const common = { name, kind, kernelNorm: norm(entries), filterNorm: Math.max(0, ...filters) };
  if (!convolution)
    return { ...common, frobeniusNorm: common.kernelNorm, patches: 1, taps: 1, multiplicity: 1, axes: [] };
  const { input, kernel, strides, dilations, pads } = convolution;
  const axes = kernel.map((size, k) =>
    patchGeometry({
      ...{ size: input[k + 1]!, kernel: size, stride: strides[k]!, dilation: dilations[k]! },
      ...{ before: pads[k]!, after: pads[k + kernel.length]! },
    }),
  );
  const times = (of: (axis: PatchGeometry) => number): number => axes.reduce((p, axis) => p * of(axis), 1);
  const taps = kernel.reduce((p, k) => p * k, 1);
  return {
    ...{ ...common, axes, taps, frobeniusNorm: toeplitzNorm(entries, axes) },
    patches: times((a) => a.patches),
    multiplicity: times((a) => a.multiplicity),
  };
}

/** Each weight counts as often as it meets the input: sum_t w_t^2 prod_axes (windows in which tap t is inside). */
function toeplitzNorm(entries: Float64Array, axes: readonly PatchGeometry[]): number {
  const counts = axes.reduce<readonly number[]>(
    (sofar, { tapCounts }) => sofar.flatMap((c) => tapCounts.map((t) => c * t)),
    [1],
  );
  let sum = 0;
  for (let k = 0; k < entries.length; k++) sum += entries[k]! ** 2 * counts[k % counts.length]!;
  return Math.sqrt(sum);
}
