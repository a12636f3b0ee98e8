// What is asked of the page of recovery, how its link says it, and how a picture is damaged.
import {
  downsampling,
  gaussianOperator,
  hiddenBox,
  type LinearMap,
  randomPixels,
} from "@lemmata/core/inverse";
import { createRandom } from "@lemmata/core/numbers";

export const damages = ["pixels", "box", "coarse", "gaussian"] as const;
export type Damage = (typeof damages)[number];

export interface Settings {
  readonly damage: Damage;
  /** How much is lost, in percent of the 784 numbers. */
  readonly lost: number;
  /** Deviation of the noise, in percent of full ink. */
  readonly noise: number;
}

export const defaults: Settings = { damage: "pixels", lost: 70, noise: 3 };
export const ranges = { lost: { min: 5, max: 97 }, noise: { min: 0, max: 30 } } as const;

const within = (
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
  usual: number,
): number => {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : usual;
};

export const fromQuery = (query: Readonly<Record<string, string>>): Settings => ({
  damage: damages.find((name) => name === query["damage"]) ?? defaults.damage,
  lost: within(query["lost"], ranges.lost, defaults.lost),
  noise: within(query["noise"], ranges.noise, defaults.noise),
});

/** What is not as usual. */
export const toQuery = (settings: Settings): Record<string, string> =>
  Object.fromEntries(
    (["damage", "lost", "noise"] as const).flatMap((name) =>
      settings[name] === defaults[name] ? [] : [[name, String(settings[name])]],
    ),
  );

const side = 28;
export const shape: readonly number[] = [side, side];

/** The factor of a coarser picture that keeps about this share of the numbers: one that divides 28. */
const factorFor = (kept: number): number =>
  [2, 4, 7, 14].reduce((best, f) =>
    Math.abs(Math.log(f ** -2 / kept)) < Math.abs(Math.log(best ** -2 / kept)) ? f : best,
  );

/** The operator of the settings. */
export function operatorOf({ damage, lost }: Settings): LinearMap {
  const kept = 1 - lost / 100;
  const random = createRandom("the page of recovery");
  if (damage === "pixels") return randomPixels(kept, shape, random);
  if (damage === "coarse") return downsampling(factorFor(kept), shape);
  if (damage === "gaussian")
    return gaussianOperator(Math.max(1, Math.round(kept * side ** 2)), side ** 2, random);
  const half = Math.min(13, Math.max(1, Math.round((side * Math.sqrt(lost / 100)) / 2)));
  const [from, to] = [side / 2 - half, side / 2 + half];
  return hiddenBox([from, to, from, to], shape);
}

/** y = A x + e. */
export function measured(map: LinearMap, x: Float64Array, { noise }: Settings): Float64Array {
  const random = createRandom("noise of the page of recovery");
  return map.apply(x).map((v) => v + (noise / 100) * random.normal());
}

/** Which numbers of the picture were seen, where it is pixels that were measured. */
export function seenOf({ damage }: Settings, map: LinearMap): Uint8Array | undefined {
  if (damage !== "pixels" && damage !== "box") return undefined;
  const back = map.transpose(new Float64Array(map.outputs).fill(1));
  return Uint8Array.from(back, (v) => Number(v !== 0));
}
