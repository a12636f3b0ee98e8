// The least value of a target on a box, from below and from above: the box with the least bound is halved next.

import { Clock, type SearchOptions } from "../../engine/clock.ts";
import type { Steps } from "../../engine/steps.ts";
import { Heap } from "../../numbers/heap.ts";
import type { Target } from "../linear/back-substitution.ts";
import type { BoxBounder, LowerForm } from "../linear/box-bounds.ts";
import { Evaluation } from "../linear/evaluate.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import { boundingOf, halves, inputToHalve, middle, type Part } from "./bisect.ts";

export interface Least {
  /** A sound lower bound. */
  readonly least: number;
  /** The least value seen, in floating point. */
  readonly attained: number;
  readonly boxes: number;
  readonly complete: boolean;
}

interface BoundedPart {
  readonly least: number;
  readonly box: Box;
  readonly input: number | undefined;
  readonly known: BoxBounds;
}

/** What has been seen of a target so far. */
class Search {
  readonly queue = new Heap<BoundedPart>(({ least }) => least);
  attained = Number.POSITIVE_INFINITY;
  boxes = 0;
  readonly #bounder: BoxBounder;
  readonly #evaluation: Evaluation;
  readonly #target: Target;

  constructor(bounder: BoxBounder, target: Target) {
    this.#bounder = bounder;
    this.#evaluation = new Evaluation(bounder.network);
    this.#target = target;
  }

  isNear(tolerance: number): boolean {
    const { attained } = this;
    return Number.isFinite(attained) && attained - this.queue.least <= tolerance * (1 + Math.abs(attained));
  }

  *entering(part: Part, floor: number): Steps<true> {
    return yield* this.enteringKnown(yield* boundingOf(this.#bounder, part), floor);
  }

  /** A box whose bounds were found last; `floor` is known from around it. */
  *enteringKnown(known: BoxBounds, floor: number): Steps<true> {
    const { box } = known;
    const [form] = (yield* this.#bounder.forming([this.#target], known)) as [LowerForm];
    this.boxes++;
    this.#look(middle(box));
    this.#look(box.lower.map((l, i) => (form.slopes[i]! > 0 ? l : box.upper[i]!)));
    const scores = new Float64Array(box.lower.length);
    this.#bounder.addInfluence(0, known, scores);
    const input = inputToHalve(scores, box, [form], box);
    this.queue.push({ least: Math.max(form.least, floor), box, input, known });
    return true;
  }

  /** A box of which nothing more than a bound is known. */
  enterUnseen(known: BoxBounds, least: number): void {
    this.queue.push({ least, box: known.box, input: undefined, known });
  }

  #look(x: Float64Array): void {
    this.#evaluation.at(x);
    this.attained = Math.min(this.attained, this.#evaluation.value(this.#target));
  }
}

/**
 * The least value of sign times an output. Stops when bound and attained value are within the tolerance, or time is over;
 * `known` are the bounds on all of the box, which hold if there is no time for better ones.
 */
export async function leastOnBox(
  bounder: BoxBounder,
  known: BoxBounds,
  output: number,
  sign: number,
  tolerance: number,
  options: SearchOptions,
): Promise<Least> {
  const clock = new Clock(options);
  const { network } = bounder;
  const target = { slots: [network.firstOutput + output], weights: [sign], constant: 0 };
  const search = new Search(bounder, target);
  const { queue } = search;
  const row = network.layers.at(-1)!.firstRow + output;
  const floor = sign > 0 ? known.rowLower[row]! : -known.rowUpper[row]!;
  if (!clock.isOver) bounder.relaxAll(known);
  if (clock.isOver || !(await clock.finish(search.enteringKnown(known, floor))))
    search.enterUnseen(known, floor);
  while (!search.isNear(tolerance) && !clock.isOver) {
    const part = queue.pop()!;
    if (part.input === undefined || !(await halve(search, part, clock))) {
      queue.push(part);
      break;
    }
    options.onProgress?.(0, search.boxes);
  }
  return {
    least: queue.least,
    attained: search.attained,
    boxes: search.boxes,
    complete: search.isNear(tolerance),
  };
}

/** Enters both halves of a part, for which what holds on the whole holds; false when the time is over before. */
async function halve(search: Search, { box, input, known, least }: BoundedPart, clock: Clock) {
  for (const half of halves(box, input!, known, 1))
    if (!(await clock.finish(search.entering(half, least)))) return false;
  return true;
}
