// The least value of a target on a box, from below and from above: the box with the least bound is halved next.
import type { Target } from "../linear-bounds/back-substitution.ts";
import { type Box, BoxBounder, type BoxBounds, type LowerForm } from "../linear-bounds/box-bounds.ts";
import { Evaluation } from "../linear-bounds/evaluate.ts";
import type { Network } from "../linear-bounds/network.ts";
import { boundOf, halves, inputToHalve, middle, type Part } from "./bisect.ts";
import { Clock, type SearchOptions } from "./clock.ts";

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

/** A heap of parts, least bound first. */
class Queue {
  readonly #heap: BoundedPart[] = [];

  get least(): number {
    return this.#heap[0]?.least ?? Number.POSITIVE_INFINITY;
  }

  push(part: BoundedPart): void {
    const heap = this.#heap;
    let at = heap.push(part) - 1;
    for (; at > 0 && heap[(at - 1) >> 1]!.least > part.least; at = (at - 1) >> 1)
      heap[at] = heap[(at - 1) >> 1]!;
    heap[at] = part;
  }

  pop(): BoundedPart | undefined {
    const heap = this.#heap;
    const [top, last] = [heap[0], heap.pop()];
    if (!last || heap.length === 0) return top;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.least < heap[child]!.least) child++;
      if (heap[child]!.least >= last.least) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

/** Stops when bound and attained value are within the tolerance, or time is over. */
export async function leastOnBox(
  network: Network,
  box: Box,
  target: Target,
  tolerance: number,
  options: SearchOptions,
): Promise<Least> {
  const clock = new Clock(options);
  const bounder = new BoxBounder(network);
  const evaluation = new Evaluation(network);
  const queue = new Queue();
  let [attained, boxes, floor] = [Number.POSITIVE_INFINITY, 0, Number.NEGATIVE_INFINITY];
  const look = (x: Float64Array): void => {
    evaluation.at(x);
    attained = Math.min(attained, evaluation.value(target));
  };
  const enter = (part: Part): void => {
    const known = boundOf(bounder, part);
    const [form] = bounder.lowerForms([target], known) as [LowerForm];
    boxes++;
    look(middle(part.box));
    look(part.box.lower.map((l, i) => (form.slopes[i]! > 0 ? l : part.box.upper[i]!)));
    const scores = new Float64Array(network.inputs);
    bounder.addInfluence(0, known, scores);
    const input = inputToHalve(scores, part.box, [form], part.box);
    queue.push({ least: Math.max(form.least, floor), box: part.box, input, known });
  };
  enter({ box, around: undefined, share: 1 });
  const isNear = (): boolean => attained - queue.least <= tolerance * (1 + Math.abs(attained));
  while (!isNear()) {
    const { box: whole, input, known, least } = queue.pop()!;
    floor = least; // what holds on a box holds on its halves
    if (input === undefined) {
      queue.push({ box: whole, input, known, least });
      break;
    }
    for (const half of halves(whole, input, known, 1)) enter(half);
    if (clock.isTired) await clock.rest();
    if (clock.isOver) break;
  }
  return { least: queue.least, attained, boxes, complete: isNear() };
}
