// Ascent on slopes and multipliers for many parts at a time, on ONNX Runtime. It guides a search and proves nothing.
import { EngineError } from "../../../engine/error.ts";
import { runInto } from "../../../engine/run.ts";
import type { SessionOptions } from "../../../engine/session.ts";
import { GraphError } from "../../../graph/error.ts";
import type { Graph } from "../../../graph/graph.ts";
import type { Tensor } from "../../../graph/tensor.ts";
import type { Network } from "../../linear/network.ts";
import type { Box } from "../../linear/row-bounds.ts";
import { adam, type BentGraph, type BentLayer, bentGraph, dualStep, type Objective } from "./dual-graph.ts";

export type Floats = Float32Array | Float64Array;

/** One part of a batch. */
export interface DualTask {
  /** Coefficients of what is bounded: of the outputs, or of the rows of a layer; what else is added. */
  readonly seed: ArrayLike<number>;
  readonly shift: number;
  readonly box: Box;
  /** What is known of the rows, where this part lies. */
  readonly rows: BentRows;
  /** Of the units of the bent layers: 1 and -1 where one is held, and its slope, or the multiplier of one that is held. */
  readonly side: ArrayLike<number>;
  readonly dual: ArrayLike<number>;
  /** A row whose bound is looked for, times 1 or -1: what is bounded is this and `pull` times the rest, which is <= 0 there. */
  readonly row?: { readonly place: number; readonly sign: 1 | -1; readonly pullReach: number };
}

export interface DualResult {
  readonly bound: number;
  readonly dual: Floats;
  /** The factor of the seed: 1 unless a row is bounded. */
  readonly pull: number;
  /** Of the units, how much holding each could gain, about. */
  readonly scores: Floats;
  /** Where the last form is least. */
  readonly point: Float64Array;
}

/** Bounds of the rows of all bent layers, one after the other. */
export interface BentRows {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

const [firstPace, decay] = [0.5, 0.9] as const;
/** Numbers that a batch may hold in one array, about. */
const mostNumbers = 2 ** 20;

/** Parts of a network that are bounded at a time. */
export const partsFor = ({ slots }: Network): number =>
  2 ** Math.floor(Math.log2(Math.min(128, Math.max(8, mostNumbers / slots))));

type Tensors = Record<string, Tensor>;

interface Scratch {
  readonly given: Tensors;
  /** What a step reads, and what it writes for the next. */
  readonly states: readonly [Tensors, Tensors];
  readonly seen: Tensors;
}

const outputsFor = ({ dual, mean, size, best, bestDual }: Tensors): Tensors => ({
  ...{ nextDual: dual!, nextMean: mean!, nextSize: size!, nextBest: best!, nextBestDual: bestDual! },
});

export class DualBatch {
  readonly count: number;
  readonly layers: readonly BentLayer[];
  readonly units: number;
  readonly #original: Graph;
  readonly #network: Network;
  readonly #bent: BentGraph;
  readonly #steps = new Map<Objective, Graph>();
  readonly #scratches = new Map<Objective, Scratch>();
  readonly #options: SessionOptions;
  /** Steps of parts so far. */
  work = 0;

  private constructor(
    original: Graph,
    network: Network,
    bent: BentGraph,
    count: number,
    options: SessionOptions,
  ) {
    this.#options = options;
    this.#original = original;
    this.#network = network;
    this.#bent = bent;
    this.count = count;
    this.layers = bent.layers;
    this.units = bent.units;
  }

  /** undefined where the network cannot be run for many parts at a time. */
  static of(
    graph: Graph,
    network: Network,
    count = partsFor(network),
    options: SessionOptions = {},
  ): DualBatch | undefined {
    try {
      const bent = bentGraph(graph, network, count);
      if (!bent) return undefined;
      const made = new DualBatch(graph, network, bent, count, options);
      made.#stepOf("outputs");
      return made;
    } catch (error) {
      if (error instanceof GraphError || error instanceof EngineError) return undefined;
      throw error;
    }
  }

  #stepOf(objective: Objective): Graph {
    let step = this.#steps.get(objective);
    if (!step) {
      step = dualStep(this.#bent, this.#original, this.#network, this.count, objective);
      this.#steps.set(objective, step);
    }
    return step;
  }

  /** Arrays for an objective, made once: new ones for each step would cost as much as the step. */
  #scratchOf(objective: Objective, width: number): Scratch {
    const known = this.#scratches.get(objective);
    if (known) return known;
    const { count } = this;
    const { type } = this.#bent;
    const { inputs } = this.#network;
    const units = this.unitsOf(objective);
    const floats = (n: number): Floats => (type === "float32" ? new Float32Array(n) : new Float64Array(n));
    const many = (n: number): Tensor => ({ type, dims: [count, n], data: floats(count * n) }) as Tensor;
    const one = (): Tensor => ({ type, dims: [1], data: floats(1) }) as Tensor;
    const state = (): Tensors => ({
      ...{ dual: many(units + 1), mean: many(units + 1), size: many(units + 1) },
      ...{ best: many(1), bestDual: many(units + 1) },
    });
    const made: Scratch = {
      given: {
        ...{ seed: many(width), shift: many(1), lower: many(inputs), upper: many(inputs) },
        ...{ rowLower: many(units), rowUpper: many(units), side: many(units), extra: many(units) },
        ...{ pullReach: many(1), pace: one(), meanScale: one(), sizeScale: one() },
      },
      states: [state(), state()],
      seen: { scores: many(units), point: many(inputs) },
    };
    this.#scratches.set(objective, made);
    return made;
  }

  /** What units an objective rests on: those of the layers before it. */
  unitsOf(objective: Objective): number {
    return objective === "outputs" ? this.units : this.layers[objective]!.first;
  }

  /** The greatest bounds that so many steps find, of at most `count` parts. */
  async ascend(
    tasks: readonly DualTask[],
    steps: number,
    objective: Objective = "outputs",
    isOver: () => boolean = () => false,
  ): Promise<readonly DualResult[]> {
    const { count } = this;
    const { inputs } = this.#network;
    const units = this.unitsOf(objective);
    const scratch = this.#scratchOf(objective, tasks[0]!.seed.length);
    const { given } = scratch;
    const fill = (name: string, n: number, of: (task: DualTask) => ArrayLike<number>): void => {
      const data = given[name]!.data as Floats;
      for (let p = 0; p < count; p++) data.set(of(tasks[Math.min(p, tasks.length - 1)]!), p * n);
    };
    fill("seed", tasks[0]!.seed.length, ({ seed }) => seed);
    fill("shift", 1, ({ shift }) => [shift]);
    fill("lower", inputs, ({ box }) => box.lower);
    fill("upper", inputs, ({ box }) => box.upper);
    fill("rowLower", units, ({ rows }) => rows.lower.subarray(0, units));
    fill("rowUpper", units, ({ rows }) => rows.upper.subarray(0, units));
    fill("side", units, ({ side }) => side);
    fill("pullReach", 1, ({ row }) => [row?.pullReach ?? 0]);
    const extra = (given["extra"]!.data as Floats).fill(0);
    tasks.forEach(({ row }, p) => {
      if (row) extra[p * units + row.place] = row.sign;
    });
    let [state, next] = scratch.states;
    for (const name of ["mean", "size"]) (state[name]!.data as Floats).fill(0);
    (state["best"]!.data as Floats).fill(-1e30);
    const start = state["dual"]!.data as Floats;
    for (let p = 0; p < count; p++) {
      const { dual, row } = tasks[Math.min(p, tasks.length - 1)]!;
      start.set(dual, p * (units + 1));
      start[p * (units + 1) + units] = row ? 0 : 1;
    }
    (state["bestDual"]!.data as Floats).set(start);
    const graph = this.#stepOf(objective);
    const set = (name: string, x: number): void => {
      (given[name]!.data as Floats)[0] = x;
    };
    for (let step = 0; step <= steps; step++) {
      set("pace", firstPace * decay ** step);
      set("meanScale", 1 / (1 - adam.mean ** (step + 1)));
      set("sizeScale", 1 / (1 - adam.size ** (step + 1)));
      await runInto(graph, { ...given, ...state }, { ...outputsFor(next), ...scratch.seen }, this.#options);
      this.work += count;
      [state, next] = [next, state];
      const best = state["best"]!.data as Floats;
      if (isOver() || tasks.every(({ row }, p) => !row && best[p]! > 0)) break;
    }
    const [scores, point] = ["scores", "point"].map((name) => scratch.seen[name]!.data as Floats);
    const best = state["best"]!.data as Floats;
    const duals = state["bestDual"]!.data as Floats;
    return tasks.map((_, p) => ({
      bound: best[p]!,
      dual: duals.slice(p * (units + 1), p * (units + 1) + units),
      pull: duals[p * (units + 1) + units]!,
      scores: scores!.slice(p * units, (p + 1) * units),
      point: Float64Array.from(point!.subarray(p * inputs, (p + 1) * inputs)),
    }));
  }
}
