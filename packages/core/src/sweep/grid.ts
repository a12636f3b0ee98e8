// A grid: names with the values that each of them takes, written as one line.
import { SweepError } from "./error.ts";
import { rangeValues } from "./range.ts";

export type GridValue = number | string | boolean;

export interface GridAxis {
  readonly name: string;
  readonly values: readonly GridValue[];
}

/** The axes of a grid; the first one varies slowest. */
export type Grid = readonly GridAxis[];

/** One point of a grid: a value for every name. */
export type Point = Readonly<Record<string, GridValue>>;

/** More jobs than anybody waits for: a grid of this size is a slip of the pen. */
const mostPoints = 1e7;

/** Parts between separators that are not inside of quotes. */
function split(text: string, separator: string): string[] {
  const parts = [""];
  let quoted = false;
  for (const letter of text) {
    if (letter === '"') quoted = !quoted;
    if (letter === separator && !quoted) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  if (quoted) throw new SweepError(`grid: a quotation mark is not closed in ${text.trim()}`);
  return parts.map((part) => part.trim());
}

const decimal = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** A value as it is written: a number, true, false, or a text, with quotes or without. */
function readValue(text: string, axis: string): GridValue {
  if (text.startsWith('"')) {
    const [, inner] = /^"([^"]*)"$/.exec(text) ?? [];
    if (inner === undefined) throw new SweepError(`grid: ${axis}: ${text} is not one value`);
    return inner;
  }
  if (text === "true" || text === "false") return text === "true";
  if (!decimal.test(text)) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SweepError(`grid: ${axis}: ${text} is beyond all numbers`);
  return value;
}

const range = /^(\S+?)\s*\.\.\s*(\S+)(?:\s+(step|linear|log)\s+(\S+))?$/;

function readValues(text: string, axis: string): readonly GridValue[] {
  if (text === "") throw new SweepError(`grid: ${axis}: a value is missing`);
  const [, from, to, kind, amount] = text.startsWith('"') ? [] : (range.exec(text) ?? []);
  if (from === undefined || to === undefined) return [readValue(text, axis)];
  const ends = [from, to, ...(amount === undefined ? [] : [amount])];
  const wrong = ends.find((end) => !decimal.test(end));
  if (wrong !== undefined)
    throw new SweepError(`grid: ${axis}: ${wrong} is no number (a text with two dots needs quotes)`);
  return rangeValues(axis, Number(from), Number(to), kind, amount === undefined ? undefined : Number(amount));
}

function parseAxis(text: string): GridAxis {
  const [, name, list] = /^([\p{L}_][\p{L}\p{N}_-]*)\s*=\s*(.*)$/su.exec(text) ?? [];
  if (name === undefined || list === undefined)
    throw new SweepError(`grid: "${text}": write name=values, as in "width=16,32,64; seed=1..10"`);
  const values = split(list, ",").flatMap((part) => readValues(part, name));
  const seen = new Set<GridValue>();
  for (const value of values) {
    if (seen.has(value)) throw new SweepError(`grid: ${name}: ${value} is there twice`);
    seen.add(value);
  }
  return { name, values };
}

/**
 * A grid as people write it: lists, ranges of whole numbers, and evenly or geometrically spaced points.
 * @example parseGrid("width=16,32; eps=1e-1..1e-3 log 3")[1].values // [0.1, 0.01, 0.001]
 */
export function parseGrid(text: string): Grid {
  const axes = split(text, ";")
    .filter((part) => part !== "")
    .map(parseAxis);
  const names = axes.map(({ name }) => name);
  const twice = names.find((name, k) => names.indexOf(name) < k);
  if (twice !== undefined) throw new SweepError(`grid: ${twice} is there twice`);
  gridSize(axes);
  return axes;
}

/**
 * How many points a grid has, each repeated so often.
 * @example gridSize(parseGrid("a=1..3; b=x,y")) // 6
 */
export function gridSize(grid: Grid, repeat = 1): number {
  const size = grid.reduce((product, { values }) => product * values.length, repeat);
  if (size > mostPoints) throw new SweepError(`grid: ${size} points; at most ${mostPoints} can be run`);
  return size;
}

/**
 * All points of a grid, the last name varying fastest.
 * @example [...points(parseGrid("a=1,2; b=3"))] // [{ a: 1, b: 3 }, { a: 2, b: 3 }]
 */
export function* points(grid: Grid): Generator<Point> {
  const [axis, ...rest] = grid;
  if (axis === undefined) yield {};
  else
    for (const value of axis.values) for (const point of points(rest)) yield { [axis.name]: value, ...point };
}
