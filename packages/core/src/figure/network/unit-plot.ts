// Draws a chain of dense layers: a circle a unit, a line a weight, coloured by sign and darker the greater it is.

import { okabeIto, type SvgMaker } from "../svg/element.ts";
import type { Drawing } from "./drawing.ts";
import { type UnitLayer, unitEdges } from "./units.ts";

const [radius, spacing, rowGap, labelWidth] = [8.5, 32, 78, 132];
/** The attribute is for readers of SVG that know no variables. */
const signs = {
  positive: { stroke: okabeIto[0], style: `stroke: var(--lemmata-positive, ${okabeIto[0]})` },
  negative: { stroke: okabeIto[1], style: `stroke: var(--lemmata-negative, ${okabeIto[1]})` },
};

const short = (text: string, most = 16): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
const signed = (w: number): string => Number(w.toPrecision(4)).toString().replace("-", "−");

/** The layers as SVG elements, the input above. */
export function drawUnits(
  layers: readonly UnitLayer[],
  names: { readonly input: string; readonly output: string },
  make: SvgMaker,
): Drawing {
  const widest = Math.max(...layers.map((l) => l.units));
  const room = Math.max(236, (widest - 1) * spacing + 2 * radius);
  const x = (layer: UnitLayer, unit: number): number =>
    labelWidth + room / 2 + (unit - (layer.units - 1) / 2) * spacing;
  const y = (k: number): number => radius + k * rowGap;
  const edges = layers.flatMap((layer, k) => drawWeights(layer, layers[k - 1], k, { x, y }, make));
  const units = layers.flatMap((layer, k) =>
    Array.from({ length: layer.units }, (_, u) => drawUnit(layer, k, u, x(layer, u), y(k), make)),
  );
  const labels = layers.map((layer, k) => {
    const isInput = k === 0;
    const isOutput = k === layers.length - 1;
    const name = isInput ? `input ${names.input}` : isOutput ? `output ${names.output}` : `layer ${k}`;
    const count = `${layer.units} ${layer.units === 1 ? "unit" : "units"}`;
    const group = make("g");
    group.append(
      make("text", { x: 0, y: y(k) - 2, "font-size": 12.5, "font-weight": 600 }, short(name.trim())),
      make(
        "text",
        { x: 0, y: y(k) + 14, "font-size": 11.5, "fill-opacity": 0.82 },
        short([count, ...layer.operators].join(" · "), 21),
      ),
    );
    return group;
  });
  const bottom = y(layers.length - 1) + radius;
  const hidden = layers.slice(1, -1).reduce((sum, l) => sum + l.units, 0);
  return {
    elements: [...edges, ...units, ...labels, drawLegend(bottom + 34, make)],
    width: labelWidth + room,
    height: bottom + 42,
    description: `${layers.length - 1} layers, widths ${layers.map((l) => l.units).join(", ")}; ${hidden} hidden units, ${unitEdges(layers)} weights that are not 0`,
  };
}

interface Places {
  readonly x: (layer: UnitLayer, unit: number) => number;
  readonly y: (k: number) => number;
}

function drawWeights(
  layer: UnitLayer,
  before: UnitLayer | undefined,
  k: number,
  { x, y }: Places,
  make: SvgMaker,
): readonly SVGElement[] {
  if (!before || !layer.weights) return [];
  const greatest = layer.weights.reduce((m, row) => row.reduce((n, w) => Math.max(n, Math.abs(w)), m), 0);
  return layer.weights.flatMap((row, to) =>
    Array.from(row).flatMap((w, from) => {
      if (w === 0) return [];
      const share = Math.abs(w) / greatest;
      const line = make("line", {
        class: "network-weight",
        x1: x(before, from).toFixed(1),
        y1: (y(k - 1) + radius).toFixed(1),
        x2: x(layer, to).toFixed(1),
        y2: (y(k) - radius).toFixed(1),
        ...(w > 0 ? signs.positive : signs.negative),
        "stroke-opacity": (0.14 + 0.86 * share).toFixed(2),
        "stroke-width": (0.7 + 1.7 * share).toFixed(2),
      });
      line.append(make("title", {}, `weight ${signed(w)}`));
      return [line];
    }),
  );
}

function drawUnit(
  { biases }: UnitLayer,
  layer: number,
  unit: number,
  cx: number,
  cy: number,
  make: SvgMaker,
): SVGElement {
  const circle = make("circle", {
    class: "network-unit",
    cx: cx.toFixed(1),
    cy,
    r: radius,
    "fill-opacity": 0.1,
    stroke: "currentColor",
    "stroke-opacity": 0.75,
    "stroke-width": 1.3,
  });
  const bias = biases ? `, bias ${signed(biases[unit]!)}` : "";
  circle.append(make("title", {}, `${layer === 0 ? "input" : `layer ${layer}, unit`} ${unit + 1}${bias}`));
  return circle;
}

function drawLegend(y: number, make: SvgMaker): SVGElement {
  const legend = make("g", { "font-size": 11.5 });
  const sample = (x: number, colour: typeof signs.positive | typeof signs.negative, text: string): void => {
    legend.append(
      make("line", { x1: x, x2: x + 22, y1: y - 4, y2: y - 4, ...colour, "stroke-width": 2.4 }),
      make("text", { x: x + 28, y, "fill-opacity": 0.82 }, text),
    );
  };
  sample(0, signs.positive, "positive");
  sample(92, signs.negative, "negative");
  legend.append(make("text", { x: 190, y, "fill-opacity": 0.82 }, "stronger is greater, by layer"));
  return legend;
}
