// Relevance as a picture: summed over channels, in colours that are symmetric about 0.
import { isChannelsLast } from "./channels.ts";
import { ExplainError } from "./error.ts";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, opacity: four bytes a pixel. */
  readonly rgba: Uint8Array;
}

type Colour = readonly [number, number, number];

/** From -1 through 0 to 1, evenly spaced. */
const maps = {
  /** Blue, white, red. */
  bwr: [
    [0, 0, 255],
    [255, 255, 255],
    [255, 0, 0],
  ],
  /** The same, darker at its ends. */
  seismic: [
    [0, 0, 77],
    [0, 0, 255],
    [255, 255, 255],
    [255, 0, 0],
    [128, 0, 0],
  ],
  /** Light blue and blue, black, red and yellow. */
  coldnhot: [
    [0, 255, 255],
    [0, 0, 255],
    [0, 0, 0],
    [255, 0, 0],
    [255, 255, 0],
  ],
  /** Colours that people who see red and green alike tell apart. */
  "purple-orange": [
    [45, 0, 75],
    [128, 115, 172],
    [247, 247, 247],
    [224, 130, 20],
    [127, 59, 8],
  ],
  gray: [
    [0, 0, 0],
    [255, 255, 255],
  ],
} as const satisfies Record<string, readonly Colour[]>;

export type ColourMap = keyof typeof maps;
export const colourMaps = Object.keys(maps) as readonly ColourMap[];

/** The colour of a number between -1 and 1. */
export function colourOf(map: ColourMap, v: number): Colour {
  const stops: readonly Colour[] = maps[map];
  const t = ((Math.min(1, Math.max(-1, Number.isNaN(v) ? 0 : v)) + 1) / 2) * (stops.length - 1);
  const k = Math.min(stops.length - 2, Math.floor(t));
  const [a, b] = [stops[k]!, stops[k + 1]!];
  const mix = (i: 0 | 1 | 2): number => Math.round(a[i] + (t - k) * (b[i] - a[i]));
  return [mix(0), mix(1), mix(2)];
}

export interface Plane {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

/**
 * One number for each pixel: the sum over channels of [1, channels, rows, columns], or of channels last. A vector whose
 * length is a square is one, any other is a row.
 */
export function planeOf(values: ArrayLike<number>, dims: readonly number[]): Plane {
  const own = dims.length > 1 ? dims.slice(1) : dims;
  const size = own.reduce((n, d) => n * d, 1);
  // A vector may be written as a column.
  const inner = own.filter((d) => d !== 1).length <= 1 ? [size] : own;
  if (values.length !== size) throw new ExplainError(`${values.length} numbers are no example of [${dims}]`);
  const isLast = isChannelsLast(inner);
  const [rows, columns] = isLast
    ? [inner[0]!, inner[1]!]
    : inner.length >= 2
      ? [inner.at(-2)!, inner.at(-1)!]
      : side(size);
  const channels = size / (rows * columns);
  const sums = new Float64Array(rows * columns);
  for (let k = 0; k < size; k++) {
    const place = isLast ? Math.floor(k / channels) : k % (rows * columns);
    sums[place] = sums[place]! + values[k]!;
  }
  return { rows, columns, values: sums };
}

function side(size: number): [number, number] {
  const root = Math.round(Math.sqrt(size));
  return root * root === size && root > 3 ? [root, root] : [1, size];
}

/** The place that position k of a mirrored row of n shows: its ends are doubled, ... b a | a b c | c b ... */
const mirrored = (k: number, n: number): number => {
  const place = ((k % (2 * n)) + 2 * n) % (2 * n);
  return place < n ? place : 2 * n - 1 - place;
};

/**
 * Blurred by a Gaussian of this deviation, in pixels, beyond the border by what is mirrored in it: no mass is lost.
 * @example blurred({ rows: 1, columns: 2, values: Float64Array.of(1, 0) }, 1).values.reduce((a, b) => a + b) // 1
 */
export function blurred({ rows, columns, values }: Plane, deviation: number): Plane {
  if (!(deviation > 0)) return { rows, columns, values };
  const reach = Math.ceil(4 * deviation);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, k) =>
    Math.exp(-((k - reach) ** 2) / (2 * deviation ** 2)),
  );
  const total = weights.reduce((sum, w) => sum + w, 0);
  const along = (from: Float64Array, length: number, stride: number): Float64Array =>
    from.map((_, at) => {
      const k = Math.floor(at / stride) % length;
      const first = at - k * stride;
      return (
        weights.reduce((s, w, i) => s + w * from[first + mirrored(k + i - reach, length) * stride]!, 0) /
        total
      );
    });
  return { rows, columns, values: along(along(values, columns, 1), rows, columns) };
}

/** Several planes side by side, each scaled by its own greatest size, magnified by whole pixels. */
export function heatmap(planes: readonly Plane[], map: ColourMap = "bwr", magnify = 1): Picture {
  const [rows, columns] = [
    Math.max(...planes.map((p) => p.rows)) * magnify,
    planes.reduce((n, p) => n + p.columns * magnify, 0) + (planes.length - 1) * magnify,
  ];
  const rgba = new Uint8Array(4 * rows * columns).fill(255);
  let left = 0;
  for (const { rows: h, columns: w, values } of planes) {
    const most = values.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
    for (let r = 0; r < h * magnify; r++)
      for (let c = 0; c < w * magnify; c++) {
        const v = values[Math.floor(r / magnify) * w + Math.floor(c / magnify)]!;
        rgba.set(colourOf(map, v / most), 4 * (r * columns + left + c));
      }
    left += (w + 1) * magnify;
  }
  return { width: columns, height: rows, rgba };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Planes as SVG: one square for each number. */
export function heatmapSvg(planes: readonly Plane[], map: ColourMap = "bwr", unit = 8): string {
  const height = Math.max(...planes.map((p) => p.rows)) * unit;
  let left = 0;
  const squares: string[] = [];
  for (const { rows, columns, values } of planes) {
    const most = values.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) {
        const v = values[r * columns + c]!;
        const [x, y] = [left + c * unit, r * unit];
        squares.push(
          `<rect x="${x}" y="${y}" width="${unit}" height="${unit}" fill="rgb(${colourOf(map, v / most).join(",")})"><title>${v}</title></rect>`,
        );
      }
    left += (columns + 1) * unit;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left - unit} ${height}" shape-rendering="crispEdges">${squares.join("")}</svg>\n`;
}

/** Words behind which their relevance shines. */
export function wordsSvg(
  words: readonly string[],
  relevance: readonly number[],
  map: ColourMap = "bwr",
): string {
  const most = relevance.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
  const [line, size, widest] = [28, 16, 720];
  let [x, y] = [0, 0];
  const parts = words.map((word, k) => {
    const width = Math.max(1, [...word].length) * size * 0.62 + 8;
    if (x > 0 && x + width > widest) [x, y] = [0, y + line];
    const [r, g, b] = colourOf(map, relevance[k]! / most);
    const ink = 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "#fff" : "#000";
    const part = `<g><title>${escaped(word)}: ${relevance[k]}</title><rect x="${x}" y="${y}" width="${width - 2}" height="${line - 4}" fill="rgb(${r},${g},${b})"/><text x="${x + width / 2 - 1}" y="${y + 17}" text-anchor="middle" fill="${ink}">${escaped(word)}</text></g>`;
    x += width;
    return part;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${widest} ${y + line}" font-family="monospace" font-size="${size}">${parts.join("")}</svg>\n`;
}
