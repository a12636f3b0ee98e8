// A session: a graph that ONNX Runtime has loaded. Made once per graph and options, then kept with the graph.
import { loadRuntime } from "#runtime";
import type { Graph } from "../graph/graph.ts";
import { lowerFloat64 } from "../graph/lower-float64.ts";
import { lowerSparse } from "../graph/lower-sparse.ts";
import { writeModel } from "../graph/onnx/write.ts";
import type { Tensor, TensorData } from "../graph/tensor.ts";
import { checkEndless } from "./endless.ts";
import { EngineError } from "./error.ts";
import type { Runtime, RuntimeSession, RuntimeTensor } from "./runtime.ts";
import { runtimeMessage } from "./runtime-message.ts";

export interface SessionOptions {
  /** Threads within an operator; default: all cores. */
  readonly threads?: number;
  /** "none" runs the nodes as written, so that every intermediate rounding is the graph's own. */
  readonly optimization?: "none" | "all";
}

const runtime: { loading?: Promise<Runtime> } = {};
const load = (): Promise<Runtime> => {
  runtime.loading ??= loadRuntime().catch((cause) => {
    runtime.loading = undefined;
    throw new EngineError(`ONNX Runtime could not be loaded: ${runtimeMessage(cause)}`);
  });
  return runtime.loading;
};

/** The runtime fuses x sigmoid(a x) into an operator that it has no f64 kernel for, and then refuses the model. */
const fusedAway = /find kernel for com\.microsoft\./;

/**
 * A graph that ONNX Runtime has loaded, for many runs.
 * @example (await (await Session.create(bytes)).run({ x: tensor([[0.5]]) })).y.dims // [1, 1]
 */
export class Session {
  readonly #runtime: Runtime;
  readonly #session: RuntimeSession;

  private constructor(runtime: Runtime, session: RuntimeSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  /** Loads serialized model bytes. */
  static async create(
    model: Uint8Array,
    { threads, optimization = "all" }: SessionOptions = {},
  ): Promise<Session> {
    const runtime = await load();
    const create = (level: "all" | "basic" | "disabled"): Promise<RuntimeSession> =>
      runtime.InferenceSession.create(model, {
        graphOptimizationLevel: level,
        interOpNumThreads: 1,
        ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
        executionMode: "sequential",
        logSeverityLevel: 4,
      });
    try {
      const session = await create(optimization === "all" ? "all" : "disabled").catch((cause) => {
        if (optimization === "none" || !fusedAway.test(runtimeMessage(cause))) throw cause;
        return create("basic");
      });
      return new Session(runtime, session);
    } catch (cause) {
      throw new EngineError(`ONNX Runtime refuses the model: ${runtimeMessage(cause)}`);
    }
  }

  get inputNames(): readonly string[] {
    return this.#session.inputNames;
  }

  get outputNames(): readonly string[] {
    return this.#session.outputNames;
  }

  /** Runs the session; tensors go in and come out as views, without copies. */
  async run(
    inputs: Readonly<Record<string, Tensor>>,
    outputs?: readonly string[],
  ): Promise<Record<string, Tensor>> {
    const feeds: Record<string, RuntimeTensor> = {};
    for (const name in inputs) {
      feeds[name] = toRuntime(this.#runtime, inputs[name]!);
    }
    try {
      const fetched = await (outputs ? this.#session.run(feeds, outputs) : this.#session.run(feeds));
      const results: Record<string, Tensor> = {};
      for (const name in fetched) results[name] = fromRuntime(name, fetched[name]!);
      return results;
    } catch (cause) {
      if (cause instanceof EngineError) throw cause;
      throw new EngineError(`ONNX Runtime stopped: ${runtimeMessage(cause)}`);
    }
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}

/** Where JavaScript has Float16Array, the native binding cannot read one: halves go in as the 16-bit integers they are. */
function toRuntime({ Tensor }: Runtime, { type, data, dims }: Tensor): RuntimeTensor {
  if (type !== "float16") return new Tensor(type as "float32", data as Float32Array, dims);
  return Object.assign(new Tensor("uint16", data as Uint16Array, dims), { type: "float16" as const });
}

function fromRuntime(name: string, value: RuntimeTensor): Tensor {
  if (!("dims" in value)) throw new EngineError(`output "${name}" is not a tensor`);
  const data = value.data as TensorData;
  // Newer engines have Float16Array; a graph's f16 tensors hold bits.
  const isBits = value.type !== "float16" || data instanceof Uint16Array;
  const bits = data as unknown as Uint16Array;
  return {
    type: value.type,
    dims: value.dims,
    data: isBits ? data : new Uint16Array(bits.buffer, bits.byteOffset, bits.length),
  };
}

const sessions = new WeakMap<Graph, Map<string, Promise<Session>>>();

/** The session of a graph with these options: the same graph object gives the same session. */
export function sessionOf(graph: Graph, options: SessionOptions = {}): Promise<Session> {
  const key = `${options.threads ?? ""}/${options.optimization ?? ""}`;
  const known = sessions.get(graph) ?? new Map<string, Promise<Session>>();
  sessions.set(graph, known);
  const existing = known.get(key);
  if (existing) return existing;
  const session = checkedSession(graph, options);
  known.set(key, session);
  session.catch(() => known.delete(key));
  return session;
}

async function checkedSession(graph: Graph, options: SessionOptions): Promise<Session> {
  checkEndless(graph);
  return Session.create(writeModel(lowerFloat64(lowerSparse(graph))), options);
}

/** Frees the sessions of a graph now instead of at garbage collection. */
export async function release(graph: Graph): Promise<void> {
  const known = sessions.get(graph);
  sessions.delete(graph);
  for (const session of known?.values() ?? []) await (await session).release();
}
