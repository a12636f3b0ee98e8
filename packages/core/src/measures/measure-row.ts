// One row of the table of measures: what it needs, its formula, and how it is computed from what was measured.
// d is the number of layers, m that of examples, omega that of weights, gamma the margin that a tenth do not exceed.
import type { LayerMeasures } from "./layer-values.ts";
import type { MarginSummary } from "./predictions.ts";
import type { MeasuredValue, Sharpness } from "./sharpness.ts";

/** What a measure is computed from. */
export type MeasureNeed =
  | "weights"
  | "margins"
  | "data"
  | "initial weights"
  | "sharpness"
  | "training history";

/** proved: outward rounded; checked: computed by code; sampled: at points or along drawn directions. */
export type MeasureStrength = "proved" | "checked" | "sampled";

export interface MeasureDefinition {
  readonly id: string;
  readonly name: string;
  readonly family:
    | "parameters"
    | "norms"
    | "distance"
    | "margin"
    | "sharpness"
    | "PAC-Bayes"
    | "function"
    | "optimization";
  readonly needs: readonly MeasureNeed[];
  readonly formula: string;
  readonly strength: MeasureStrength;
  /** In logarithms where a product of norms leaves the range of doubles: `log` is then ln of the value. */
  readonly value: (input: MeasureInput) => Amount;
}

/** A number, its logarithm, or why there is none. */
export type Amount = MeasuredValue | { readonly log: number };

export type NamedMeasure = Omit<MeasureDefinition, "value"> & {
  readonly value?: number;
  /** ln of the value, where it is positive: what to rank by. */
  readonly log?: number;
  /** Why there is no value. */
  readonly reason?: string;
  /** Examples that the value rests on; 0: on the weights alone. Not there without a value, or where nobody knows. */
  readonly examples?: number;
};

/** All that the table reads. */
export interface MeasureInput {
  readonly parameters: number;
  readonly layers: readonly LayerMeasures[];
  /** Sums over the outputs of squared path norms. */
  readonly pathSquare: MeasuredValue;
  /** Squared norms over all weights, biases included. */
  readonly weightSquare: number;
  readonly distanceSquare: MeasuredValue;
  /** Weights, and their distances from the start where that is given. */
  readonly weights: Float64Array;
  readonly gone?: Float64Array;
  readonly vcDimension: number;
  readonly examples?: number;
  readonly margins?: MarginSummary;
  readonly trainLoss?: number;
  readonly entropy?: number;
  readonly sharpness?: Sharpness;
  /** (1/m) sum_i <w, grad_w loss_i>^2, and over how many examples. */
  readonly radialSquare?: { readonly found: MeasuredValue; readonly examples: number };
  readonly history?: MeasuredHistory;
}

/** What is known of the training. */
export interface MeasuredHistory {
  /** The loss of each step. */
  readonly losses?: readonly number[];
  /** The variance of the gradients after the first epoch. */
  readonly noiseAfterEpoch?: MeasuredValue;
  readonly noiseExamples?: number;
}

/** A finite number. */
export const amount = (v: number): Amount =>
  Number.isFinite(v) ? { value: v } : { reason: Number.isNaN(v) ? "a norm is 0" : `it is ${v}` };
/** No number, and why. */
export const missing = (reason: string): Amount => ({ reason });
/** A function of a number, or why there is none. */
export const orReason = (found: MeasuredValue, use: (v: number) => number): Amount =>
  "reason" in found ? found : amount(use(found.value));

export const noInitial = "the initial weights are not given";
export const noData = "there are no examples";
export const noMargins = "there are no classes, so no margins";
export const noHistory = "it needs the history of training";
export const noSharpness = "sharpness was not asked for, or there are no weights to change";

/** A row as it is written: id, name, family, needs, formula, strength, value. */
export type Row = readonly [
  id: string,
  name: string,
  family: MeasureDefinition["family"],
  needs: readonly MeasureNeed[],
  formula: string,
  strength: MeasureStrength,
  value: (input: MeasureInput) => Amount,
];
