import { drawFigure, type Figure } from "@lemmata/core/figure";
import { parseHTML } from "linkedom";

/** A figure as the text of an SVG file. */
export async function figureSvg(figure: Figure): Promise<string> {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  return `${drawFigure(figure, { document: document as unknown as Document }).outerHTML}\n`;
}
