// Ascent on slopes and multipliers for many parts at a time, on ONNX Runtime. It guides a search and proves nothing.
import { EngineError } from "../../../engine/error.ts";
import { run } from "../../../engine/run.ts";
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

export class DualBatch {
  readonly count: number;
  readonly layers: readonly BentLayer[];
  readonly units: number;
  readonly #original: Graph;
  readonly #network: Network;
  readonly #bent: BentGraph;
  readonly #steps = new Map<Objective, Graph>();
  /** Steps of parts so far. */
  work = 0;

  private constructor(original: Graph, network: Network, bent: BentGraph, count: number) {
    this.#original = original;
    this.#network = network;
    this.#bent = bent;
    this.count = count;
    this.layers = bent.layers;
    this.units = bent.units;
  }

  /** undefined where the network cannot be run for many parts at a time. */
  static of(graph: Graph, network: Network, count = partsFor(network)): DualBatch | undefined {
    try {
      const bent = bentGraph(graph, network, count);
      if (!bent) return undefined;
      const made = new DualBatch(graph, network, bent, count);
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
    const { type } = this.#bent;
    const { inputs } = this.#network;
    const units = this.unitsOf(objective);
    const width = tasks[0]!.seed.length;
    const floats = (n: number): Floats => (type === "float32" ? new Float32Array(n) : new Float64Array(n));
    const many = (n: number, of: (task: DualTask) => ArrayLike<number>): Tensor => {
      const data = floats(count * n);
      for (let p = 0; p < count; p++) data.set(of(tasks[Math.min(p, tasks.length - 1)]!), p * n);
      return { type, dims: [count, n], data } as Tensor;
    };
    const zeros = (n: number): Tensor => ({ type, dims: [count, n], data: floats(count * n) }) as Tensor;
    const one = (x: number): Tensor => ({ type, dims: [1], data: floats(1).fill(x) }) as Tensor;
    const given: Record<string, Tensor> = {
      seed: many(width, ({ seed }) => seed),
      shift: many(1, ({ shift }) => [shift]),
      lower: many(inputs, ({ box }) => box.lower),
      upper: many(inputs, ({ box }) => box.upper),
      rowLower: many(units, ({ rows }) => rows.lower.subarray(0, units)),
      rowUpper: many(units, ({ rows }) => rows.upper.subarray(0, units)),
      side: many(units, ({ side }) => side),
      extra: zeros(units),
      pullReach: many(1, ({ row }) => [row?.pullReach ?? 0]),
    };
    tasks.forEach(({ row }, p) => {
      if (row) (given["extra"]!.data as Floats)[p * units + row.place] = row.sign;
    });
    let state: Record<string, Tensor> = {
      dual: many(units + 1, ({ dual }) => dual),
      mean: zeros(units + 1),
      size: zeros(units + 1),
      best: { type, dims: [count, 1], data: floats(count).fill(-1e30) } as Tensor,
    };
    for (let p = 0; p < count; p++)
      (state["dual"]!.data as Floats)[p * (units + 1) + units] = tasks[Math.min(p, tasks.length - 1)]!.row
        ? 0
        : 1;
    state["bestDual"] = state["dual"]!;
    const graph = this.#stepOf(objective);
    let [scores, point]: [Floats | undefined, Floats | undefined] = [undefined, undefined];
    for (let step = 0; step <= steps; step++) {
      const found = await run(graph, {
        ...given,
        ...state,
        pace: one(firstPace * decay ** step),
        meanScale: one(1 / (1 - adam.mean ** (step + 1))),
        sizeScale: one(1 / (1 - adam.size ** (step + 1))),
      });
      this.work += count;
      state = {
        dual: found["nextDual"]!,
        mean: found["nextMean"]!,
        size: found["nextSize"]!,
        best: found["nextBest"]!,
        bestDual: found["nextBestDual"]!,
      };
      scores = found["scores"]!.data as Floats;
      point = found["point"]!.data as Floats;
      const best = state["best"]!.data as Floats;
      if (isOver() || tasks.every(({ row }, p) => !row && best[p]! > 0)) break;
    }
    const best = state["best"]!.data as Floats;
    const duals = state["bestDual"]!.data as Floats;
    return tasks.map((_, p) => ({
      bound: best[p]!,
      dual: duals.subarray(p * (units + 1), p * (units + 1) + units),
      pull: duals[p * (units + 1) + units]!,
      scores: scores!.subarray(p * units, (p + 1) * units),
      point: Float64Array.from(point!.subarray(p * inputs, (p + 1) * inputs)),
    }));
  }
}
