// The picture of a network, laid out and written down off the page's thread.
import { drawNetwork as draw, svgTextDocument } from "@lemmata/core/figure";
import type { Graph } from "@lemmata/core/graph";
import type { Job } from "../protocol.ts";

export const drawNetwork: Job<Graph, string> = async (graph) =>
  String(draw(graph, { document: svgTextDocument() }));
