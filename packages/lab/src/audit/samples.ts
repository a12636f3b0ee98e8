// Networks to train here and audit at once.
import type { NamedData } from "./data-choice.ts";

export const sampleNames = ["moons", "digits", "widths"] as const;
export type SampleName = (typeof sampleNames)[number];

export interface SampleEntry {
  readonly label: string;
  readonly data: NamedData;
  /** Points that are drawn. */
  readonly count: number;
  readonly specs: readonly string[];
  readonly epochs: number;
  readonly rate: number;
}

export const samples: Readonly<Record<SampleName, SampleEntry>> = {
  moons: {
    label: "A network for two moons",
    data: "two-moons",
    count: 500,
    specs: ["2-16-relu-16-relu-2"],
    epochs: 60,
    rate: 0.01,
  },
  digits: {
    label: "A network for digits",
    data: "digits",
    count: 0,
    specs: ["784-32-relu-10"],
    epochs: 5,
    rate: 0.002,
  },
  widths: {
    label: "Four widths, side by side",
    data: "two-moons",
    count: 300,
    specs: ["2-4-relu-2", "2-16-relu-2", "2-64-relu-2", "2-16-relu-16-relu-2"],
    epochs: 100,
    rate: 0.01,
  },
};
