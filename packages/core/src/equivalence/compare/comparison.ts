// What a comparison of two networks says.

import type { InputRange } from "../../bounds/linear.ts";
import type { SearchOptions } from "../../bounds/split.ts";
import type { LayerSymmetry } from "./pairing-symmetry.ts";
import type { Replay } from "./replay.ts";

/**
 * equivalent: the same function, for all inputs unless `onBox`. within: no output differs by more than the tolerance on
 * the box. different: a point of the box where ONNX Runtime shows more than the tolerance. unknown: none of these was shown.
 */
export type CompareVerdict = "equivalent" | "within" | "different" | "unknown";

export interface CompareOptions extends SearchOptions {
  /** Inputs to look at; default: all from -1 to 1. */
  readonly box?: InputRange;
  /** The greatest difference allowed; default: what rounding of the runtime accounts for. */
  readonly tolerance?: number;
  /** Points to look at too, flat, e.g. from a data set; those outside of the box are left out. */
  readonly points?: readonly Float64Array[];
  /** Go on after the verdict, to bring the upper bound down, until the time is over. */
  readonly tighten?: boolean;
  /** What is known on the way: the greatest difference seen, and proved. */
  readonly onBounds?: (lower: number, upper: number) => void;
}

export interface Comparison {
  readonly verdict: CompareVerdict;
  /**
   * proved: in exact or outward-rounded arithmetic, for the real functions of the weights. checked: weights agree up to
   * rounding, or ONNX Runtime computed it. sampled: nothing was found on sample points.
   */
  readonly strength: "proved" | "checked" | "sampled";
  /** How it is known, in words. */
  readonly because: string;
  readonly tolerance: number;
  /**
   * The greatest |difference| of an output on the box: seen (in double precision, at `at`), and proved, of the real
   * functions of the weights.
   */
  readonly maxDifference: {
    readonly lower: number;
    readonly upper: number;
    readonly at: readonly number[] | undefined;
    readonly output: string | undefined;
  };
  /** Which units of the second network stand for which of the first, where that is not each for itself. */
  readonly symmetry?: readonly LayerSymmetry[];
  /** A point where the networks differ by more than the tolerance, on ONNX Runtime. */
  readonly witness?: Replay;
  /** Of the second network's units: all, paired with one of the first, and equal to it. */
  readonly units?: { readonly all: number; readonly paired: number; readonly equal: number };
  readonly boxes: number;
  readonly seconds: number;
}

/** A verdict that is not measured yet. */
export type Finding = Pick<Comparison, "verdict" | "strength" | "because"> & { readonly upper: number };
