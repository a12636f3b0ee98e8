// What generators are trained on, as graphs of a batch: "x" is [N, size + latent], signals and beside them standard normal noise.
import { Builder } from "../../graph/builder.ts";
import { finish } from "../../graph/finish.ts";
import type { Graph, TensorType } from "../../graph/graph.ts";
import type { Value, Values } from "../../graph/value.ts";
import { gradient } from "../../passes/gradient.ts";
import { weightKey } from "../../train/state.ts";
import { columns, type GeneratorKind, type GeneratorSizes, layersOf, type Weights } from "./networks.ts";

/** Sums over the entries of a row, means over rows. */
export const meanOfRows = (x: Value): Value => x.sum([1]).mean([0]);

/** -ln p of bits x under sigmoids of scores, summed: ln(1 + e^s) - x s. */
const crossEntropy = (scores: Value, x: Value): Value => meanOfRows(scores.op("Softplus").sub(x.mul(scores)));

/**
 * vae: -E ln p(x | z) + KL(q(z | x) | N(0, 1)), with z = mu + sigma eps; autoencoder: squared error of a row.
 * KL = sum (mu^2 + sigma^2 - 1 - ln sigma^2) / 2.
 */
export function encodedLoss(
  kind: "vae" | "autoencoder",
  { size, latent, hidden }: GeneratorSizes,
  x: Value,
  weightOf: (name: string) => Value,
): { readonly loss: Value; readonly divergence?: Value } {
  const depth = hidden.length + 1;
  const signal = columns(x, 0, size);
  const code = layersOf("e", signal, weightOf, depth);
  if (kind === "autoencoder") {
    const rest = layersOf("g", code, weightOf, depth).op("Sigmoid").sub(signal);
    return { loss: meanOfRows(rest.mul(rest)) };
  }
  const [mu, logarithm] = [columns(code, 0, latent), columns(code, latent, 2 * latent)];
  const z = mu.add(
    logarithm
      .mul(0.5)
      .exp()
      .mul(columns(x, size, size + latent)),
  );
  const divergence = meanOfRows(mu.mul(mu).add(logarithm.exp()).sub(logarithm)).sub(latent).mul(0.5);
  return { loss: crossEntropy(layersOf("g", z, weightOf, depth), signal).add(divergence), divergence };
}

/**
 * Deviation of the noise on all that a discriminator sees (Arjovsky and Bottou 2017): without it signals and fakes lie apart, it
 * tells them apart without error, and the generator learns nothing.
 */
const blur = 0.7;

/** Normal numbers beside a signal in a batch: a latent vector, and for a GAN noise for what is judged. */
export const noiseOf = (kind: GeneratorKind, { size, latent }: GeneratorSizes): number =>
  kind === "gan" ? latent + size : latent;

/** What a discriminator loses on signals and fakes, and a generator on its fakes (the form whose gradients do not vanish). */
export function adversarialLosses(
  { size, latent, hidden }: GeneratorSizes,
  x: Value,
  weightOf: (name: string) => Value,
): { readonly discriminator: Value; readonly generator: Value } {
  const depth = hidden.length + 1;
  const fake = layersOf("g", columns(x, size, size + latent), weightOf, depth).op("Sigmoid");
  const noise = columns(x, size + latent, 2 * size + latent).mul(blur);
  const judged = (signal: Value): Value => layersOf("d", signal.add(noise), weightOf, depth);
  const [real, made] = [judged(columns(x, 0, size)), judged(fake)];
  return {
    // -ln D(x) - ln(1 - D(G(z))) with D the sigmoid of the score.
    discriminator: meanOfRows(real.neg().op("Softplus")).add(meanOfRows(made.op("Softplus"))),
    generator: meanOfRows(made.neg().op("Softplus")),
  };
}

type LossOf = (x: Value, weightOf: (name: string) => Value) => Value;

const typesOf = (width: number, weights: Weights): Record<string, TensorType> => ({
  x: { type: "float32", shape: ["N", width] },
  target: { type: "float32", shape: ["N", 1] },
  ...Object.fromEntries(
    [...weights].map(([name, { dims }]) => [weightKey(name), { type: "float32" as const, shape: dims }]),
  ),
});

/** A loss of rows with so many numbers, as a graph of "x", "target" (which nobody reads) and weights. */
function lossGraph(width: number, weights: Weights, lossOf: LossOf, name: string): Graph {
  return finish(
    new Builder(),
    typesOf(width, weights),
    (given: Values) => {
      // The target has no part in it, but a loop hands it over.
      const none = given["target"]!.mul(0).mean([0, 1]);
      const loss = lossOf(given["x"]!, (label) => given[weightKey(label)]!);
      return { loss: loss.add(none).reshape([]) };
    },
    { name, nested: false },
  );
}

/** The step of a training loop: the loss and the slope of each weight. */
export const lossStep = (width: number, weights: Weights, lossOf: LossOf): Graph =>
  gradient(lossGraph(width, weights, lossOf, "loss"), {
    ...{ wrt: [...weights.keys()].map(weightKey), of: ["loss"], unitSeeds: true },
  });

/** The same of a generator; in a GAN each player's weights follow the slope of its own loss. */
export function stepGraph(kind: GeneratorKind, sizes: GeneratorSizes, weights: Weights): Graph {
  const width = sizes.size + noiseOf(kind, sizes);
  if (kind !== "gan")
    return lossStep(width, weights, (x, weightOf) => encodedLoss(kind, sizes, x, weightOf).loss);
  const slopesOf = (player: "discriminator" | "generator", part: string): Graph =>
    gradient(
      lossGraph(width, weights, (x, weightOf) => adversarialLosses(sizes, x, weightOf)[player], player),
      {
        wrt: [...weights.keys()].filter((name) => name.startsWith(part)).map(weightKey),
        ...{ of: ["loss"], unitSeeds: true },
      },
    );
  const [critic, maker] = [slopesOf("discriminator", "d"), slopesOf("generator", "g")];
  return finish(
    new Builder(),
    typesOf(width, weights),
    (given: Values) => {
      const { builder } = given["x"]!;
      const [a, b] = [builder.inline(critic, given), builder.inline(maker, given)];
      const slopes = (found: Record<string, Value>): Record<string, Value> =>
        Object.fromEntries(Object.entries(found).filter(([key]) => key.startsWith("grad_")));
      return { loss: a["loss"]!, ...slopes(a), ...slopes(b) };
    },
    { name: "adversarial_step", nested: false },
  );
}
