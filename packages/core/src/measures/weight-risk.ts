// The empirical risk of a model on some examples as a function of all its weights: values, gradients, curvature.
import { run } from "../engine/run.ts";
import { Builder } from "../graph/builder.ts";
import { GraphError } from "../graph/error.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, isSparse, type TensorType } from "../graph/graph.ts";
import {
  cast,
  elementCount,
  encode,
  type NumericType,
  numbers,
  type Tensor,
  tensor,
} from "../graph/tensor.ts";
import type { Values } from "../graph/value.ts";
import { gradient } from "../passes/gradient.ts";
import { hessianVectorProduct } from "../passes/hessian.ts";
import type { Examples } from "../train/data/dataset.ts";
import { joined } from "../train/empirical-risk.ts";
import { type LossName, losses, objective } from "../train/loss.ts";
import { weightKey } from "../train/state.ts";
import { trainableWeights, weightsAsInputs } from "../train/weights.ts";
import type { AuditedModel } from "./audited-model.ts";
import { batchRows } from "./predictions.ts";

export interface RiskValue {
  readonly loss: number;
  /** The share classified wrong; for numbers as targets the loss itself. */
  readonly error: number;
}

export interface WeightRisk {
  readonly loss: LossName;
  readonly examples: number;
  /** How far gradients and curvatures may be off by rounding, relative to the greatest of them: a guess for the model's type. */
  readonly rounding: number;
  /** The weights as they are, one after the other. */
  readonly start: Float64Array;
  readonly names: readonly string[];
  at(theta: Float64Array): Promise<RiskValue>;
  /** Of the loss, on some of the examples. */
  gradient(theta: Float64Array, from?: number, to?: number): Promise<Float64Array>;
  /** H v at the weights as they are. */
  curvature(v: Float64Array): Promise<Float64Array>;
  /** For each example <w, grad_w loss>: the slope when all weights are scaled. */
  radialSlopes(): Promise<Float64Array>;
}

/** The loss that fits targets: cross-entropy of several scores, logistic of one, the square for numbers. */
export const lossFor = (outputs: number, y: Tensor): LossName =>
  y.type !== "int64" ? "square" : outputs === 1 ? "logistic" : "cross-entropy";

/** The weights of a model as a vector, and the tensors that a vector stands for. */
export function weightsOf(graph: Graph) {
  const names = trainableWeights(graph);
  const stored = names.map((name) => graph.initializers.get(name)!);
  const weights = stored.flatMap((w) => (isSparse(w) ? [] : [w]));
  const start = joined(
    weights.reduce((n, w) => n + elementCount(w.dims), 0),
    weights,
  );
  const tensors = (theta: Float64Array, key: (name: string) => string): Record<string, Tensor> => {
    let from = 0;
    return Object.fromEntries(
      weights.map((w, k) => {
        const size = elementCount(w.dims);
        const part = theta.subarray(from, from + size);
        from += size;
        const type = w.type as NumericType;
        return [key(names[k]!), { type, dims: w.dims, data: encode(part, type) }] as const;
      }),
    );
  };
  return { names, start, tensors };
}

/** The risk of a model; graphs for gradients and curvature are written when they are asked for. */
export function weightRisk(model: AuditedModel, { x, y }: Examples): WeightRisk {
  const loss = lossFor(model.outputs, y);
  const { names, start, tensors } = weightsOf(model.graph);
  if (names.length === 0) throw new GraphError("the model has no weights");
  const rename = new Map(names.map((name) => [name, weightKey(name)]));
  const keys = [...rename.values()];
  const open = weightsAsInputs(model.graph, rename);
  const value = objective(open, loss);
  const once = <T>(make: () => T): (() => T) => {
    let made: T | undefined;
    return () => {
      made ??= make();
      return made;
    };
  };
  const slope = once(() => gradient(value, { wrt: keys, of: ["loss"], unitSeeds: true }));
  const second = once(() => hessianVectorProduct(value, { wrt: keys, of: ["loss"] }));
  const targets = y.type === "int64" ? y : cast({ ...y, dims: [y.dims[0]!, model.outputs] }, model.type);
  const examples = x.dims[0]!;

  /** Sums over batches, each weighed by its examples. */
  const overBatches = async (
    graph: Graph,
    given: Readonly<Record<string, Tensor>>,
    take: (found: Readonly<Record<string, Tensor>>, share: number, from: number) => void,
    from = 0,
    to = examples,
  ): Promise<void> => {
    for (let start = from; start < to; start += model.batch) {
      const end = Math.min(to, start + model.batch);
      const inputs = {
        ...given,
        [model.input]: batchRows(x, start, end),
        target: batchRows(targets, start, end),
      };
      take(await run(graph, inputs, model.running), (end - start) / (to - from), start);
    }
  };
  const add = (sum: Float64Array, found: Readonly<Record<string, Tensor>>, prefix: string, share: number) => {
    let from = 0;
    for (const key of keys) {
      const part = numbers(found[prefix + key]!);
      addScaled(sum.subarray(from, from + part.length), part, share);
      from += part.length;
    }
  };

  return {
    loss,
    examples,
    rounding: model.type === "float64" ? 2 ** -44 : model.type === "float32" ? 2 ** -17 : 2 ** -6,
    start,
    names,
    async at(theta) {
      let [mean, right] = [0, 0];
      await overBatches(value, tensors(theta, weightKey), (found, share) => {
        mean += share * Number(numbers(found.loss!)[0]);
        right += share * Number(found.accuracy ? numbers(found.accuracy)[0] : 0);
      });
      return { loss: mean, error: loss === "square" ? mean : 1 - right };
    },
    async gradient(theta, from, to) {
      const sum = new Float64Array(start.length);
      const take = (found: Readonly<Record<string, Tensor>>, share: number) =>
        add(sum, found, "grad_", share);
      await overBatches(slope(), tensors(theta, weightKey), take, from, to);
      return sum;
    },
    async curvature(v) {
      const sum = new Float64Array(start.length);
      const given = { ...tensors(start, weightKey), ...tensors(v, (name) => `vector_${weightKey(name)}`) };
      await overBatches(second(), given, (found, share) => add(sum, found, "hessian_", share));
      return sum;
    },
    async radialSlopes() {
      const slopes = new Float64Array(examples);
      const one = cast(tensor(1), model.type);
      const graph = radialGraph(model, open, tensors(start, weightKey), loss);
      const take = (found: Readonly<Record<string, Tensor>>, _share: number, from: number) =>
        slopes.set(numbers(found.grad_seed_each!), from);
      // The slopes are linear in the seed: its value does not matter, its shape does.
      for (let from = 0; from < examples; from += model.batch) {
        const to = Math.min(examples, from + model.batch);
        const seed = cast(tensor(new Float64Array(to - from)), model.type);
        await overBatches(graph, { scale: one, seed_each: seed }, take, from, to);
      }
      return slopes;
    },
  };
}

function addScaled(sum: Float64Array, part: Float32Array | Float64Array, share: number): void {
  for (let k = 0; k < sum.length; k++) sum[k]! += share * part[k]!;
}

/**
 * d/dt loss_i(t w) at t = 1 for each example i: the gradient in t of sum_i s_i loss_i(t w) is linear in s, and its own
 * gradient in s has the slopes.
 */
function radialGraph(
  model: AuditedModel,
  open: Graph,
  weights: Readonly<Record<string, Tensor>>,
  loss: LossName,
): Graph {
  const builder = new Builder();
  const input = model.graph.inputs.find((i) => i.name === model.input)!.type as TensorType;
  const types: Record<string, TensorType> = {
    [model.input]: input,
    scale: { type: model.type, shape: [] },
    target:
      losses[loss].target === "class"
        ? { type: "int64", shape: [input.shape![0]] }
        : { type: model.type, shape: [input.shape![0], model.outputs] },
  };
  const body = (given: Values): Values => {
    const scaled = Object.entries(weights).map(
      ([key, w]) => [key, builder.weight(w, "w").mul(given.scale!)] as const,
    );
    const inputs = { [model.input]: given[model.input]!, ...Object.fromEntries(scaled) };
    const found = builder.inline(open, inputs)[model.output]!;
    return { each: losses[loss].each(found, given.target!) };
  };
  const each = finish(builder, types, body, { name: "radial", nested: false });
  const inScale = gradient({ ...each, opsets: open.opsets, functions: open.functions }, { wrt: ["scale"] });
  const onlySlope = { ...inScale, outputs: inScale.outputs.filter((o) => o.name === "grad_scale") };
  return gradient(onlySlope, { wrt: ["seed_each"], of: ["grad_scale"], unitSeeds: true });
}
