// Plug and play (Venkatakrishnan, Bouman and Wohlberg 2013): proximal gradient descent whose proximal map is a trained denoiser,
// x <- D(x - A^T (A x - y) / |A|^2). It ends at a fixed point where D does not expand distances; of trained ones that is not known.
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { encode, numbers, view } from "../graph/tensor.ts";
import { InverseError } from "./error.ts";
import type { Generator } from "./generator.ts";
import { type LinearMap, lengthOf, squaredNormOf } from "./linear-map.ts";

export interface PlugAndPlayOptions {
  /** Steps at most; default: 200. */
  readonly steps?: number;
  /** A step that changes no more than this part of x is the last; default: 1e-5. */
  readonly tolerance?: number;
  readonly threads?: number;
  readonly onStep?: (step: number, change: number) => void | Promise<void>;
}

export interface PlugAndPlay {
  readonly x: Float64Array;
  readonly steps: number;
  /** |x' - x| / |x| in the last step. */
  readonly change: number;
}

/** From A^T y / |A|^2 on; the denoiser is a graph from signals to signals. */
export async function plugAndPlay(
  { graph, input, output, type, latentShape, latent, size }: Generator,
  map: LinearMap,
  y: Float64Array,
  { steps = 200, tolerance = 1e-5, threads, onStep }: PlugAndPlayOptions = {},
): Promise<PlugAndPlay> {
  if (latent !== map.inputs || size !== map.inputs)
    throw new InverseError(
      `a denoiser of signals of ${map.inputs} numbers is wanted: this one takes ${latent} and makes ${size}`,
    );
  const norm = 1.02 * squaredNormOf(map) || 1;
  let x: Float64Array = map.transpose(y).map((v) => v / norm);
  let [k, change] = [0, Number.POSITIVE_INFINITY];
  for (; k < steps && change > tolerance; k++) {
    const residual = map.apply(x).map((v, i) => v - y[i]!);
    const slope = map.transpose(residual);
    const moved = x.map((v, i) => v - slope[i]! / norm);
    const found = await run(
      graph,
      { [input]: view(type, [1, ...latentShape], encode(moved, type)) },
      threads === undefined ? {} : { threads },
    );
    const next = Float64Array.from(numbers(found[output]!));
    change = lengthOf(next.map((v, i) => v - x[i]!)) / (lengthOf(next) || 1);
    if (!Number.isFinite(change)) throw new InverseError(`the denoiser left every bound in step ${k + 1}`);
    x = next;
    await onStep?.(k + 1, change);
  }
  await release(graph);
  return { x, steps: k, change };
}
