// Slices through a point, and the density of its spectrum, as a figure.
import type { Figure, Panel } from "@lemmata/core/figure";
import { type LandscapePoint, type Slice, spectralDensity } from "@lemmata/core/landscape";

const short = (value: number): string => String(Number(value.toPrecision(3)));

function slicePanel({ places, values }: Slice): Panel {
  const flat = values.flat();
  const [low, high] = [Math.min(...flat), Math.max(...flat)];
  const side = [places[0]!, places.at(-1)!] as const;
  return {
    title: `Loss from ${short(low)} to ${short(high)}`,
    x: { label: "first direction" },
    y: { label: "second direction" },
    series: [{ name: "the network", mark: "dots", points: [[0, 0]] }],
    field: { x: side, y: side, values, scale: low > 0 && high > 20 * low ? "log" : "linear" },
  };
}

export const landscapeFigure = ({ slices, hessian, kind }: LandscapePoint): Figure => ({
  title: `Around the weights: ${kind}`,
  panels: [
    ...slices.map(slicePanel),
    {
      title: `Spectrum of the Hessian, ${short(hessian.min)} to ${short(hessian.max)}`,
      x: { label: "eigenvalue" },
      y: { label: "density", scale: "log" },
      series: [
        {
          name: hessian.method === "whole" ? "all eigenvalues, smoothed" : "stochastic quadrature",
          mark: "line",
          // What a logarithmic axis can show.
          points: spectralDensity(hessian.points).map(([x, y]) => [x, Math.max(y, 1e-8)] as const),
        },
      ],
    },
  ],
});
