// Is there a point of a box where all targets of one of several alternatives are <= 0? Branch and bound on the inputs.

import { Clock, type SearchOptions } from "../../engine/clock.ts";
import type { Steps } from "../../engine/steps.ts";
import type { Graph } from "../../graph/graph.ts";
import { sign } from "../../numbers/exact/rational.ts";
import { createRandom } from "../../numbers/random.ts";
import { BoxBounder, type LowerForm } from "../linear/box-bounds.ts";
import { Evaluation } from "../linear/evaluate.ts";
import { exactLeast, exactWork, hasExactLines } from "../linear/exact-least.ts";
import type { Network } from "../linear/network.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import {
  type Alternative,
  attack,
  attackAnywhere,
  type Candidate,
  candidate,
  descend,
  workOfStarts,
} from "./attack.ts";
import { BatchedSearch } from "./batched/neuron-batches.ts";
import { boundingOf, halves, inputToHalve, middle, type Part, simplest } from "./bisect.ts";
import { isSplitByNeurons } from "./by-neurons.ts";
import { contracted, greatestCombination } from "./half-spaces.ts";
import { NeuronSearch } from "./neurons.ts";

/** A part of a box that is open, with the numbers of the alternatives that are not refuted there, and its share of the work. */
export interface PartLeft {
  readonly box: Box;
  readonly alternatives: readonly number[];
  readonly share: number;
}

export interface DecideOptions extends SearchOptions {
  /** Only these parts of the box, which another search left; default: all of it. */
  readonly parts?: readonly PartLeft[] | undefined;
  /** Is a point that floating point found really one? Default: yes. */
  readonly confirm?: (point: Float64Array) => boolean | Promise<boolean>;
  /** The graph that the network was read from: with it many parts are bounded at a time. */
  readonly graph?: Graph;
  /** Another search for points of a box, asked again and again; it confirms what it finds by itself. */
  readonly elsewhere?: Elsewhere;
}

/** A search for points, of the alternatives with these numbers, whose every call takes about `work` products. */
export interface Elsewhere {
  readonly work: number;
  look(box: Box, open: readonly number[], isOver: () => boolean): Promise<Candidate | undefined>;
}

/**
 * none: proved that no point satisfies any alternative. found: a point does. undecided: boxes were given up, since what
 * is left of them is too small to split or only rounding decides there.
 */
export interface Decision {
  readonly verdict: "none" | "found" | "undecided" | "timed-out";
  readonly point?: Float64Array;
  readonly boxes: number;
  /** Boxes that were given up; those of them where more than rounding was open; the greatest share of a side they have. */
  readonly givenUp: number;
  readonly narrow: number;
  readonly widest: number;
  /** Points that `confirm` refused. */
  readonly refused: number;
  /** The share of the box that was decided or given up. */
  readonly done: number;
  readonly seconds: number;
  /** When the time was over: all that is open. undefined where it cannot be told as parts of the box. */
  readonly left?: readonly PartLeft[];
}

interface OpenPart extends Part {
  /** The alternatives that are not refuted yet. */
  readonly open: readonly Alternative[];
}

/** An alternative that the bounds did not refute; its forms begin at number `first` of the last substitution. */
interface Remaining {
  readonly targets: Alternative;
  readonly first: number;
  readonly forms: readonly LowerForm[];
  readonly best: LowerForm;
}

/** Points that `confirm` refuses are on the edge; after this many only those that lie far deeper are worth its time. */
const mostRefusals = 50;
const localSteps = 4;
/** The share of the work of bounding that goes into looking for points elsewhere. */
const attackShare = 0.3;
/** Boxes below this share of the first one, in every input, are given up ... */
const leastShare = 2 ** -40;
/** ... and after each so many of them already those of four times the width, so that every search ends. */
const patience = 256;
/** A bound this many times its rounding error below 0 is at 0 as far as floating point can tell. */
const nearly = 8;
/** Products of exact arithmetic that a search may spend. */
const mostExactWork = 1e6;

class Search {
  readonly #bounder: BoxBounder;
  readonly #evaluation: Evaluation;
  readonly #stack: OpenPart[];
  readonly #whole: Box;
  readonly #all: readonly Alternative[];
  #exactWork: number;
  #attackWork = 0;
  #attacks = 0;
  #random = createRandom(1);
  /** What the first step left. */
  #elsewhereWork = 0;
  #open: { readonly alternatives: readonly Alternative[]; readonly box: Box } | undefined;
  boxes = 0;
  done = 0;
  givenUp = 0;
  narrow = 0;
  widest = 0;
  /** Somewhere a target seems to be at 0: exact arithmetic may say more than floating point. */
  touches = false;
  /** The time was over before a part was bounded. */
  isOver = false;

  constructor(
    network: Network,
    box: Box,
    alternatives: readonly Alternative[],
    parts: readonly PartLeft[] | undefined,
  ) {
    this.#bounder = new BoxBounder(network);
    this.#evaluation = new Evaluation(network);
    this.#all = alternatives;
    const whole = { box, share: 1, alternatives: [...alternatives.keys()] };
    this.#stack = (parts ?? [whole]).map((part) => ({
      ...{ box: part.box, around: undefined, share: part.share },
      open: part.alternatives.map((k) => alternatives[k]!),
    }));
    if (parts) this.#open = { alternatives, box };
    this.#whole = box;
    this.#exactWork = hasExactLines(network) ? mostExactWork : 0;
  }

  get isDone(): boolean {
    return this.#stack.length === 0;
  }

  /** What is not decided, nor given up. */
  get left(): readonly PartLeft[] {
    return this.#stack.map(({ box, open, share }) => ({
      ...{ box, share },
      alternatives: open.map((targets) => this.#all.indexOf(targets)),
    }));
  }

  /** A search for points on all of what the first step left. */
  attack(seed: number, isOver: () => boolean): Candidate | undefined {
    const [part] = this.#stack;
    if (!part?.around) return undefined;
    const { box } = part.around;
    this.#random = createRandom(seed);
    this.#open = { alternatives: part.open, box };
    return attack(this.#evaluation, part.open, box, this.#random, isOver);
  }

  /** One more search for points, while these have taken no more than their share of the work; of two kinds in turn. */
  attackAgain(isOver: () => boolean): Candidate | undefined {
    const { network, substitution } = this.#bounder;
    const work = workOfStarts * exactWork(network);
    if (!this.#open || this.#attackWork + work > attackShare * substitution.work) return undefined;
    this.#attackWork += work;
    const { alternatives, box } = this.#open;
    const search = this.#attacks++ % 2 ? attack : attackAnywhere;
    return search(this.#evaluation, alternatives, box, this.#random, isOver);
  }

  /** A search by units for what the first step left; undefined where units do not bend, or inputs are better. */
  byNeurons(graph: Graph | undefined): NeuronSearch | BatchedSearch | undefined {
    const part = this.#stack[0];
    if (!part?.around || !isSplitByNeurons(this.#bounder.network)) return undefined;
    const given = [this.#bounder, part.around, part.open, 1 - this.done] as const;
    const batched = graph && BatchedSearch.of(graph, ...given);
    if (batched) return batched;
    const search = new NeuronSearch(...given);
    return search.hasBends ? search : undefined;
  }

  /** The same by another search. */
  async elsewhere(
    other: Elsewhere | undefined,
    all: readonly Alternative[],
    isOver: () => boolean,
  ): Promise<Candidate | undefined> {
    const { work } = this.#bounder.substitution;
    if (!other || !this.#open || this.#elsewhereWork + other.work > attackShare * work) return undefined;
    this.#elsewhereWork += other.work;
    const { alternatives, box } = this.#open;
    return other.look(
      box,
      alternatives.map((open) => all.indexOf(open)),
      isOver,
    );
  }

  /** Looks at one box: it is refuted, gives a point to confirm, or is split (or given up). */
  async step(clock: Clock): Promise<Candidate | undefined> {
    const part = this.#stack.pop()!;
    const looked = await clock.finish(this.#looking(part));
    if (!looked) {
      this.isOver = true;
      this.#stack.push(part);
      return undefined;
    }
    this.boxes++;
    const { known, left } = looked;
    const [only] = left;
    // The best combination first: it takes off most. With several alternatives left each would have its own box.
    const shapes = left.length === 1 ? [only!.best, ...only!.forms] : [];
    const box = shapes.reduce<Box | undefined>((inner, form) => inner && contracted(form, inner), part.box);
    if (left.length === 0 || !box) {
      this.done += part.share;
      return undefined;
    }
    const isSplit = this.#split(part, box, known, left);
    const { targets } = left.reduce((p, q) => (q.best.least < p.best.least ? q : p));
    const found = descend(this.#evaluation, targets, box, middle(box), localSteps);
    if (found || isSplit) return found;
    const point = box.lower.map((l, i) => simplest(l, box.upper[i]!));
    return candidate(this.#evaluation, targets, point);
  }

  /** Bounds on a part, and the alternatives that they do not refute. */
  *#looking(part: OpenPart): Steps<{ known: BoxBounds; left: readonly Remaining[] }> {
    const { open, box } = part;
    const known = yield* boundingOf(this.#bounder, part);
    const all = yield* this.#bounder.forming(open.flat(), known);
    let first = 0;
    const left = open.flatMap((targets) => {
      const forms = all.slice(first, first + targets.length);
      const best = greatestCombination(forms, box);
      first += targets.length;
      const isRefuted = best.least > 0 || (this.touches && this.#isRefutedExactly(targets, box));
      return isRefuted ? [] : [{ targets, first: first - targets.length, forms, best }];
    });
    return { known, left };
  }

  /** Is one of the targets above 0, or at 0 where it should be below, on the box whose lines are there? */
  #isRefutedExactly(targets: Alternative, box: Box): boolean {
    const { network, lines } = this.#bounder;
    const work = 2 * targets.length * exactWork(network);
    if (work > this.#exactWork) return false;
    this.#exactWork -= work;
    return targets.some((target) =>
      (["stored", "level"] as const).some((free) => {
        const least = exactLeast(network, lines, target, box, free);
        return least !== undefined && sign(least) > (target.strict ? -1 : 0);
      }),
    );
  }

  /** Both halves of a part, to be looked at; false if it is given up. */
  #split(part: OpenPart, box: Box, known: BoxBounds, left: readonly Remaining[]): boolean {
    const scores = new Float64Array(box.lower.length);
    let isStraight = true;
    for (const { first, forms, best } of left)
      forms.forEach(({ rounding }, k) => {
        const gap = this.#bounder.addInfluence(first + k, known, scores);
        isStraight &&= gap <= rounding && best.least >= -nearly * best.rounding;
      });
    const forms = left.flatMap((remaining) => remaining.forms);
    const share = Math.min(1, leastShare * 4 ** Math.floor(this.givenUp / patience));
    const { lower, upper } = this.#whole;
    const input = inputToHalve(scores, known.box, forms, box, (i) => share * (upper[i]! - lower[i]!));
    // Where nothing bends the forms are the functions, up to rounding: halves would be no better.
    const open = left.map(({ targets }) => targets);
    if (input === undefined || (isStraight && forms.length > 0)) {
      if (isMuchSmaller(box, part.box)) this.#stack.push({ box, around: known, share: part.share, open });
      else this.#giveUp(part, left);
      return false;
    }
    const [low, high] = halves(box, input, known, part.share);
    // The half where the forms are lower is more likely to hold a point: it is looked at first.
    const slope = forms.reduce((sum, { slopes }) => sum + slopes[input]!, 0);
    for (const half of slope > 0 ? [high, low] : [low, high]) this.#stack.push({ ...half, open });
    return true;
  }

  #giveUp(part: OpenPart, left: readonly Remaining[]): void {
    const isFirst = !this.touches;
    this.touches = true;
    this.done += part.share;
    const isRefuted = isFirst && left.every(({ targets }) => this.#isRefutedExactly(targets, part.box));
    if (isRefuted) return;
    this.givenUp++;
    if (left.every(({ best }) => best.least >= -nearly * best.rounding)) return;
    this.narrow++;
    const { lower, upper } = this.#whole;
    part.box.lower.forEach((l, i) => {
      const width = upper[i]! - lower[i]!;
      if (width > 0) this.widest = Math.max(this.widest, (part.box.upper[i]! - l) / width);
    });
  }
}

/** Is a side less than half of what it was? Then bounds on the smaller box say more. */
const isMuchSmaller = (box: Box, than: Box): boolean =>
  box.lower.some((l, i) => 2 * (box.upper[i]! - l) < than.upper[i]! - than.lower[i]!);

/** Decides by branch and bound; gives up when the time is over. */
export async function decide(
  network: Network,
  box: Box,
  alternatives: readonly Alternative[],
  options: DecideOptions = {},
): Promise<Decision> {
  const { confirm = () => true, onProgress, seed = 1 } = options;
  const clock = new Clock(options);
  const search = new Search(network, box, alternatives, options.parts);
  let [refused, deepest] = [0, 0];
  let isByBoxes = true;
  const isPoint = async (point: Candidate | undefined): Promise<boolean> => {
    if (!point || (refused >= mostRefusals && !(point.value < 2 * deepest))) return false;
    if (await confirm(point.x)) return true;
    refused++;
    deepest = Math.min(deepest, point.value);
    search.touches = true;
    return false;
  };
  const end = (verdict: Decision["verdict"], point?: Float64Array): Decision => ({
    verdict,
    ...(point ? { point } : {}),
    boxes: search.boxes,
    givenUp: search.givenUp,
    narrow: search.narrow,
    widest: search.widest,
    done: Math.min(1, search.done),
    refused,
    seconds: clock.seconds,
    ...(verdict === "timed-out" && isByBoxes && { left: search.left }),
  });
  /** The search by units; undefined when it could not tell. */
  const decidedByNeurons = async (neurons: NeuronSearch | BatchedSearch): Promise<Decision | undefined> => {
    const before = [search.boxes, search.done] as const;
    while (!neurons.isDone && !neurons.isStuck) {
      const looked = await neurons.step(clock);
      if (!looked) return end("timed-out");
      search.boxes = before[0] + neurons.boxes;
      search.done = before[1] + neurons.done;
      for (const point of looked.points) if (await isPoint(point)) return end("found", point.x);
      const other = search.attackAgain(() => clock.isOver);
      if (await isPoint(other)) return end("found", other!.x);
      const another = await search.elsewhere(options.elsewhere, alternatives, () => clock.isOver);
      if (another) return end("found", another.x);
      onProgress?.(Math.min(1, search.done), search.boxes);
      if (!clock.isTired) continue;
      await clock.rest();
      if (clock.isOver) return end("timed-out");
    }
    search.done = before[1];
    return neurons.isStuck ? undefined : end("none");
  };
  let isFirst = true;
  while (!search.isDone) {
    if (search.boxes > 0 && isFirst) {
      isFirst = false;
      const neurons = search.byNeurons(options.graph);
      isByBoxes = neurons === undefined;
      const decided = neurons && (await decidedByNeurons(neurons));
      if (decided) return decided;
      isByBoxes = true;
    }
    const points = [await search.step(clock)];
    if (search.isOver) return end("timed-out");
    if (search.boxes === 1) points.push(search.attack(seed, () => clock.isOver));
    else points.push(search.attackAgain(() => clock.isOver));
    for (const point of points) if (await isPoint(point)) return end("found", point!.x);
    const another = await search.elsewhere(options.elsewhere, alternatives, () => clock.isOver);
    if (another) return end("found", another.x);
    if (!clock.isTired) continue;
    onProgress?.(search.done, search.boxes);
    await clock.rest();
    if (clock.isOver) return end("timed-out");
  }
  return end(search.givenUp > 0 ? "undecided" : "none");
}
