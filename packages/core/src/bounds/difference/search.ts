// The greatest difference of two networks on a box, from above and from below: the box with the greatest bound is halved
// next.

import { Clock, type SearchOptions } from "../../engine/clock.ts";
import { finished, type Steps } from "../../engine/steps.ts";
import { Heap } from "../../numbers/heap.ts";
import type { Target } from "../linear/back-substitution.ts";
import { BoxBounder, type LowerForm } from "../linear/box-bounds.ts";
import type { Network } from "../linear/network.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import { boundingOf, halves, inputToHalve, middle, type Part } from "../split/bisect.ts";
import type { DifferenceNetwork } from "./network.ts";
import type { Probe } from "./probe.ts";

/** What is known of the greatest |difference| on a box. */
export interface DifferenceBounds {
  /** Proved, for the real functions that the weights define. */
  readonly upper: number;
  /** For each output. */
  readonly outputs: Float64Array;
  readonly boxes: number;
  readonly seconds: number;
  /** The bound came down to `below`, a point showed more than `above`, both met, time was over, or boxes were too small. */
  readonly stopped: "below" | "above" | "met" | "time" | "small";
}

export interface DifferenceSearch extends SearchOptions {
  /** Stop when the upper bound is at most this; default 0. */
  readonly below?: number;
  /** Stop when a point shows more than this; default: never. */
  readonly above?: number;
  /** Stop when the bound is within this share of the greatest difference seen; default 0.001. */
  readonly share?: number;
  /** What is known on the way: the greatest difference seen, and proved. */
  readonly onBounds?: (lower: number, upper: number) => void;
}

/** Bounds of one box: the greatest over all outputs, and each of them. */
interface Bounded {
  readonly greatest: number;
  readonly outputs: Float64Array;
  readonly box: Box;
  readonly input: number | undefined;
  readonly known: BoxBounds;
}

class Search {
  /** The part with the greatest bound first. */
  readonly queue = new Heap<Bounded>(({ greatest }) => -greatest);
  readonly bounder: BoxBounder;
  readonly #targets: readonly Target[];
  readonly #probe: Probe;
  readonly #zero: readonly boolean[];
  boxes = 0;

  constructor(network: Network, zero: readonly boolean[], probe: Probe) {
    this.bounder = new BoxBounder(network);
    this.#probe = probe;
    this.#zero = zero;
    this.#targets = zero.flatMap((isZero, k) =>
      isZero
        ? []
        : [1, -1].map((sign) => ({ slots: [network.firstOutput + k], weights: [sign], constant: 0 })),
    );
  }

  *entering(part: Part, ceiling: Float64Array): Steps<true> {
    yield* this.enter(yield* boundingOf(this.bounder, part), ceiling);
    return true;
  }

  /** A box whose bounds were found last; no output's difference exceeds `ceiling` there. */
  *enter(known: BoxBounds, ceiling: Float64Array): Steps<true> {
    const { box } = known;
    const forms = yield* this.bounder.forming(this.#targets, known);
    this.boxes++;
    const outputs = this.#outputs(known, ceiling, forms);
    const worst = forms.reduce((w, { least }, t) => (least < forms[w]!.least ? t : w), 0);
    this.#look(box, forms[worst]);
    const scores = new Float64Array(box.lower.length);
    if (forms.length > 0) this.bounder.addInfluence(worst, known, scores);
    const input = inputToHalve(scores, box, forms, box);
    this.queue.push({ greatest: Math.max(0, ...outputs), outputs, box, input, known });
    return true;
  }

  /** A box in a hurry: by the bounds of its rows alone. */
  enterRows(known: BoxBounds): void {
    this.boxes++;
    const outputs = this.#outputs(
      known,
      this.#zero.map((z) => (z ? 0 : Number.POSITIVE_INFINITY)),
      [],
    );
    this.#look(known.box, undefined);
    this.queue.push({ greatest: Math.max(0, ...outputs), outputs, box: known.box, input: undefined, known });
  }

  /** The greatest bound of all parts. */
  get greatest(): number {
    return -this.queue.least;
  }

  /** Bounds of each |output|, by the rows and by lower forms of its values and their negatives. */
  #outputs(known: BoxBounds, ceiling: ArrayLike<number>, forms: readonly LowerForm[]): Float64Array {
    const { layers, firstOutput } = this.bounder.network;
    const { firstRow } = layers.at(-1)!;
    const outputs = new Float64Array(ceiling.length);
    this.#targets.forEach(({ slots, weights }, t) => {
      const k = Number(slots[0]) - firstOutput;
      const byRows = Number(weights[0]) > 0 ? -known.rowLower[firstRow + k]! : known.rowUpper[firstRow + k]!;
      const byForm = forms[t] ? -forms[t].least : Number.POSITIVE_INFINITY;
      outputs[k] = Math.max(outputs[k]!, Math.min(byForm, byRows));
    });
    return outputs.map((most, k) => Math.min(most, ceiling[k]!));
  }

  #look(box: Box, form: LowerForm | undefined): void {
    this.#probe.at(middle(box));
    if (form) this.#probe.at(box.lower.map((l, i) => (form.slopes[i]! > 0 ? l : box.upper[i]!)));
  }
}

/** Bounds on the greatest |difference|; points that show much of it are kept by the probe. */
export async function greatestDifference(
  { network, zero }: DifferenceNetwork,
  box: Box,
  probe: Probe,
  options: DifferenceSearch,
): Promise<DifferenceBounds> {
  const { below = 0, above = Number.POSITIVE_INFINITY, share: near = 1e-3 } = options;
  const clock = new Clock(options);
  const search = new Search(network, zero, probe);
  const { queue, bounder } = search;
  const steps = bounder.bounding(box);
  const whole = await clock.finish(steps);
  bounder.hurried = whole === undefined;
  const known = whole ?? finished(steps);
  const anything = new Float64Array(zero.length).fill(Number.POSITIVE_INFINITY);
  if (bounder.hurried || !(await clock.finish(search.enter(known, anything)))) search.enterRows(known);
  const first = search.greatest;
  options.onBounds?.(Math.max(0, probe.greatest), first);
  let stopped: DifferenceBounds["stopped"] = "time";
  while (!clock.isOver && !bounder.hurried) {
    if (search.greatest <= below) stopped = "below";
    else if (probe.greatest > above) stopped = "above";
    else if (search.greatest <= (1 + near) * probe.greatest) stopped = "met";
    else if (queue.items[0]!.input === undefined) stopped = "small";
    else {
      const part = queue.pop()!;
      if (await halve(search, part, clock)) {
        options.onProgress?.(share(search.greatest, first, Math.max(below, probe.greatest)), search.boxes);
        options.onBounds?.(Math.max(0, probe.greatest), search.greatest);
        continue;
      }
      queue.push(part);
      break;
    }
    break;
  }
  const outputs = new Float64Array(zero.length);
  for (const part of queue.items)
    for (let k = 0; k < outputs.length; k++) outputs[k] = Math.max(outputs[k]!, part.outputs[k]!);
  return { upper: search.greatest, outputs, boxes: search.boxes, seconds: clock.seconds, stopped };
}

/** How far the bound has come down, on a logarithmic scale. */
const share = (now: number, first: number, enough: number): number =>
  first > now && now > 0
    ? Math.min(1, Math.log(first / now) / Math.log(first / Math.max(enough, first * 1e-6)))
    : 0;

/** Enters both halves; false when the time is over before, and then the part itself still stands. */
async function halve(
  search: Search,
  { box, input, known, outputs }: Bounded,
  clock: Clock,
): Promise<boolean> {
  const before = search.queue.items.length;
  for (const half of halves(box, input!, known, 1))
    if (!(await clock.finish(search.entering(half, outputs)))) {
      // A half that was entered lies in the part, whose bound is no less: to keep both is sound.
      return search.queue.items.length === before + 2;
    }
  return true;
}
