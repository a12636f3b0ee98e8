// Are two dropped networks the same function? The report of `lemmata compare`.

import { inputBox } from "@lemmata/core/bounds";
import { decodeData } from "@lemmata/core/data";
import {
  type ComparisonWithNodes,
  compareWithNodes,
  comparisonPoints,
  comparisonRecord,
} from "@lemmata/core/equivalence";
import type { Graph } from "@lemmata/core/graph";
import { jsonText } from "@lemmata/core/numbers";
import { inputShapes } from "@lemmata/core/passes";
import type { ModelFiles } from "../../audit/model-files.ts";
import { readDroppedModel } from "../../audit/read-model.ts";
import { placed, type Refusal } from "../../compare/place.ts";
import type { Job } from "../protocol.ts";

export interface CompareInput {
  readonly first: ModelFiles;
  readonly second: ModelFiles;
  /** The box, as `--on` takes it; empty: the range of the data, else -1..1. */
  readonly on: string;
  readonly data?: File;
  readonly tolerance?: number;
  readonly seconds: number;
  readonly seed: number;
  readonly tighten: boolean;
}

export type ComparePlace = "first" | "second" | "data" | "box" | "all";

export interface CompareOutput extends ComparisonWithNodes {
  /** The names of the inputs' numbers. */
  readonly names: readonly string[];
  /** What `--json` prints. */
  readonly json: string;
}

/** What is known on the way. */
export interface CompareBounds {
  readonly lower: number;
  readonly upper: number;
  readonly boxes: number;
  readonly seconds: number;
}

/** The command line's own. */
const closeness = { atol: 1e-6, rtol: 1e-4 };
/** Milliseconds between two messages to the page. */
const pause = 60;

export const compareFiles: Job<CompareInput, CompareOutput | Refusal<ComparePlace>> = async (
  input,
  { signal, progress, partial },
) => {
  progress(0, "reading");
  const a = await placed("first", () => readDroppedModel(input.first));
  if ("refused" in a) return a;
  const b = await placed("second", () => readDroppedModel(input.second));
  if ("refused" in b) return b;
  const points = await placed("data", () => pointsOf(a.value, input.data));
  if ("refused" in points) return points;
  const box = await placed("box", () => (input.on.trim() ? inputBox(a.value, input.on) : undefined));
  if ("refused" in box) return box;
  const began = performance.now();
  let [told, boxes] = [0, 0];
  progress(0, "comparing");
  const report = await placed("all", () =>
    compareWithNodes(a.value, b.value, {
      ...closeness,
      ...(box.value && { box: box.value }),
      ...(input.tolerance !== undefined && { tolerance: input.tolerance }),
      points: points.value,
      seconds: input.seconds,
      seed: input.seed,
      tighten: input.tighten,
      signal,
      onProgress: (_fraction, count) => {
        boxes = count;
      },
      onBounds: (lower, upper) => {
        const now = performance.now();
        if (told > 0 && now - told < pause) return;
        told = now;
        const seconds = (now - began) / 1000;
        partial({ lower, upper, boxes, seconds } satisfies CompareBounds);
        progress(Math.min(1, seconds / input.seconds), "bounding the difference");
      },
    }),
  );
  if ("refused" in report) return report;
  return { ...report.value, names: namesOf(a.value), json: `${jsonText(comparisonRecord(report.value))}\n` };
};

async function pointsOf(graph: Graph, data: File | undefined): Promise<readonly Float64Array[]> {
  if (!data) return [];
  return comparisonPoints(graph, decodeData(new Uint8Array(await data.arrayBuffer()), data.name), data.name);
}

/** A network without known shapes has no names, but points may still be compared. */
function namesOf(graph: Graph): readonly string[] {
  try {
    return inputShapes(graph).length > 0 ? inputBox(graph, "0").names : [];
  } catch {
    return [];
  }
}
