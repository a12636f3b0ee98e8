// Architectures and settings of published experiments, by name.
import type { TrainingOptions } from "../training/options.ts";

export interface Recipe {
  /** Where it is described. */
  readonly source: string;
  /** As `train` reads it. */
  readonly network: string;
  readonly options: TrainingOptions;
  readonly rate: number;
  readonly epochs: number;
  /** What the description asks for besides, and is left out here. */
  readonly without: readonly string[];
}

const digits = (side: number): Recipe => ({
  source: "Kawaguchi, Bengio and Kaelbling, appendix B: MNIST",
  network: `1x${side}x${side}-conv32k5-maxpool2-relu-conv32k5-maxpool2-relu-flatten-1024-relu-10`,
  options: { loss: "cross-entropy", optimizer: "momentum", momentum: 0.5, batch: 64 },
  rate: 0.01,
  epochs: 1000,
  without: ["dropout with probability 0.5 after the layer of 1024 units", "augmentation"],
});

/** The text does not say whether the network reads crops of side 24 or whole images: both are here. */
export const recipes = {
  "darc-mnist": digits(28),
  "darc-mnist-crop": digits(24),
} as const satisfies Readonly<Record<string, Recipe>>;
