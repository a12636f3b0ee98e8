// Ranges: for every node an interval that holds its exact value at every point of the box.

import { univariateFunction } from "../functions/univariate.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import { CompileError } from "./error.ts";
import { pruned } from "./function-graph.ts";
import type { FunctionGraph, FunctionNode } from "./nodes.ts";

/** A node's value on intervals of its arguments; throws RangeError where it may be undefined. */
export function nodeRange(node: FunctionNode, args: readonly Interval[], variable?: Interval): Interval {
  const [a, b] = args as [Interval, Interval];
  switch (node.op) {
    case "variable":
      return variable!;
    case "affine":
      return node.coefficients.reduce((sum, c, k) => I.add(sum, I.mul(c, args[k]!)), node.constant);
    case "product":
      return I.mul(a, b);
    case "square":
      return I.squared(a);
    case "abs":
      return I.abs(a);
    case "max":
      return I.max(a, b);
    case "min":
      return I.min(a, b);
    default:
      return univariateFunction(node.op, node.exponent).enclosure(a);
  }
}

const anything: Interval = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
const isBounded = ({ lower, upper }: Interval): boolean => Number.isFinite(lower) && Number.isFinite(upper);

/** Natural interval extension; a node that may be undefined, or that overflows, is anything. */
function extension(
  nodes: readonly FunctionNode[],
  box: readonly Interval[],
  known?: readonly Interval[],
): Interval[] {
  const ranges: Interval[] = [];
  nodes.forEach((node, id) => {
    let range = anything;
    try {
      const found = nodeRange(
        node,
        (node.args as readonly number[]).map((k) => ranges[k]!),
        box[id],
      );
      if (!Number.isNaN(found.lower) && !Number.isNaN(found.upper)) range = found;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    ranges.push(known ? meet(range, known[id]!) : range);
  });
  return ranges;
}

/** Both hold the number; where rounding lets them miss each other, the first one stays. */
function meet(x: Interval, y: Interval): Interval {
  const [lower, upper] = [Math.max(x.lower, y.lower), Math.min(x.upper, y.upper)];
  return lower <= upper ? { lower, upper } : x;
}

/** Interval operations to spend on cutting the box into cells. */
const work = 400_000;

/** Cells: the box cut along at most two of its edges. */
function* cells(box: readonly Interval[], parts: number): Iterable<readonly Interval[]> {
  const wide = box.map((_, k) => k).filter((k) => box[k]!.upper > box[k]!.lower);
  const part = ({ lower, upper }: Interval, k: number): Interval => {
    // Twice half the way: the whole width may be greater than all doubles.
    const half = upper / 2 - lower / 2;
    const at = (j: number): number =>
      j === parts ? upper : Math.min(upper, lower + half * (j / parts) + half * (j / parts));
    return { lower: at(k), upper: at(k + 1) };
  };
  const [first, second] = wide;
  for (let i = 0; i < parts; i++) {
    for (let j = 0; j < (second === undefined ? 1 : parts); j++)
      yield box.map((x, k) => (k === first ? part(x, i) : k === second ? part(x, j) : x));
  }
}

/** With one or two variables, the hull over cells is much narrower where a variable occurs twice. */
function refined(
  nodes: readonly FunctionNode[],
  box: readonly Interval[],
  coarse: readonly Interval[],
): readonly Interval[] {
  const free = box.filter(({ lower, upper }) => upper > lower).length;
  if (free === 0 || free > 2) return coarse;
  const count = Math.min(1024, Math.floor(work / nodes.length));
  const parts = Math.floor(free === 1 ? count : Math.sqrt(count));
  if (parts < 2) return coarse;
  let hulls: Interval[] | undefined;
  for (const cell of cells(box, parts)) {
    const ranges = extension(nodes, cell, coarse);
    hulls = hulls ? hulls.map((h, id) => I.hull(h, ranges[id]!)) : ranges;
  }
  return hulls!;
}

/**
 * Sound ranges of all nodes; an error names the node that is not defined on the whole box.
 * @example rangesOf(functionGraph("x - x^2", ["x"]), [{ lower: 0, upper: 1 }])[2].upper < 0.26 // true
 */
export function rangesOf({ nodes, output }: FunctionGraph, box: readonly Interval[]): readonly Interval[] {
  const ranges = refined(nodes, box, extension(nodes, box));
  nodes.forEach((node, id) => {
    if (isBounded(ranges[id]!) && isDefined(node, ranges[(node.args as readonly number[])[0] ?? id]!)) return;
    throw new CompileError(undefinedAt({ nodes, output }, id, ranges));
  });
  return ranges;
}

const partial: ReadonlySet<string> = new Set("sqrt log tan asin acos reciprocal power".split(" "));

/** Functions that come to nothing when the formula is put in order must have a value all the same: log x in 0 log x. */
export function checkDefined(whole: FunctionGraph, box: readonly Interval[]): void {
  const needed = new Set([whole.output]);
  for (let id = whole.nodes.length - 1; id >= 0; id--)
    if (needed.has(id)) for (const arg of whole.nodes[id]!.args) needed.add(arg);
  whole.nodes.forEach(({ op }, id) => {
    if (partial.has(op) && !needed.has(id)) rangesOf(pruned({ nodes: whole.nodes, output: id }), box);
  });
}

function isDefined(node: FunctionNode, argument: Interval): boolean {
  try {
    if (node.args.length === 1 && node.op !== "affine") nodeRange(node, [argument]);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const shortest = (x: number): string => String(Number(x.toPrecision(6)));

/** The range of a variable, or of an affine function of one, is what it is; that of anything else is an enclosure. */
function hasExactRange({ nodes }: FunctionGraph, id: number): boolean {
  const node = nodes[id]!;
  if (node.op === "variable") return true;
  return node.op === "affine" && node.args.length === 1 && nodes[node.args[0]!]!.op === "variable";
}

function undefinedAt(graph: FunctionGraph, id: number, ranges: readonly Interval[]): string {
  const node = graph.nodes[id]!;
  const text = expressionOf(graph, id);
  const argument = node.args.length === 1 ? ranges[node.args[0]!]! : undefined;
  if (!argument || !isBounded(argument)) return `${text} grows beyond all doubles on this box`;
  const inner = expressionOf(graph, node.args[0]!);
  const isExact = hasExactRange(graph, node.args[0]!);
  const between = isExact
    ? `${inner} ranges from ${shortest(argument.lower)} to ${shortest(argument.upper)}`
    : `${inner} was shown to be between ${shortest(argument.lower)} and ${shortest(argument.upper)}, not better`;
  const includesZero = argument.lower <= 0 && argument.upper >= 0;
  if (node.op === "reciprocal" || (node.op === "power" && includesZero && node.exponent! < 0))
    return `${text} on a box that contains ${inner} = 0: ${between}`;
  if (node.op === "log") return `${text} is the log of a range that reaches 0: ${between}`;
  if (node.op === "tan") return `${text} has a pole on the box: ${between}`;
  if (isDefined(node, argument)) return `${text} grows beyond all doubles: ${between}`;
  return `${text} ${isExact ? "is not" : "may be not"} defined on the whole box: ${between}`;
}

const longestText = 60;

/** A node as text; a long one is cut short. */
export function expressionOf({ nodes }: { readonly nodes: readonly FunctionNode[] }, id: number): string {
  const text = textOf(nodes, id, 6);
  return text.length > longestText ? `${text.slice(0, longestText - 3)}...` : text;
}

function textOf(nodes: readonly FunctionNode[], id: number, depth: number): string {
  const node = nodes[id]!;
  if (depth === 0) return "...";
  const arg = (k: number): string => textOf(nodes, node.args[k]!, depth - 1);
  const atom = (k: number): string => {
    const text = arg(k);
    return /^[\p{L}\p{N}_.]*$|^[a-z]+\([^()]*\)$/u.test(text) ? text : `(${text})`;
  };
  switch (node.op) {
    case "variable":
      return node.name;
    case "affine":
      return sumText(node, (k) => arg(k).replace(/^.* [-+] .*$/, "($&)"));
    case "product":
      return `${atom(0)} ${atom(1)}`;
    case "square":
      return `${atom(0)}^2`;
    case "reciprocal":
      return `1/${atom(0)}`;
    case "power":
      return `${atom(0)}^${node.exponent! < 0 ? `(${node.exponent})` : shortest(node.exponent!)}`;
    case "max":
    case "min":
      return `${node.op}(${arg(0)}, ${arg(1)})`;
    default:
      return `${node.op}(${arg(0)})`;
  }
}

function sumText(node: FunctionNode & { op: "affine" }, arg: (k: number) => string): string {
  const shown = node.args.slice(0, 6).map((_, k) => {
    const c = node.coefficients[k]!.lower;
    const size = Math.abs(c) === 1 ? "" : `${shortest(Math.abs(c))} `;
    return `${c < 0 ? "- " : "+ "}${size}${arg(k)}`;
  });
  if (node.args.length > 6) shown.push("+ ...");
  const constant = node.constant.lower;
  if (constant !== 0 || node.args.length === 0)
    shown.push(`${constant < 0 ? "- " : "+ "}${shortest(Math.abs(constant))}`);
  return shown.join(" ").replace(/^\+ /, "").replace(/^- /, "-");
}
