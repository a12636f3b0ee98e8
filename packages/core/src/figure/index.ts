export * from "./figure.ts";
export { type DrawNetworkOptions, drawNetwork } from "./network/plot.ts";
export { type DrawOptions, drawFigure, drawPanel } from "./plot.ts";
export { type RegionsPicture, regionsSvg } from "./regions-plot.ts";
export { svgTextDocument } from "./svg/text.ts";
