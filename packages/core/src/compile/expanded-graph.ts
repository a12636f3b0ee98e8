// A function graph together with the decision which of its functions are evaluated by polynomials.

import { type FunctionGraph, type FunctionNode, NodeBuilder } from "../formula/nodes.ts";
import { nodeRange } from "../formula/range.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import type { Expansion } from "./expansion.ts";

/** A node by a weighted sum of others, up to `truncation`. */
export interface Polynomial {
  readonly args: readonly number[];
  readonly coefficients: readonly Interval[];
  readonly constant: Interval;
  readonly truncation: number;
  /**
   * Set when the others are its servants, whose errors are counted from the computed argument, not from the exact one:
   * the (computed) arguments for which the polynomial and the servants' ranges hold.
   */
  readonly on?: Interval;
  /** How many polynomials it is made of, and the highest degree of one. */
  readonly pieces: number;
  readonly degree: number;
}

export interface ExpandedGraph {
  /** The function graph's nodes, then powers that x^n is made of, then the servants. */
  readonly nodes: readonly FunctionNode[];
  readonly output: number;
  readonly ranges: readonly Interval[];
  readonly polynomials: ReadonlyMap<number, Polynomial>;
  /** For each servant the node that it serves. */
  readonly serves: ReadonlyMap<number, number>;
  /** Ids of all nodes, each after those that it is computed from. */
  readonly order: readonly number[];
}

/** The nodes that a node is computed from. */
export const sourcesOf = (
  { nodes, polynomials }: Pick<ExpandedGraph, "nodes" | "polynomials">,
  id: number,
): readonly number[] => polynomials.get(id)?.args ?? nodes[id]!.args;

/** t^n by squares and products of powers that are there already, or of halves. */
class PowerBuilder {
  readonly #add: (node: FunctionNode) => number;
  readonly #known: Map<number, number>;

  constructor(add: (node: FunctionNode) => number, t: number) {
    this.#add = add;
    this.#known = new Map([[1, t]]);
  }

  power(n: number): number {
    const known = this.#known.get(n);
    if (known !== undefined) return known;
    const id = this.#make(n);
    this.#known.set(n, id);
    return id;
  }

  #make(n: number): number {
    if (n % 2 === 0 && (this.#known.has(n / 2) || !this.#split(n)))
      return this.#add({ op: "square", args: [this.power(n / 2)] });
    const low = this.#split(n) ?? (n - 1) / 2;
    return this.#add({ op: "product", args: [this.power(low), this.power(n - low)] });
  }

  /** The most even split of n into powers that are there. */
  #split(n: number): number | undefined {
    for (let low = Math.floor(n / 2); low >= 1; low--)
      if (this.#known.has(low) && this.#known.has(n - low)) return low;
    return undefined;
  }
}

/** Squares and products that x^n needs. */
export function operationsFor(n: number): { readonly squares: number; readonly products: number } {
  const builder = new NodeBuilder([{ op: "variable", args: [], name: "x" }]);
  new PowerBuilder((node) => builder.add(node), 0).power(n);
  const squares = builder.nodes.filter((node) => node.op === "square").length;
  return { squares, products: builder.nodes.length - 1 - squares };
}

/** How the chosen nodes are to be evaluated: x^n by products, other functions by polynomials. */
export interface Methods {
  readonly monomials: ReadonlySet<number>;
  readonly expansions: ReadonlyMap<number, Expansion>;
}

/** The program that evaluates these nodes in these ways, all others by splines. */
export function expandedGraph(
  graph: FunctionGraph,
  ranges: readonly Interval[],
  { monomials, expansions }: Methods,
): ExpandedGraph {
  const builder = new NodeBuilder(graph.nodes);
  const polynomials = new Map<number, Polynomial>();
  const serves = new Map<number, number>();
  const all: Interval[] = [...ranges];
  for (const id of monomials) {
    const node = graph.nodes[id]! as FunctionNode & { op: "power" };
    const powers = new PowerBuilder((made) => builder.add(made), node.args[0]);
    const args = [powers.power(node.exponent!)];
    const exact = { coefficients: [I.point(1)], constant: I.point(0), truncation: 0 };
    polynomials.set(id, { args, ...exact, pieces: 1, degree: node.exponent! });
  }
  const { nodes } = builder;
  for (const [id, expansion] of expansions) {
    const argument = graph.nodes[id]!.args[0]!;
    const add = (node: FunctionNode): number => {
      serves.set(nodes.length, id);
      const of = (a: number): Interval => (a === argument ? expansion.on : all[a]!);
      all[nodes.length] = nodeRange(node, (node.args as readonly number[]).map(of));
      return nodes.push(node) - 1;
    };
    polynomials.set(id, expanded(expansion, argument, add));
  }
  const order = topological(nodes.length, (id) => sourcesOf({ nodes, polynomials }, id));
  for (const id of order)
    all[id] ??= nodeRange(
      nodes[id]!,
      nodes[id]!.args.map((a) => all[a]!),
    );
  return { nodes, output: graph.output, ranges: all, polynomials, serves, order };
}

/** The servants of one expansion: folds, then the nodes of its circuit. */
function expanded(
  { folds, circuit, on, truncation }: Expansion,
  argument: number,
  add: (node: FunctionNode) => number,
): Polynomial {
  const moved = (u: number, c: number): number =>
    add({ op: "affine", args: [u], coefficients: [I.point(1)], constant: I.point(-c) });
  const z = folds.reduce((u, c) => add({ op: "abs", args: [moved(u, c)] }), argument);
  const places = [z];
  circuit.nodes.slice(1).forEach((node) => {
    places.push(add({ ...node, args: node.args.map((a) => places[a]!) } as FunctionNode));
  });
  const terms = [...circuit.output.terms];
  return {
    args: terms.map(([id]) => places[id]!),
    coefficients: terms.map(([, w]) => I.point(w)),
    constant: I.point(circuit.output.constant),
    truncation,
    on,
    pieces: circuit.knots.length - 1,
    degree: circuit.degree,
  };
}

function topological(count: number, sources: (id: number) => readonly number[]): readonly number[] {
  const order: number[] = [];
  const state = new Uint8Array(count);
  for (let start = 0; start < count; start++) {
    const stack = [start];
    while (stack.length > 0) {
      const id = stack.at(-1)!;
      const open = state[id] === 0 ? sources(id).filter((s) => state[s] === 0) : [];
      if (open.length > 0) stack.push(...open);
      else {
        stack.pop();
        if (state[id] === 0) order.push(id);
        state[id] = 1;
      }
    }
  }
  return order;
}
