// A query about networks: is there an input such that a formula of inputs and outputs holds?
import type { Atom } from "./linear.ts";

/** One number of an input or an output of a network. */
export interface Variable {
  /** As it is written in the query. */
  readonly name: string;
  /** "" in a query that does not name its network. */
  readonly network: string;
  readonly side: "input" | "output";
  /** Flat, over all inputs (or outputs) of the network. */
  readonly position: number;
}

export type Formula =
  | { readonly kind: "atom"; readonly atom: Atom }
  | { readonly kind: "and" | "or"; readonly parts: readonly Formula[] };

/** A network as a query declares it. */
export interface DeclaredNetwork {
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  /** The network whose model this one shares. */
  readonly equalTo?: string;
}

export interface Query {
  readonly networks: readonly DeclaredNetwork[];
  readonly variables: readonly Variable[];
  /** All of them have to hold. */
  readonly assertions: readonly Formula[];
}
