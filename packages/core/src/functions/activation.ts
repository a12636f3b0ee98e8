// Activations: the function, its derivatives, and the facts about it that theorems ask for (Tables 1.1 and 3.1).

import type { Value } from "../graph/value.ts";
import { factorial } from "../numbers/factorial.ts";
import type { Family, Row } from "./definition.ts";
import { ConstructError } from "./error.ts";
import type { ActivationFacts } from "./facts.ts";
import { families, type ParametricFamily, type PlainFamily } from "./table.ts";

/** A name, or a family with its parameter: "relu", "leakyRelu(0.1)", "repu(3)". A parameter left out has a default. */
export type ActivationName = PlainFamily | ParametricFamily | `${ParametricFamily}(${number})`;

export interface Activation extends ActivationFacts {
  /** In full: "leakyRelu(0.01)" for "leakyRelu". */
  readonly name: ActivationName;
  /** rho of each element, in operators of ONNX. */
  apply(x: Value): Value;
  value(x: number): number;
  /** The derivative of this order (at most 12); NaN where there is none. */
  derivative(order: number, x: number): number;
}

const greatestOrder = 12;
const known = new Map<string, Activation>();

/**
 * The activation with this name.
 * @example activation("tanh").derivative(3, 0) // -2
 */
export function activation(name: ActivationName): Activation {
  const found = known.get(name) ?? parse(name);
  known.set(name, found);
  return found;
}

export const activationFamilies = Object.keys(families) as readonly (PlainFamily | ParametricFamily)[];

function parse(name: string): Activation {
  const [, stem = "", given] = /^(\w+)(?:\(([^)]*)\))?$/.exec(name) ?? [];
  const family = Object.hasOwn(families, stem)
    ? (families as Readonly<Record<string, Family>>)[stem]
    : undefined;
  if (!family)
    throw new ConstructError(`no activation "${name}"; there are ${activationFamilies.join(", ")}`);
  if (given !== undefined && !family.parameter)
    throw new ConstructError(`${stem} has no parameter: "${name}"`);
  const parameter = given === undefined ? (family.parameter?.default ?? 0) : Number(given);
  if (family.parameter && (given?.trim() === "" || !family.parameter.allows(parameter)))
    throw new ConstructError(`${name}: ${stem} takes ${family.parameter.range}`);
  const { apply, jet, ...facts } = family.make(parameter);
  return {
    ...facts,
    name: (family.parameter ? `${stem}(${parameter})` : stem) as ActivationName,
    apply,
    value: (x) => jet(x, 0)[0]!,
    derivative: (order, x) => derivative(name, jet, order, x),
  };
}

function derivative(name: string, jet: Row["jet"], order: number, x: number): number {
  if (!Number.isInteger(order) || order < 0 || order > greatestOrder)
    throw new ConstructError(`derivatives of ${name} go from order 0 to ${greatestOrder}, not ${order}`);
  return factorial(order) * jet(x, order)[order]!;
}
