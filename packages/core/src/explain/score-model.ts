// A network as a function of one example: the score that is explained, and its gradient, at many points at once.
import { run } from "../engine/run.ts";
import { release, Session } from "../engine/session.ts";
import { Builder } from "../graph/builder.ts";
import { finish } from "../graph/finish.ts";
import { freeName } from "../graph/free-name.ts";
import { type Graph, isTensorType, requiredInputs, type TensorType } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { lowerFloat64 } from "../graph/lower-float64.ts";
import { writeModel } from "../graph/onnx/index.ts";
import { prune } from "../graph/prune.ts";
import { elementCount, numbers, type Tensor, tensor } from "../graph/tensor.ts";
import type { Values } from "../graph/value.ts";
import { gradient } from "../passes/gradient.ts";
import { classAxis } from "../passes/relevance/target.ts";
import type { Target } from "../passes/relevance.ts";
import { ExplainError } from "./error.ts";
import type { Prepared } from "./prepare.ts";
import type { FixedTarget } from "./target.ts";
import { threadsFor } from "./threads.ts";

/** A point: the numbers of all inputs that are explained by, one input after the other. */
export type Point = Float64Array;

export interface Wave {
  readonly score: number;
  /** The scores of all classes. */
  readonly scores: Float64Array;
}

export class ScoreModel {
  readonly size: number;
  /** How often the network was run forwards, and for gradients. */
  runs = 0;
  gradients = 0;
  readonly #prepared: Prepared;
  readonly #score: Session;
  readonly #slope: Session;
  readonly #isBatched: boolean;
  readonly #slopeNames: readonly string[];

  private constructor(
    prepared: Prepared,
    sessions: { readonly score: Session; readonly slope: Session; readonly isBatched: boolean },
  ) {
    this.#prepared = prepared;
    this.#score = sessions.score;
    this.#slope = sessions.slope;
    this.#isBatched = sessions.isBatched;
    this.#slopeNames = prepared.wrt.map((name) => `grad_${name}`);
    this.size = prepared.wrt.reduce((n, name) => n + elementCount(prepared.inputs[name]!.dims), 0);
  }

  /** For one example: `predicted` has been resolved to a class. */
  static async create(prepared: Prepared, target: FixedTarget): Promise<ScoreModel> {
    const many = openBatch(prepared);
    const sessions = async (graph: Graph) => {
      const value = valueGraph({ ...prepared, graph }, target);
      const slope = gradient(value, { wrt: prepared.wrt, of: [outputNames(graph).score], unitSeeds: true });
      const open = (g: Graph) => Session.create(writeModel(lowerFloat64(g)), threadsFor(graph));
      return { score: await open(value), slope: await open(slope) };
    };
    if (many) {
      try {
        const model = new ScoreModel(prepared, { ...(await sessions(many)), isBatched: true });
        const x = model.start;
        const [one, two] = await model.at([x, x]);
        if (one && two && one.score === two.score) return model;
      } catch {
        // Some networks take one example at a time, whatever they say: shapes are written into them.
      }
    }
    return new ScoreModel(prepared, { ...(await sessions(prepared.graph)), isBatched: false });
  }

  /** The example itself. */
  get start(): Point {
    const { wrt, inputs } = this.#prepared;
    return Float64Array.from(wrt.flatMap((name) => Array.from(numbers(inputs[name]!))));
  }

  /** A point in the shapes of the inputs. */
  tensors(point: ArrayLike<number>): ReadonlyMap<string, Tensor> {
    let at = 0;
    return new Map(
      this.#prepared.wrt.map((name) => {
        const { dims } = this.#prepared.inputs[name]!;
        const n = elementCount(dims);
        at += n;
        return [name, tensor(Array.prototype.slice.call(point, at - n, at), { type: "float64", dims })];
      }),
    );
  }

  async at(points: readonly Point[]): Promise<Wave[]> {
    this.runs += points.length;
    const waves: Wave[] = [];
    for (const part of this.#parts(points)) {
      const results = await this.#score.run(this.#feeds(part));
      const names = outputNames(this.#prepared.graph);
      const [values, all] = [numbers(results[names.score]!), numbers(results[names.scores]!)];
      const size = all.length / part.length;
      part.forEach((_, k) => {
        waves.push({
          score: values[k]!,
          scores: Float64Array.from(all.slice(k * size, (k + 1) * size)),
        });
      });
    }
    return waves;
  }

  async slopes(points: readonly Point[]): Promise<Point[]> {
    this.gradients += points.length;
    const found: Point[] = [];
    for (const part of this.#parts(points)) {
      const results = await this.#slope.run(this.#feeds(part), this.#slopeNames);
      const columns = this.#slopeNames.map((name) => numbers(results[name]!));
      part.forEach((_, k) => {
        const point = new Float64Array(this.size);
        let at = 0;
        for (const values of columns) {
          const size = values.length / part.length;
          point.set(values.slice(k * size, (k + 1) * size) as Float64Array, at);
          at += size;
        }
        found.push(point);
      });
    }
    return found;
  }

  async score(point: Point): Promise<number> {
    return (await this.at([point]))[0]!.score;
  }

  /** Frees what the runtime holds of it. */
  async release(): Promise<void> {
    await this.#score.release();
    await this.#slope.release();
  }

  /** Points that run together: as many as 16 million numbers hold, one where the network takes one. */
  *#parts(points: readonly Point[]): Generator<readonly Point[]> {
    const most = this.#isBatched ? Math.max(1, Math.min(64, Math.floor(2 ** 24 / this.size))) : 1;
    for (let k = 0; k < points.length; k += most) yield points.slice(k, k + most);
  }

  #feeds(points: readonly Point[]): Record<string, Tensor> {
    const { inputs, wrt } = this.#prepared;
    const feeds: Record<string, Tensor> = { ...fixedInputs(this.#prepared) };
    let at = 0;
    for (const name of wrt) {
      const { dims, type } = inputs[name]!;
      const size = elementCount(dims);
      const data = new Float64Array(points.length * size);
      for (const [k, p] of points.entries()) data.set(p.subarray(at, at + size), k * size);
      at += size;
      const shape = points.length === 1 ? dims : [points.length, ...dims.slice(1)];
      feeds[name] = tensor(data, { type: type as "float64", dims: shape });
    }
    return feeds;
  }
}

/** Inputs that are not explained by, as far as the graph reads them. */
function fixedInputs({ graph, inputs, wrt }: Prepared): Record<string, Tensor> {
  const read = new Set(graph.inputs.map(({ name }) => name));
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => read.has(name) && !wrt.includes(name)));
}

/** The graph for any number of examples, if its inputs are one example each. */
function openBatch({ graph, inputs, wrt, of }: Prepared): Graph | undefined {
  const isSingle =
    wrt.every((name) => inputs[name]!.dims[0] === 1) && requiredInputs(graph).length === wrt.length;
  if (!isSingle) return undefined;
  const open = graph.inputs.map((input) =>
    isTensorType(input.type) && wrt.includes(input.name)
      ? { ...input, type: { ...input.type, shape: ["N", ...(input.type.shape ?? []).slice(1)] } }
      : input,
  );
  const opened: Graph = { ...graph, inputs: open, valueTypes: new Map() };
  return inferTypes(opened).get(of)?.shape?.[0] === "N" ? opened : undefined;
}

/** As no input is called. */
const outputNames = (graph: Graph) => ({
  score: freeName(graph, "score"),
  scores: freeName(graph, "scores"),
});

/** Outputs `score`, what is explained of each example, and `scores`, those of all classes. */
function valueGraph({ graph, of, wrt }: Prepared, target: Target): Graph {
  const builder = new Builder();
  const inputs = Object.fromEntries(
    requiredInputs(graph).map(({ name, type }): [string, TensorType] => {
      if (!isTensorType(type)) throw new ExplainError(`input "${name}" is no tensor`);
      return [name, type];
    }),
  );
  const names = outputNames(graph);
  const body = (given: Values): Values => {
    const scores = builder.trace(graph, given).get(of)!;
    const shape = scores.type.shape;
    if (!shape) throw new ExplainError(`the shape of the scores "${of}" is not known`);
    const rank = shape.length;
    const count = rank === 0 ? 1 : shape[classAxis(rank)];
    if (typeof count !== "number") throw new ExplainError(`how many classes "${of}" has is not known`);
    const weights = new Array<number>(count).fill(target.kind === "all" ? 1 : 0);
    const set = (index: number, to: number): void => {
      if (index >= count)
        throw new ExplainError(`no class ${index}: there are ${count}, from 0 to ${count - 1}`);
      weights[index] = weights[index]! + to;
    };
    if (target.kind === "class" || target.kind === "contrast") set(target.index, 1);
    if (target.kind === "contrast") set(target.against, -1);
    const dims = Array.from({ length: rank }, (_, k) => (k === classAxis(rank) ? -1 : 1));
    const chosen = scores.mul(scores.builder.lift(weights, scores.type.type).reshape(dims));
    const axes = Array.from({ length: rank }, (_, k) => k).slice(rank > 1 ? 1 : 0);
    return { [names.score]: chosen.sum(axes), [names.scores]: scores.op("Identity") };
  };
  const written = finish(builder, inputs, body, { name: `${graph.name}_score`, nested: false });
  const result = prune({ ...written, opsets: graph.opsets, functions: graph.functions });
  const missing = wrt.find((name) => !result.inputs.some((i) => i.name === name));
  if (missing !== undefined) throw new ExplainError(`the scores do not depend on input "${missing}"`);
  return result;
}

/** The class that a network predicts for one example. */
export async function scoresOfExample({ graph, inputs, of }: Prepared): Promise<Tensor> {
  const outputs = [{ name: of, type: { type: "undefined" as const } }];
  const read = new Set(graph.inputs.map(({ name }) => name));
  const feeds = Object.fromEntries(Object.entries(inputs).filter(([name]) => read.has(name)));
  const scoring = prune({ ...graph, outputs });
  try {
    return (await run(scoring, feeds, threadsFor(graph)))[of]!;
  } finally {
    await release(scoring);
  }
}
