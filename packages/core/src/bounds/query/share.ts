// The work on a query for several processes: what one has left open when its time was over, others go on with.

import { fewInputs } from "../split/by-neurons.ts";
import type { PartLeft } from "../split/decide.ts";
import type { Query } from "./query.ts";

/** A part of the box of one case of a query, with what is open there. */
export interface OpenPart extends PartLeft {
  readonly case: number;
}

/**
 * Is the work on a query worth sharing? Where units are split, what is learned of the rows serves all parts, and the runtime
 * uses all cores.
 * @example isWorthSharing(parseVnnlib("(declare-const X_0 Real) (declare-const Y_0 Real) (assert (<= X_0 0)) (assert (>= X_0 0)) (assert (>= Y_0 2))")) // true
 */
export const isWorthSharing = ({ variables }: Query): boolean =>
  variables.filter(({ side }) => side === "input").length <= fewInputs;

/** As plain numbers, which JSON keeps as they are. */
export const partsText = (parts: readonly OpenPart[]): string =>
  JSON.stringify(
    parts.map(({ box, ...part }) => ({ ...part, lower: [...box.lower], upper: [...box.upper] })),
  );

/** What `partsText` wrote. */
export const partsFrom = (text: string): readonly OpenPart[] =>
  (JSON.parse(text) as (Omit<OpenPart, "box"> & { lower: number[]; upper: number[] })[]).map(
    ({ lower, upper, ...part }) => ({
      ...part,
      box: { lower: Float64Array.from(lower), upper: Float64Array.from(upper) },
    }),
  );
