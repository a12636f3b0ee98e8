// Draws a figure with Observable Plot as one SVG element. In Node, pass a document (linkedom's will do).
import * as Plot from "@observablehq/plot";
import { type Axis, coloursOfSeries, type Field, type Figure, type Panel, type Series } from "./figure.ts";
import {
  systemFont as font,
  okabeIto as palette,
  type SvgMaker,
  svgMaker,
  withoutPartLabels,
} from "./svg/element.ts";

export interface DrawOptions {
  readonly document: Document;
  readonly panelWidth?: number;
  readonly panelHeight?: number;
  /** "page": colours of the page around it (`currentColor`, `--series-1` to `--series-7`), and no ground of its own. */
  readonly theme?: "paper" | "page";
}

const [titleHeight, legendRow, gap] = [34, 18, 16];

type Colours = (k: number) => string;
const paper: Colours = (k) => palette[k % palette.length]!;
const page: Colours = (k) => `var(--series-${(k % palette.length) + 1}, ${paper(k)})`;
function coloursOf(theme: DrawOptions["theme"], { series }: Panel): Colours {
  const [colour, numbers] = [theme === "page" ? page : paper, coloursOfSeries(series)];
  return (k) => colour(numbers[k]!);
}
const dash = (series: Series): string | undefined => (series.role === "theory" ? "5,4" : undefined);

function mark(series: Series, stroke: string): Plot.Markish {
  const points = series.points as readonly [number, number][];
  const options = { x: (p: [number, number]) => p[0], y: (p: [number, number]) => p[1] };
  if (series.mark === "dots") return Plot.dot(points, { ...options, fill: stroke, r: 3.5 });
  if (series.mark === "area") return Plot.areaY(points, { ...options, fill: stroke, fillOpacity: 0.3 });
  const curve = series.mark === "step" ? ("step-after" as const) : ("linear" as const);
  return Plot.line(points, {
    ...options,
    curve,
    stroke,
    strokeWidth: 1.8,
    strokeDasharray: dash(series),
  });
}

/** A shade between two curves, or a bar where there is one point only. */
function bandMark({ band = [] }: Series, colour: string): Plot.Markish {
  const [x, y1, y2] = [0, 1, 2].map((k) => (p: readonly number[]) => p[k]!);
  return band.length > 1
    ? Plot.areaY(band, { x, y1, y2, fill: colour, fillOpacity: 0.18 })
    : Plot.ruleX(band, { x, y1, y2, stroke: colour, strokeOpacity: 0.5 });
}

const contourLevels = 14;

/** Filled contours, light where the values are small. */
function fieldMark({ x, y, values, scale }: Field): Plot.Markish {
  const flat = values.flat();
  const [low, high] = [Math.min(...flat), Math.max(...flat)];
  const level = (k: number): number =>
    scale === "log" ? low * (high / low) ** (k / contourLevels) : low + ((high - low) * k) / contourLevels;
  // Each value is taken to be in the middle of a cell, so that the grid reaches half a cell further.
  const [columns, rows] = [values[0]!.length, values.length];
  const [dx, dy] = [(x[1] - x[0]) / (columns - 1) / 2, (y[1] - y[0]) / (rows - 1) / 2];
  return Plot.contour(flat, {
    ...{ width: columns, height: rows, x1: x[0] - dx, x2: x[1] + dx, y1: y[0] - dy, y2: y[1] + dy },
    ...{ fill: Plot.identity, stroke: "#333", strokeOpacity: 0.35, strokeWidth: 0.6 },
    thresholds: Array.from({ length: contourLevels }, (_, k) => level(k)),
  });
}

/** A number as a person writes it. */
const written = (value: number): string =>
  value >= 1e-3 && value < 1e5
    ? value.toLocaleString("en-US", { maximumSignificantDigits: 3 })
    : Number(value.toPrecision(3)).toExponential().replace("e+", "e");

/** Of a decade 1, 2 and 5 have labels. */
function logTick(value: number): string {
  const digits = value.toExponential(2).replace(/\.?0*e.*/, "");
  return ["1", "2", "5"].includes(digits) || digits.length > 1 ? written(value) : "";
}

/** Least and greatest of what is drawn along an axis: 0 is x, 1 is y. */
function spanOf({ series, x, y }: Panel, of: 0 | 1): readonly [number, number] {
  const domain = (of === 0 ? x : y).domain;
  if (domain) return domain;
  const bands =
    of === 0 ? [] : series.flatMap(({ band = [] }) => band.flatMap(([, low, high]) => [low, high]));
  const drawn = [...series.flatMap(({ points }) => points.map((p) => p[of])), ...bands];
  return [
    drawn.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    drawn.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
  ];
}

/**
 * Where a logarithmic axis of less than a decade is labelled: there may be no 1, 2 or 5 on it. Round numbers, at least four
 * of them, evenly apart; nothing for other axes.
 */
function shortTicks(panel: Panel, of: 0 | 1): readonly number[] | undefined {
  const [least, most] = spanOf(panel, of);
  if ((of === 0 ? panel.x : panel.y).scale !== "log" || !(most < 10 * least && most > least))
    return undefined;
  const unit = 10 ** Math.floor(Math.log10((most - least) / 4));
  const step =
    unit * [5, 2, 1].find((k) => Math.floor(most / (k * unit)) - Math.ceil(least / (k * unit)) >= 3)!;
  const [first, last] = [Math.ceil(least / step), Math.floor(most / step)];
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

const shortAxis = { text: written, labelOffset: 40 } as const;

/** The names along y say what they are, and take the place of a label. */
function scale(axis: "x" | "y", { label, scale: type = "linear", names, domain }: Axis): Plot.ScaleOptions {
  if (names)
    return {
      ...{ label: axis === "x" ? label : null, labelOffset: 40 },
      ...{ grid: true, domain: [-0.5, names.length - 0.5] },
      ...{ ticks: names.map((_, k) => k), tickFormat: (k: number) => names[k]! },
    };
  return {
    label,
    type,
    grid: true,
    labelOffset: 40,
    ...(domain && { domain: [...domain] }),
    ...(type === "log" ? { tickFormat: logTick } : { nice: true }),
  };
}

function drawLegend(element: SvgMaker, panel: Panel, colour: Colours): SVGElement {
  const legend = element("g", { transform: `translate(44, ${titleHeight})` });
  panel.series.forEach((series, k) => {
    const y = k * legendRow + 6;
    const sample =
      series.mark === "dots"
        ? element("circle", { cx: 12, cy: y, r: 3.5, fill: colour(k) })
        : element("line", {
            x1: 0,
            x2: 24,
            y1: y,
            y2: y,
            stroke: colour(k),
            "stroke-width": 2,
            "stroke-dasharray": dash(series) ?? "none",
          });
    legend.append(sample, element("text", { x: 32, y: y + 4, "font-size": 12 }, series.name));
  });
  return legend;
}

/** Names beside the y axis need a row each, and room to their left: a letter of 12 px is about 6.5 wide. */
const [nameRow, letter] = [15, 6.5];
const heightOf = ({ y }: Panel, height: number): number =>
  Math.max(height, nameRow * (y.names?.length ?? 0) + 80);
const leftOf = ({ y }: Panel): number =>
  Math.max(70, 14 + letter * Math.max(0, ...(y.names ?? []).map((name) => name.length)));

/** One panel by itself: axes and marks, without its title and legend, which a page sets in its own type. */
export function drawPanel(
  panel: Panel,
  { document, panelWidth = 460, panelHeight = 320, theme = "paper" }: DrawOptions,
): SVGElement {
  const colour = coloursOf(theme, panel);
  const [across, up] = [shortTicks(panel, 0), shortTicks(panel, 1)];
  const plot = Plot.plot({
    document,
    width: panelWidth,
    height: heightOf(panel, panelHeight),
    marginLeft: leftOf(panel),
    marginBottom: 44,
    style: { fontSize: "12px", fontFamily: font },
    x: {
      ...scale("x", panel.x),
      ...(across && { ticks: across }),
      labelAnchor: "center",
      labelArrow: "none",
    },
    y: { ...scale("y", panel.y), ...(up && { ticks: up }) },
    ...(panel.field && { color: { scheme: "blues", type: panel.field.scale ?? "linear" } as const }),
    marks: [
      ...(across ? [Plot.axisX(across, { ...shortAxis, labelAnchor: "center", labelArrow: "none" })] : []),
      ...(up ? [Plot.axisY(up, shortAxis)] : []),
      ...(panel.field ? [fieldMark(panel.field)] : []),
      ...panel.series.flatMap((series, k) => (series.band ? [bandMark(series, colour(k))] : [])),
      ...panel.series.map((series, k) => mark(series, colour(k))),
    ],
  }) as SVGElement;
  return withoutPartLabels(plot);
}

/** More panels than this in a row are a strip that no screen and no page shows. */
const mostInRow = 4;
/** As many in every row as can be: 5 are 3 and 2, 6 are 3 and 3. */
const rowLength = (panels: number): number => Math.ceil(panels / Math.ceil(panels / mostInRow));

/** The figure as a standalone SVG element. */
export function drawFigure(figure: Figure, options: DrawOptions): SVGElement {
  const { document, panelWidth = 460, panelHeight = 320, theme = "paper" } = options;
  const element = svgMaker(document);
  const inRow = rowLength(figure.panels.length);
  const legendHeight = legendRow * Math.max(...figure.panels.map((p) => p.series.length));
  const top = titleHeight + legendHeight + gap;
  const titleWidth = 10 * figure.title.length + 2 * gap; // a bold letter of 17 px is about 10 wide
  const width = Math.max(inRow * (panelWidth + gap) + gap, titleWidth);
  const tallest = Math.max(...figure.panels.map((panel) => heightOf(panel, panelHeight)));
  const rowHeight = top + tallest + gap;
  const height = titleHeight + Math.ceil(figure.panels.length / inRow) * rowHeight;
  const root = element("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    "font-family": font,
    role: "img",
    "aria-label": figure.title,
    ...(theme === "page" ? { fill: "currentColor" } : {}),
  });
  if (theme === "paper") root.append(element("rect", { width, height, fill: "white" }));
  root.append(element("text", { x: gap, y: 24, "font-size": 17, "font-weight": 600 }, figure.title));
  figure.panels.forEach((panel, k) => {
    const [x, y] = [gap + (k % inRow) * (panelWidth + gap), titleHeight + Math.floor(k / inRow) * rowHeight];
    const group = element("g", { transform: `translate(${x}, ${y})` });
    group.append(
      element("text", { x: 44, y: 18, "font-size": 14, "font-weight": 600 }, panel.title),
      drawLegend(element, panel, coloursOf(theme, panel)),
    );
    const plot = drawPanel(panel, options);
    plot.setAttribute("y", String(top));
    group.append(plot);
    root.append(group);
  });
  return root;
}
