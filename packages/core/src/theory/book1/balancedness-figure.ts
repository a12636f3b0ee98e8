// What descent does to the sizes of layers, and to their differences.

import type { WatchedDescent } from "../../dynamics/watched-descent.ts";
import type { Figure, Panel } from "../../figure/figure.ts";

/** Sizes move, differences stay, and stay the better the smaller the step. */
export function balancednessFigure(descents: readonly WatchedDescent[]): Figure {
  const [coarse, fine] = [descents[0]!, descents.at(-1)!];
  return {
    title: "Layers grow and shrink together",
    panels: [sizes(fine), differences(coarse, fine), drift(descents)],
  };
}

const sizes = ({ track }: WatchedDescent): Panel => ({
  title: "Squared norms of the layers",
  x: { label: "time" },
  y: { label: "squared norm" },
  series: track[0]!.norms.map((_, l) => ({
    name: `layer ${l + 1}`,
    mark: "line",
    points: track.map(({ t, norms }) => [t, norms[l]!]),
  })),
});

const differences = (coarse: WatchedDescent, fine: WatchedDescent): Panel => ({
  title: "Change of their differences",
  x: { label: "time" },
  y: { label: "change since the start" },
  series: [coarse, fine].flatMap(({ track, steps }) =>
    track[0]!.balances.map((first, l) => ({
      name: `layers ${l + 2} and ${l + 1}, ${steps} steps`,
      mark: "line" as const,
      points: track.map(({ t, balances }) => [t, balances[l]! - first] as const),
    })),
  ),
});

function drift(descents: readonly WatchedDescent[]): Panel {
  const last = descents.at(-1)!;
  const positive = descents.filter((d) => d.drift > 0);
  return {
    title: "Drift of the worst neuron",
    x: { label: "step size η", scale: "log" },
    y: { label: "drift at the same time", scale: "log" },
    series: [
      { name: "gradient descent", mark: "dots", points: positive.map(({ eta, drift: v }) => [eta, v]) },
      {
        name: "proportional to η",
        mark: "line",
        role: "theory",
        points: positive.map(({ eta }) => [eta, (last.drift * eta) / last.eta]),
      },
      {
        name: "at most η Σ η|G|²",
        mark: "line",
        role: "theory",
        points: positive.map(({ eta, dissipated }) => [eta, eta * dissipated]),
      },
    ],
  };
}
