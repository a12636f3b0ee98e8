// Signals near the range of a generator: x = G(z) + nu with few nonzeros of nu (Dhar, Grover and Ermon 2018).
import type { Random } from "../numbers/random.ts";
import { acceleratedCode, type CodeOperator } from "../sparse/pursuit/code-operator.ts";
import { InverseError } from "./error.ts";
import type { Generator } from "./generator.ts";
import { type LatentOptions, latentDescent } from "./latent-descent.ts";
import { type LinearMap, squaredNormOf } from "./linear-map.ts";

export interface DeviationOptions extends Omit<LatentOptions, "measured" | "start"> {
  /** Weight of |nu|_1. */
  readonly lambda: number;
  /** Turns of z and nu; default: 6. */
  readonly rounds?: number;
}

export interface DeviationRecovery {
  readonly x: Float64Array;
  readonly z: Float64Array;
  /** x - G(z). */
  readonly deviation: Float64Array;
  /** |A (G(z) + nu) - y|^2 + lambda |nu|_1 + weight |z|^2 after each turn: none is greater than the one before. */
  readonly objectives: readonly number[];
  readonly restarts: readonly number[];
}

/** z by latent descent for what nu leaves, nu by basis pursuit for what G(z) leaves, and so on. */
export async function sparseDeviations(
  generator: Generator,
  map: LinearMap,
  y: Float64Array,
  random: Random,
  { lambda, rounds = 6, weight = 0, ...options }: DeviationOptions,
): Promise<DeviationRecovery> {
  if (!(lambda > 0)) throw new InverseError(`the weight of deviations is a positive number, not ${lambda}`);
  const operator: CodeOperator = {
    ...{ size: map.outputs, count: map.inputs, synthesize: map.apply, analyze: map.transpose },
    // Power iterations come from below: a little more is safe.
    squaredNorm: 1.02 * squaredNormOf(map),
  };
  let deviation: Float64Array = new Float64Array(map.inputs);
  let [restarts, z, made]: [readonly number[], Float64Array | undefined, Float64Array] = [
    [],
    undefined,
    deviation,
  ];
  const objectives: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const explained = map.apply(deviation);
    const left = y.map((v, i) => v - explained[i]!);
    const found = await latentDescent(generator, map, left, random.split(`round ${round}`), {
      ...{ ...options, weight },
      ...(z && { start: z, restarts: 1 }),
    });
    if (round === 0) restarts = found.restarts;
    [z, made] = [found.z, found.x];
    const fit = map.apply(made);
    const rest = y.map((v, i) => v - fit[i]!);
    // |r|^2 + lambda |nu|_1 is twice what basis pursuit minimizes with lambda / 2.
    const code = acceleratedCode(operator, rest, lambda / 2, {
      start: deviation,
      iterations: 2000,
      gap: 1e-9,
    });
    deviation = code.x;
    objectives.push(2 * code.objective + weight * z.reduce((sum, v) => sum + v * v, 0));
    const before = objectives.at(-2);
    if (before !== undefined && before - objectives.at(-1)! <= 1e-9 * before) break;
  }
  return { x: made.map((v, i) => v + deviation[i]!), z: z!, deviation, objectives, restarts };
}
