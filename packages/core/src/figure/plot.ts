// Draws a figure with Observable Plot as one SVG element. In Node, pass a document (linkedom's will do).
import * as Plot from "@observablehq/plot";
import type { Axis, Figure, Panel, Series } from "./figure.ts";

export interface DrawOptions {
  readonly document: Document;
  readonly panelWidth?: number;
  readonly panelHeight?: number;
}

/** Okabe and Ito's colours: readable for colour-blind people. */
const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const font = "system-ui, -apple-system, 'Segoe UI', sans-serif";
const [titleHeight, legendRow, gap] = [34, 18, 16];

const colour = (k: number): string => palette[k % palette.length]!;
const dash = (series: Series): string | undefined => (series.role === "theory" ? "5,4" : undefined);

function mark(series: Series, k: number): Plot.Markish {
  const points = series.points as readonly [number, number][];
  const options = { x: (p: [number, number]) => p[0], y: (p: [number, number]) => p[1] };
  if (series.mark === "dots") return Plot.dot(points, { ...options, fill: colour(k), r: 3.5 });
  if (series.mark === "area") return Plot.areaY(points, { ...options, fill: colour(k), fillOpacity: 0.3 });
  const curve = series.mark === "step" ? ("step-after" as const) : ("linear" as const);
  return Plot.line(points, {
    ...options,
    curve,
    stroke: colour(k),
    strokeWidth: 1.8,
    strokeDasharray: dash(series),
  });
}

/** Labels 1, 2 and 5 of each decade, as a person writes them. */
function logTick(value: number): string {
  const digit = Number(value.toExponential(0)[0]);
  if (![1, 2, 5].includes(digit)) return "";
  return value >= 1e-3 && value < 1e5
    ? value.toLocaleString("en-US")
    : value.toExponential(0).replace("e+", "e");
}

function scale({ label, scale: type = "linear" }: Axis): Plot.ScaleOptions {
  return {
    label,
    type,
    grid: true,
    labelOffset: 40,
    ...(type === "log" ? { tickFormat: logTick } : { nice: true }),
  };
}

type Element = (
  name: string,
  attributes?: Readonly<Record<string, string | number>>,
  text?: string,
) => SVGElement;

const elementMaker =
  (document: Document): Element =>
  (name, attributes = {}, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name) as SVGElement;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== undefined) element.textContent = text;
    return element;
  };

function drawLegend(element: Element, panel: Panel): SVGElement {
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

/** The figure as a standalone SVG element. */
export function drawFigure(
  figure: Figure,
  { document, panelWidth = 460, panelHeight = 320 }: DrawOptions,
): SVGElement {
  const element = elementMaker(document);
  const legendHeight = legendRow * Math.max(...figure.panels.map((p) => p.series.length));
  const top = titleHeight + legendHeight + gap;
  const titleWidth = 10 * figure.title.length + 2 * gap; // a bold letter of 17 px is about 10 wide
  const width = Math.max(figure.panels.length * (panelWidth + gap) + gap, titleWidth);
  const height = titleHeight + top + panelHeight + gap;
  const root = element("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    "font-family": font,
    role: "img",
    "aria-label": figure.title,
  });
  root.append(
    element("rect", { width, height, fill: "white" }),
    element("text", { x: gap, y: 24, "font-size": 17, "font-weight": 600 }, figure.title),
  );
  figure.panels.forEach((panel, k) => {
    const group = element("g", { transform: `translate(${gap + k * (panelWidth + gap)}, ${titleHeight})` });
    group.append(
      element("text", { x: 44, y: 18, "font-size": 14, "font-weight": 600 }, panel.title),
      drawLegend(element, panel),
    );
    const plot = Plot.plot({
      document,
      width: panelWidth,
      height: panelHeight,
      marginLeft: 70,
      marginBottom: 44,
      style: { fontSize: "12px", fontFamily: font },
      x: { ...scale(panel.x), labelAnchor: "center", labelArrow: "none" },
      y: scale(panel.y),
      marks: panel.series.map(mark),
    });
    plot.setAttribute("y", String(top));
    group.append(plot);
    root.append(group);
  });
  return root;
}
