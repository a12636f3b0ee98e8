// Is there a point of a box where an alternative holds, for networks too large to be split: by bounds on the whole box, and
// by looking for points while there is time.
import { Clock } from "../../engine/clock.ts";
import type { Box } from "../linear/row-bounds.ts";
import type { Alternative } from "../split/attack.ts";
import { middle } from "../split/bisect.ts";
import type { DecideOptions, Decision } from "../split/decide.ts";
import { usualWork } from "./bounder.ts";
import { tensorLeasts } from "./bounds.ts";
import type { TensorNetwork } from "./operator.ts";

/** Without a limit of time so many searches for points end it. */
const mostLooks = 8;

/** Alternatives that bounds on the whole box do not refute; quick ones first, then with all the time that there is. */
async function open(
  network: TensorNetwork,
  box: Box,
  alternatives: readonly Alternative[],
  options: DecideOptions,
  clock: Clock,
): Promise<readonly number[]> {
  let left = alternatives.map((_, k) => k);
  const { seconds = Number.POSITIVE_INFINITY, signal, onProgress } = options;
  for (const work of seconds === Number.POSITIVE_INFINITY
    ? [usualWork]
    : [usualWork, Number.POSITIVE_INFINITY]) {
    const rest = seconds - clock.seconds;
    if (left.length === 0 || rest <= 0) break;
    const targets = left.flatMap((k) => alternatives[k]!);
    const given = { work, ...(Number.isFinite(rest) && { seconds: rest }), ...(signal && { signal }) };
    const { leasts, complete } = await tensorLeasts(network, box, targets, {
      ...given,
      ...(onProgress && { onProgress }),
    });
    let first = 0;
    left = left.filter((k) => {
      const own = leasts.subarray(first, first + alternatives[k]!.length);
      first += own.length;
      return !own.some((least) => least > 0);
    });
    if (complete) break;
  }
  return left;
}

/** As `decide`, on the whole box only. */
export async function decideWhole(
  network: TensorNetwork,
  box: Box,
  alternatives: readonly Alternative[],
  options: DecideOptions,
): Promise<Decision> {
  const clock = new Clock(options);
  const end = (verdict: Decision["verdict"], point?: Float64Array): Decision => {
    const isOpen = verdict === "undecided" ? 1 : 0;
    return {
      ...{ verdict, boxes: 1, givenUp: isOpen, narrow: isOpen, widest: isOpen, refused: 0 },
      ...{ done: verdict === "none" ? 1 : 0, seconds: clock.seconds },
      ...(point && { point }),
    };
  };
  const left = await open(network, box, alternatives, options, clock);
  if (left.length === 0) return end("none");
  // What asks nothing of the outputs holds everywhere.
  const anywhere = middle(box);
  if (alternatives.some(({ length }) => length === 0) && (await options.confirm?.(anywhere)))
    return end("found", anywhere);
  const isLimited = options.seconds !== undefined && Number.isFinite(options.seconds);
  for (let look = 0; isLimited ? !clock.isOver : look < mostLooks; look++) {
    const found = await options.elsewhere?.look(box, left, () => clock.isOver);
    if (found) return end("found", found.x);
    if (!options.elsewhere) break;
    await clock.rest();
  }
  return end(clock.isOver ? "timed-out" : "undecided");
}
