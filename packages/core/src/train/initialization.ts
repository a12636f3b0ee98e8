// The laws of weights at initialization: variances by fan-in and fan-out, and factors that stay outside of the weights.

import type { FloatType } from "../graph/tensor.ts";
import type { Random } from "../numbers/random.ts";
import { TrainError } from "./error.ts";

export const initializationNames = [
  "lecun",
  "glorot-normal",
  "glorot-uniform",
  "he-normal",
  "he-uniform",
  "pytorch",
  "ntk",
  "mean-field",
  "t11-theory",
  "t11-chapter",
] as const;
export type InitializationName = (typeof initializationNames)[number];
/** `t11-chapter(2)` has rho = 2; without a number, rho = 1. */
export type Initialization = InitializationName | `t11-chapter(${number})`;

/** A symmetric law around 0; "zero" is the constant. */
export interface Law {
  readonly shape: "normal" | "uniform" | "signs" | "zero";
  readonly variance: number;
}

export interface LayerLaw {
  readonly weight: Law;
  readonly bias: Law;
  /** What the layer's product is multiplied with, outside of the trained weight; 1 for nothing. */
  readonly factor: number;
}

/** What a law depends on. */
export interface Fans {
  readonly fanIn: number;
  readonly fanOut: number;
  /** Whether this is the last layer with weights. */
  readonly isOutput: boolean;
}

const zero: Law = { shape: "zero", variance: 0 };
const normal = (variance: number): Law => ({ shape: "normal", variance });
/** Uniform on [-bound, bound] with bound^2 = 3 variance. */
const uniform = (variance: number): Law => ({ shape: "uniform", variance });
/** +-sqrt(variance), each with probability 1/2. */
const signs = (variance: number): Law => ({ shape: "signs", variance });
const plain = (weight: Law): LayerLaw => ({ weight, bias: zero, factor: 1 });

const laws: Readonly<Record<InitializationName, (fans: Fans, rho: number) => LayerLaw>> = {
  lecun: ({ fanIn }) => plain(normal(1 / fanIn)),
  "glorot-normal": ({ fanIn, fanOut }) => plain(normal(2 / (fanIn + fanOut))),
  "glorot-uniform": ({ fanIn, fanOut }) => plain(uniform(2 / (fanIn + fanOut))),
  "he-normal": ({ fanIn }) => plain(normal(2 / fanIn)),
  "he-uniform": ({ fanIn }) => plain(uniform(2 / fanIn)),
  // Weights and biases uniform on +-1/sqrt(fan-in), whose variance is 1 / (3 fan-in).
  pytorch: ({ fanIn }) => ({ ...plain(uniform(1 / (3 * fanIn))), bias: uniform(1 / (3 * fanIn)) }),
  ntk: ({ fanIn }) => ({ ...plain(normal(1)), factor: 1 / Math.sqrt(fanIn) }),
  // (1/m) sum_j a_j s(<v_j, x>) with a_j and <v_j, x> of order 1.
  "mean-field": ({ fanIn, isOutput }) =>
    isOutput ? { ...plain(normal(1)), factor: 1 / fanIn } : plain(normal(1 / fanIn)),
  // T-11: a_j = +-1/sqrt(m), v_j ~ N(0, I/d).
  "t11-theory": ({ fanIn, isOutput }) => plain(isOutput ? signs(1 / fanIn) : normal(1 / fanIn)),
  // T-11: a_j = +-1, v_j ~ N(0, I), and rho / sqrt(m) outside.
  "t11-chapter": ({ fanIn, isOutput }, rho) =>
    isOutput ? { ...plain(signs(1)), factor: rho / Math.sqrt(fanIn) } : plain(normal(1)),
};

/**
 * The laws of the layers of a network, from the first to the output layer.
 * @example layerLaws("he-normal", [{ fanIn: 8, fanOut: 4, isOutput: true }])[0].weight.variance // 0.25
 */
export function layerLaws(initialization: Initialization, layers: readonly Fans[]): readonly LayerLaw[] {
  const { name, rho } = parseInitialization(initialization);
  if (name === "t11-chapter" && layers.length !== 2)
    throw new TrainError(
      `initialization ${name}: the convention is for two layers of weights, and this network has ${layers.length}`,
    );
  return layers.map((fans) => laws[name](fans, rho));
}

/** Throws where the name is unknown: it may come from a user. */
function parseInitialization(text: string): { readonly name: InitializationName; readonly rho: number } {
  const [, stem = "", given] = /^([\w-]+)(?:\((.*)\))?$/.exec(text) ?? [];
  const name = initializationNames.find((each) => each === stem);
  if (!name) throw new TrainError(`no initialization "${text}"; there are ${initializationNames.join(", ")}`);
  if (given === undefined) return { name, rho: 1 };
  const rho = Number(given);
  if (name !== "t11-chapter") throw new TrainError(`initialization ${name} has no parameter: "${text}"`);
  if (given.trim() === "" || !(rho > 0 && rho < Number.POSITIVE_INFINITY))
    throw new TrainError(`initialization "${text}": rho is a finite number above 0`);
  return { name, rho };
}

/**
 * Numbers of a law.
 * @example draw({ shape: "signs", variance: 4 }, 3, createRandom(1)).map(Math.abs) // Float32Array [2, 2, 2]
 */
export function draw(
  { shape, variance }: Law,
  count: number,
  random: Random,
  type: Exclude<FloatType, "float16"> = "float32",
): Float32Array | Float64Array {
  const values = new (type === "float32" ? Float32Array : Float64Array)(count);
  const deviation = Math.sqrt(variance);
  const bound = Math.sqrt(3 * variance);
  // One number at a time: each is rounded to float32 once, so that both types have the same network.
  for (let k = 0; k < count && shape !== "zero"; k++) {
    if (shape === "normal") values[k] = deviation * random.normal();
    else if (shape === "uniform") values[k] = bound * (2 * random.uniform() - 1);
    else values[k] = random.uniform() < 0.5 ? -deviation : deviation;
  }
  return values;
}

/** E X^4 / (E X^2)^2: the mean square of n numbers has the relative standard error sqrt((kurtosis - 1) / n). */
export const kurtosis: Readonly<Record<Law["shape"], number>> = {
  normal: 3,
  uniform: 9 / 5,
  signs: 1,
  zero: 1,
};
