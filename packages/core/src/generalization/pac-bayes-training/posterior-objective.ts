// The objective of the posterior: a bounded surrogate of its risk and its divergence from the prior, in one graph.
import { Builder } from "../../graph/builder.ts";
import { finish } from "../../graph/finish.ts";
import { type Graph, isSparse } from "../../graph/graph.ts";
import { elementCount, type Tensor } from "../../graph/tensor.ts";
import type { Types, Value, Values } from "../../graph/value.ts";
import { gradient } from "../../passes/gradient.ts";
import { correct, margin } from "../../train/loss.ts";
import { slotKey, weightKey } from "../../train/state.ts";
import type { TrainingOptions } from "../../train/training/options.ts";
import { chunkGraph, type Training } from "../../train/training.ts";
import { batchFree } from "../../train/weights.ts";
import { deviationKey, meanKey, signature, writeRandomized } from "./randomized-network.ts";

export const shiftName = (name: string): string => `${name}:shift`;
export const spreadName = (name: string): string => `${name}:log-spread`;

export interface PosteriorObjective {
  /** Examples that the bound counts, and its confidence. */
  readonly n: number;
  readonly delta: number;
  /** Standard deviation of each weight at first: w = centre + unit (shift + e^{log-spread} noise). */
  readonly units: ReadonlyMap<string, number>;
  readonly batch: number;
  readonly seed: number;
}

/** Probabilities below this count as this: losses -ln(p + (1 - p) q) lie in [0, ln 1/p]. */
const leastProbability = 1e-4;

/** Bounded cross-entropy: ln(p + (1 - p) P(class)) / ln p, in [0, 1]. */
function boundedLoss(output: Value, target: Value): Value {
  const logit = output.type.shape?.[1] === 1;
  const probability = logit
    ? margin(output, target).sigmoid()
    : output
        .op("Softmax", [], { axis: 1 })
        .op("GatherElements", [target.reshape([-1, 1])], { axis: 1 })
        .reshape([-1]);
  const mixed = probability
    .mul(1 - leastProbability)
    .add(output.builder.lift(leastProbability, output.type.type));
  return mixed.log().div(output.builder.lift(Math.log(leastProbability), output.type.type));
}

/**
 * KL to the prior of best scale e^l: (d / 2) mean(e^{2(r-l)} - 1 - 2(r-l) + e^{-2l} shift^2), e^{2l} = mean(e^{2r} +
 * shift^2). No term is negative: as a difference of means, f32 would be off by tens, since sums of many equal numbers
 * round alike. An error of l counts in second order only.
 */
export function divergenceValue(shift: Value, spread: Value): Value {
  const dims = shift.type.shape as readonly number[];
  const axes = dims.map((_, k) => k);
  const number = (value: number): Value => shift.builder.lift(value, shift.type.type);
  const squares = shift.mul(shift);
  const twice = spread.add(spread).exp().add(squares).mean(axes).log();
  const relative = spread.add(spread).sub(twice);
  const terms = relative.exp().sub(number(1)).sub(relative).add(squares.mul(twice.neg().exp()));
  return terms.mean(axes).mul(number(elementCount(dims) / 2));
}

/**
 * Loss (sqrt(L + K) + sqrt(K))^2 with K = (KL + ln(2 sqrt(n) / delta)) / 2n, a relaxation of the kl bound, and its
 * gradients; noise is drawn anew for each batch.
 */
function stepGraph(
  model: Graph,
  weights: readonly string[],
  { n, delta, units, seed }: PosteriorObjective,
): Graph {
  const { input, inputType, types } = signature(model, weights);
  const builder = new Builder();
  const states: Types = Object.fromEntries(
    weights.flatMap((name) => [
      [weightKey(shiftName(name)), types[name]!],
      [weightKey(spreadName(name)), types[name]!],
    ]),
  );
  const inputs: Types = { [input]: inputType, target: { type: "int64", shape: ["N"] }, ...states };
  let draws = 0;
  const body = (given: Values): Values => {
    const gaussians = weights.flatMap((name) => {
      const [shift, spread] = [given[weightKey(shiftName(name))]!, given[weightKey(spreadName(name))]!];
      const unit = builder.lift(units.get(name)!, types[name]!.type);
      const centre = builder.weight(model.initializers.get(name)!, `${name}:centre`);
      return [
        [meanKey(name), centre.add(shift.mul(unit))] as const,
        [deviationKey(name), spread.exp().mul(unit)] as const,
      ];
    });
    const noise = (like: Value): Value => like.op("RandomNormalLike", [], { seed: 1000 * seed + ++draws });
    const { outputs } = writeRandomized(model, weights, {
      builder,
      given: { ...given, ...Object.fromEntries(gaussians) },
      noise,
      guard: 1e-12,
    });
    const output = outputs[model.outputs[0]!.name]!;
    const risk = boundedLoss(output, given.target!).mean([0]);
    const KL = weights
      .map((name) => divergenceValue(given[weightKey(shiftName(name))]!, given[weightKey(spreadName(name))]!))
      .reduce((a, b) => a.add(b));
    const number = (value: number): Value => builder.lift(value, output.type.type);
    const K = KL.add(number(Math.log((2 * Math.sqrt(n)) / delta))).div(number(2 * n));
    const root = risk.add(K).sqrt().add(K.sqrt());
    return { loss: root.mul(root), accuracy: correct(output, given.target!).mean([0]) };
  };
  const whole = finish(builder, inputs, body, { name: "posterior", nested: false });
  return gradient(whole, { wrt: Object.keys(states), of: ["loss"], unitSeeds: true });
}

/** A training run of the posterior, for `advance`: its weights are shifts and logarithmic spreads, zero at first. */
export function posteriorTraining(
  prior: Graph,
  weights: readonly string[],
  objective: PosteriorObjective,
): { readonly training: Training; readonly tensors: Readonly<Record<string, Tensor>> } {
  const model = batchFree(prior);
  const names = weights.flatMap((name) => [shiftName(name), spreadName(name)]);
  const options: TrainingOptions = { loss: "cross-entropy", optimizer: "adam", batch: objective.batch };
  const zeros = (key: string): Tensor => {
    const name = key.slice(key.indexOf("/") + 1).replace(/:[^:]*$/, "");
    const weight = model.initializers.get(name)!;
    if (isSparse(weight)) throw new TypeError(`weight "${name}" is sparse`); // signature has refused it
    const array = weight.type === "float64" ? Float64Array : Float32Array;
    return { ...weight, data: new array(elementCount(weight.dims)) };
  };
  const stateNames = names.flatMap((name) => [weightKey(name), slotKey(name, 0), slotKey(name, 1)]);
  const tensors = Object.fromEntries(stateNames.map((key) => [key, zeros(key)]));
  const types = Object.fromEntries(
    stateNames.map((key) => [key, { type: tensors[key]!.type, shape: tensors[key]!.dims }]),
  );
  const graph = chunkGraph(stepGraph(model, weights, objective), types, names, options);
  return { training: { graph, model, options, weights: names, stateNames, outputs: undefined }, tensors };
}
