// What the operations of the calculus ask of their networks, and the errors that say so.

import type { ActivationName } from "../../functions/activation.ts";
import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Layer, Layered } from "../layers/layered.ts";
import { inputDimension, layersOf, outputDimension } from "../layers/layers.ts";

/** The activation of networks that are put together; an affine map goes with any. */
export function commonActivation(operation: string, networks: readonly Layered[]): ActivationName {
  const names = new Set(networks.filter((n) => n.layers.length > 1).map((n) => n.activation));
  if (names.size > 1)
    throw new ConstructError(
      `${operation}: networks with different activations, ${[...names].join(" and ")}`,
    );
  return [...names][0] ?? networks[0]?.activation ?? "relu";
}

export function requireRelu(operation: string, activation: ActivationName): void {
  if (activation !== "relu")
    throw new ConstructError(
      `${operation} passes values on as relu(z) - relu(-z) = z: it needs relu networks, not ${activation}`,
    );
}

export function requireCount(operation: string, what: string, given: number, least: number): void {
  if (!Number.isSafeInteger(given) || given < least)
    throw new ConstructError(
      `${operation}: the ${what} is a whole number of at least ${least}, not ${given}`,
    );
}

/** An accuracy that can be asked for. */
export function requireAccuracy(operation: string, eps: number): void {
  if (!(eps > 0 && Number.isFinite(eps)))
    throw new ConstructError(`${operation}: eps = ${eps} is not a positive number`);
}

const requireSame =
  (end: (n: Layered) => number, verb: string) => (operation: string, networks: readonly Layered[]) => {
    if (networks.length === 0) throw new ConstructError(`${operation} needs a network`);
    const sizes = networks.map(end);
    const odd = sizes.findIndex((size) => size !== sizes[0]);
    if (odd >= 0)
      throw new ConstructError(
        `${operation}: network ${odd + 1} ${verb} ${sizes[odd]} numbers, network 1 ${verb} ${sizes[0]}`,
      );
  };

export const requireSameInput = requireSame(inputDimension, "takes");
export const requireSameOutput = requireSame(outputDimension, "gives");

/** The layers of networks brought to the depth of the deepest. */
export function equalDepth(
  operation: string,
  graphs: readonly Graph[],
  deepen: (graph: Graph, layers: number) => Graph,
): {
  readonly parts: readonly (readonly Layer[])[];
  readonly activation: ActivationName;
  readonly exact: boolean;
} {
  if (graphs.length === 0) throw new ConstructError(`${operation} needs a network`);
  const networks = graphs.map(layersOf);
  const activation = commonActivation(operation, networks);
  const depth = networks.reduce((most, n) => Math.max(most, n.layers.length), 0);
  if (networks.some((n) => n.layers.length < depth))
    requireRelu(`${operation} of unequal depths`, activation);
  const parts = graphs.map((g) => layersOf(deepen(g, depth)).layers);
  return { parts, activation, exact: networks.every((n) => n.exact) };
}
