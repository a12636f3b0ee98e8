import type { Figure } from "../../figure/figure.ts";
import { normalCdf } from "../../numbers/statistics.ts";

const counts = Array.from({ length: 64 }, (_, k) => k + 1);
const line = Array.from({ length: 121 }, (_, k) => k / 40 - 1.5);

/** What more steps and more noise do to one ReLU. */
export const figure = (bend: number): Figure => ({
  title: "Averages of a gradient that jumps",
  panels: [
    {
      title: "Completeness error of integrated gradients",
      x: { label: "steps", scale: "log" },
      y: { label: "error", scale: "log" },
      series: [
        {
          name: "a ReLU that bends on the way",
          mark: "dots",
          points: counts
            .map((m): [number, number] => {
              const behind = Array.from({ length: m }, (_, k) => (k + 0.5) / m).filter(
                (t) => t > bend,
              ).length;
              return [m, Math.abs(behind / m - (1 - bend))];
            })
            .filter(([, error]) => error > 1e-12),
        },
        {
          name: "1/(2 m)",
          mark: "line",
          role: "theory",
          points: counts.map((m) => [m, 1 / (2 * m)]),
        },
        {
          name: "x³: 1/(4 m²)",
          mark: "line",
          role: "theory",
          points: counts.map((m) => [m, 1 / (4 * m * m)]),
        },
      ],
    },
    {
      title: "Mean gradient of max(0, x) over noise",
      x: { label: "x" },
      y: { label: "gradient" },
      series: [0.05, 0.25, 1].map((deviation) => ({
        name: `deviation ${deviation}`,
        mark: "line" as const,
        points: line.map((x): [number, number] => [x, normalCdf(x / deviation)]),
      })),
    },
  ],
});
