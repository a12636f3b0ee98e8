// Generators before they are trained: a decoder, and what teaches it (an encoder, a discriminator, or nothing but noise).
import { float32, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, encode, type Tensor, view } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { Random } from "../../numbers/random.ts";
import { InverseError } from "../error.ts";

export type GeneratorKind = "vae" | "gan" | "autoencoder";
export const generatorKinds: readonly GeneratorKind[] = ["vae", "gan", "autoencoder"];

export interface GeneratorSizes {
  /** Numbers of a signal, with values from 0 to 1. */
  readonly size: number;
  readonly latent: number;
  /** Widths of the decoder's hidden layers, from the latent vector on; others have them the other way round. */
  readonly hidden: readonly number[];
}

/** Weights by name: "g1.weight" [inputs, outputs], "g1.bias" [outputs], ...; g the decoder, e an encoder, d a discriminator. */
export type Weights = ReadonlyMap<string, Tensor>;
export type Part = "g" | "e" | "d";

/** Widths of a part's layers, from its inputs to its outputs. */
export function widthsOf(
  part: Part,
  kind: GeneratorKind,
  { size, latent, hidden }: GeneratorSizes,
): readonly number[] {
  const back = hidden.toReversed();
  if (part === "g") return [latent, ...hidden, size];
  if (part === "d") return [size, ...back, 1];
  return [size, ...back, kind === "vae" ? 2 * latent : latent];
}

export const partsOf = (kind: GeneratorKind): readonly Part[] => (kind === "gan" ? ["g", "d"] : ["g", "e"]);

/** Normal weights of variance 2 / inputs (1 / inputs at the outputs), biases 0. */
export function initialWeights(kind: GeneratorKind, sizes: GeneratorSizes, random: Random): Weights {
  const whole = (n: number): boolean => Number.isSafeInteger(n) && n >= 1;
  if (!whole(sizes.size) || !whole(sizes.latent) || !sizes.hidden.every(whole))
    throw new InverseError("widths of a generator are whole numbers from 1 up");
  return new Map(
    partsOf(kind).flatMap((part) => [
      ...denseWeights(part, widthsOf(part, kind, sizes), (l) => random.split(`${part}${l}`)),
    ]),
  );
}

/** Weights of dense layers under names that begin so. */
export function denseWeights(
  name: string,
  widths: readonly number[],
  randomOf: (layer: number) => Random,
): Weights {
  const weights = new Map<string, Tensor>();
  for (let l = 1; l < widths.length; l++) {
    const dims = [widths[l - 1]!, widths[l]!];
    const scale = Math.sqrt((l === widths.length - 1 ? 1 : 2) / dims[0]!);
    const drawn = randomOf(l)
      .normal(elementCount(dims))
      .map((v) => scale * v);
    weights.set(`${name}${l}.weight`, view("float32", dims, encode(drawn, "float32")));
    weights.set(`${name}${l}.bias`, view("float32", [widths[l]!], new Float32Array(widths[l]!)));
  }
  return weights;
}

/** Dense layers with ReLU between them. */
export function layersOf(part: string, x: Value, weightOf: (name: string) => Value, count: number): Value {
  let value = x;
  for (let l = 1; l <= count; l++) {
    value = value.op("Gemm", [weightOf(`${part}${l}.weight`), weightOf(`${part}${l}.bias`)]);
    if (l < count) value = value.relu();
  }
  return value;
}

/** The decoder alone: z [N, latent] to pixels from 0 to 1. */
export function decoderGraph(weights: Weights, { latent, hidden }: GeneratorSizes): Graph {
  return graph(
    { z: float32("N", latent) },
    ({ z }) => {
      const weightOf = (name: string): Value => z.builder.weight(weights.get(name)!, name);
      return { x: layersOf("g", z, weightOf, hidden.length + 1).op("Sigmoid") };
    },
    { name: "generator" },
  );
}

/** The encoder alone: signals to latent vectors (of a VAE their means). */
export function encoderGraph(
  kind: GeneratorKind,
  weights: Weights,
  { size, latent, hidden }: GeneratorSizes,
): Graph {
  return graph(
    { x: float32("N", size) },
    ({ x }) => {
      const weightOf = (name: string): Value => x.builder.weight(weights.get(name)!, name);
      const code = layersOf("e", x, weightOf, hidden.length + 1);
      return { z: kind === "vae" ? columns(code, 0, latent) : code };
    },
    { name: "encoder" },
  );
}

/** Columns from a first to before a last one. */
export function columns(x: Value, first: number, last: number): Value {
  const at = (k: number): Value => x.builder.weight(view("int64", [1], BigInt64Array.of(BigInt(k))), "at");
  return x.builder.apply("Slice", [x, at(first), at(last), at(1)])[0]!;
}
