export * from "./figure.ts";
export { drawFigure } from "./plot.ts";
export { type RegionsPicture, regionsSvg } from "./regions-plot.ts";
