// Priors that compete for one digit: each is given the same measurements, and says what it makes of them as it goes.
import { readModel, writeModel } from "@lemmata/core/graph";
import {
  cosineBasis,
  generatorOf,
  type LinearMap,
  latentDescent,
  peakSignalToNoise,
  sparseRecovery,
  totalVariation,
  trainedGenerator,
  untrainedRecovery,
} from "@lemmata/core/inverse";
import { createRandom } from "@lemmata/core/numbers";
import { takeExamples } from "@lemmata/core/train";
import { exampleSource } from "../../audit/example-source.ts";
import { measured, operatorOf, type Settings, shape } from "../../recover/settings.ts";
import type { Job } from "../protocol.ts";

export const rivals = ["tv", "cosines", "generator", "untrained"] as const;
export type Rival = (typeof rivals)[number];

export interface RecoverInput {
  readonly truth: Float64Array;
  readonly settings: Settings;
  readonly generator?: File;
}

/** What a prior makes of the measurements, now. */
export interface Standing {
  readonly rival: Rival;
  readonly x: Float64Array;
  readonly psnr: number;
  /** |A x - y|^2 / m, beside the square of the noise. */
  readonly misfit: number;
  /** Whether it is done. */
  readonly isLast: boolean;
}

export interface RecoverOutput {
  readonly standings: readonly Standing[];
}

const steps = { generator: 200, untrained: 300 } as const;
const bounded = (x: Float64Array): Float64Array => x.map((v) => Math.min(1, Math.max(0, v)));
/** The page's wish to stop is heard between steps. */
const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

interface Race {
  readonly map: LinearMap;
  readonly y: Float64Array;
  readonly noise: number;
  readonly go: (x?: Float64Array) => Promise<void>;
}

const run: Readonly<
  Record<Rival, (race: Race, generator: File | undefined) => Promise<Float64Array | undefined>>
> = {
  tv: async ({ map, y, noise, go }) =>
    (
      await totalVariation(map, y, shape, {
        ...{ range: [0, 1] as const, lambda: Math.max(0.005, noise / 2), iterations: 400 },
        onStep: () => go(),
      })
    ).x,
  cosines: async ({ map, y, go }) =>
    bounded((await sparseRecovery(map, y, cosineBasis(shape), { iterations: 300, onStep: () => go() })).x),
  async generator({ map, y, go }, file) {
    if (!file) return undefined;
    const network = generatorOf(readModel(new Uint8Array(await file.arrayBuffer())));
    const options = { restarts: 6, steps: steps.generator, rate: 0.1, weight: 0.002, polish: 40 };
    const random = createRandom("starts");
    return (await latentDescent(network, map, y, random, { ...options, onStep: () => go() })).x;
  },
  untrained: async ({ map, y, noise, go }) =>
    (
      await untrainedRecovery("dip", map, y, shape, createRandom("dip"), {
        ...{ steps: steps.untrained, width: 16, variation: 1e-4, watch: 25 },
        ...(noise > 0 ? { discrepancy: y.length * noise ** 2 } : {}),
        onStep: (_, __, x) => go(x),
      })
    ).x,
};

/** Each prior in turn; the slow ones are seen on the way. */
export const recoverDigit: Job<RecoverInput, RecoverOutput> = async (
  { truth, settings, generator },
  { signal, progress, partial },
) => {
  const map = operatorOf(settings);
  const y = measured(map, truth, settings);
  const standings: Standing[] = [];
  for (const [k, rival] of rivals.entries()) {
    progress(k / rivals.length, rival);
    const standing = (x: Float64Array, isLast: boolean): Standing => {
      const misfit = map.apply(x).reduce((sum, v, i) => sum + (v - y[i]!) ** 2, 0) / y.length;
      return { rival, x, psnr: peakSignalToNoise(x, truth, 1), misfit, isLast };
    };
    const x = await run[rival](
      {
        ...{ map, y, noise: settings.noise / 100 },
        async go(now) {
          if (now) partial(standing(now, false));
          await breath();
          signal.throwIfAborted();
        },
      },
      generator,
    );
    if (!x) continue;
    standings.push(standing(x, true));
    partial(standings.at(-1));
  }
  return { standings };
};

/** So many digits teach the generator, so often. */
const [examples, epochs] = [4800, 12];

/** A generator of digits, trained in the page: nothing but the digits is shipped. */
export const digitGenerator: Job<{ readonly digitsAt: string }, Uint8Array> = async (
  { digitsAt },
  { signal, progress },
) => {
  progress(0, "loading the digits");
  const source = await exampleSource("digits", { digitsAt });
  const { train } = source.load({ count: 0, seed: 1, testFraction: 0.2 });
  const { x } = takeExamples(
    train,
    Array.from({ length: examples }, (_, k) => k),
  );
  const { generator } = await trainedGenerator(x, {
    ...{ kind: "vae", latent: 16, hidden: [128, 192], epochs, batch: 50, rate: 2e-3, seed: 1, signal },
    onEpoch: (epoch) => progress(epoch / epochs, `${examples} digits, epoch ${epoch} of ${epochs}`),
  });
  signal.throwIfAborted();
  return writeModel(generator);
};
