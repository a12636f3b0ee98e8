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
  /** Threads within an operator; default: all cores, or what `setDefaultThreads` was told. */
  readonly threads?: number;
  /** "none" runs the nodes as written, so that every intermediate rounding is the graph's own. */
  readonly optimization?: "none" | "all";
}

const defaults: { threads?: number } = {};

/**
 * Threads within an operator, for sessions that do not say it themselves: one, where many jobs share the cores.
 * @example setDefaultThreads(1)
 */
export const setDefaultThreads = (threads: number | undefined): void => {
  defaults.threads = threads;
};

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
    { threads = defaults.threads, optimization = "all" }: SessionOptions = {},
  ): Promise<Session> {
    const runtime = await load();
    const create = (level: "all" | "basic" | "disabled"): Promise<RuntimeSession> =>
      runtime.InferenceSession.create(model, {
        graphOptimizationLevel: level,
        interOpNumThreads: 1,
        ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
        executionMode: "sequential",
        // A thread that waits sleeps: spinning ones take the cores from each other and from everybody else.
        extra: {
          session: { intra_op: { allow_spinning: "0" } },
          // It keeps the factor of a product as a float32, also where the product is of float64.
          optimization: { disable_specified_optimizers: "MatMulScaleFusion" },
        },
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
    const feeds = this.#toRuntime(inputs);
    return told(async () => {
      const fetched = await (outputs ? this.#session.run(feeds, outputs) : this.#session.run(feeds));
      const results: Record<string, Tensor> = {};
      for (const name in fetched) results[name] = fromRuntime(name, fetched[name]!);
      return results;
    });
  }

  /** Runs the session and writes outputs over the data of these tensors, which have their shapes. */
  async runInto(
    inputs: Readonly<Record<string, Tensor>>,
    outputs: Readonly<Record<string, Tensor>>,
  ): Promise<void> {
    if (this.#runtime.fillsOutputs) {
      const [feeds, fetches] = [this.#toRuntime(inputs), this.#toRuntime(outputs)];
      await told(() => this.#session.run(feeds, fetches));
      return;
    }
    const results = await this.run(inputs, Object.keys(outputs));
    for (const name in outputs)
      (outputs[name]!.data as Float64Array).set(results[name]!.data as Float64Array);
  }

  #toRuntime(tensors: Readonly<Record<string, Tensor>>): Record<string, RuntimeTensor> {
    const given: Record<string, RuntimeTensor> = {};
    for (const name in tensors) given[name] = toRuntime(this.#runtime, tensors[name]!);
    return given;
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}

/** What the runtime says, in the words of this engine. */
async function told<T>(what: () => Promise<T>): Promise<T> {
  try {
    return await what();
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw new EngineError(`ONNX Runtime stopped: ${runtimeMessage(cause)}`);
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

/** A session that is kept with its graph. */
interface Kept {
  readonly session: Promise<Session>;
  /** Of the model that it was made from; 0 until it is made. */
  bytes: number;
  /** Runs under way. */
  runs: number;
  /** Whether somebody was given the session itself. */
  isHeld: boolean;
  /** Freed once: in a browser the next session may have the same number, and would go with it. */
  isFreed: boolean;
  readonly forget: () => void;
  /** How the list of recent ones knows it, without keeping it alive. */
  readonly self: { ref?: WeakRef<Kept> };
}

const sessions = new WeakMap<Graph, Map<string, Kept>>();

// What a session holds outside of JavaScript's memory the collector does not see: thousands of small graphs would fill the
// machine before it looks. So idle sessions that were not used lately are freed; one that is asked for again is made again.
const recent = new Set<WeakRef<Kept>>();
const mostKept = 64;
const mostBytes = 2 ** 28;
/** So many are kept however large they are. */
const alwaysKept = 8;

function touch(kept: Kept): void {
  const ref = kept.self.ref!;
  recent.delete(ref);
  recent.add(ref);
}

async function freeIdle(): Promise<void> {
  const alive = [...recent].flatMap((ref) => {
    const kept = ref.deref();
    if (!kept) recent.delete(ref);
    return kept ? [kept] : [];
  });
  let [count, bytes] = [alive.length, alive.reduce((sum, kept) => sum + kept.bytes, 0)];
  for (const kept of alive.slice(0, Math.max(0, alive.length - alwaysKept))) {
    if (count <= mostKept && bytes <= mostBytes) return;
    if (kept.runs > 0 || kept.isHeld || kept.isFreed) continue;
    kept.isFreed = true;
    kept.forget();
    count--;
    bytes -= kept.bytes;
    await kept.session.then((session) => session.release()).catch(() => {});
  }
}

function keptSession(graph: Graph, options: SessionOptions): Kept {
  const key = `${options.threads ?? ""}/${options.optimization ?? ""}`;
  const known = sessions.get(graph) ?? new Map<string, Kept>();
  sessions.set(graph, known);
  const existing = known.get(key);
  if (existing) {
    touch(existing);
    return existing;
  }
  const self: Kept["self"] = {};
  const forget = (): void => {
    known.delete(key);
    recent.delete(self.ref!);
  };
  const session = checkedBytes(graph).then((model) => {
    kept.bytes = model.byteLength;
    return Session.create(model, options);
  });
  const kept: Kept = { session, bytes: 0, runs: 0, isHeld: false, isFreed: false, forget, self };
  self.ref = new WeakRef(kept);
  known.set(key, kept);
  touch(kept);
  session.then(freeIdle, forget);
  return kept;
}

/** The session of a graph with these options: the same graph object gives the same session. */
export function sessionOf(graph: Graph, options: SessionOptions = {}): Promise<Session> {
  const kept = keptSession(graph, options);
  kept.isHeld = true;
  return kept.session;
}

/** What is done with the session of a graph, which may be freed when it has been idle for some time after. */
export async function withSession<T>(
  graph: Graph,
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const kept = keptSession(graph, options);
  kept.runs++;
  try {
    return await use(await kept.session);
  } finally {
    kept.runs--;
    if (recent.size > mostKept) await freeIdle();
  }
}

async function checkedBytes(graph: Graph): Promise<Uint8Array> {
  checkEndless(graph);
  return writeModel(lowerFloat64(lowerSparse(graph)));
}

/** Frees the sessions of a graph now instead of at garbage collection. */
export async function release(graph: Graph): Promise<void> {
  const known = [...(sessions.get(graph)?.values() ?? [])];
  sessions.delete(graph);
  for (const kept of known) {
    if (kept.isFreed) continue;
    kept.isFreed = true;
    kept.forget();
    await (await kept.session).release();
  }
}
