// A formula has a value where all its parts have one: 0 log x is 0 for positive x only. Parts on which the value depends
// are looked at with their ranges; here are those that come to nothing when the formula is put in order.

import type { UnivariateName } from "../functions/names.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import { cellsOf } from "./cells.ts";
import { Refutation } from "./error.ts";
import type { FormulaNode } from "./formula-form.ts";
import type { FormulaNodes } from "./formula-nodes.ts";
import { enclosureOf } from "./functions.ts";

const partial: ReadonlySet<string> = new Set([
  ...["sqrt", "log", "tan", "asin", "acos", "reciprocal", "power"],
]);

/** The nodes that these are made of, and themselves. */
function madeOf(nodes: readonly FormulaNode[], ids: Iterable<number>): Set<number> {
  const found = new Set(ids);
  for (let id = nodes.length - 1; id >= 0; id--)
    if (found.has(id)) for (const arg of nodes[id]!.args) found.add(arg);
  return found;
}

/** On these intervals of its arguments; a RangeError where it may have no value. */
function value({ op, exponent, coefficients, constant }: FormulaNode, args: readonly Interval[]): Interval {
  const [a, b] = args as [Interval, Interval];
  switch (op) {
    case "affine":
      return args.reduce((sum, x, k) => I.add(sum, I.mul(coefficients![k]!, x)), constant!);
    case "square":
      return I.squared(a);
    case "abs":
      return I.abs(a);
    case "product":
      return I.mul(a, b);
    case "max":
      return I.max(a, b);
    case "min":
      return I.min(a, b);
    case "log":
      if (!(a.lower > 0)) throw new RangeError(`it takes the logarithm of a number that may be ${a.lower}`);
      return I.log(a);
    default:
      return enclosureOf({ op: op as UnivariateName, exponent }, a);
  }
}

/** The values of these nodes on a cell, or the first of them that may have none. */
export function valuesOn(
  nodes: readonly FormulaNode[],
  ids: readonly number[],
  cell: readonly Interval[],
): ReadonlyMap<number, Interval> | number {
  const found = new Map<number, Interval>();
  for (const id of ids) {
    const node = nodes[id]!;
    const args = node.args.map((a) => found.get(a)!);
    try {
      found.set(id, id < cell.length ? cell[id]! : value(node, args));
    } catch (error) {
      if (error instanceof RangeError) return id;
      throw error;
    }
  }
  return found;
}

/** Refutes a formula of which a part that comes to nothing may have no value somewhere on the box. */
export function checkDefined({ nodes, output }: FormulaNodes, box: readonly Interval[]): void {
  const needed = madeOf(nodes, [output]);
  const doubtful = nodes.flatMap(({ op }, id) => (partial.has(op) && !needed.has(id) ? [id] : []));
  if (doubtful.length === 0) return;
  const ids = [...madeOf(nodes, doubtful)].sort((a, b) => a - b);
  if (typeof valuesOn(nodes, ids, box) !== "number") return;
  for (const cell of cellsOf(box)) {
    const bad = valuesOn(nodes, ids, cell);
    if (typeof bad === "number")
      throw new Refutation("the formula", `its ${nodes[bad]!.op} may have no value on a part of the box`);
  }
}
