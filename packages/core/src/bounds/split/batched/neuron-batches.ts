// Branch and bound on the units of a network, many parts at a time: ONNX Runtime finds slopes and multipliers, and a part is
// refuted only when `NeuronBounder`, which rounds outward, finds its bound above 0 with these.
import type { Clock } from "../../../engine/clock.ts";
import type { Graph } from "../../../graph/graph.ts";
import { Heap } from "../../../numbers/heap.ts";
import type { BoxBounder } from "../../linear/box-bounds.ts";
import { Evaluation } from "../../linear/evaluate.ts";
import type { Box, BoxBounds } from "../../linear/row-bounds.ts";
import { type Alternative, type Candidate, candidate, descend } from "../attack.ts";
import { middle, widest } from "../bisect.ts";
import type { Held } from "../held.ts";
import { NeuronBounder } from "../neuron-bounds.ts";
import { type BentRows, DualBatch, type DualResult, type DualTask } from "./dual-batch.ts";
import { placesOf, slopesOf, tightenRows, tightenWithin } from "./tightening.ts";

/** Steps of ascent on the whole box, for rows, on parts, and on those where nothing is left to hold. */
const [stepsOfWhole, stepsOfRow, stepsOfPart, stepsOfLeaf] = [30, 20, 10, 60];
/** Units that are tried on both sides before one is taken. */
const tried = 3;
/** Rows that get better bounds for an alternative, and for a part; parts get them after so many units more are held. */
const [rowsOfAlternative, rowsOfPart, holdsOfKnowledge] = [512, 64, 5] as const;
const stepsWithin = 10;
/**
 * Of each row the worst part is split so many times, pass after pass over all rows while the worst alternative gains this
 * share; with fewer layers of bends, where looseness does not add up, there is one pass.
 */
const [splitsOfRow, leastGain, leastDepth] = [[0, 6, 8, 16, 32], 0.1, 4] as const;
/** Rounds for an alternative, while each takes this share of what is missing. */
const [mostRounds, leastShare] = [4, 0.1] as const;
const stepsOfDescent = 12;
/** Parts of a step whose least points are looked at. */
const looked = 4;
/** Numbers of waiting parts that are kept; of more, the slopes and multipliers of the whole box serve as a beginning. */
const mostKept = 2 ** 27;
/** Halvings of inputs below which a part is given up. */
const mostHalvings = 20;

/** What is known of the rows in a tree of parts. */
interface Knowledge {
  readonly neurons: NeuronBounder;
  readonly rows: BentRows;
  /** Units that were held when it was found. */
  readonly depth: number;
}

interface Part {
  readonly alternative: number;
  readonly known: Knowledge;
  readonly box: Box;
  readonly held: readonly Held[];
  readonly halvings: number;
  /** What the ascent has found, about; the bound that counts is above 0 for none of these. */
  readonly bound: number;
  /** Of each bend: its slope, or the multiplier of one that is held. */
  readonly dual: Float32Array;
  /** The bends that seem to matter most, the first first. */
  readonly best: readonly number[];
  readonly point: Float64Array;
  /** Of the whole. */
  readonly share: number;
}

type NewPart = Omit<Part, "bound" | "best" | "point">;

/** Alternatives that the bounds on a box left open, each with its own tree of parts. */
export class BatchedSearch {
  readonly #batch: DualBatch;
  readonly #known: Knowledge;
  readonly #evaluation: Evaluation;
  readonly #alternatives: readonly Alternative[];
  readonly #places: Int32Array;
  readonly #queue = new Heap<Part>(({ bound }) => bound);
  readonly #seeds: { readonly seed: Float64Array; readonly shift: number; readonly shares: Float64Array }[];
  readonly #starts: Float32Array[] = [];
  readonly #box: Box;
  readonly #share: number;
  #stage: "whole" | "rows" | "alternatives" | "parts" = "whole";
  #rounds = 0;
  #passes = 0;
  boxes = 0;
  done = 0;
  /** A part would be given up: what is left has to be decided otherwise. */
  isStuck = false;

  private constructor(
    batch: DualBatch,
    neurons: NeuronBounder,
    evaluation: Evaluation,
    known: BoxBounds,
    alternatives: readonly Alternative[],
    share: number,
  ) {
    this.#batch = batch;
    this.#evaluation = evaluation;
    this.#alternatives = alternatives;
    this.#box = known.box;
    this.#share = share / alternatives.length;
    this.#places = placesOf(batch, neurons);
    this.#known = { neurons, rows: rowsOf(batch, evaluation.network, known), depth: 0 };
    this.#seeds = alternatives.map((targets) => seedOf(targets, neurons, known.box, evaluation.network));
  }

  /** undefined where the network cannot be run for many parts at a time, or targets read its inputs. */
  static of(
    graph: Graph,
    bounder: BoxBounder,
    known: BoxBounds,
    alternatives: readonly Alternative[],
    share: number,
  ): BatchedSearch | undefined {
    const { network } = bounder;
    const readsInputs = alternatives
      .flat()
      .some(({ slots }) => Array.from(slots).some((slot) => slot < network.firstOutput));
    const batch = readsInputs ? undefined : DualBatch.of(graph, network);
    if (!batch) return undefined;
    const neurons = new NeuronBounder(bounder, known);
    if (neurons.bends.length === 0) return undefined;
    return new BatchedSearch(batch, neurons, new Evaluation(network), known, alternatives, share);
  }

  get isDone(): boolean {
    return this.#stage === "parts" && this.#queue.items.length === 0;
  }

  /** Looks at many parts: each is refuted or split; gives points that seem to satisfy their alternatives. */
  async step(clock: Clock): Promise<{ readonly points: readonly Candidate[] } | undefined> {
    if (this.#stage === "whole") await this.#beginning(clock);
    else if (this.#stage === "rows") await this.#tightening(clock);
    else if (this.#stage === "alternatives") await this.#learning(clock);
    else return this.#splitting(clock);
    return clock.isOver ? undefined : { points: this.#pointsOf(this.#queue.items) };
  }

  async #beginning(clock: Clock): Promise<void> {
    const whole = this.#alternatives.map((targets, alternative): NewPart => {
      const { neurons } = this.#known;
      const dual = neurons.start(targets).slopes;
      return {
        ...{ alternative, known: this.#known, box: this.#box, held: [], halvings: 0 },
        ...{ dual, share: this.#share },
      };
    });
    await this.#enter(whole, stepsOfWhole, clock);
    this.#stage = this.#queue.items.length > 0 ? "rows" : "parts";
  }

  /** Better bounds of all rows; what is open begins anew with these. */
  async #tightening(clock: Clock): Promise<void> {
    const slopes = new Float32Array(this.#batch.units);
    const open = [...this.#queue.items];
    this.#places.forEach((place, k) => {
      slopes[place] = open[0]!.dual[k]!;
    });
    await tightenRows(
      this.#batch,
      this.#known.neurons,
      this.#places,
      this.#known.rows,
      this.#box,
      slopes,
      stepsOfRow,
      splitsOfRow[this.#passes]!,
      clock,
    );
    if (clock.isOver) return;
    while (this.#queue.pop());
    await this.#enter(open, stepsOfWhole, clock);
    const before = open.reduce((least, { bound }) => Math.min(least, bound), 0);
    const gained = this.#queue.least > (1 - leastGain) * before;
    const isDeep = this.#batch.layers.length >= leastDepth;
    this.#passes++;
    if (!isDeep || (this.#passes > 1 && !gained) || this.#passes === splitsOfRow.length)
      this.#stage = "alternatives";
    if (this.#queue.items.length === 0) this.#stage = "parts";
  }

  /** What else holds of the rows where an alternative's targets are <= 0, for each that is open, in rounds while it pays. */
  async #learning(clock: Clock): Promise<void> {
    const open = [...this.#queue.items];
    while (this.#queue.pop());
    let isWorthwhile = false;
    for (const [k, part] of open.entries()) {
      // Where the targets say nothing of the rows for the first, they hardly do for the others.
      if (k > 0 && !isWorthwhile) {
        for (const other of open.slice(k)) this.#queue.push(other);
        break;
      }
      const found = await this.#learned(part, rowsOfAlternative, clock);
      if (clock.isOver) return;
      if (!found) {
        isWorthwhile = true;
        continue;
      }
      const before = this.#queue.items.length;
      await this.#enter([found], stepsOfWhole, clock);
      if (clock.isOver) return;
      const after = this.#queue.items.length > before ? this.#queue.items : [];
      const own = after.find(({ alternative }) => alternative === part.alternative);
      isWorthwhile ||= own !== undefined && own.bound > (1 - leastShare) * part.bound;
    }
    for (const { alternative, dual } of this.#queue.items) this.#starts[alternative] = dual;
    if (++this.#rounds >= mostRounds || !isWorthwhile) this.#stage = "parts";
  }

  /** A part with better bounds of rows; undefined where these refute it. */
  async #learned(part: Part, most: number, clock: Clock): Promise<NewPart | undefined> {
    const { known, alternative, box, held, dual, bound } = part;
    const neurons = known.neurons.copy();
    const rows = { lower: known.rows.lower.slice(), upper: known.rows.upper.slice() };
    const within = {
      ...{ targets: this.#alternatives[alternative]!, ...this.#seeds[alternative]! },
      ...{ box, held, dual, bound },
    };
    const bends = part.best.slice(0, most);
    const given = [this.#batch, neurons, this.#places, rows, bends, within] as const;
    if (!(await tightenWithin(...given, stepsWithin, clock))) {
      this.done += part.share;
      return undefined;
    }
    return { ...part, known: { neurons, rows, depth: held.length } };
  }

  async #splitting(clock: Clock): Promise<{ readonly points: readonly Candidate[] } | undefined> {
    const parts: Part[] = [];
    for (let n = 0; n < this.#batch.count >> 1; n++) {
      const part = this.#queue.pop();
      if (!part) break;
      parts.push(part);
    }
    const points = this.#pointsOf(parts);
    const stale = parts.filter(({ held, known }) => held.length >= known.depth + holdsOfKnowledge);
    if (stale.length > 0) {
      const renewed: NewPart[] = [];
      for (const part of stale) {
        const found = await this.#learned(part, rowsOfPart, clock);
        if (clock.isOver) return undefined;
        if (found) renewed.push(found);
      }
      for (const part of parts) if (!stale.includes(part)) this.#queue.push(part);
      await this.#enter(renewed, stepsOfPart, clock);
      return clock.isOver ? undefined : { points };
    }
    const bends = await this.#choices(parts, clock);
    if (clock.isOver) return undefined;
    const children = parts.flatMap((part, p) => {
      const bend = bends[p];
      if (bend === undefined) return this.#halvesOf(part);
      const { alternative, known, box, held, halvings, share } = part;
      return ([1, -1] as const).map((side): NewPart => {
        const dual = part.dual.slice();
        dual[bend] = 0;
        return {
          ...{ alternative, known, box, held: [...held, { bend, side }], halvings },
          ...{ dual, share: share / 2 },
        };
      });
    });
    if (this.isStuck) return { points };
    await this.#enter(children, stepsOfPart, clock);
    return clock.isOver ? undefined : { points };
  }

  /** Where nothing is left to hold only the multipliers can be better, or the box smaller. */
  #halvesOf(part: Part): NewPart[] {
    const { alternative, known, box, held, halvings, dual, share } = part;
    const targets = this.#alternatives[alternative]!;
    const { shares } = this.#seeds[alternative]!;
    const from = { slopes: dual, multipliers: Float32Array.from(held, ({ bend }) => dual[bend]!), shares };
    const leaf = known.neurons.bounded(targets, box, held, from, stepsOfLeaf);
    if (leaf.least > 0) {
      this.done += share;
      return [];
    }
    const input = widest(box);
    if (halvings >= mostHalvings || input === undefined) {
      this.isStuck = true;
      return [];
    }
    const at = middle(box)[input]!;
    return [true, false].map((isLow) => {
      const [lower, upper] = [box.lower.slice(), box.upper.slice()];
      (isLow ? upper : lower)[input] = at;
      return {
        ...{ alternative, known, box: { lower, upper }, held },
        ...{ halvings: halvings + 1, dual, share: share / 2 },
      };
    });
  }

  /** Bounds of parts; those that are not refuted wait. */
  async #enter(parts: readonly NewPart[], steps: number, clock: Clock): Promise<void> {
    for (let from = 0; from < parts.length; from += this.#batch.count) {
      const chunk = parts.slice(from, from + this.#batch.count);
      const tasks = chunk.map((part) => this.#task(part));
      const found = await this.#batch.ascend(tasks, steps, "outputs", () => clock.isOver);
      for (const [k, part] of chunk.entries()) {
        this.boxes++;
        this.#place(part, found[k]!);
        if (!clock.isTired) continue;
        await clock.rest();
        if (clock.isOver) return;
      }
    }
  }

  #place(part: NewPart, { bound, dual: found, scores, point }: DualResult): void {
    const dual = slopesOf(this.#places, found);
    if (bound > 0 && this.#isRefuted(part, dual)) {
      this.done += part.share;
      return;
    }
    const isFull = this.#queue.items.length * dual.length > mostKept;
    const score = (k: number): number => scores[this.#places[k]!]!;
    const best = [...this.#places.keys()].filter((k) => score(k) > 0).sort((p, q) => score(q) - score(p));
    best.length = Math.min(best.length, part.held.length > 0 ? rowsOfPart : rowsOfAlternative);
    const start = this.#starts[part.alternative];
    this.#queue.push({
      ...part,
      ...{ best, point, bound: Math.min(bound, 0) },
      dual: isFull && start ? start : dual,
    });
  }

  /** The bound that counts: rounded outward, with the slopes and multipliers that were found. */
  #isRefuted({ alternative, known, box, held }: NewPart, dual: Float32Array): boolean {
    const multipliers = Float32Array.from(held, ({ bend }) => dual[bend]!);
    const { shares } = this.#seeds[alternative]!;
    const from = { slopes: dual, multipliers, shares };
    return known.neurons.bounded(this.#alternatives[alternative]!, box, held, from, 0).least > 0;
  }

  #task({ alternative, known: { rows }, box, held, dual: own }: NewPart): DualTask {
    const { seed, shift } = this.#seeds[alternative]!;
    const side = new Float32Array(this.#batch.units);
    const dual = new Float32Array(this.#batch.units);
    for (let k = 0; k < own.length; k++) dual[this.#places[k]!] = own[k]!;
    for (const { bend, side: way } of held) side[this.#places[bend]!] = way;
    return { seed, shift, box, rows, side, dual };
  }

  /** Of each part the bend, among those that seem to matter most, with the greatest bound on its worse side. */
  async #choices(parts: readonly Part[], clock: Clock): Promise<readonly (number | undefined)[]> {
    const trials = parts.flatMap((part, p) =>
      part.best.length < 2
        ? []
        : part.best.slice(0, tried).flatMap((bend) =>
            ([1, -1] as const).map((side) => {
              const dual = part.dual.slice();
              dual[bend] = 0;
              return { p, bend, task: this.#task({ ...part, held: [...part.held, { bend, side }], dual }) };
            }),
          ),
    );
    const bounds: number[] = [];
    for (let from = 0; from < trials.length && !clock.isOver; from += this.#batch.count) {
      const tasks = trials.slice(from, from + this.#batch.count).map(({ task }) => task);
      const found = await this.#batch.ascend(tasks, 0);
      bounds.push(...found.map(({ bound }) => bound));
    }
    const chosen = parts.map(({ best }) => best[0]);
    const greatest = parts.map(() => Number.NEGATIVE_INFINITY);
    for (let n = 0; n + 1 < bounds.length; n += 2) {
      const { p, bend } = trials[n]!;
      const [one, other] = [bounds[n]!, bounds[n + 1]!];
      const value = Math.min(one, other, 0) + 0.1 * Math.min(0, Math.max(one, other));
      if (value > greatest[p]!) [greatest[p], chosen[p]] = [value, bend];
    }
    return chosen;
  }

  #pointsOf(parts: readonly Part[]): readonly Candidate[] {
    return parts.slice(0, looked).flatMap(({ alternative, box, point }, n) => {
      const targets = this.#alternatives[alternative]!;
      const found =
        n === 0
          ? descend(this.#evaluation, targets, box, point, stepsOfDescent)
          : candidate(this.#evaluation, targets, point);
      return found && found.value <= 0 ? [found] : [];
    });
  }
}

function rowsOf(
  batch: DualBatch,
  { layers }: Evaluation["network"],
  { rowLower, rowUpper }: BoxBounds,
): BentRows {
  const rows = { lower: new Float64Array(batch.units), upper: new Float64Array(batch.units) };
  for (const { layer, first, units } of batch.layers) {
    const { firstRow } = layers[layer]!;
    rows.lower.set(rowLower.subarray(firstRow, firstRow + units), first);
    rows.upper.set(rowUpper.subarray(firstRow, firstRow + units), first);
  }
  return rows;
}

/** The targets of an alternative as one combination of the outputs, with the shares that are best on the whole box. */
function seedOf(
  targets: Alternative,
  neurons: NeuronBounder,
  box: Box,
  { firstOutput, outputNames }: Evaluation["network"],
) {
  const start = neurons.start(targets);
  const shares =
    targets.length === 1
      ? Float64Array.of(1)
      : neurons.bounded(targets, box, [], start, stepsOfWhole).dual.shares;
  const seed = new Float64Array(outputNames.length);
  let shift = 0;
  targets.forEach(({ slots, weights, constant }, t) => {
    for (let k = 0; k < slots.length; k++) seed[slots[k]! - firstOutput]! += shares[t]! * weights[k]!;
    shift += shares[t]! * constant;
  });
  return { seed, shift, shares };
}
