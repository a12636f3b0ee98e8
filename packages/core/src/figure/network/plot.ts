// The picture of a network: its units and weights where they are few, else its operators as blocks. Colours are those of
// the page around it (currentColor), so that it reads on light and dark grounds.
import type { Graph } from "../../graph/graph.ts";
import { svgMaker, systemFont } from "../svg/element.ts";
import { drawBlocks } from "./block-plot.ts";
import { networkBlocks } from "./blocks.ts";
import { drawUnits } from "./unit-plot.ts";
import { unitEdges, unitLayers } from "./units.ts";

export interface DrawNetworkOptions {
  readonly document: Document;
  /** Units and weights, or blocks; by default what the size allows. */
  readonly style?: "units" | "blocks";
  /** More blocks than this are folded. Default: 60. */
  readonly mostBlocks?: number;
  /** What the picture is called, for those who cannot see it; default: name and size of the network. */
  readonly title?: string;
}

const limits = { units: 24, edges: 600, layers: 40 };
const margin = 12;

/** The picture of a network as a standalone SVG element. */
export function drawNetwork(
  graph: Graph,
  { document, style, mostBlocks = 60, title }: DrawNetworkOptions,
): SVGElement {
  const make = svgMaker(document);
  const layers = style === "blocks" ? undefined : unitLayers(graph);
  const fits =
    layers !== undefined &&
    layers.length <= limits.layers &&
    layers.every((l) => l.units <= limits.units) &&
    unitEdges(layers) <= limits.edges;
  const names = { input: graph.inputs[0]?.name ?? "", output: graph.outputs[0]?.name ?? "" };
  const drawing =
    layers && (fits || style === "units")
      ? drawUnits(layers, names, make)
      : drawBlocks(networkBlocks(graph, { most: mostBlocks }), make);
  const [width, height] = [drawing.width, drawing.height].map((side) => Math.ceil(side + 2 * margin));
  const name = title ?? `Network ${graph.name || "without a name"}: ${drawing.description}`;
  const root = make("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    width: width!,
    height: height!,
    "font-family": systemFont,
    role: "img",
    // Writers of HTML leave such characters in attributes as they are, and then the file is no XML.
    "aria-label": name.replace(/[<>&"]/g, " "),
    fill: "currentColor",
  });
  const body = make("g", { transform: `translate(${margin} ${margin})` });
  body.append(...drawing.elements);
  root.append(make("title", {}, name), body);
  return root;
}
