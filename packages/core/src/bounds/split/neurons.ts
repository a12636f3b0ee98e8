// Branch and bound on the units of a network: a unit is held on one side of its bend, then on the other. The bounds of the
// rows stay those of the whole box, so that a part costs a few substitutions; inputs are halved where no unit is left.
import { Heap } from "../../numbers/heap.ts";
import type { BoxBounder } from "../linear/box-bounds.ts";
import { Evaluation } from "../linear/evaluate.ts";
import type { Box, BoxBounds } from "../linear/row-bounds.ts";
import { type Alternative, type Candidate, candidate, descend } from "./attack.ts";
import { middle } from "./bisect.ts";
import { type Bounded, type Dual, type Held, NeuronBounder } from "./neuron-bounds.ts";

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
  boxes = 0;
  done = 0;
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
  }

  /** Is there any unit to hold? */
  get hasBends(): boolean {
    return this.#bounder.bends.length > 0;
  }

  get isDone(): boolean {
    return this.#toBegin.length === 0 && this.#queue.items.length === 0 && this.#waiting.length === 0;
  }

  /** Looks at one part: it is refuted or split; gives a point that seems to satisfy its alternative. */
  step(): Candidate | undefined {
    this.boxes++;
    const next = this.#toBegin.shift();
    if (next !== undefined) return this.#begin(next);
    const part = this.#waiting.pop() ?? this.#queue.pop()!;
    const targets = this.#alternatives[part.alternative]!;
    const found = this.#look(part, targets);
    this.#split(part, targets);
    return found;
  }

  #begin(alternative: number): Candidate | undefined {
    const targets = this.#alternatives[alternative]!;
    const start = this.#bounder.start(targets);
    const bounded = this.#bounder.bounded(targets, this.#box, [], start, stepsOfWhole);
    this.#starts[alternative] = bounded.dual;
    const part = { alternative, box: this.#box, held: [], halvings: 0, bounded, share: this.#share };
    this.#enter(part);
    return bounded.least > 0 ? undefined : this.#look(part, targets);
  }

  #enter(part: Part): void {
    if (part.bounded.least > 0) this.done += part.share;
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

  #split(part: Part, targets: Alternative): void {
    const { held, box, bounded, alternative, halvings } = part;
    const share = part.share / 2;
    const bend = this.#bendToHold(part, targets);
    if (bend !== undefined) {
      for (const side of [1, -1] as const) {
        const own: readonly Held[] = [...held, { bend, side }];
        const inner = this.#bounder.bounded(targets, box, own, bounded.dual, stepsOfPart);
        this.#enter({ alternative, box, held: own, halvings, bounded: inner, share });
      }
      return;
    }
    // Nothing bends any more: only the multipliers can be better, or the box smaller.
    const leaf = this.#bounder.bounded(targets, box, held, bounded.dual, stepsOfLeaf);
    if (leaf.least > 0) this.done += part.share;
    else this.#halve({ ...part, bounded: leaf }, targets);
  }

  #halve(part: Part, targets: Alternative): void {
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
      const inner = this.#bounder.bounded(targets, half, held, bounded.dual, stepsOfPart);
      const share = part.share / 2;
      this.#enter({ alternative, box: half, held, halvings: halvings + 1, bounded: inner, share });
    }
  }

  /** Of the bends that seem to matter most, the one with the greatest bound on its worse side. */
  #bendToHold({ bounded, box, held }: Part, targets: Alternative): number | undefined {
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
      const [one, other] = ([1, -1] as const).map(
        (side) => this.#bounder.bounded(targets, box, [...held, { bend, side }], bounded.dual, 0).least,
      );
      const value = Math.min(one!, other!, 0) + 0.1 * Math.min(0, Math.max(one!, other!));
      if (value > greatest) [taken, greatest] = [bend, value];
    }
    return taken;
  }
}

/** The widest input that has a double between its bounds. */
function widest({ lower, upper }: Box): number | undefined {
  let [input, greatest]: [number | undefined, number] = [undefined, 0];
  for (let i = 0; i < lower.length; i++) {
    const width = upper[i]! - lower[i]!;
    const at = lower[i]! + width / 2;
    if (width > greatest && at > lower[i]! && at < upper[i]!) [input, greatest] = [i, width];
  }
  return input;
}
