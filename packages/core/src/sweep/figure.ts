// A sweep as a figure: the median of y at every x, with the middle half of its values, by colour and by panel.
import type { Axis, Figure, Panel, Series } from "../figure/figure.ts";
import { SweepError } from "./error.ts";
import type { Row, Scalar } from "./row.ts";
import { type Column, cellOf, type SweepTable } from "./table.ts";

export interface SweepFigureOptions {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** One line for each value of this column. */
  readonly colour?: string | undefined;
  /** One panel for each value of this column. */
  readonly facet?: string | undefined;
}

/** Lines and panels that can still be told apart. */
const [mostLines, mostPanels] = [12, 12];
/** A range that spans this factor is drawn on a logarithmic axis. */
const wide = 50;

/**
 * The value below which this share of sorted values lies, between the two nearest ones (Hyndman and Fan's type 7).
 * @example quantileOf([1, 2, 4], 0.75) // 3
 */
export function quantileOf(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below === above ? below : below + (at - Math.floor(at)) * (above - below);
}

function columnOf({ columns }: SweepTable, option: string, name: string): Column {
  const column = columns.find((c) => c.name === name);
  if (column) return column;
  throw new SweepError(
    `${option} ${name}: no such column; there are ${columns.map((c) => c.name).join(", ")}`,
  );
}

function numericColumn(table: SweepTable, option: string, name: string): Column {
  const column = columnOf(table, option, name);
  if (column.type === "text") throw new SweepError(`${option} ${name}: this column has words, not numbers`);
  return column;
}

/** Rows by the value of a column, numbers in their order, words in that of the table. */
function groups(
  rows: readonly Row[],
  column: Column | undefined,
): readonly (readonly [Scalar, readonly Row[]])[] {
  if (!column) return [[null, rows]];
  const found = new Map<Scalar, Row[]>();
  for (const row of rows) {
    const value = cellOf(row, column);
    if (value === null) continue;
    const group = found.get(value);
    if (group) group.push(row);
    else found.set(value, [row]);
  }
  return [...found].toSorted(([a], [b]) => (typeof a === "number" && typeof b === "number" ? a - b : 0));
}

function lineOf(name: string, rows: readonly Row[], x: Column, y: Column): Series {
  const byX = new Map<number, number[]>();
  for (const row of rows) {
    const [at, value] = [cellOf(row, x), cellOf(row, y)].map((cell) =>
      cell === null ? Number.NaN : Number(cell),
    );
    if (!Number.isFinite(at) || !Number.isFinite(value)) continue;
    const values = byX.get(at!);
    if (values) values.push(value!);
    else byX.set(at!, [value!]);
  }
  const sorted = [...byX]
    .map(([at, values]) => [at, values.toSorted((a, b) => a - b)] as const)
    .toSorted(([a], [b]) => a - b);
  const band = sorted.map(([at, v]) => [at, quantileOf(v, 0.25), quantileOf(v, 0.75)] as const);
  return {
    name,
    mark: sorted.length === 1 ? "dots" : "line",
    role: "measured",
    points: sorted.map(([at, values]) => [at, quantileOf(values, 0.5)] as const),
    ...(sorted.some(([, values]) => values.length > 1) && { band }),
  };
}

function axis(label: string, values: readonly number[]): Axis {
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return {
    label,
    scale: least > 0 && most / least > wide ? "log" : "linear",
    ...(least < most && { domain: [least, most] }),
  };
}

function few<T>(option: string, name: string, list: readonly T[], most: number): readonly T[] {
  if (list.length > most)
    throw new SweepError(
      `${option} ${name}: it has ${list.length} values, and at most ${most} can be told apart`,
    );
  return list;
}

/**
 * A figure of y against x: medians as lines, the middle half of the values as bands around them.
 * @example sweepFigure(tableOf([{ n: 1, e: 2 }, { n: 2, e: 1 }]), { title: "t", x: "n", y: "e" }).panels[0].series[0].points // [[1, 2], [2, 1]]
 */
export function sweepFigure(table: SweepTable, options: SweepFigureOptions): Figure {
  const x = numericColumn(table, "--x", options.x);
  const y = numericColumn(table, "--y", options.y);
  const colour = options.colour === undefined ? undefined : columnOf(table, "--colour", options.colour);
  const facet = options.facet === undefined ? undefined : columnOf(table, "--facet", options.facet);
  const drawnColumns = [x, y, colour, facet].filter((column) => column !== undefined);
  const all = Array.from(table.rows, (row) => only(row, drawnColumns));
  const lines = few("--colour", options.colour ?? "", groups(all, colour), mostLines);
  const panels = few("--facet", options.facet ?? "", groups(all, facet), mostPanels).map(
    ([value, rows]): Omit<Panel, "x" | "y"> => ({
      title: facet ? `${facet.name} = ${value}` : "",
      // Every panel has every line, if only in its legend: a colour means the same in all.
      series: lines.map(([tone, mine]) =>
        lineOf(colour ? `${colour.name} = ${tone}` : `median ${y.name}`, intersection(rows, mine), x, y),
      ),
    }),
  );
  const isDrawn = ({ points }: Series): boolean => points.length > 0;
  const drawn = panels.flatMap(({ series }) => series.filter(isDrawn));
  if (drawn.length === 0) throw new SweepError(`no row has both a number ${x.name} and a number ${y.name}`);
  const spread = drawn.flatMap(({ points, band = [] }) => [
    ...points.map(([, v]) => v),
    ...band.flatMap(([, low, high]) => [low, high]),
  ]);
  const axes = {
    x: axis(
      x.name,
      drawn.flatMap(({ points }) => points.map(([at]) => at)),
    ),
    y: axis(y.name, spread),
  };
  return {
    title: options.title,
    panels: panels.filter((p) => p.series.some(isDrawn)).map((p) => ({ ...p, ...axes })),
  };
}

/** The cells that are drawn: the others need not be in memory. */
const only = (row: Row, columns: readonly Column[]): Row =>
  Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null]));

function intersection(rows: readonly Row[], others: readonly Row[]): readonly Row[] {
  const kept = new Set(others);
  return rows.filter((row) => kept.has(row));
}
