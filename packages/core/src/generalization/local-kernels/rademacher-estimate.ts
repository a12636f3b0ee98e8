// The empirical Rademacher complexity of a class of networks, from below: signs by chance, the supremum by ascent.
import type { Random } from "../../numbers/random.ts";
import {
  addPatchGradient,
  type Kernels,
  type PatchNetwork,
  patchValues,
  randomKernels,
} from "./patch-network.ts";

export interface RademacherOptions {
  /** Sign vectors that are drawn; at most 2^m different ones matter. */
  readonly signs: number;
  readonly restarts?: number;
  readonly steps?: number;
  /** Smaller and smaller random moves of the best kernels: maxima lie where gates flip, and steps pass them by. */
  readonly moves?: number;
  readonly random: Random;
}

export interface RademacherEstimate {
  /** The mean of (1/m) |sum_i eps_i h(x_i)| for the best h that was found: never above the class's by more than chance. */
  readonly estimate: number;
  readonly standardError: number;
}

/** sum_i eps_i h(x_i). */
export function signedSum(
  net: PatchNetwork,
  kernels: Kernels,
  X: readonly ArrayLike<number>[],
  eps: ArrayLike<number>,
): number {
  let sum = 0;
  X.forEach((x, i) => {
    sum += eps[i]! * patchValues(net, kernels, x).at(-1)![0]!;
  });
  return sum;
}

/**
 * The greatest |sum_i eps_i h(x_i)| that ascent finds: each step makes every kernel its own gradient, of its norm, as
 * the sum is linear in it where no gate flips; the best kernels on the way count.
 */
export function ascend(
  net: PatchNetwork,
  X: readonly ArrayLike<number>[],
  eps: ArrayLike<number>,
  { restarts = 4, steps = 20, moves = 0, random }: Omit<RademacherOptions, "signs">,
): number {
  let best = 0;
  let bestKernels: Kernels | undefined;
  const consider = (value: number, kernels: Kernels): void => {
    if (value > best) [best, bestKernels] = [value, kernels];
  };
  for (let r = 0; r < restarts; r++) {
    let kernels = randomKernels(net, random);
    // Above a ReLU inputs are not negative: positive kernels keep every second start from being dead.
    if (r % 2 === 1)
      kernels = kernels.map((layer, l) => (l === 0 ? layer : layer.map((w) => w.map(Math.abs))));
    for (let step = 0; step < steps; step++) {
      const gradient: Kernels = kernels.map((layer) => layer.map((w) => new Float64Array(w.length)));
      let sum = 0;
      X.forEach((x, i) => {
        const values = patchValues(net, kernels, x);
        sum += eps[i]! * values.at(-1)![0]!;
        addPatchGradient(net, kernels, values, eps[i]!, gradient);
      });
      consider(Math.abs(sum), kernels);
      // One layer a step (the last first): all at once would overshoot.
      const turn = net.length - 1 - (step % net.length);
      const towards = sum < 0 ? -1 : 1;
      kernels = kernels.map((layer, l) =>
        l === turn ? layer.map((w, j) => directed(gradient[l]![j]!, towards * net[l]!.norm) ?? w) : layer,
      );
    }
    consider(Math.abs(signedSum(net, kernels, X, eps)), kernels);
  }
  for (let move = 0; move < moves && bestKernels; move++) {
    const kernels = moved(net, bestKernels, 2 ** ((-16 * (move + 1)) / moves), random);
    consider(Math.abs(signedSum(net, kernels, X, eps)), kernels);
  }
  return best;
}

const moved = (net: PatchNetwork, kernels: Kernels, by: number, random: Random): Kernels =>
  kernels.map((layer, l) =>
    layer.map((w) => {
      const direction = random.normal(w.length);
      return directed(
        w.map((v, k) => v + by * net[l]!.norm * direction[k]!),
        net[l]!.norm,
      )!;
    }),
  );

function directed(gradient: Float64Array, norm: number): Float64Array | undefined {
  let square = 0;
  for (const g of gradient) square += g * g;
  return square > 0 ? gradient.map((g) => (g * norm) / Math.sqrt(square)) : undefined;
}

/** Signs by chance (all of them, where there are no more than asked for), the supremum by ascent. */
export function rademacherEstimate(
  net: PatchNetwork,
  X: readonly ArrayLike<number>[],
  { signs, ...options }: RademacherOptions,
): RademacherEstimate {
  const m = X.length;
  const isExact = 2 ** (m - 1) <= signs;
  const count = isExact ? 2 ** (m - 1) : signs; // eps and -eps have one supremum
  let [sum, squares] = [0, 0];
  for (let s = 0; s < count; s++) {
    const eps = Array.from({ length: m }, (_, i) =>
      isExact ? ((s >> i) & 1 ? -1 : 1) : options.random.uniform() < 0.5 ? -1 : 1,
    );
    const value = ascend(net, X, eps, options) / m;
    sum += value;
    squares += value * value;
  }
  const mean = sum / count;
  const variance = Math.max(0, squares / count - mean * mean);
  return { estimate: mean, standardError: isExact ? 0 : Math.sqrt(variance / Math.max(1, count - 1)) };
}
