// The activations of a specification, in operators that ONNX Runtime has in the network's element type.
import { type ActivationName, activation, activationFamilies } from "../../functions/activation.ts";
import { ConstructError } from "../../functions/error.ts";
import { applySelu } from "../../functions/library/elu.ts";
import { gelu, tanhGelu } from "../../functions/library/gelu.ts";
import { mish } from "../../functions/library/mish.ts";
import { silu } from "../../functions/library/silu.ts";
import type { Value } from "../../graph/value.ts";
import { TrainError } from "../error.ts";

/** The table's, in small letters. Steps are left out: their derivative is 0 wherever they have one. */
const families: Readonly<Record<string, ActivationName>> = {
  ...Object.fromEntries(
    activationFamilies
      .filter((name) => activation(name).smoothness >= 0)
      .map((name) => [name.toLowerCase(), name]),
  ),
  sigmoid: "logistic",
};

const own: Readonly<Record<string, (x: Value) => Value>> = {
  gelu: gelu.apply,
  gelutanh: tanhGelu.apply,
  silu: silu.apply,
  swish: silu.apply,
  mish: mish.apply,
  selu: applySelu,
  abs: (x) => x.abs(),
  square: (x) => x.mul(x),
  cube: (x) => x.pow(3),
  erf: (x) => x.op("Erf"),
};

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
  `${families[stem]}${parameter}` as ActivationName;

/**
 * The function of this name, applied to each element.
 * @example graph({ x: float32("N", 3) }, ({ x }) => ({ y: applyActivation("silu", x) }))
 */
export function applyActivation(name: string, x: Value): Value {
  const [, stem = "", parameter] = /^([a-z]+)(\(.*\))?$/.exec(name) ?? [];
  const apply = Object.hasOwn(own, stem) ? own[stem] : undefined;
  return apply ? apply(x) : activation(familyName(stem, parameter)).apply(x);
}
