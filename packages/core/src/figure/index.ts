export * from "./figure.ts";
export { drawFigure } from "./plot.ts";
