// All that a run of the playground depends on, and how an address holds it.
import type { LossName, OptimizerName, ScheduleName } from "@lemmata/core/train";
import { counted } from "../parts/numbers.ts";

export const dataNames = ["two-moons", "circles", "spirals", "digits"] as const;
export type DataName = (typeof dataNames)[number];

export const activationChoices = [
  "relu",
  "leakyrelu(0.1)",
  "abs",
  "tanh",
  "sigmoid",
  "softplus",
  "elu",
  "gelu",
  "silu",
  "sin",
  "linear",
] as const;
export type ActivationChoice = (typeof activationChoices)[number];

export const lossNames = [
  "cross-entropy",
  "logistic",
  "hinge",
  "square",
  "exponential",
  "ramp",
] as const satisfies readonly LossName[];
export const optimizerNames = [
  "adam",
  "adamw",
  "momentum",
  "nesterov",
  "sgd",
  "gd",
] as const satisfies readonly OptimizerName[];
export const scheduleNames = [
  "constant",
  "linear",
  "cosine",
  "staircase",
  "inverse-sqrt",
  "inverse",
] as const satisfies readonly ScheduleName[];
/** Steps a second at most. */
export const speeds = ["20", "200", "full"] as const;

export interface Settings {
  readonly data: DataName;
  /** Points to draw; four fifths of them are trained on. */
  readonly count: number;
  readonly noise: number;
  readonly seed: number;
  readonly hidden: readonly number[];
  readonly activation: ActivationChoice;
  readonly loss: (typeof lossNames)[number];
  readonly optimizer: (typeof optimizerNames)[number];
  readonly rate: number;
  readonly schedule: (typeof scheduleNames)[number];
  readonly batch: number;
  readonly epochs: number;
  readonly weightDecay: number;
  readonly l1: number;
  readonly proximalL1: number;
  readonly speed: (typeof speeds)[number];
}

/** Where a number may lie; `whole` ones are counts. */
export interface Range {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

export const ranges = {
  count: { least: 20, most: 5000, whole: true },
  noise: { least: 0, most: 1 },
  seed: { least: 0, most: 1e9, whole: true },
  rate: { least: 1e-6, most: 1e3 },
  batch: { least: 1, most: 5000, whole: true },
  epochs: { least: 1, most: 100_000, whole: true },
  weightDecay: { least: 0, most: 10 },
  l1: { least: 0, most: 10 },
  proximalL1: { least: 0, most: 10 },
} as const satisfies Partial<Record<keyof Settings, Range>>;
export type NumberSetting = keyof typeof ranges;

export const mostLayers = 6;
export const widthRange: Range = { least: 1, most: 256, whole: true };

const plane = {
  count: 400,
  seed: 1,
  activation: "relu",
  loss: "cross-entropy",
  optimizer: "adam",
  rate: 0.01,
  schedule: "constant",
  batch: 32,
  weightDecay: 0,
  l1: 0,
  proximalL1: 0,
  speed: "200",
} as const satisfies Partial<Settings>;

/** What each data set starts with. */
export const presets: Readonly<Record<DataName, Settings>> = {
  "two-moons": { ...plane, data: "two-moons", noise: 0.1, hidden: [16, 16], epochs: 300 },
  circles: { ...plane, data: "circles", noise: 0.08, hidden: [8, 8], epochs: 300 },
  spirals: { ...plane, data: "spirals", noise: 0.02, hidden: [32, 32], epochs: 600 },
  digits: {
    ...{ ...plane, data: "digits", noise: 0, hidden: [64], epochs: 5 },
    ...{ rate: 0.002, batch: 64, speed: "full" },
  },
};

/** What is wrong with a number, or nothing. */
export function wrongNumber(value: number, { least, most, whole = false }: Range): string | undefined {
  if (Number.isFinite(value) && value >= least && value <= most && (!whole || Number.isInteger(value)))
    return undefined;
  return `a ${whole ? "whole " : ""}number from ${least} to ${counted(most)}`;
}

/** The short names of an address. */
const keys = {
  data: "data",
  count: "n",
  noise: "noise",
  seed: "seed",
  hidden: "net",
  activation: "act",
  loss: "loss",
  optimizer: "opt",
  rate: "rate",
  schedule: "schedule",
  batch: "batch",
  epochs: "epochs",
  weightDecay: "decay",
  l1: "l1",
  proximalL1: "prox",
  speed: "speed",
} as const satisfies Record<keyof Settings, string>;

export const toQuery = (settings: Settings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(keys).map(([name, key]) => {
      const value = settings[name as keyof Settings];
      return [key, Array.isArray(value) ? value.join("-") || "none" : String(value)];
    }),
  );

/** The settings of an address; what it does not say, or says wrongly, is as the data set starts with. */
export function fromQuery(query: Readonly<Record<string, string>>): Settings {
  const start = presets[choice(query["data"], dataNames, "two-moons")];
  const numbers = (Object.keys(ranges) as NumberSetting[]).map((name) => {
    const text = query[keys[name]];
    const value = Number(text);
    const isGiven = text !== undefined && text.trim() !== "" && !wrongNumber(value, ranges[name]);
    return [name, isGiven ? value : start[name]] as const;
  });
  return {
    ...start,
    ...Object.fromEntries(numbers),
    hidden: widths(query[keys.hidden]) ?? start.hidden,
    activation: choice(query[keys.activation], activationChoices, start.activation),
    loss: choice(query[keys.loss], lossNames, start.loss),
    optimizer: choice(query[keys.optimizer], optimizerNames, start.optimizer),
    schedule: choice(query[keys.schedule], scheduleNames, start.schedule),
    speed: choice(query[keys.speed], speeds, start.speed),
  };
}

const choice = <T extends string>(text: string | undefined, all: readonly T[], otherwise: T): T =>
  all.find((each) => each === text) ?? otherwise;

function widths(text: string | undefined): readonly number[] | undefined {
  if (text === "none") return [];
  const found = text?.split("-").map((part) => (part === "" ? Number.NaN : Number(part)));
  const isRight = found && found.length <= mostLayers && found.every((w) => !wrongNumber(w, widthRange));
  return isRight ? found : undefined;
}

/** Another data set: the run starts with what suits it; between sets of the plane only the points change. */
export function withData(settings: Settings, data: DataName): Settings {
  const isPlane = (name: DataName) => name !== "digits";
  if (!isPlane(data) || !isPlane(settings.data)) return { ...presets[data], seed: settings.seed };
  return { ...settings, data, noise: presets[data].noise };
}

/** Settings that a run in progress can take over. */
export const liveSettings: readonly (keyof Settings)[] = ["rate", "schedule", "speed", "epochs"];

/** Whether the run must begin anew to go from one to the other. */
export const needsNewRun = (before: Settings, after: Settings): boolean =>
  (Object.keys(before) as (keyof Settings)[]).some(
    (name) => !liveSettings.includes(name) && String(before[name]) !== String(after[name]),
  );
