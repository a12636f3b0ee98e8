import { gradientCorrelation } from "../../explain/shattering.ts";
import type { Figure } from "../../figure/figure.ts";

interface Means {
  readonly gradient: readonly number[];
  readonly product: readonly number[];
  readonly positive: readonly number[];
}

/** Autocorrelation by angle, and of wide networks by depth. */
export function figure(depth: number, points: number, { gradient, product, positive }: Means): Figure {
  const angles = gradient.map((_, k) => (2 * Math.PI * k) / points);
  const curve = (values: readonly number[]) =>
    values.map((v, k): [number, number] => [(360 * k) / points, v]);
  const depths = Array.from({ length: 60 }, (_, k) => k + 1);
  return {
    title: "Gradients of a deep random network at two inputs have little in common",
    panels: [
      {
        title: `${depth} hidden layers`,
        x: { label: "angle between inputs, in degrees" },
        y: { label: "autocorrelation" },
        series: [
          { name: "gradient", mark: "dots", points: curve(gradient) },
          {
            name: "wide networks",
            mark: "line",
            role: "theory",
            points: curve(angles.map((angle) => gradientCorrelation(depth, angle))),
          },
          { name: "gradient x input = LRP-0", mark: "line", points: curve(product) },
          { name: "shares of LRP-α1β0", mark: "line", points: curve(positive) },
        ],
      },
      {
        title: "Wide networks",
        x: { label: "hidden layers", scale: "log" },
        y: { label: "correlation of gradients", scale: "log" },
        series: [5, 20, 90].map((degrees) => ({
          name: `inputs ${degrees}° apart`,
          mark: "line" as const,
          role: "theory" as const,
          points: depths.map((l): [number, number] => [l, gradientCorrelation(l, (degrees * Math.PI) / 180)]),
        })),
      },
    ],
  };
}
