// What every picture shares: elements of SVG, the typeface, and colours that colour-blind people can tell apart.

/** Makes an SVG element with attributes and, if given, text. */
export type SvgMaker = (
  name: string,
  attributes?: Readonly<Record<string, string | number>>,
  text?: string,
) => SVGElement;

/** A maker of elements of a document: the browser's, or linkedom's in Node. */
export const svgMaker =
  (document: Document): SvgMaker =>
  (name, attributes = {}, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name) as SVGElement;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== undefined) element.textContent = text;
    return element;
  };

/** Takes Plot's names of marks and axes away: the picture has one name as a whole, and ARIA allows its groups none. */
export function withoutPartLabels<E extends Element>(plot: E): E {
  for (const part of plot.querySelectorAll("g[aria-label]")) {
    part.removeAttribute("aria-label");
    part.removeAttribute("aria-description");
  }
  return plot;
}

/** The reader's own typeface. */
export const systemFont = "system-ui, -apple-system, 'Segoe UI', sans-serif";

/** Okabe and Ito's colours: readable for colour-blind people. */
export const okabeIto = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#000000",
] as const;
