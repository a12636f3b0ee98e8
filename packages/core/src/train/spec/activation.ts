// The activations of a specification, in operators that ONNX Runtime has in the network's element type.
import { type ActivationName, activation } from "../../functions/activation.ts";
import { ConstructError } from "../../functions/error.ts";
import type { Value } from "../../graph/value.ts";
import { TrainError } from "../error.ts";

type Apply = (x: Value) => Value;

/** Names as other libraries write them, for rows of the table of activations. */
const families = {
  relu: "relu",
  leakyrelu: "leakyRelu",
  tanh: "tanh",
  sigmoid: "logistic",
  logistic: "logistic",
  softplus: "softplus",
  softsign: "softsign",
  elu: "elu",
  sin: "sin",
  cos: "cos",
  exp: "exp",
  arctan: "arctan",
  gaussian: "gaussian",
  repu: "repu",
  isru: "isru",
  isrlu: "isrlu",
  linear: "linear",
} as const satisfies Record<string, ActivationName>;

const softplus: Apply = (x) => activation("softplus").apply(x);

/**
 * x / (1 + e^-x) = x (1 + tanh(x / 2)) / 2. ONNX Runtime 1.30 fuses x * Sigmoid(x) to an operator that it has in
 * float32 only, and then refuses the graph: hence the second form in float64.
 */
const silu: Apply = (x) =>
  x.type.type === "float32" ? x.mul(x.sigmoid()) : x.mul(x.mul(0.5).tanh().add(1)).mul(0.5);

/** x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2. */
const geluTanh: Apply = (x) =>
  x.mul(0.5).mul(
    x
      .mul(x)
      .mul(0.044715)
      .add(1)
      .mul(x)
      .mul(Math.sqrt(2 / Math.PI))
      .tanh()
      .add(1),
  );

/** lambda (max(x, 0) + alpha (e^min(x, 0) - 1)), the constants of Klambauer et al. (2017). */
const selu: Apply = (x) =>
  x
    .relu()
    .add(activation("elu").apply(x.min(0)).mul(1.6732632423543772))
    .mul(1.0507009873554805);

const own: Readonly<Record<string, Apply>> = {
  gelu: (x) => x.op("Gelu"),
  gelutanh: (x) => (x.type.type === "float32" ? x.op("Gelu", [], { approximate: "tanh" }) : geluTanh(x)),
  silu,
  swish: silu,
  mish: (x) => x.mul(softplus(x).tanh()),
  selu: (x) => (x.type.type === "float32" ? x.op("Selu") : selu(x)),
  abs: (x) => x.abs(),
  square: (x) => x.mul(x),
};

/** Steps (heaviside, threshold) are left out: their derivative is 0 wherever they have one. */
export const activationNames: readonly string[] = [...Object.keys(families), ...Object.keys(own)];

/** The name as it is known here, if it is one: "leakyrelu(0.1)". A wrong parameter is an error. */
export function spelledActivation(text: string, where: string): string | undefined {
  const [, stem = "", parameter] = /^([a-z]+)(\(.*\))?$/.exec(text.toLowerCase()) ?? [];
  if (Object.hasOwn(own, stem)) {
    if (parameter !== undefined) throw new TrainError(`${where}: ${stem} has no parameter`);
    return stem;
  }
  if (!Object.hasOwn(families, stem)) return undefined;
  try {
    activation(familyName(stem, parameter));
  } catch (error) {
    if (error instanceof ConstructError) throw new TrainError(`${where}: ${error.message}`);
    throw error;
  }
  return `${stem}${parameter ?? ""}`;
}

const familyName = (stem: string, parameter = ""): ActivationName =>
  `${families[stem as keyof typeof families]}${parameter}` as ActivationName;

/**
 * The function of this name, applied to each element.
 * @example graph({ x: float32("N", 3) }, ({ x }) => ({ y: applyActivation("silu", x) }))
 */
export function applyActivation(name: string, x: Value): Value {
  const [, stem = "", parameter] = /^([a-z]+)(\(.*\))?$/.exec(name) ?? [];
  const apply = Object.hasOwn(own, stem) ? own[stem] : undefined;
  return apply ? apply(x) : activation(familyName(stem, parameter)).apply(x);
}
