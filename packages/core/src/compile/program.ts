// A function graph together with the decision which of its functions are evaluated by polynomials.

import type { Interval } from "../engine/interval.ts";
import * as I from "../engine/interval.ts";
import type { Expansion } from "./expansion.ts";
import { type FunctionGraph, type FunctionNode, NodeBuilder } from "./function-graph.ts";
import { nodeRange } from "./range.ts";

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
}

export interface Program {
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
  { nodes, polynomials }: Pick<Program, "nodes" | "polynomials">,
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

/** Squares and products that a polynomial with these coefficients needs. */
export function operationsFor(coefficients: readonly number[]): {
  readonly squares: number;
  readonly products: number;
} {
  const builder = new NodeBuilder([{ op: "variable", args: [], name: "t" }]);
  const powers = new PowerBuilder((node) => builder.add(node), 0);
  coefficients.forEach((a, k) => {
    if (k > 1 && a !== 0) powers.power(k);
  });
  const squares = builder.nodes.filter((node) => node.op === "square").length;
  return { squares, products: builder.nodes.length - 1 - squares };
}

/** How the chosen nodes are to be evaluated: x^n by products, other functions by polynomials. */
export interface Methods {
  readonly monomials: ReadonlySet<number>;
  readonly expansions: ReadonlyMap<number, Expansion>;
}

/** The program that evaluates these nodes in these ways, all others by splines. */
export function programOf(
  graph: FunctionGraph,
  ranges: readonly Interval[],
  { monomials, expansions }: Methods,
): Program {
  const builder = new NodeBuilder(graph.nodes);
  const polynomials = new Map<number, Polynomial>();
  const serves = new Map<number, number>();
  const all: Interval[] = [...ranges];
  for (const id of monomials) {
    const node = graph.nodes[id]! as FunctionNode & { op: "power" };
    const powers = new PowerBuilder((made) => builder.add(made), node.args[0]);
    const args = [powers.power(node.exponent!)];
    polynomials.set(id, { args, coefficients: [I.point(1)], constant: I.point(0), truncation: 0 });
  }
  const { nodes } = builder;
  for (const [id, expansion] of expansions) {
    const add = (node: FunctionNode): number => {
      serves.set(nodes.length, id);
      const [only] = node.args as readonly number[];
      const isFirst = node.args.length === 1 && only === graph.nodes[id]!.args[0];
      all[nodes.length] = nodeRange(node, isFirst ? [expansion.on] : node.args.map((a) => all[a]!));
      return nodes.push(node) - 1;
    };
    polynomials.set(id, expanded(expansion, graph.nodes[id]!.args[0]!, add));
  }
  const order = topological(nodes.length, (id) => sourcesOf({ nodes, polynomials }, id));
  for (const id of order)
    all[id] ??= nodeRange(
      nodes[id]!,
      nodes[id]!.args.map((a) => all[a]!),
    );
  return { nodes, output: graph.output, ranges: all, polynomials, serves, order };
}

/** The servants of one expansion: folds, t, and its powers. */
function expanded(
  { folds, scale, shift, coefficients, on, truncation }: Expansion,
  argument: number,
  add: (node: FunctionNode) => number,
): Polynomial {
  const affine = (arg: number, factor: number, constant: number): number =>
    add({ op: "affine", args: [arg], coefficients: [I.point(factor)], constant: I.point(constant) });
  const z = folds.reduce((u, c) => add({ op: "abs", args: [affine(u, 1, -c)] }), argument);
  const powers = new PowerBuilder(add, affine(z, scale, shift));
  const used = coefficients.flatMap((a, k) => (k > 0 && a !== 0 ? [k] : []));
  return {
    args: used.map((k) => powers.power(k)),
    coefficients: used.map((k) => I.point(coefficients[k]!)),
    constant: I.point(coefficients[0] ?? 0),
    truncation,
    on,
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
