// The nodes of a function graph, and how they are collected: every distinct one once.
import { type UnivariateName, univariateNames } from "../functions/names.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";

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
