import { type Localization, localization } from "../../explain/evaluate.ts";
import type { Figure } from "../../figure/figure.ts";
import { between, curve } from "./by-input.ts";

/** One map against its mask at every place; and maps that are more and more the mask itself. */
export function figure(
  relevance: Float64Array,
  mask: Float64Array,
  shifts: readonly Localization[],
  chance: number,
): Figure {
  const n = mask.length;
  const over = (name: string, of: (l: Localization) => number) => ({
    ...{ name, mark: "dots" as const },
    points: shifts.map((l, by) => [by, of(l)] as const),
  });
  // Both of mean 1 over the pixels: the chance of a mass is that of a map that is everywhere the same.
  const noise = relevance.map(Math.abs);
  const mean = noise.reduce((s, v) => s + v, 0) / n;
  const noisy = (t: number): number =>
    localization(
      mask.map((on, k) => (t * on) / chance + ((1 - t) * noise[k]!) / mean),
      mask,
    ).rank;
  const alike = (t: number): number =>
    localization(
      mask.map((on) => (t * on) / chance + 1 - t),
      mask,
    ).mass;
  const parts = between(0, 1, 41);
  const ends = [0, Math.max(1, n - 1)];
  return {
    title: "Relevance against a mask: what chance has, and what the truth has",
    panels: [
      {
        title: "One map, the mask at every place",
        x: { label: "mask shifted by" },
        y: { label: "part on the mask" },
        series: [
          over("mass", (l) => l.mass),
          over("rank", (l) => l.rank),
          curve("|G| / n: the mean of each", ends, () => chance, { role: "theory" }),
        ],
      },
      {
        title: "A map that is partly the mask itself",
        x: { label: "part of the mask in the map" },
        y: { label: "part on the mask" },
        series: [
          curve(
            "mass, the rest being everywhere the same",
            parts.filter((_, k) => k % 4 === 0),
            alike,
            { mark: "dots" },
          ),
          curve("rank, the rest being noise", parts, noisy, { mark: "step" }),
          curve("t + (1 - t) |G| / n", [0, 1], (t) => t + (1 - t) * chance, { role: "theory" }),
        ],
      },
    ],
  };
}
