// The values of a range: whole numbers, steps, evenly or geometrically spaced points.
import { SweepError } from "./error.ts";

const mostValues = 1e7;
/** Digits of a point between two ends: fewer than a double has, so that 0.1 is 0.1 and not 0.10000000000000002. */
const digits = 14;
const rounded = (x: number): number => Number(x.toPrecision(digits));

/** `count` points from one end to the other, both exactly; `at` says what is between them. */
function spaced(
  axis: string,
  from: number,
  to: number,
  count: number,
  at: (share: number) => number,
): number[] {
  if (!Number.isInteger(count) || count < 2 || count > mostValues)
    throw new SweepError(`grid: ${axis}: ${count} points: it takes a whole number from 2 up`);
  return Array.from({ length: count }, (_, k) =>
    k === 0 ? from : k === count - 1 ? to : rounded(at(k / (count - 1))),
  );
}

function stepped(axis: string, from: number, to: number, step: number): number[] {
  if (!(step > 0)) throw new SweepError(`grid: ${axis}: a step is above 0`);
  // A hundred-thousandth of a step is rounding, not a step that is missing.
  const count = Math.floor(Math.abs(to - from) / step + 1e-5) + 1;
  if (count > mostValues) throw new SweepError(`grid: ${axis}: ${from}..${to} has ${count} values`);
  const signed = to >= from ? step : -step;
  return Array.from({ length: count }, (_, k) => (k === 0 ? from : rounded(from + k * signed)));
}

/** The values of `from..to`, `from..to step s`, `from..to linear n` or `from..to log n`. */
export function rangeValues(
  axis: string,
  from: number,
  to: number,
  kind: string | undefined,
  amount = 1,
): readonly number[] {
  if (kind === "linear") return spaced(axis, from, to, amount, (share) => from + share * (to - from));
  if (kind === "log") {
    if (!(from * to > 0)) throw new SweepError(`grid: ${axis}: the ends of a log range have one sign`);
    return spaced(axis, from, to, amount, (share) => from * (to / from) ** share);
  }
  if (kind === undefined && !(Number.isSafeInteger(from) && Number.isSafeInteger(to)))
    throw new SweepError(
      `grid: ${axis}: ${from}..${to}: how many? write "${from}..${to} linear 5", "log 5" or "step 0.1" behind it`,
    );
  return stepped(axis, from, to, amount);
}
