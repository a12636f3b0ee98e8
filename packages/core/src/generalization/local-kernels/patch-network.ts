// Scalar ReLU networks with local fields, as plain arrays: what the empirical Rademacher complexity is maximized over.
import type { Random } from "../../numbers/random.ts";

export interface PatchLayer {
  /** What each node reads: places of the layer below. */
  readonly fields: readonly (readonly number[])[];
  /** Whether all nodes have the same kernel. */
  readonly shared: boolean;
  /** The norm of each kernel. */
  readonly norm: number;
}

/** ReLU behind each layer but the last, which has one node. */
export type PatchNetwork = readonly PatchLayer[];

/** kernels[l][j]: the kernel of node j, or the one of all nodes. */
export type Kernels = readonly (readonly Float64Array[])[];

/**
 * Windows of a size with a stride over so many places.
 * @example slidingWindows(5, 3, 2) // [[0, 1, 2], [2, 3, 4]]
 */
export const slidingWindows = (
  places: number,
  size: number,
  stride: number,
): readonly (readonly number[])[] =>
  Array.from({ length: Math.floor((places - size) / stride) + 1 }, (_, p) =>
    Array.from({ length: size }, (__, k) => p * stride + k),
  );

/**
 * A tree: kernels of two, stride two, on 2^L inputs.
 * @example dyadicTree(3, 1, true).map((l) => l.fields.length) // [4, 2, 1]
 */
export const dyadicTree = (levels: number, norm: number, shared: boolean): PatchNetwork =>
  Array.from({ length: levels }, (_, l) => ({
    fields: slidingWindows(2 ** (levels - l), 2, 2),
    shared,
    norm,
  }));

/** Kernels of random directions and the layers' norms. */
export const randomKernels = (net: PatchNetwork, random: Random): Kernels =>
  net.map(({ fields, shared, norm }) =>
    (shared ? fields.slice(0, 1) : fields).map(({ length }) => random.sphere(length).map((v) => v * norm)),
  );

/** Values of every layer, the input first. */
export function patchValues(
  net: PatchNetwork,
  kernels: Kernels,
  x: ArrayLike<number>,
): readonly Float64Array[] {
  const values: Float64Array[] = [Float64Array.from(x)];
  net.forEach(({ fields, shared }, l) => {
    const below = values[l]!;
    const isLast = l === net.length - 1;
    values.push(
      Float64Array.from(fields, (field, j) => {
        const w = kernels[l]![shared ? 0 : j]!;
        let sum = 0;
        for (let k = 0; k < field.length; k++) sum += w[k]! * below[field[k]!]!;
        return isLast ? sum : Math.max(0, sum);
      }),
    );
  });
  return values;
}

/** Adds factor times the gradient of the output by the kernels to `into`. */
export function addPatchGradient(
  net: PatchNetwork,
  kernels: Kernels,
  values: readonly Float64Array[],
  factor: number,
  into: Kernels,
): void {
  let back = new Float64Array([factor]);
  for (let l = net.length - 1; l >= 0; l--) {
    const { fields, shared } = net[l]!;
    const below = values[l]!;
    const next = new Float64Array(below.length);
    fields.forEach((field, j) => {
      const isOpen = l === net.length - 1 || values[l + 1]![j]! > 0;
      const g = isOpen ? back[j]! : 0;
      if (g === 0) return;
      const [w, grad] = [kernels[l]![shared ? 0 : j]!, into[l]![shared ? 0 : j]!];
      for (let k = 0; k < field.length; k++) {
        grad[k]! += g * below[field[k]!]!;
        next[field[k]!]! += g * w[k]!;
      }
    });
    back = next;
  }
}
