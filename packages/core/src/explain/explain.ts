// One door to all methods: a network, an input, and why it said what it said.
import type { Graph } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { numbers, type Tensor } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import type { Target } from "../passes/relevance.ts";
import { type Bounds, type Composite, composite, usesBounds } from "./composite.ts";
import { ExplainError } from "./error.ts";
import type { Explanation } from "./explanation.ts";
import type { Attribution } from "./methods/attribution.ts";
import { gradientTimesInput, integratedGradients, sensitivity, smoothGradient } from "./methods/gradients.ts";
import { usualGroups } from "./methods/groups.ts";
import { mirroredNoise, rateDistortion } from "./methods/rate-distortion.ts";
import { occlusion, shapley } from "./methods/removal.ts";
import { kernelShap, lime } from "./methods/surrogate.ts";
import { type Root, taylor } from "./methods/taylor.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { propagate } from "./propagate.ts";
import { type Point, ScoreModel, scoresOfExample } from "./score-model.ts";
import { allScoresOf, classesOf, fixedTarget } from "./target.ts";

export interface ExplainOptions {
  readonly method?: Method;
  /** A composite or its name, for relevance propagation. */
  readonly composite?: string | Composite;
  readonly target?: Target;
  readonly output?: string;
  readonly canonize?: boolean;
  readonly precision?: "float32" | "float64";
  /** The least and the greatest that an input can be; default: those of the input that is given. */
  readonly bounds?: Bounds;
  /** What stands for "nothing there"; default 0. */
  readonly baseline?: number;
  /** The side of the squares that are taken away, in pixels. */
  readonly patch?: number;
  /** Steps of a path, draws of noise, orders of Shapley values, steps of a search. */
  readonly samples?: number;
  /** The noise of SmoothGrad, as a part of the range of the input. */
  readonly noise?: number;
  readonly root?: Root;
  /** Occlusion by the drop of the probability instead of the score. */
  readonly probability?: boolean;
  readonly seed?: number | string;
}

interface Context {
  readonly model: ScoreModel;
  readonly options: ExplainOptions;
  readonly baseline: Point;
  /** Of the inputs that are explained by. */
  readonly shapes: readonly (readonly number[])[];
  readonly index: number | undefined;
}

const random = ({ options }: Context) => createRandom(`explain/${options.seed ?? 0}`);

const groupsOf = ({ shapes, options }: Context) => usualGroups(shapes, options.patch);

const surrogateOf = (context: Context) => ({
  groups: groupsOf(context),
  baseline: context.baseline,
  samples: context.options.samples ?? 1024,
  random: random(context),
});

/** Everything but relevance propagation, one example at a time. */
const methods = {
  gradient: ({ model }: Context) => sensitivity(model),
  "squared-gradient": ({ model }: Context) => sensitivity(model, true),
  "gradient-x-input": ({ model }: Context) => gradientTimesInput(model),
  "integrated-gradients": ({ model, options, baseline }: Context) =>
    integratedGradients(model, { steps: options.samples ?? 64, baseline }),
  smoothgrad: (context: Context) =>
    smoothGradient(context.model, {
      draws: context.options.samples ?? 50,
      level: context.options.noise ?? 0.15,
      random: random(context),
    }),
  occlusion: (context: Context) =>
    occlusion(context.model, {
      groups: groupsOf(context),
      baseline: context.baseline,
      probabilityOf: context.options.probability ? context.index : undefined,
    }),
  shapley: (context: Context) =>
    shapley(context.model, {
      groups: groupsOf(context),
      baseline: context.baseline,
      permutations: context.options.samples ?? 40,
      random: random(context),
    }),
  lime: (context: Context) => lime(context.model, surrogateOf(context)),
  "kernel-shap": (context: Context) => kernelShap(context.model, surrogateOf(context)),
  taylor: ({ model, options, baseline }: Context) =>
    taylor(model, { root: options.root ?? "nearest", baseline }),
  "rate-distortion": (context: Context) => {
    const x = context.model.start;
    const mean = x.reduce((s, v) => s + v, 0) / x.length;
    const deviation = Math.sqrt(x.reduce((s, v) => s + (v - mean) ** 2, 0) / x.length);
    return rateDistortion(context.model, {
      price: 0.2,
      steps: context.options.samples ?? 60,
      noises: mirroredNoise(x.length, { pairs: 8, mean, deviation, random: random(context) }),
    });
  },
} satisfies Record<string, (context: Context) => Promise<Attribution>>;

export type Method = "lrp" | keyof typeof methods;
export const methodNames = ["lrp", ...Object.keys(methods)] as readonly Method[];

/** The composite for a network of this kind, where none is asked for. */
const usualComposite = ({ graph }: Prepared): string =>
  graph.nodes.some(({ op }) => /^Conv/.test(op)) ? "epsilon-plus-flat" : "uniform(epsilon=0.01)";

/** With the precision that is usual, where none is asked for. */
export const inDouble = (options: ExplainOptions): ExplainOptions => ({ precision: "float64", ...options });

/** The range of what is given, channel by channel it may be narrower than what could be. */
function seenBounds({ inputs, wrt }: Prepared): Bounds {
  let [low, high] = [0, 0];
  for (const name of wrt)
    for (const v of numbers(inputs[name]!)) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  return { low, high: high > low ? high : low + 1 };
}

/** The composite that is asked for or usual; `seen` are its bounds, if they come from the inputs themselves. */
export function chosenComposite(
  prepared: Prepared,
  options: ExplainOptions,
): { readonly chosen: Composite; readonly seen?: Bounds } {
  const named = options.composite ?? usualComposite(prepared);
  if (typeof named !== "string") return { chosen: named };
  const bounds = options.bounds ?? seenBounds(prepared);
  const isSeen = usesBounds(named) && !options.bounds;
  return { chosen: composite(named, bounds), ...(isSeen && { seen: bounds }) };
}

/**
 * Why a network said what it said: the relevance of each number of its input.
 * @example (await explain(net, { x: tensor([[0.5]]) }, { composite: "uniform(zero)" })).scores // [0.25]
 */
export async function explain(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  options: ExplainOptions = {},
): Promise<Explanation> {
  const method = options.method ?? "lrp";
  const prepared = await prepare(graph, inputs, inDouble(options));
  const target = options.target ?? { kind: "predicted" };
  if (method === "lrp") {
    const { chosen, seen } = chosenComposite(prepared, options);
    const found = await propagate(prepared, chosen, target);
    if (!seen) return found;
    const said = `the box of the inputs is what was seen: ${seen.low} .. ${seen.high}`;
    return { ...found, notes: [...found.notes, said] };
  }
  if (!Object.hasOwn(methods, method))
    throw new ExplainError(`no method "${method}": there are ${methodNames.join(", ")}`);
  return byMethod(method as keyof typeof methods, prepared, target, options);
}

async function byMethod(
  method: keyof typeof methods,
  prepared: Prepared,
  target: Target,
  options: ExplainOptions,
): Promise<Explanation> {
  const examples = examplesOf(prepared);
  const all: Explanation[] = [];
  for (const example of examples) {
    const scores = await scoresOfExample(example);
    const [index] = classesOf(scores, target);
    if (options.probability) checkProbability(scores, target);
    const model = await ScoreModel.create(example, fixedTarget(target, scores));
    const baseline = new Float64Array(model.size).fill(options.baseline ?? 0);
    const shapes = example.wrt.map((name) => example.inputs[name]!.dims);
    try {
      const { relevance, expected, details } = await methods[method]({
        model,
        options,
        baseline,
        shapes,
        index,
      });
      const sum = relevance.reduce((s, v) => s + v, 0);
      all.push({
        method,
        classes: [index],
        target,
        scores: [await model.score(model.start)],
        allScores: allScoresOf(scores),
        relevance: model.tensors(relevance),
        sums: [sum],
        conservationError: expected === undefined ? Number.NaN : Math.abs(sum - expected),
        details: { ...details, forward: model.runs, backward: model.gradients },
        notes: prepared.notes,
      });
    } finally {
      await model.release();
    }
  }
  return joined(all);
}

/** There is a probability where each class has one score, and of one class. */
function checkProbability({ dims }: Tensor, { kind }: Target): void {
  if (kind === "all" || kind === "contrast" || dims.length > 2)
    throw new ExplainError("a probability is that of one class, where each class has one score");
}

/** A batch, example by example. */
export function examplesOf(prepared: Prepared): Prepared[] {
  const { inputs, wrt, graph, of } = prepared;
  const count = inputs[wrt[0]!]!.dims[0] ?? 1;
  // The first axis of a sequence may be its steps: there are as many examples as scores.
  const scored = inferTypes(graph).get(of)?.shape?.[0];
  if (typeof scored === "number" && scored !== count) return [prepared];
  if (count <= 1 || Object.values(inputs).some(({ dims }) => dims[0] !== count)) return [prepared];
  return Array.from({ length: count }, (_, n) => {
    const one = (t: Tensor): Tensor => {
      const size = t.data.length / count;
      return { ...t, dims: [1, ...t.dims.slice(1)], data: t.data.slice(n * size, (n + 1) * size) as never };
    };
    const single = Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, one(t)]));
    const shaped = graph.inputs.map((input) => {
      const given = single[input.name];
      return given ? { ...input, type: { type: given.type, shape: given.dims } } : input;
    });
    return { ...prepared, inputs: single, graph: { ...graph, inputs: shaped, valueTypes: new Map() } };
  });
}

/** What is better the greater it is; all other numbers are errors, remainders and what the work was. */
const merits: ReadonlySet<string> = new Set(["r2"]);

/** Of several examples the worst: no example has an error that is larger, or a fit that is worse. */
const worstOf = (all: readonly Explanation["details"][]): Explanation["details"] =>
  Object.fromEntries(
    Object.keys(all[0]!).map((key) => {
      const values = all.map((details) => details[key] ?? 0);
      const worst = values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
      return [key, merits.has(key) ? Math.min(...values) : worst];
    }),
  );

function joined(all: readonly Explanation[]): Explanation {
  const [first] = all;
  if (all.length === 1) return first!;
  const relevance = new Map(
    [...first!.relevance].map(([name, { dims, type }]) => {
      const data = Float64Array.from(all.flatMap((e) => Array.from(numbers(e.relevance.get(name)!))));
      return [name, { type, dims: [all.length, ...dims.slice(1)], data } as Tensor] as const;
    }),
  );
  return {
    ...first!,
    classes: all.flatMap((e) => e.classes),
    scores: all.flatMap((e) => e.scores),
    allScores: all.flatMap((e) => e.allScores),
    sums: all.flatMap((e) => e.sums),
    relevance,
    conservationError: Math.max(...all.map((e) => e.conservationError)),
    details: worstOf(all.map((e) => e.details)),
  };
}
