// Figure of C1b-01.
import {
  type ChartNetwork,
  type EmbeddedCircle,
  embeddedCircle,
  trigonometricValue,
} from "../../approximate/manifold/index.ts";
import type { Figure } from "../../figure/figure.ts";
import { createRandom } from "../../numbers/random.ts";
import { type ChartSetting, chartsOf, circleError, circleOutputs } from "./manifold-charts.ts";

/** The function, the partition, and the error by the number of cells in the plane and in dimension 100. */
export async function manifoldFigure(
  setting: ChartSetting,
  {
    circle,
    made,
    angles,
  }: { readonly circle: EmbeddedCircle; readonly made: ChartNetwork; readonly angles: readonly number[] },
): Promise<Figure> {
  const { g, p } = setting;
  const grid = Array.from({ length: 721 }, (_, k) => (2 * Math.PI * k) / 720);
  const [values, phi] = [
    await circleOutputs(made.network, circle, grid),
    await circleOutputs(made.partition, circle, grid),
  ];
  const rows: {
    readonly N: number;
    readonly error: number;
    readonly high: number;
    readonly bound: number;
  }[] = [];
  const spaces = [
    embeddedCircle(2, createRandom("plane")),
    embeddedCircle(100, createRandom("space")),
  ] as const;
  const few = angles.filter((_, k) => k % 4 === 0);
  for (const N of [4, 8, 16, 32]) {
    const [low, high] = spaces.map((space) => chartsOf(space, { ...setting, N }));
    rows.push({
      N,
      error: await circleError(low!, spaces[0], g, few),
      high: await circleError(high!, spaces[1], g, few),
      bound: low!.error,
    });
  }
  return {
    title: `A function on a circle in dimension ${circle.plane[0].length}`,
    panels: [
      {
        title: "Along the circle",
        x: { label: "angle θ" },
        y: { label: "value" },
        series: [
          { name: "g", mark: "line", points: grid.map((t) => [t, trigonometricValue(g, t)]) },
          { name: "network", mark: "line", points: grid.map((t, k) => [t, values[k]!]) },
        ],
      },
      {
        title: `Partition of unity, ${p} charts`,
        x: { label: "angle θ" },
        y: { label: "φ" },
        series: Array.from({ length: Math.min(p, 5) }, (_, i) => ({
          name: `φ${i + 1}`,
          mark: "line" as const,
          points: grid.map((t, k) => [t, phi[k * p + i]!] as const),
        })),
      },
      {
        title: "Error by cells",
        x: { label: "cells of a chart N", scale: "log" },
        y: { label: "sup |Φ - g| on the circle", scale: "log" },
        series: [
          { name: "in the plane", mark: "line", points: rows.map(({ N, error }) => [N, error]) },
          { name: "in dimension 100", mark: "dots", points: rows.map(({ N, high }) => [N, high]) },
          { name: "theory", mark: "line", role: "theory", points: rows.map(({ N, bound }) => [N, bound]) },
        ],
      },
    ],
  };
}
