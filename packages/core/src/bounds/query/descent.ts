// Counterexamples by projected descent from many points of a box at a time, with several step rules. It looks for points
// only: what it finds is confirmed elsewhere.
import type { Graph } from "../../graph/graph.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import type { Box } from "../linear/row-bounds.ts";
import type { Alternative, Candidate } from "../split/attack.ts";
import { type AnyNetwork, productsOf } from "../tensor/operator.ts";
import { DescentGraph } from "./descent-graph.ts";

type Floats = Float32Array | Float64Array;

const stepsOfRound = 24;
/**
 * In every other round a third of the points first descends for another alternative: where scores saturate, random points of a
 * box all lead to the same minimum, and these to others (output-diversified starts: Tashiro et al. 2020).
 */
const stepsElsewhere = 8;
/** Points that are confirmed after one step, at most: those that lie deepest. */
const mostConfirmed = 4;
/** Numbers in a batch of points, about: what a run of a large network may hold. */
const mostNumbers = 2 ** 20;
const [leastPoints, mostPoints] = [16, 256];
const mostRounds = 64;
/** Products, about, that cost so little that a few rounds in vain are no evidence yet. */
const leastWork = 5e9;
/** How many products the runtime makes in the time in which back-substitution makes one, about. */
const runtimeSpeed = 16;

/**
 * How a point moves. sign: each input by the same share of its width; momentum: the same along a running mean of slopes;
 * scaled: by the slope over its running size (Adam); steepest: proportional to slope times width.
 */
const rules = ["sign", "momentum", "scaled", "steepest"] as const;
type StepRule = (typeof rules)[number];

const ruleOf = (point: number): StepRule => rules[point % rules.length]!;

const clamp = (x: number, lower: number, upper: number): number => Math.min(upper, Math.max(lower, x));

/** How many points are moved at a time in a network of this size. */
export const pointsFor = ({ slots }: AnyNetwork): number =>
  2 ** Math.floor(Math.log2(clamp(mostNumbers / slots, leastPoints, mostPoints)));

/** Products, about, that a round takes, of those in which a search counts: the runtime makes them so much faster. */
export const workOfRound = (network: AnyNetwork): number =>
  (3 * stepsOfRound * pointsFor(network) * productsOf(network)) / runtimeSpeed;

/** What descent has found of each alternative: it goes on where it still gets nearer. */
export class Descent {
  readonly #network: AnyNetwork;
  readonly #alternatives: readonly Alternative[];
  readonly #random: Random;
  readonly #graph: DescentGraph;
  /** The least value of each alternative that was seen, and where. */
  readonly #best: { value: number; x: Floats | undefined }[];
  #rounds = 0;

  private constructor(
    graph: DescentGraph,
    network: AnyNetwork,
    alternatives: readonly Alternative[],
    seed: number,
  ) {
    this.#graph = graph;
    this.#network = network;
    this.#alternatives = alternatives;
    this.#random = createRandom(seed).split("descent");
    this.#best = alternatives.map(() => ({ value: Number.POSITIVE_INFINITY, x: undefined }));
  }

  /** undefined where many points cannot be run at a time. */
  static async of(
    graph: Graph,
    network: AnyNetwork,
    alternatives: readonly Alternative[],
    seed: number,
  ): Promise<Descent | undefined> {
    const made = await DescentGraph.of(graph, network, alternatives, pointsFor(network));
    return made && new Descent(made, network, alternatives, seed);
  }

  /** The least value seen of any alternative. */
  get least(): number {
    return Math.min(...this.#best.map(({ value }) => value));
  }

  /** Rounds while they bring the best value nearer to 0 by an eighth, and two beyond. */
  async whileItGains(
    box: Box,
    confirm: (point: Candidate) => Promise<boolean>,
    isOver: () => boolean,
  ): Promise<Candidate | undefined> {
    const open = this.#alternatives.map((_, k) => k);
    let idle = 0;
    for (let round = 0; round < mostRounds && !isOver(); round++) {
      if (idle >= 2 && round * workOfRound(this.#network) > leastWork) break;
      const before = this.least;
      const found = await this.round(box, open, confirm, isOver);
      if (found) return found;
      idle = this.least < before - Math.abs(before) / 8 ? 0 : idle + 1;
    }
    return undefined;
  }

  /** One round from new points of the box, for these alternatives; the point that was confirmed. */
  async round(
    box: Box,
    open: readonly number[],
    confirm: (point: Candidate) => Promise<boolean>,
    isOver: () => boolean,
  ): Promise<Candidate | undefined> {
    const { count, inputs, type } = this.#graph;
    const floats = (length: number): Floats =>
      type === "float32" ? new Float32Array(length) : new Float64Array(length);
    const points = floats(count * inputs);
    const [mean, size] = [floats(count * inputs), floats(count * inputs)];
    const choice = this.#choice(open);
    this.#place(points, choice, box);
    const elsewhere = choice.map((own, p) =>
      p % 3 === 1 ? open[this.#random.integer(0, open.length - 1)]! : own,
    );
    const isDiverse = this.#rounds % 2 === 1;
    const refused = new Set<number>();
    for (let step = 0; step <= stepsOfRound && !isOver(); step++) {
      const used = isDiverse && step < stepsElsewhere ? elsewhere : choice;
      const { values, slopes } = await this.#graph.at(points, used);
      const found: Candidate[] = [];
      for (let p = 0; p < count; p++) {
        const best = this.#best[used[p]!]!;
        const value = values[p]!;
        const at = (): Floats => points.slice(p * inputs, (p + 1) * inputs);
        if (value < best.value) {
          best.value = value;
          best.x = at();
        }
        if (value <= 0 && !refused.has(p)) {
          refused.add(p);
          found.push({ x: Float64Array.from(at()), value });
        }
      }
      found.sort((p, q) => p.value - q.value);
      for (const point of found.slice(0, mostConfirmed)) if (await confirm(point)) return point;
      if (step < stepsOfRound) move(points, slopes, mean, size, box, step, count, this.#rounds);
    }
    this.#rounds++;
    return undefined;
  }

  /** Which alternative each point is to satisfy: half of them the most hopeful ones, the others all in turn. */
  #choice(open: readonly number[]): Int32Array {
    const hopeful = open
      .filter((k) => Number.isFinite(this.#best[k]!.value))
      .sort((p, q) => this.#best[p]!.value - this.#best[q]!.value)
      .slice(0, 3);
    return Int32Array.from({ length: this.#graph.count }, (_, p) => {
      const turn = Math.floor(p / rules.length) + this.#rounds * 7;
      if (hopeful.length > 0 && turn % 2 === 0) return hopeful[(turn >> 1) % hopeful.length]!;
      return open[(turn >> (hopeful.length > 0 ? 1 : 0)) % open.length]!;
    });
  }

  /** Random points of the box and of its corners, its middle, and points near the best one. */
  #place(points: Floats, choice: Int32Array, { lower, upper }: Box): void {
    const random = this.#random;
    const { inputs } = this.#network;
    const nearness = 0.5 ** (1 + (this.#rounds % 8));
    for (let p = 0; p < choice.length; p++) {
      const kind = Math.floor(p / rules.length) % 4;
      const best = this.#best[choice[p]!]!.x;
      const isFirst = this.#rounds === 0 && p < rules.length;
      for (let i = 0; i < inputs; i++) {
        const [l, u] = [lower[i]!, upper[i]!];
        const share = isFirst ? 0.5 : random.uniform();
        const x =
          kind === 3 && best
            ? best[i]! + (share - 0.5) * (u - l) * nearness
            : l + (kind === 1 ? Math.round(share) : share) * (u - l);
        points[p * inputs + i] = clamp(x, l, u);
      }
    }
  }
}

/** Moves every point by its rule, and back into the box. */
function move(
  points: Floats,
  slopes: Floats,
  mean: Floats,
  size: Floats,
  { lower, upper }: Box,
  step: number,
  count: number,
  round: number,
): void {
  const inputs = lower.length;
  const share = step / stepsOfRound;
  for (let p = 0; p < count; p++) {
    const rule = ruleOf(p);
    // Every other group of points begins with short steps: those that begin with long ones jump between corners.
    const longest = (Math.floor(p / rules.length) + round) % 2 === 0 ? 0.5 : 0.1;
    const length = longest * (1 - share) ** 2 + 0.002;
    const at = p * inputs;
    let greatest = 0;
    for (let i = 0; i < inputs; i++)
      greatest = Math.max(greatest, Math.abs(slopes[at + i]!) * (upper[i]! - lower[i]!));
    if (!(greatest > 0 && Number.isFinite(greatest))) continue;
    for (let i = 0; i < inputs; i++) {
      const k = at + i;
      const width = upper[i]! - lower[i]!;
      const g = (slopes[k]! * width) / greatest;
      mean[k] = 0.75 * mean[k]! + 0.25 * g;
      size[k] = 0.9 * size[k]! + 0.1 * g * g;
      const way =
        rule === "sign"
          ? Math.sign(g)
          : rule === "momentum"
            ? Math.sign(mean[k]!)
            : rule === "scaled"
              ? mean[k]! / (1e-8 + Math.sqrt(size[k]!))
              : g;
      points[k] = clamp(points[k]! - length * width * way, lower[i]!, upper[i]!);
    }
  }
}
