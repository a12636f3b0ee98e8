// Operators in words: "gaussian:m=200,seed=1", "mask:keep=0.3", "blur:sigma=1.5", "downsample:factor=2" ...
import { createRandom } from "../numbers/random.ts";
import { InverseError } from "./error.ts";
import { identityOperator, type LinearMap } from "./linear-map.ts";
import {
  blurOperator,
  cosineSamples,
  downsampling,
  fourierSamples,
  gaussianOperator,
  hiddenBox,
  radonOperator,
  randomPixels,
} from "./operators.ts";
import { pictureOf } from "./shape.ts";

interface Words {
  /** What a number of the operator is called; with its default, if it has one. */
  readonly numbers: Readonly<Record<string, number | undefined>>;
  readonly build: (given: Readonly<Record<string, number>>, shape: readonly number[]) => LinearMap;
}

const randomFor = (seed: number) => createRandom(`operator ${seed}`);

const kinds: Readonly<Record<string, Words>> = {
  identity: { numbers: {}, build: (_, shape) => identityOperator(pictureOf(shape).size) },
  gaussian: {
    numbers: { m: undefined, seed: 1 },
    build: ({ m, seed }, shape) => gaussianOperator(m!, pictureOf(shape).size, randomFor(seed!)),
  },
  dct: {
    numbers: { m: undefined, seed: 1, decay: 2 },
    build: ({ m, seed, decay }, shape) => cosineSamples(m!, shape, randomFor(seed!), decay),
  },
  fourier: {
    numbers: { frequencies: undefined, seed: 1, decay: 2 },
    build: ({ frequencies, seed, decay }, shape) =>
      fourierSamples(frequencies!, shape, randomFor(seed!), decay),
  },
  pixels: {
    numbers: { keep: undefined, seed: 1 },
    build: ({ keep, seed }, shape) => randomPixels(keep!, shape, randomFor(seed!)),
  },
  hide: {
    numbers: { top: undefined, bottom: undefined, left: undefined, right: undefined },
    build: ({ top, bottom, left, right }, shape) => hiddenBox([top!, bottom!, left!, right!], shape),
  },
  blur: { numbers: { sigma: undefined }, build: ({ sigma }, shape) => blurOperator(sigma!, shape) },
  downsample: { numbers: { factor: undefined }, build: ({ factor }, shape) => downsampling(factor!, shape) },
  radon: { numbers: { angles: undefined }, build: ({ angles }, shape) => radonOperator(angles!, shape) },
};

export const operatorKinds = Object.keys(kinds);

/** `gaussian:m=...,seed=1` for each kind. */
export const operatorForms: readonly string[] = Object.entries(kinds).map(([kind, { numbers }]) => {
  const words = Object.entries(numbers).map(([name, usual]) => `${name}=${usual ?? "..."}`);
  return [kind, words.join(",")].filter((part) => part !== "").join(":");
});

/**
 * The operator that a text describes, for signals of a shape.
 * @example operatorFromSpec("downsample:factor=2", [4]).apply(Float64Array.of(1, 3, 5, 7)) // Float64Array [2, 6]
 */
export function operatorFromSpec(text: string, shape: readonly number[]): LinearMap {
  const [kind = "", rest = ""] = text.split(/:(.*)/s);
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!known)
    throw new InverseError(
      `there is no operator "${kind}"; there are ${operatorKinds.join(", ")}, a .npy file and an .onnx file`,
    );
  const given: Record<string, number> = {};
  for (const part of rest === "" ? [] : rest.split(",")) {
    const [name = "", value = ""] = part.split("=").map((word) => word.trim());
    if (!Object.hasOwn(known.numbers, name))
      throw new InverseError(
        `operator ${kind} has ${Object.keys(known.numbers).join(", ") || "no numbers"}, not "${name}"`,
      );
    const number = Number(value);
    if (value === "" || !Number.isFinite(number))
      throw new InverseError(`${name} of operator ${kind} is a number, not "${value}"`);
    given[name] = number;
  }
  for (const [name, usual] of Object.entries(known.numbers)) {
    if (name in given) continue;
    if (usual === undefined) throw new InverseError(`operator ${kind} needs ${name}: "${kind}:${name}=..."`);
    given[name] = usual;
  }
  return known.build(given, shape);
}
