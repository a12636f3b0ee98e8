// What the page and the two jobs of the playground say to each other.
import type { Settings } from "./settings.ts";

/** The part of the plane that is shown: a square. */
export interface PlaneBox {
  readonly lower: readonly [number, number];
  readonly upper: readonly [number, number];
}

export interface Points {
  /** x1, x2 of each point in turn. */
  readonly x: Float32Array;
  readonly classes: Uint8Array;
}

export interface Weight {
  readonly name: string;
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

export type TrainTell =
  | { readonly kind: "configure"; readonly settings: Settings; readonly running: boolean }
  | { readonly kind: "change"; readonly settings: Settings }
  | { readonly kind: "run" | "pause" | "step" | "reset" | "model" }
  /** The last snapshot is on the screen: the next may come. */
  | { readonly kind: "shown" }
  /** Scores of one input, to be answered with the same number. */
  | { readonly kind: "ask"; readonly id: number; readonly input: Float32Array };

/** A new run is there: what does not change while it goes. */
export interface Opened {
  readonly kind: "opened";
  readonly spec: string;
  readonly examples: number;
  readonly perEpoch: number;
  readonly parameters: number;
  readonly plane?: { readonly box: PlaneBox; readonly train: Points; readonly test: Points };
  /** The first digits of the test set, 784 numbers each. */
  readonly digits?: { readonly images: Uint8Array; readonly classes: Uint8Array };
}

export interface Score {
  readonly loss: number;
  readonly accuracy: number;
}

export interface Snapshot {
  readonly kind: "snapshot";
  readonly running: boolean;
  readonly step: number;
  readonly steps: number;
  readonly rate: number;
  readonly train: Score;
  readonly test: Score;
  /** Of the examples trained on (or the first of them). */
  readonly margins: Float32Array;
  readonly weights: readonly Weight[];
  /** For class 1 against class 0, `gridSize` a side, the upper left corner first. */
  readonly surface?: Float32Array;
  /** The class that each of the shown digits is taken for. */
  readonly guesses?: Uint8Array;
}

export type TrainReport =
  | { readonly kind: "loading" }
  | Opened
  | Snapshot
  | { readonly kind: "answer"; readonly id: number; readonly scores: Float32Array }
  | { readonly kind: "model"; readonly bytes: Uint8Array }
  /** The loss grew beyond all bounds: what it was, in which step, and the step whose weights are kept. */
  | { readonly kind: "diverged"; readonly loss: number; readonly badStep: number; readonly kept: number }
  | { readonly kind: "problem"; readonly message: string };

export interface WatchTell {
  /** Reports have the same number. */
  readonly id: number;
  readonly spec: string;
  readonly seed: number;
  readonly weights: readonly Weight[];
  /** Where to look for regions; not given where there are none. */
  readonly box?: PlaneBox;
}

export interface LiveMeasures {
  /** Layer by layer. */
  readonly spectral: readonly number[];
  readonly spectralProduct: number;
  /** For all inputs, rounded up. */
  readonly lipschitz?: number;
  readonly path1?: number;
  readonly path2?: number;
  readonly weightNorm: number;
  readonly distance: number;
}

export interface RegionPicture {
  readonly count: number;
  /** The borders in black, `canvasSide` pixels a side. */
  readonly borders: ImageBitmap;
}

export type WatchReport =
  | { readonly kind: "ready" }
  | { readonly kind: "measures"; readonly id: number; readonly measures: LiveMeasures }
  | {
      readonly kind: "regions";
      readonly id: number;
      readonly regions?: RegionPicture;
      readonly reason?: string;
    }
  | { readonly kind: "seen"; readonly id: number };

/** Pixels a side of the pictures of the plane. */
export const canvasSide = 720;
/** Points a side of the surface. */
export const gridSize = 100;
/** Digits of the test set that are shown. */
export const shownDigits = 40;
