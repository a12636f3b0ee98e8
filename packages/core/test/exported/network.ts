// A model as a function of one flat vector: run by ONNX Runtime as it is written, without optimizations, and in f64.
import { EngineError } from "../../src/engine/error.ts";
import { release, sessionOf } from "../../src/engine/session.ts";
import { GraphError } from "../../src/graph/error.ts";
import { type Graph, isTensorType } from "../../src/graph/graph.ts";
import { cast, elementCount, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { withoutTables } from "../../src/graph/zip-map.ts";
import { inputShapes } from "../../src/passes/affine/compile.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { type IntervalTensor, type NamedBox, outputBounds } from "../../src/passes/interval.ts";
import { type Float32Runs, float32Bounds, float32Runs } from "./float32-runs.ts";
import { inFloat64, sized } from "./in-float64.ts";
import type { FlatBox, Slope } from "./points.ts";

const options = { threads: 1, optimization: "none" } as const;
/** Below this, rounding errors are not relative. */
const tiny = 1e-30;

const flat = (bounds: ReadonlyMap<string, IntervalTensor>): FlatBox => ({
  lower: Float64Array.from([...bounds.values()].flatMap(({ lower }) => [...lower])),
  upper: Float64Array.from([...bounds.values()].flatMap(({ upper }) => [...upper])),
});

export class Network {
  readonly graph: Graph;
  readonly exact: Graph;
  readonly inputs: number;
  readonly #shapes: ReturnType<typeof inputShapes>;
  readonly #derivatives = new Map<Graph, Graph>();
  #runs: Float32Runs | undefined;

  constructor(original: Graph) {
    const graph = withoutTables(original); // runs from here give tensors only
    this.graph = graph;
    this.#shapes = inputShapes(graph);
    this.exact = inFloat64(sized(graph, 1));
    this.inputs = this.#shapes.reduce((n, { dims }) => n + elementCount(dims), 0);
  }

  /** ONNX Runtime has hardly any kernels for bf16: such a network is run in f64 only. */
  get isRunAsWritten(): boolean {
    return this.#shapes.every(({ type }) => type.type !== "bfloat16");
  }

  /** Parts of a flat vector, by the inputs' names. */
  #parts<T>(make: (name: string, from: number, to: number, dims: readonly number[], type: string) => T) {
    let start = 0;
    return Object.fromEntries(
      this.#shapes.map(({ name, dims, type }) => {
        const from = start;
        start += elementCount(dims);
        return [name, make(name, from, start, dims, type.type)];
      }),
    ) as Record<string, T>;
  }

  #feeds(x: Float64Array, type?: "float64"): Record<string, Tensor> {
    return this.#parts((_, from, to, dims, declared) =>
      cast(tensor(x.subarray(from, to), { dims }), (type ?? declared) as "float32"),
    );
  }

  box({ lower, upper }: FlatBox): NamedBox {
    return this.#parts((_, from, to) => ({ lower: lower.slice(from, to), upper: upper.slice(from, to) }));
  }

  #flatOutputs(results: Readonly<Record<string, Tensor>>): Float64Array {
    return Float64Array.from(this.graph.outputs.flatMap(({ name }) => [...numbers(results[name]!)]));
  }

  /** What ONNX Runtime computes from the file as it is. */
  async run(x: Float64Array): Promise<Float64Array> {
    return this.#flatOutputs(await (await sessionOf(this.graph, options)).run(this.#feeds(x)));
  }

  /** The same in f64. */
  async runExact(x: Float64Array): Promise<Float64Array> {
    return this.#flatOutputs(await (await sessionOf(this.exact, options)).run(this.#feeds(x, "float64")));
  }

  /**
   * Whether ONNX Runtime runs the network in f64, and gives the same twice: not with operators that it has in f32 only and
   * that we do not define, nor with dropout that trains.
   */
  async isFunction(how: "in f64" | "as written" = "in f64"): Promise<boolean> {
    const x = new Float64Array(this.inputs).fill(0.5);
    const value = () => (how === "in f64" ? this.runExact(x) : this.run(x));
    try {
      const once = await value();
      // Dropout of a single number is the same twice in every other try.
      for (let run = 0; run < 20; run++) {
        const again = await value();
        if (!once.every((value, k) => value === again[k])) return false;
      }
      return true;
    } catch (error) {
      if (error instanceof EngineError || error instanceof GraphError) return false;
      throw error;
    }
  }

  /** Bounds on what a run in f32 can give at a point. */
  float32At(x: Float64Array): FlatBox {
    this.#runs ??= float32Runs(this.graph);
    const { lower, upper } = flat(float32Bounds(this.#runs, this.box({ lower: x, upper: x })));
    return { lower: lower.map((l) => l - tiny), upper: upper.map((u) => u + tiny) };
  }

  /**
   * The interval pass at one point: a run in f64 stays inside, since its operations round monotonically between doubles
   * and sums are widened for every order.
   */
  float64At(x: Float64Array): FlatBox {
    return flat(outputBounds(this.exact, this.box({ lower: x, upper: x })));
  }

  /** The gradient of a weighted sum of outputs in f64. */
  slope(): Slope {
    return this.#slope(this.exact, "float64");
  }

  /** The same by the gradient of the network as it is written. */
  slopeAsWritten(): Slope {
    return this.#slope(this.graph, undefined);
  }

  #slope(of: Graph, type: "float64" | undefined): Slope {
    const graph = this.#derivatives.get(of) ?? gradient(of);
    this.#derivatives.set(of, graph);
    return async (x, weights) => {
      const session = await sessionOf(graph, options);
      const value = await this.#outputDims(x, of, type);
      let start = 0;
      const seeds = value.map(([name, dims]) => {
        const from = start;
        start += elementCount(dims);
        const seed = tensor(weights.subarray(from, start), { dims });
        return [`seed_${name}`, cast(seed, type ?? "float32")] as const;
      });
      const given = seeds.filter(([name]) => graph.inputs.some((i) => i.name === name));
      const result = await session.run({ ...this.#feeds(x, type), ...Object.fromEntries(given) });
      return Float64Array.from(this.#shapes.flatMap(({ name }) => [...numbers(result[`grad_${name}`]!)]));
    };
  }

  #dims: readonly (readonly [string, readonly number[]])[] | undefined;
  async #outputDims(x: Float64Array, of: Graph, type: "float64" | undefined) {
    if (this.#dims) return this.#dims;
    const results = await (await sessionOf(of, options)).run(this.#feeds(x, type));
    this.#dims = this.graph.outputs
      .filter(({ type }) => isTensorType(type))
      .map(({ name }) => [name, results[name]!.dims] as const);
    return this.#dims;
  }

  async release(): Promise<void> {
    for (const graph of [this.graph, this.exact, ...this.#derivatives.values()]) await release(graph);
  }
}
