// Boxes as people write them: `x=0..1, y=-1..1`, `0..1` for every input, `x2=0.5` for a fixed one.
import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount } from "../graph/tensor.ts";
import { nextDown, nextUp } from "../numbers/rounding.ts";
import { type InputShape, inputShapes } from "../passes/affine/compile.ts";

/** One entry of a box: an interval for a named variable, or (without a name) for all that are not named. */
export interface NamedInterval {
  readonly name: string | undefined;
  readonly lower: number;
  readonly upper: number;
}

/** Bounds of all inputs of a network, flat, with a name for each. */
export interface InputBox {
  readonly names: readonly string[];
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Commas inside brackets belong to an index: `X[0,3]=1`. */
const entryPattern = /[^,[\]]*(?:\[[^\]]*\])?[^,[\]]*/g;
const form = "write name=lower..upper, name=value, or lower..upper for every input";

function finite(digits: string, text: string, subject: string): number {
  const value = Number(digits);
  if (digits.trim() === "" || !Number.isFinite(value)) throw new GraphError(`${subject} "${text}": ${form}`);
  return value;
}

/**
 * The entries of a box, in the order in which they are written; errors begin with `subject`.
 * @example parseIntervals("x=0..1, y=2") // [{ name: "x", lower: 0, upper: 1 }, { name: "y", lower: 2, upper: 2 }]
 */
export function parseIntervals(text: string, subject = "the box"): readonly NamedInterval[] {
  const entries = (text.match(entryPattern) ?? []).map((entry) => entry.trim()).filter(Boolean);
  if (entries.length === 0) throw new GraphError(`${subject} "${text}": ${form}`);
  const intervals = entries.map((entry) => {
    const [, name, range] = /^(?:(.*)=)?([^=]*)$/s.exec(entry)!;
    const [from, to = from, ...more] = range!.split("..");
    if (more.length > 0) throw new GraphError(`${subject} "${entry}": ${form}`);
    const [lower, upper] = [finite(from!, entry, subject), finite(to!, entry, subject)];
    if (lower > upper) throw new GraphError(`${subject} "${entry}": ${lower} is greater than ${upper}`);
    return { name: name?.trim(), lower, upper };
  });
  const twice = intervals.find(({ name }, k) => intervals.findIndex((other) => other.name === name) < k);
  if (twice) throw new GraphError(`${subject} "${text}": ${twice.name ?? "the default"} is given twice`);
  return intervals;
}

/** `x` for an input of one number, `X[3]` for the fourth number of a longer one. */
const componentNames = (shapes: readonly InputShape[]): readonly string[] =>
  shapes.flatMap(({ name, dims }) => {
    const count = elementCount(dims);
    return count === 1 ? [name] : Array.from({ length: count }, (_, k) => `${name}[${k}]`);
  });

/** The numbers (flat, over all inputs) that a name stands for: an input, `X[k]`, `X[i,j]`, or `x3` for the fourth of all. */
function positionsOf(
  name: string,
  shapes: readonly InputShape[],
  total: number,
  subject: string,
): readonly number[] {
  const [, base = name, index] = /^(.*?)\s*\[([\d,\s]*)\]$/.exec(name) ?? [];
  let first = 0;
  for (const shape of shapes) {
    const count = elementCount(shape.dims);
    if (shape.name === base) {
      if (index === undefined) return Array.from({ length: count }, (_, k) => first + k);
      return [first + flatIndex(name, index.split(",").map(Number), shape, subject)];
    }
    first += count;
  }
  const flat = /^x(\d+)$/.exec(name)?.[1];
  if (flat !== undefined && Number(flat) < total) return [Number(flat)];
  const known = componentNames(shapes);
  const shown = known.length > 6 ? `${known.slice(0, 4).join(", ")}, ... ${known.at(-1)}` : known.join(", ");
  throw new GraphError(
    `${subject}: the model has no input "${name}"; its inputs: ${shown} (also x0${total > 1 ? ` ... x${total - 1}` : ""})`,
  );
}

function flatIndex(name: string, index: readonly number[], { dims }: InputShape, subject: string): number {
  const flat =
    index.length === 1 ? index[0]! : index.reduce((sum, i, k) => sum * (dims[k] ?? Number.NaN) + i, 0);
  const inside = index.length === 1 || index.every((i, k) => i < dims[k]!);
  if (!inside || (index.length > 1 && index.length !== dims.length) || !(flat < elementCount(dims)))
    throw new GraphError(`${subject}: ${name} is outside the shape [${dims.join(", ")}]`);
  return flat;
}

/**
 * The box that a text describes for a model's inputs; later entries override earlier ones.
 * @example inputBox(square(3), "0..1").upper // Float64Array [1]
 */
export function inputBox(graph: Graph, text: string, subject = "the box"): InputBox {
  const shapes = inputShapes(graph);
  const names = componentNames(shapes);
  const lower = new Float64Array(names.length).fill(Number.NaN);
  const upper = new Float64Array(names.length).fill(Number.NaN);
  const intervals = parseIntervals(text, subject);
  const ordered = [
    ...intervals.filter((i) => i.name === undefined),
    ...intervals.filter((i) => i.name !== undefined),
  ];
  for (const interval of ordered) {
    const positions =
      interval.name === undefined ? names.keys() : positionsOf(interval.name, shapes, names.length, subject);
    for (const k of positions) [lower[k], upper[k]] = [interval.lower, interval.upper];
  }
  const open = names.filter((_, k) => Number.isNaN(lower[k]!));
  if (open.length > 0) {
    const shown = open.length > 4 ? `${open.slice(0, 3).join(", ")}, ... (${open.length})` : open.join(", ");
    throw new GraphError(`${subject} says nothing of ${shown}; ${form}`);
  }
  return { names, lower, upper };
}

/**
 * The box of all numbers that are no further than a radius from these, input by input.
 * @example boxAround(square(3), () => ({ data: [0.5], radius: 0 })).lower // Float64Array [0.5]
 */
export function boxAround(
  graph: Graph,
  of: (input: string) => { readonly data: ArrayLike<number>; readonly radius: number },
): InputBox {
  const shapes = inputShapes(graph);
  const sides = (end: (v: number, radius: number) => number): Float64Array =>
    Float64Array.from(
      shapes.flatMap(({ name }) => {
        const { data, radius } = of(name);
        return Array.from(data, (v) => (radius === 0 ? v : end(v, radius)));
      }),
    );
  return {
    names: componentNames(shapes),
    lower: sides((v, radius) => nextDown(v - radius)),
    upper: sides((v, radius) => nextUp(v + radius)),
  };
}
