// All targets of a query at many points at a time, and the slope of the greatest of each point's alternative: one graph.
import { EngineError } from "../../engine/error.ts";
import { run } from "../../engine/run.ts";
import { graph as build } from "../../graph/builder.ts";
import { GraphError } from "../../graph/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, type NumericType, type Tensor, tensor } from "../../graph/tensor.ts";
import { inputShapes } from "../../passes/affine/compile.ts";
import { gradient } from "../../passes/gradient.ts";
import type { Target } from "../linear/back-substitution.ts";
import type { Alternative } from "../split/attack.ts";
import type { AnyNetwork } from "../tensor/operator.ts";
import { batchedGraph } from "./batched.ts";

/** What is added to targets that are not of a point's alternative. */
const outOfTheWay = -1e30;

type Floats = Float32Array | Float64Array;

/**
 * What a run says of each point: the greatest target of its alternative, and the slopes by the inputs of what it goes down:
 * that target, or, for every other point, the sum of those that are above 0, which does not zigzag between several.
 */
export interface Slopes {
  readonly values: Floats;
  readonly slopes: Floats;
}

const columnsOf = (targets: readonly Target[], first: number, count: number): number[][] => {
  const matrix = Array.from({ length: count }, () => new Array<number>(targets.length).fill(0));
  targets.forEach(({ slots, weights }, t) => {
    for (let k = 0; k < slots.length; k++) {
      const row = slots[k]! - first;
      if (row >= 0 && row < count) matrix[row]![t]! += weights[k]!;
    }
  });
  return matrix;
};

/** Points of a network in a batch, with the targets that they are to bring below 0. */
export class DescentGraph {
  readonly count: number;
  readonly inputs: number;
  readonly type: "float32" | "float64";
  readonly #graph: Graph;
  readonly #alternatives: readonly (readonly number[])[];
  readonly #targets: number;
  readonly #shares: Floats;

  private constructor(
    graph: Graph,
    count: number,
    network: AnyNetwork,
    type: "float32" | "float64",
    alternatives: readonly Alternative[],
  ) {
    this.#graph = graph;
    this.count = count;
    this.inputs = network.inputs;
    this.type = type;
    this.#shares = this.#floats(count).map((_, p) => (p >> 2) % 2);
    let first = 0;
    this.#alternatives = alternatives.map((targets) => targets.map(() => first++));
    this.#targets = first;
  }

  /** undefined: the graph cannot be written for many points at a time, or has no gradient, or other numbers than singly. */
  static async of(
    graph: Graph,
    network: AnyNetwork,
    alternatives: readonly Alternative[],
    count: number,
  ): Promise<DescentGraph | undefined> {
    try {
      const written = descentGraph(graph, network, alternatives.flat(), count);
      if (!written) return undefined;
      const made = new DescentGraph(written.graph, count, network, written.type, alternatives);
      return (await made.#isRight(graph, network, alternatives)) ? made : undefined;
    } catch (error) {
      if (error instanceof GraphError || error instanceof EngineError) return undefined;
      throw error;
    }
  }

  /** `points` row by row; `choice` says which alternative each point is to satisfy. */
  async at(points: Floats, choice: ArrayLike<number>): Promise<Slopes> {
    const mask = this.#floats(this.count * this.#targets).fill(outOfTheWay);
    for (let p = 0; p < this.count; p++)
      for (const t of this.#alternatives[choice[p]!]!) mask[p * this.#targets + t] = 0;
    const { least, grad_X: slopes } = await run(this.#graph, {
      share: { type: this.type, dims: [this.count], data: this.#shares } as Tensor,
      X: { type: this.type, dims: [this.count, this.inputs], data: points } as Tensor,
      mask: { type: this.type, dims: [this.count, this.#targets], data: mask } as Tensor,
    });
    return { values: least!.data as Floats, slopes: slopes!.data as Floats };
  }

  #floats(length: number): Floats {
    return this.type === "float32" ? new Float32Array(length) : new Float64Array(length);
  }

  /** Three rows of a batch of different points against runs of one point. */
  async #isRight(graph: Graph, network: AnyNetwork, alternatives: readonly Alternative[]): Promise<boolean> {
    const points = this.#floats(this.count * this.inputs).map((_, k) => Math.sin(k + 1) / 2);
    const choice = Array.from({ length: this.count }, (_, p) => p % alternatives.length);
    const { values } = await this.at(points, choice);
    for (const p of new Set([0, this.count >> 1, this.count - 1])) {
      const x = points.slice(p * this.inputs, (p + 1) * this.inputs);
      const y = await singly(graph, x, this.type);
      const slot = (k: number): number => (k < network.inputs ? x[k]! : y[k - network.firstOutput]!);
      let [greatest, size] = [Number.NEGATIVE_INFINITY, 1];
      for (const { slots, weights, constant } of alternatives[choice[p]!]!) {
        let sum = constant;
        size = Math.max(size, Math.abs(constant));
        for (let k = 0; k < slots.length; k++) {
          sum += weights[k]! * slot(slots[k]!);
          size = Math.max(size, Math.abs(weights[k]! * slot(slots[k]!)));
        }
        greatest = Math.max(greatest, sum);
      }
      if (!(Math.abs(values[p]! - greatest) <= 1e-2 * size)) return false;
    }
    return true;
  }
}

async function singly(graph: Graph, x: ArrayLike<number>, type: NumericType): Promise<readonly number[]> {
  let first = 0;
  const inputs = inputShapes(graph).map(({ name, dims }) => {
    const values = Array.from({ length: elementCount(dims) }, () => x[first++]!);
    return [name, tensor(values, { type, dims })] as const;
  });
  const outputs = await run(graph, Object.fromEntries(inputs));
  return graph.outputs.flatMap(({ name }) => [...(outputs[name]!.data as Float32Array)]);
}

function descentGraph(graph: Graph, network: AnyNetwork, targets: readonly Target[], count: number) {
  const many = batchedGraph(graph, count);
  const shapes = inputShapes(graph);
  const type = shapes[0]!.type.type;
  if (!many || (type !== "float32" && type !== "float64") || targets.length === 0) return undefined;
  if (shapes.some((shape) => shape.type.type !== type)) return undefined;
  const outputs = network.outputNames.length;
  const types = {
    X: { type, shape: [count, network.inputs] },
    mask: { type, shape: [count, targets.length] },
    share: { type, shape: [count] },
  } as const;
  const forward = build(types, ({ X, mask, share }) => {
    let first = 0;
    const inputs = shapes.map(({ name, dims }) => {
      const size = elementCount(dims);
      const part = shapes.length === 1 ? X : X.slice(1, first, first + size);
      first += size;
      return [name, part.reshape([count, ...dims.slice(1)])] as const;
    });
    const values = X.builder.inline(many, Object.fromEntries(inputs));
    const [y, ...more] = graph.outputs.map(({ name }) => values[name]!.reshape([count, -1]));
    const all = more.length > 0 ? y!.concat(more, 1) : y!;
    let sums = all.matmul(columnsOf(targets, network.firstOutput, outputs));
    if (targets.some(({ slots }) => Array.from(slots).some((slot) => slot < network.inputs)))
      sums = sums.add(X.matmul(columnsOf(targets, 0, network.inputs)));
    const shifted = sums.add([targets.map(({ constant }) => constant)]).add(mask);
    const least = shifted.op("ReduceMax", [tensor([1], { type: "int64" })], { keepdims: 0 });
    if (targets.length === 1) return { least, wanted: least.mul(share).add(least) };
    const above = shifted.relu().sum([1]);
    return { least, wanted: above.sub(least).mul(share).add(least) };
  });
  return { graph: gradient(forward, { wrt: ["X"], of: ["wanted"], unitSeeds: true }), type };
}
