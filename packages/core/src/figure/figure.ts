// A figure as data: what to draw, not how. plot.ts draws it; the lab draws it live.

export interface Axis {
  readonly label: string;
  readonly scale?: "linear" | "log";
  /** From where to where, for panels that are to be compared; by itself an axis spans what is drawn on it. */
  readonly domain?: readonly [number, number];
  /** What the whole numbers 0, 1, ... stand for: the ticks are these names. */
  readonly names?: readonly string[];
}

export interface Series {
  readonly name: string;
  readonly mark: "line" | "dots" | "area" | "step";
  readonly points: readonly (readonly [number, number])[];
  /** [x, lower, upper]: what lies around the points, drawn as a shade of the same colour. */
  readonly band?: readonly (readonly [number, number, number])[];
  /** A theory's curve is dashed, what was measured is solid. */
  readonly role?: "theory" | "measured";
  /** The name of a series before it that has the same colour: what was measured beside its theory. */
  readonly like?: string;
}

/**
 * The number of each series' colour.
 * @example coloursOfSeries([{ name: "theory" }, { name: "other" }, { name: "measured", like: "theory" }]) // [0, 1, 0]
 */
export function coloursOfSeries(series: readonly Pick<Series, "name" | "like">[]): readonly number[] {
  const known = new Map<string, number>();
  let next = 0;
  return series.map(({ name, like }) => {
    const colour = (like === undefined ? undefined : known.get(like)) ?? next++;
    known.set(name, colour);
    return colour;
  });
}

/** Values on a grid, drawn as contours under the series. */
export interface Field {
  /** Least and greatest coordinate of both axes. */
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  /** One row for each y, from the least up; one number for each x. */
  readonly values: readonly (readonly number[])[];
  /** Contours at levels in geometric progression; all values are then above 0. */
  readonly scale?: "linear" | "log";
}

/** One panel: series over a common pair of axes. */
export interface Panel {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  readonly field?: Field;
}

/** Panels side by side, under one title. */
export interface Figure {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const raised: Readonly<Record<string, string>> = {
  "-": "⁻",
  ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((c, k) => [k, c])),
};

/** A power as people write it: `power(4, -9)` is "4⁻⁹". */
export const power = (base: number | string, exponent: number): string =>
  `${base}${[...String(exponent)].map((c) => raised[c] ?? c).join("")}`;
