// A picture of a subdivision of the plane: polygons coloured by a value, axes, and a colour bar; as SVG text.

export interface RegionsPicture {
  readonly title: string;
  readonly subtitle?: string;
  readonly x: string;
  readonly y: string;
  /** What the colours mean. */
  readonly value: string;
  readonly polygons: readonly {
    readonly corners: readonly (readonly [number, number])[];
    readonly value: number;
  }[];
}

/** Cividis (Nuñez, Anderton, Renslow 2018): the same for people with and without colour-deficient vision. */
const cividis = `00204d 00306f 2a406c 48526b 5e626e 727374 878479 9e9677 b6a971 d0be67 ead357 ffea46`
  .split(" ")
  .map((hex) => [0, 2, 4].map((k) => Number.parseInt(hex.slice(k, k + 2), 16)));
const shades = 96;
const [side, left, top, right, bottom] = [640, 74, 64, 112, 58];
const font = "system-ui, -apple-system, 'Segoe UI', sans-serif";

function colour(fraction: number): string {
  const at = Math.min(Math.max(fraction, 0), 1) * (cividis.length - 1);
  const k = Math.min(Math.floor(at), cividis.length - 2);
  const channels = cividis[k]!.map((from, c) => Math.round(from + (at - k) * (cividis[k + 1]![c]! - from)));
  return `#${channels.map((c) => c.toString(16).padStart(2, "0")).join("")}`;
}

const markup = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

/** Round numbers in [from, to], about `count` of them. */
function ticks(from: number, to: number, count = 6): number[] {
  const rough = (to - from) / count;
  if (!(rough > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((m) => m * power >= rough) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

const text = (x: number, y: number, content: string, more = ""): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${markup(content)}</text>`;

/** [least, greatest], widened when they are the same. */
function range(values: Iterable<number>): readonly [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const v of values) {
    if (v < least) least = v;
    if (v > greatest) greatest = v;
  }
  return least < greatest ? [least, greatest] : [least - 0.5, greatest + 0.5];
}

function axes(
  { x, y }: RegionsPicture,
  height: number,
  [u0, u1]: readonly [number, number],
  [v0, v1]: readonly [number, number],
) {
  const horizontal = ticks(u0, u1).map((t) => {
    const at = left + (side * (t - u0)) / (u1 - u0);
    return `<path d="M${at.toFixed(1)} ${top + height}v5" stroke="#333"/>${text(at, top + height + 19, String(t), 'text-anchor="middle"')}`;
  });
  const vertical = ticks(v0, v1).map((t) => {
    const at = top + height - (height * (t - v0)) / (v1 - v0);
    return `<path d="M${left} ${at.toFixed(1)}h-5" stroke="#333"/>${text(left - 9, at + 4, String(t), 'text-anchor="end"')}`;
  });
  const middle = top + height / 2;
  return [
    ...horizontal,
    ...vertical,
    text(left + side / 2, top + height + 44, x, 'text-anchor="middle" font-size="14"'),
    text(
      20,
      middle,
      y,
      `text-anchor="middle" font-size="14" transform="rotate(-90 20 ${middle.toFixed(1)})"`,
    ),
  ];
}

function colourBar({ value }: RegionsPicture, height: number, [low, high]: readonly [number, number]) {
  const x = left + side + 24;
  const bar = Array.from({ length: shades }, (_, k) => {
    const y = top + height - ((k + 1) * height) / shades;
    return `<rect x="${x}" y="${y.toFixed(2)}" width="16" height="${(height / shades + 0.5).toFixed(2)}" fill="${colour((k + 0.5) / shades)}"/>`;
  });
  const marks = ticks(low, high, 5).map((t) => {
    const at = top + height - (height * (t - low)) / (high - low);
    return `<path d="M${x + 16} ${at.toFixed(1)}h4" stroke="#333"/>${text(x + 24, at + 4, String(t))}`;
  });
  return [...bar, ...marks, text(x + 80, top - 8, value, 'text-anchor="end"')];
}

/** Twice a polygon's area, by the shoelace formula. */
const doubleArea = (corners: RegionsPicture["polygons"][number]["corners"]): number =>
  Math.abs(
    corners.reduce((sum, [u, v], k) => {
      const [s, t] = corners[(k + 1) % corners.length]!;
      return sum + u * t - v * s;
    }, 0),
  );

/** The colours cover the values of 98 percent of the area, so that one peak does not make all else the same. */
function valueRange(polygons: RegionsPicture["polygons"]): readonly [number, number] {
  const sorted = polygons
    .map(({ corners, value }) => ({ value, area: doubleArea(corners) }))
    .sort((p, q) => p.value - q.value);
  const total = sorted.reduce((sum, p) => sum + p.area, 0);
  const at = (fraction: number): number => {
    let sum = 0;
    for (const { value, area } of sorted) {
      sum += area;
      if (sum >= fraction * total) return value;
    }
    return sorted.at(-1)?.value ?? 0;
  };
  return range([at(0.01), at(0.99)]);
}

/**
 * The picture as a standalone SVG file.
 * @example regionsSvg({ title: "one", x: "x", y: "y", value: "f", polygons: [{ corners: [[0, 0], [1, 0], [0, 1]], value: 1 }] })
 */
export function regionsSvg(picture: RegionsPicture): string {
  const { polygons, title, subtitle = "" } = picture;
  const us = range(polygons.flatMap((p) => p.corners.map(([u]) => u)));
  const vs = range(polygons.flatMap((p) => p.corners.map(([, v]) => v)));
  const height = side;
  const values = valueRange(polygons);
  const place = ([u, v]: readonly [number, number]) => {
    const x = left + (side * (u - us[0])) / (us[1] - us[0]);
    const y = top + height - (height * (v - vs[0])) / (vs[1] - vs[0]);
    return `${x.toFixed(2)} ${y.toFixed(2)}`;
  };
  // One path a shade: a file with fifty thousand regions stays quick to draw.
  const paths = Array.from({ length: shades }, (): string[] => []);
  for (const { corners, value } of polygons) {
    const shade = Math.floor((shades * (value - values[0])) / (values[1] - values[0]));
    paths[Math.min(Math.max(shade, 0), shades - 1)]!.push(`M${corners.map(place).join("L")}Z`);
  }
  const stroke = Math.min(0.8, Math.max(0.12, 25 / Math.sqrt(polygons.length + 1) / 2)).toFixed(2);
  const body = paths.flatMap((path, k) =>
    path.length > 0 ? [`<path fill="${colour((k + 0.5) / shades)}" d="${path.join("")}"/>`] : [],
  );
  const [width, total] = [left + side + right, top + height + bottom];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}" font-family="${font}" font-size="12" role="img" aria-label="${markup(title)}">`,
    `<rect width="${width}" height="${total}" fill="white"/>`,
    text(left, 26, title, 'font-size="17" font-weight="600"'),
    text(left, 46, subtitle, 'fill="#555"'),
    `<g stroke="white" stroke-opacity="0.75" stroke-width="${stroke}" stroke-linejoin="round">`,
    ...body,
    "</g>",
    `<rect x="${left}" y="${top}" width="${side}" height="${height}" fill="none" stroke="#333"/>`,
    ...axes(picture, height, us, vs),
    ...colourBar(picture, height, values),
    "</svg>\n",
  ].join("\n");
}
