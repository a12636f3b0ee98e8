// What descent does to the sizes of layers, and to their differences.
import type { Figure, Panel } from "../../figure/figure.ts";

/** A run of gradient descent, watched. */
export interface Descent {
  readonly eta: number;
  readonly steps: number;
  /** Squared norms of the layers and differences of neighbours, over time. */
  readonly track: readonly {
    readonly t: number;
    readonly norms: readonly number[];
    readonly balances: readonly number[];
  }[];
  /** The greatest change of a neuron's balance, and what the formula of the drift does not explain of it. */
  readonly drift: number;
  readonly unexplained: number;
  /** The sum of eta |G|^2. */
  readonly dissipated: number;
  /** The greatest |theta|^2 at the ends. */
  readonly size: number;
}

/** Sizes move, differences stay, and stay the better the smaller the step. */
export function balancednessFigure(descents: readonly Descent[]): Figure {
  const [coarse, fine] = [descents[0]!, descents.at(-1)!];
  return {
    title: "Layers grow and shrink together",
    panels: [sizes(fine), differences(coarse, fine), drift(descents)],
  };
}

const sizes = ({ track }: Descent): Panel => ({
  title: "Squared norms of the layers",
  x: { label: "time" },
  y: { label: "squared norm" },
  series: track[0]!.norms.map((_, l) => ({
    name: `layer ${l + 1}`,
    mark: "line",
    points: track.map(({ t, norms }) => [t, norms[l]!]),
  })),
});

const differences = (coarse: Descent, fine: Descent): Panel => ({
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

function drift(descents: readonly Descent[]): Panel {
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
