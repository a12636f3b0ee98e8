// The bounds of an audit that have a number, as bounds of the error itself.
import { addUp } from "../numbers/rounding.ts";
import type { Audit, AuditBound } from "./audit.ts";

/** A bound that has a number, as a bound of the error itself. */
export interface StatedBound {
  readonly bound: AuditBound;
  /** Not below the expected error, with probability at least 1 - delta. */
  readonly risk: number;
}

/**
 * Bounds of the error of the audited weights, tightest first; one of the gap counts from the training error. Bounds that
 * speak of another network are `otherBounds`: they are ranked apart.
 */
export const statedBounds = (audit: Audit): readonly StatedBound[] =>
  risksOf(
    audit,
    audit.bounds.filter((bound) => !isRandomized(bound)),
  );

/** Those of them that read the training examples alone. */
export const trainingBounds = (audit: Audit): readonly StatedBound[] =>
  statedBounds(audit).filter(({ bound }) => !isHeldOut(bound));

/** The same of a network that was trained for its bound. */
export const otherBounds = (audit: Audit): readonly StatedBound[] =>
  risksOf(audit, audit.bounds.filter(isRandomized));

function risksOf({ measures: { trainError } }: Audit, bounds: readonly AuditBound[]): readonly StatedBound[] {
  return bounds
    .flatMap((bound): StatedBound[] => {
      const { value, quantity, unmet } = bound;
      if (value === undefined || Number.isNaN(value) || unmet.length > 0 || quantity === "excess") return [];
      if (quantity === "risk") return [{ bound, risk: value }];
      return trainError === undefined ? [] : [{ bound, risk: addUp(trainError, value) }];
    })
    .sort((a, b) => a.risk - b.risk);
}

/** It reads examples that the training did not see; all others read the training examples alone. */
export const isHeldOut = ({ id }: AuditBound): boolean => id.startsWith("validation");

/** It speaks of a randomized classifier that was trained for it, not of the audited weights. */
const isRandomized = ({ network }: AuditBound): boolean => network !== "audited";
