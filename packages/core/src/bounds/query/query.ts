// A query about networks: is there an input such that a formula of inputs and outputs holds?
import type { Atom } from "./linear.ts";

/** One number of an input or an output of a network, or a product of such. */
export interface Variable {
  /** As it is written in the query. */
  readonly name: string;
  /** "" in a query that does not name its network. */
  readonly network: string;
  readonly side: "input" | "output" | "product";
  /** Flat, over all inputs (or outputs, those inside of the network last) of the network. */
  readonly position: number;
  /** Of a product: the variables that it is made of, in order. */
  readonly factors?: readonly number[];
}

export type Formula =
  | { readonly kind: "atom"; readonly atom: Atom }
  | { readonly kind: "and" | "or"; readonly parts: readonly Formula[] };

/** A network as a query declares it. */
export interface DeclaredNetwork {
  readonly name: string;
  readonly inputs: number;
  /** Those inside of the network included. */
  readonly outputs: number;
  /** Values inside of the network that the query speaks of, by their names in the model. */
  readonly hidden?: readonly string[];
  /** Names of the model's inputs and outputs, where the query tells them by name and not by order. */
  readonly inputNames?: readonly string[];
  readonly outputNames?: readonly string[];
  /** The network whose model this one shares. */
  readonly equalTo?: string;
}

export interface Query {
  readonly networks: readonly DeclaredNetwork[];
  readonly variables: readonly Variable[];
  /** All of them have to hold. */
  readonly assertions: readonly Formula[];
}
