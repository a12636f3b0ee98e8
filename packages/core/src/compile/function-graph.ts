// The function graph: a formula as nodes of few variables each, every distinct subexpression once.

import type { Interval } from "../engine/interval.ts";
import * as I from "../engine/interval.ts";
import { type UnivariateName, univariateNames } from "./certificate.ts";
import { Elaboration } from "./elaborate.ts";
import { CompileError } from "./error.ts";
import { parseFormula } from "./formula.ts";
import { FormAlgebra } from "./function-graph-algebra.ts";

/** A node; its arguments come before it. Coefficients are real numbers, by doubles around them. */
export type FunctionNode =
  | { readonly op: "variable"; readonly args: readonly []; readonly name: string }
  | {
      readonly op: "affine";
      readonly args: readonly number[];
      readonly coefficients: readonly Interval[];
      readonly constant: Interval;
    }
  | { readonly op: "product" | "max" | "min"; readonly args: readonly [number, number] }
  | { readonly op: "square" | "abs"; readonly args: readonly [number] }
  | { readonly op: UnivariateName; readonly args: readonly [number]; readonly exponent?: number };
/** A function of one variable. */
export type UnivariateNode = FunctionNode & { readonly op: UnivariateName };
export const isUnivariate = (node: FunctionNode): node is UnivariateNode =>
  (univariateNames as readonly string[]).includes(node.op);

export interface FunctionGraph {
  readonly nodes: readonly FunctionNode[];
  /** The formula's own node. */
  readonly output: number;
}

/** A sum of nodes that are not affine themselves, with coefficients, and a constant. */
export interface Form {
  readonly constant: Interval;
  readonly terms: ReadonlyMap<number, Interval>;
}

export const constantForm = (constant: Interval): Form => ({ constant, terms: new Map() });
export const isConstant = ({ terms }: Form): boolean => terms.size === 0;
const isExactly = ({ lower, upper }: Interval, x: number): boolean => lower === x && upper === x;

/** sum_k scale_k form_k. */
export function combine(parts: readonly { readonly scale: Interval; readonly form: Form }[]): Form {
  let constant = I.point(0);
  const terms = new Map<number, Interval>();
  for (const { scale, form } of parts) {
    constant = I.add(constant, I.mul(scale, form.constant));
    for (const [id, c] of form.terms) {
      const scaled = I.mul(scale, c);
      const before = terms.get(id);
      terms.set(id, before ? I.add(before, scaled) : scaled);
    }
  }
  for (const [id, c] of terms) if (isExactly(c, 0)) terms.delete(id);
  return { constant, terms };
}

/** Collects nodes; equal ones are made once. */
export class NodeBuilder {
  readonly nodes: FunctionNode[];
  readonly #known = new Map<string, number>();

  constructor(nodes: readonly FunctionNode[] = []) {
    this.nodes = [...nodes];
    for (const [id, node] of nodes.entries()) this.#known.set(keyOf(node), id);
  }

  add(node: FunctionNode): number {
    const key = keyOf(node);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.nodes.length);
    return this.nodes.push(node) - 1;
  }

  /** The form that a node is. */
  form(id: number): Form {
    const node = this.nodes[id]!;
    if (node.op !== "affine") return { constant: I.point(0), terms: new Map([[id, I.point(1)]]) };
    return { constant: node.constant, terms: new Map(node.args.map((a, k) => [a, node.coefficients[k]!])) };
  }

  /** A form as one node. */
  node({ constant, terms }: Form): number {
    const [[id, coefficient] = [0, I.point(0)], ...more] = [...terms];
    if (terms.size === 1 && more.length === 0 && isExactly(constant, 0) && isExactly(coefficient, 1))
      return id;
    const sorted = [...terms].sort((a, b) => a[0] - b[0]);
    return this.add({
      op: "affine",
      args: sorted.map(([arg]) => arg),
      coefficients: sorted.map(([, c]) => c),
      constant,
    });
  }
}

function keyOf(node: FunctionNode): string {
  const parts: unknown[] = [node.op, ...node.args];
  if (node.op === "variable") parts.push(node.name);
  if (node.op === "affine")
    parts.push(
      node.constant.lower,
      node.constant.upper,
      ...node.coefficients.flatMap((c) => [c.lower, c.upper]),
    );
  if ("exponent" in node) parts.push(node.exponent);
  return parts.join(" ");
}

/**
 * The function graph of a formula in these variables. Nodes depend on the formula and the names alone.
 * @example functionGraph("(x + 1)^2 * (x + 1)^2", ["x"]).nodes.length // 4
 */
export const functionGraph = (formula: string, variables: readonly string[]): FunctionGraph =>
  pruned(elaborated(formula, variables));

/** With the nodes that come to nothing when the formula is put in order: log x in 0 log x. */
export function elaborated(formula: string, variables: readonly string[]): FunctionGraph {
  const builder = new NodeBuilder();
  const ids = new Map(variables.map((name) => [name, builder.add({ op: "variable", args: [], name })]));
  const algebra = new FormAlgebra(builder, ids);
  const form = new Elaboration(algebra, variables).scalar(parseFormula(formula));
  const output = builder.node(form);
  const unused = variables.filter((name) => !algebra.used.has(name));
  if (unused.length > 0) {
    const more = unused.length > 4 ? ` and ${unused.length - 4} more` : "";
    throw new CompileError(`the box has ${unused.slice(0, 4).join(", ")}${more}, but the formula does not`);
  }
  return { nodes: builder.nodes, output };
}

/** Without the nodes that nothing needs; variables stay. */
export function pruned({ nodes, output }: FunctionGraph): FunctionGraph {
  const needed = new Set([output]);
  for (let id = nodes.length - 1; id >= 0; id--) {
    if (nodes[id]!.op === "variable") needed.add(id);
    if (needed.has(id)) for (const arg of nodes[id]!.args) needed.add(arg);
  }
  const place = new Map([...needed].sort((a, b) => a - b).map((id, k) => [id, k]));
  const kept = nodes.filter((_, id) => needed.has(id));
  const moved = kept.map((node) => ({ ...node, args: node.args.map((a) => place.get(a)!) }) as FunctionNode);
  return { nodes: moved, output: place.get(output)! };
}

export interface GraphReport {
  readonly nodes: number;
  readonly maxArity: number;
  readonly depth: number;
}

/**
 * The sparsity of a function graph (Poggio): constituents, the most variables that one of them has, and the depth.
 * Variables do not count as nodes.
 * @example reportOf(functionGraph("x * y + x", ["x", "y"])) // { nodes: 2, maxArity: 2, depth: 2 }
 */
export function reportOf({ nodes }: FunctionGraph): GraphReport {
  const depth: number[] = [];
  let [count, maxArity] = [0, 0];
  nodes.forEach((node, id) => {
    const before = (node.args as readonly number[]).reduce((most, a) => Math.max(most, depth[a]!), 0);
    depth[id] = node.op === "variable" ? 0 : before + 1;
    if (node.op !== "variable") count++;
    maxArity = Math.max(maxArity, node.args.length);
  });
  return { nodes: count, maxArity, depth: depth.reduce((most, d) => Math.max(most, d), 0) };
}
