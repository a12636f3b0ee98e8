// Why a query was not decided, in words: each way to end without a verdict has its own.
import { toNumber } from "../../numbers/exact/rational.ts";
import type { Decision } from "../split.ts";
import type { Witnesses } from "./witness.ts";

const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

const digits = (x: number): string => String(Number(x.toPrecision(2)));

/** Inputs without any number of their type between their bounds: no run can have them. */
export function missingReason({ missing, wantedTolerance }: Witnesses): string | undefined {
  const [first, ...others] = missing;
  if (!first) return undefined;
  const { name, type, fixed } = first;
  const what =
    fixed === undefined
      ? `no ${type} lies between the bounds of ${name}`
      : `the query fixes ${name} at ${toNumber(fixed)}, which is no ${type}`;
  const more = others.length > 0 ? ` (and so for ${plural(others.length, "other input")})` : "";
  return `${what}${more}: no run can have it; --tolerance ${wantedTolerance} accepts the nearest`;
}

/** What points that were refused say. */
function refusedText({ refusals: { count, leastMiss } }: Witnesses): string {
  const points = `${plural(count, "point")} that satisfied it in double precision did not on ONNX Runtime`;
  return leastMiss === undefined
    ? `${points}, whose outputs there are no finite numbers`
    : `${points}, by ${digits(leastMiss)} or more`;
}

/** The boxes that a search gave up, and why. */
function givenUpText({ givenUp, narrow, widest }: Decision): string {
  const rounding = givenUp - narrow;
  const texts: string[] = [];
  if (rounding > 0)
    texts.push(
      `on ${plural(rounding, "small box", "small boxes")} the query holds or fails by no more than rounding`,
    );
  if (narrow > 0)
    texts.push(
      `${plural(narrow, "box", "boxes")}, up to ${digits(widest)} of the query's box wide, stayed open and ${narrow === 1 ? "was" : "were"} given up`,
    );
  return texts.join("; ");
}

/** The reason of `unknown` or `timed-out`, after what the search and the witnesses say. */
export function undecidedReason(decision: Decision, witnesses: Witnesses): string {
  const missing = missingReason(witnesses);
  if (witnesses.holdsBeside) return `${missing}: there the query holds on ONNX Runtime`;
  const parts: string[] = [];
  if (decision.verdict === "timed-out")
    parts.push(
      decision.boxes === 0
        ? "the time was over before there were bounds on the whole box"
        : `the time was over when ${digits(100 * decision.done)} % of the query's box was decided`,
    );
  else if (decision.givenUp > 0) parts.push(givenUpText(decision));
  if (witnesses.refusals.count > 0) parts.push(refusedText(witnesses));
  if (missing) parts.push(missing);
  return parts.join("; ");
}
