// Branch and bound on the units of a network: a unit is held on one side of its bend, then on the other. The bounds of the
// rows stay those of the whole box, so that a part costs a few substitutions; inputs are halved where no unit is left.
import type { Clock } from "../../engine/clock.ts";
import type { Steps } from "../../engine/steps.ts";
import { Heap } from "../../numbers/heap.ts";
import type { BoxBounder } from "../linear/box-bounds.ts";
import { Evaluation } from "../linear/evaluate.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import { type Alternative, type Candidate, candidate, descend } from "./attack.ts";
import { middle, widest } from "./bisect.ts";
import type { Held } from "./held.ts";
import { type Bounded, type Dual, NeuronBounder } from "./neuron-bounds.ts";

/** Steps of ascent on the whole box, on a part, and on one where nothing is left to hold. */
const [stepsOfWhole, stepsOfPart, stepsOfLeaf] = [40, 8, 60];
/** Units that are tried on both sides before one is taken. */
const tried = 3;
/** Every so many parts a descent begins where the bound is least. */
const descentEvery = 4;
const stepsOfDescent = 12;
/** Waiting parts whose slopes and multipliers are kept; of more, those of the whole box serve as a beginning. */
const mostKept = 20_000;
/** Halvings of inputs below which a part is given up. */
const mostHalvings = 20;
/** A bound this many times its rounding error below 0 is at 0 as far as floating point can tell. */
const nearly = 8;

/** After so many parts the bounds of the rows that matter most are made better, and what is open begins anew. */
const tightenAfter = [400, 3000];
const stepsOfRow = 5;
/** Products, about, that all of these rows may take. */
const workOfTightening = 6e9;
const mostTightened = 2000;

interface Part {
  readonly alternative: number;
  readonly box: Box;
  readonly held: readonly Held[];
  readonly halvings: number;
  readonly bounded: Bounded;
  /** Of the whole. */
  readonly share: number;
}

/** Alternatives that the bounds on a box left open, each with its own tree of parts. */
export class NeuronSearch {
  readonly #bounder: NeuronBounder;
  readonly #evaluation: Evaluation;
  readonly #alternatives: readonly Alternative[];
  readonly #queue = new Heap<Part>(({ bounded }) => bounded.least);
  readonly #waiting: Part[] = [];
  readonly #starts: Dual[];
  #toBegin: number[];
  readonly #box: Box;
  readonly #share: number;
  /** Of each alternative, the share of the whole that is decided. */
  readonly #done: Float64Array;
  /** Of each bend, what parts so far could have gained by holding it. */
  readonly #gains: Float64Array;
  #tightened = 0;
  #toTighten: number[] = [];
  #work = 0;
  boxes = 0;
  /** A part would be given up: what is left has to be decided otherwise. */
  isStuck = false;

  constructor(bounder: BoxBounder, known: BoxBounds, alternatives: readonly Alternative[], share: number) {
    this.#bounder = new NeuronBounder(bounder, known);
    this.#evaluation = new Evaluation(bounder.network);
    this.#alternatives = alternatives;
    this.#box = known.box;
    this.#share = share / alternatives.length;
    this.#toBegin = alternatives.map((_, k) => k);
    this.#starts = [];
    this.#done = new Float64Array(alternatives.length);
    this.#gains = new Float64Array(this.#bounder.bends.length);
  }

  /** Is there any unit to hold? */
  get hasBends(): boolean {
    return this.#bounder.bends.length > 0;
  }

  get done(): number {
    return this.#done.reduce((sum, share) => sum + share, 0);
  }

  get isDone(): boolean {
    return this.#toBegin.length === 0 && this.#queue.items.length === 0 && this.#waiting.length === 0;
  }

  /** Looks at one part: it is refuted or split; gives points that seem to satisfy its alternative. undefined: no time. */
  async step(clock: Clock): Promise<{ readonly points: readonly Candidate[] } | undefined> {
    const found = await clock.finish(this.#stepping());
    return found && { points: found.point ? [found.point] : [] };
  }

  *#stepping(): Steps<{ readonly point: Candidate | undefined }> {
    const row = this.#toTighten.shift();
    if (row !== undefined) {
      yield* this.#tightening(row);
      return { point: undefined };
    }
    this.boxes++;
    if (this.boxes === tightenAfter[this.#tightened]) {
      this.#chooseRows();
      return { point: undefined };
    }
    const next = this.#toBegin.shift();
    if (next !== undefined) return { point: yield* this.#beginning(next) };
    const part = this.#waiting.pop() ?? this.#queue.pop()!;
    const targets = this.#alternatives[part.alternative]!;
    const point = this.#look(part, targets);
    yield* this.#splitting(part, targets);
    return { point };
  }

  *#beginning(alternative: number): Steps<Candidate | undefined> {
    const targets = this.#alternatives[alternative]!;
    const start = this.#bounder.start(targets);
    const bounded = yield* this.#bounder.bounding(targets, this.#box, [], start, stepsOfWhole);
    this.#starts[alternative] = bounded.dual;
    const part = { alternative, box: this.#box, held: [], halvings: 0, bounded, share: this.#share };
    this.#enter(part);
    return bounded.least > 0 ? undefined : this.#look(part, targets);
  }

  /** The rows with the greatest gains first, then in the network's order: bounds of a layer rest on those before it. */
  #chooseRows(): void {
    this.#tightened++;
    this.#work = 0;
    const { bends } = this.#bounder;
    this.#toTighten = [...bends.keys()]
      .filter((k) => this.#gains[k]! > 0)
      .sort((p, q) => this.#gains[q]! - this.#gains[p]!)
      .slice(0, mostTightened)
      .sort((p, q) => bends[p]!.row - bends[q]!.row);
  }

  /** One row; after the last one the alternatives that are open begin anew, with the better bounds. */
  *#tightening(row: number): Steps<void> {
    this.#work += yield* this.#bounder.tightening(row, stepsOfRow);
    if (this.#work > workOfTightening) this.#toTighten = [];
    if (this.#toTighten.length > 0) return;
    const open = new Set([...this.#queue.items, ...this.#waiting].map(({ alternative }) => alternative));
    while (this.#queue.pop());
    this.#waiting.length = 0;
    for (const alternative of open) {
      this.#done[alternative] = 0;
      this.#toBegin.push(alternative);
    }
  }

  #enter(part: Part): void {
    if (part.bounded.least > 0) this.#done[part.alternative]! += part.share;
    else if (this.#queue.items.length < mostKept) this.#queue.push(part);
    else {
      const dual = this.#starts[part.alternative]!;
      this.#waiting.push({ ...part, bounded: { ...part.bounded, dual } });
    }
  }

  #look({ bounded, box }: Part, targets: Alternative): Candidate | undefined {
    const from = bounded.point;
    if (this.boxes % descentEvery === 1) return descend(this.#evaluation, targets, box, from, stepsOfDescent);
    const point = candidate(this.#evaluation, targets, from);
    return point.value <= 0 ? point : undefined;
  }

  *#splitting(part: Part, targets: Alternative): Steps<void> {
    part.bounded.scores.forEach((score, k) => {
      this.#gains[k]! += score;
    });
    const { held, box, bounded, alternative, halvings } = part;
    const share = part.share / 2;
    const bend = yield* this.#choosing(part, targets);
    if (bend !== undefined) {
      for (const side of [1, -1] as const) {
        const own: readonly Held[] = [...held, { bend, side }];
        const inner = yield* this.#bounder.bounding(targets, box, own, bounded.dual, stepsOfPart);
        this.#enter({ alternative, box, held: own, halvings, bounded: inner, share });
      }
      return;
    }
    // Nothing bends any more: only the multipliers can be better, or the box smaller.
    const leaf = yield* this.#bounder.bounding(targets, box, held, bounded.dual, stepsOfLeaf);
    if (leaf.least > 0) this.#done[part.alternative]! += part.share;
    else yield* this.#halving({ ...part, bounded: leaf }, targets);
  }

  *#halving(part: Part, targets: Alternative): Steps<void> {
    const { box, held, alternative, halvings, bounded } = part;
    const input = widest(box);
    if (halvings >= mostHalvings || input === undefined || bounded.least >= -nearly * bounded.rounding) {
      this.isStuck = true;
      return;
    }
    const at = middle(box)[input]!;
    for (const isLow of [true, false]) {
      const [lower, upper] = [box.lower.slice(), box.upper.slice()];
      (isLow ? upper : lower)[input] = at;
      const half = { lower, upper };
      const inner = yield* this.#bounder.bounding(targets, half, held, bounded.dual, stepsOfPart);
      const share = part.share / 2;
      this.#enter({ alternative, box: half, held, halvings: halvings + 1, bounded: inner, share });
    }
  }

  /** Of the bends that seem to matter most, the one with the greatest bound on its worse side. */
  *#choosing({ bounded, box, held }: Part, targets: Alternative): Steps<number | undefined> {
    const best: number[] = [];
    bounded.scores.forEach((score, k) => {
      if (!(score > 0)) return;
      let at = best.length;
      while (at > 0 && score > bounded.scores[best[at - 1]!]!) at--;
      if (at < tried) best.splice(at, 0, k);
      if (best.length > tried) best.pop();
    });
    if (best.length < 2) return best[0];
    let [taken, greatest] = [best[0]!, Number.NEGATIVE_INFINITY];
    for (const bend of best) {
      const sides: number[] = [];
      for (const side of [1, -1] as const) {
        const tried = [...held, { bend, side }];
        const found = yield* this.#bounder.bounding(targets, box, tried, bounded.dual, 0);
        sides.push(found.least);
        yield;
      }
      const [one, other] = sides;
      const value = Math.min(one!, other!, 0) + 0.1 * Math.min(0, Math.max(one!, other!));
      if (value > greatest) [taken, greatest] = [bend, value];
    }
    return taken;
  }
}
