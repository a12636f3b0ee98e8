// Regularization by denoising (Romano, Elad and Milanfar 2017): a trained denoiser D as the prior. With x' = D(x) held,
// |A x - y|^2 + lambda |x - x'|^2 is minimized, then x' is made anew; where it ends A^T (A x - y) + lambda (x - D(x)) = 0.
// It ends there if D does not expand distances; of trained ones that is not known, so the last change is told.
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { encode, numbers, view } from "../graph/tensor.ts";
import { conjugateGradients } from "../linear-algebra/conjugate-gradients.ts";
import { InverseError } from "./error.ts";
import type { Generator } from "./generator.ts";
import { type LinearMap, lengthOf } from "./linear-map.ts";

export interface PlugAndPlayOptions {
  /** Weight of |x - D(x)|^2; default: 0.1. */
  readonly lambda?: number;
  /** Steps at most; default: 200. */
  readonly steps?: number;
  /** A step that changes no more than this part of x is the last; default: 1e-5. */
  readonly tolerance?: number;
  readonly threads?: number;
  readonly onStep?: (step: number, change: number) => void | Promise<void>;
}

export interface PlugAndPlay {
  readonly x: Float64Array;
  readonly lambda: number;
  readonly steps: number;
  /** |x' - x| / |x| in the last step. */
  readonly change: number;
}

/** From the shortest x that fits on; the denoiser is a graph from signals to signals. */
export async function plugAndPlay(
  { graph, input, output, type, latentShape, latent, size }: Generator,
  map: LinearMap,
  y: Float64Array,
  { lambda = 0.1, steps = 200, tolerance = 1e-5, threads, onStep }: PlugAndPlayOptions = {},
): Promise<PlugAndPlay> {
  if (latent !== map.inputs || size !== map.inputs)
    throw new InverseError(
      `a denoiser of signals of ${map.inputs} numbers is wanted: this one takes ${latent} and makes ${size}`,
    );
  if (!(lambda > 0)) throw new InverseError(`lambda is a positive number, not ${lambda}`);
  let x = await nearest(map, y, lambda, new Float64Array(map.inputs));
  let [k, change] = [0, Number.POSITIVE_INFINITY];
  for (; k < steps && change > tolerance; k++) {
    const found = await run(
      graph,
      { [input]: view(type, [1, ...latentShape], encode(x, type)) },
      threads === undefined ? {} : { threads },
    );
    const next = await nearest(map, y, lambda, Float64Array.from(numbers(found[output]!)));
    change = lengthOf(next.map((v, i) => v - x[i]!)) / (lengthOf(next) || 1);
    x = next;
    await onStep?.(k + 1, change);
  }
  await release(graph);
  return { x, lambda, steps: k, change };
}

/** min |A x - y|^2 + lambda |x - at|^2: (A^T A + lambda) d = A^T (y - A at), x = at + d. */
async function nearest(
  map: LinearMap,
  y: Float64Array,
  lambda: number,
  at: Float64Array,
): Promise<Float64Array> {
  if (!Number.isFinite(lengthOf(at))) throw new InverseError("the denoiser left every bound");
  const seen = map.apply(at);
  const { solution } = await conjugateGradients(
    (v) => map.transpose(map.apply(v)).map((e, i) => e + lambda * v[i]!),
    map.transpose(y.map((v, i) => v - seen[i]!)),
    { tolerance: 1e-12, steps: 300 },
  );
  return at.map((v, i) => v + solution[i]!);
}
