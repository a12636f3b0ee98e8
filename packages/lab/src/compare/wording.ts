// How a comparison is told, in the words of the command line.
import type { Comparison } from "@lemmata/core/equivalence";
import { atLeast, atMost, counted } from "../parts/numbers.ts";
import type { SimplifyOutput } from "../worker/jobs/simplify.ts";

/** An upper bound, if there is one. */
export const up = (value: number): string => (Number.isFinite(value) ? atMost(value, 4) : "no bound");

/** A lower bound. */
export const down = (value: number): string => atLeast(value, 4);

/** `equivalent, proved`, `within 0.01, proved`, `different, checked` */
export const verdictLine = ({ verdict, strength, tolerance }: Comparison): string =>
  verdict === "within" ? `within ${down(tolerance)}, ${strength}` : `${verdict}, ${strength}`;

export interface SymmetryRow {
  readonly layer: string;
  readonly units: number;
  readonly moved: number;
  readonly scaled: number;
  readonly flipped: number;
  readonly alone: number;
}

/** What was done to the units of each layer. */
export const symmetryRows = (symmetry: NonNullable<Comparison["symmetry"]>): readonly SymmetryRow[] =>
  symmetry.map(({ node, from, factor }) => ({
    layer: node,
    units: from.length,
    moved: from.filter((s, k) => s !== k && s >= 0).length,
    scaled: factor?.filter((c) => Math.abs(c) !== 1).length ?? 0,
    flipped: factor?.filter((c) => c < 0).length ?? 0,
    alone: from.filter((s) => s < 0).length,
  }));

/** What a simplification changed, in one line. */
export function simplificationLine(found: SimplifyOutput): string {
  const { before, after, change, seen, onBox, onnx } = found;
  if (!onnx) return "Nothing can be removed.";
  const pair = (name: string, from: number | undefined, to: number | undefined): string =>
    from === undefined || to === undefined
      ? ""
      : `${name} ${counted(from)}${to === from ? "" : ` → ${counted(to)}`}`;
  const sizes = [
    pair("units", before.hiddenUnits, after.hiddenUnits),
    pair("parameters", before.parameters, after.parameters),
    pair("depth", before.depth, after.depth),
  ].filter(Boolean);
  const where = onBox ? "on the box" : "everywhere";
  const changed =
    change === 0
      ? `the same function ${where}, proved`
      : change === undefined
        ? "merged weights were rounded; the change has no bound"
        : `outputs change by at most ${up(change)} ${where}, proved (${up(seen ?? 0)} seen)`;
  return `${sizes.join(", ")}; ${changed}.`;
}
