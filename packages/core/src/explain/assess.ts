// Several explanations of the same predictions side by side: which one finds what the network goes by?
import type { Graph } from "../graph/graph.ts";
import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import { ExplainError } from "./error.ts";
import {
  type Estimate,
  estimate,
  flipping,
  localization,
  randomFlipping,
  rankCorrelation,
} from "./evaluate.ts";
import { type ExplainOptions, examplesOf, explain, inDouble, type Method } from "./explain.ts";
import { planeOf } from "./heatmap.ts";
import { usualGroups } from "./methods/groups.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { shuffled, weightNames } from "./randomized.ts";
import { ScoreModel, scoresOfExample } from "./score-model.ts";
import { type FixedTarget, fixedTarget } from "./target.ts";

export interface Contestant {
  readonly name: string;
  readonly options: ExplainOptions;
}

export interface Assessment {
  readonly name: string;
  /** Of pixel flipping; per example the mean is taken over. */
  readonly drop: Estimate;
  readonly between: Estimate;
  readonly most: readonly number[];
  readonly least: readonly number[];
  readonly mass?: Estimate;
  readonly rank?: Estimate;
  readonly hits?: Estimate;
}

export interface Randomization {
  /** How many layers from the top have other weights, and the rank correlation with what was said before. */
  readonly layers: number;
  readonly correlation: Estimate;
}

export interface AssessOptions extends ExplainOptions {
  /** In the shape of the pixels, one for all examples or one for each: above 0 where what counts is. */
  readonly mask?: Tensor;
  readonly onProgress?: (done: number, of: number) => void;
}

const usual: readonly Method[] = [
  "gradient",
  "gradient-x-input",
  "integrated-gradients",
  "smoothgrad",
  "occlusion",
];

/** The explanation that was asked for, and the others to compare it with. */
export const contestants = (options: ExplainOptions): readonly Contestant[] => {
  const method = options.method ?? "lrp";
  const own = typeof options.composite === "string" ? options.composite : options.composite?.name;
  return [
    { name: method === "lrp" && own ? `lrp ${own}` : method, options },
    ...usual
      .filter((other) => other !== method)
      .map((other) => ({
        name: other,
        options: { ...options, method: other, composite: undefined } as ExplainOptions,
      })),
  ];
};

const meanCurve = (curves: readonly (readonly number[])[]): number[] =>
  curves[0]!.map((_, k) => curves.reduce((s, c) => s + c[k]!, 0) / curves.length);

const targetOf = async (example: Prepared, { target }: ExplainOptions): Promise<FixedTarget> =>
  fixedTarget(target ?? { kind: "predicted" }, await scoresOfExample(example));

/** The mask of each example: one for all, or one for each. */
function masksOf(mask: Tensor, examples: readonly Prepared[]): readonly ArrayLike<number>[] {
  const [{ inputs, wrt }] = examples as readonly [Prepared];
  const { dims } = inputs[wrt[0]!]!;
  const { rows, columns } = planeOf(new Float64Array(elementCount(dims)), dims);
  const [values, size] = [numbers(mask), rows * columns];
  if (values.length !== size && values.length !== size * examples.length)
    throw new ExplainError(`the mask has the shape [${mask.dims}], the pixels are ${rows} x ${columns}`);
  const masks = examples.map((_, n) =>
    values.length === size ? values : values.slice(n * size, (n + 1) * size),
  );
  if (masks.some((one) => !Array.from(one).some((v) => v > 0)))
    throw new ExplainError("a mask is nowhere above 0: it shows nothing that should count");
  return masks;
}

/** Pixel flipping and localization of each contestant, and of random orders. */
export async function assess(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  all: readonly Contestant[],
  options: AssessOptions = {},
): Promise<readonly Assessment[]> {
  const examples = examplesOf(await prepare(graph, inputs, inDouble(options)));
  const masks = options.mask && masksOf(options.mask, examples);
  const random = createRandom(`assess/${options.seed ?? 0}`);
  const found = new Map<
    string,
    { flips: Awaited<ReturnType<typeof flipping>>[]; spots: ReturnType<typeof localization>[] }
  >();
  const entry = (name: string) => {
    if (!found.has(name)) found.set(name, { flips: [], spots: [] });
    return found.get(name)!;
  };
  let done = 0;
  const tell = (): void => options.onProgress?.(++done, examples.length * (all.length + 1));
  for (const [n, example] of examples.entries()) {
    const target = await targetOf(example, options);
    const model = await ScoreModel.create(example, target);
    const { dims } = example.inputs[example.wrt[0]!]!;
    const groups = usualGroups(
      example.wrt.map((name) => example.inputs[name]!.dims),
      options.patch,
    );
    const baseline = new Float64Array(model.size).fill(options.baseline ?? 0);
    for (const { name, options: own } of all) {
      const { relevance } = await explain(example.graph, example.inputs, {
        ...own,
        output: example.of,
        target,
      });
      const values = [...relevance.values()].flatMap((t) => Array.from(numbers(t)));
      entry(name).flips.push(await flipping(model, values, groups, baseline));
      if (masks) {
        const plane = planeOf(Array.from(numbers(relevance.get(example.wrt[0]!)!)), dims);
        entry(name).spots.push(localization(plane.values, masks[n]!));
      }
      tell();
    }
    entry("random").flips.push(await randomFlipping(model, groups, baseline, 5, random));
    await model.release();
    tell();
  }
  return [...found].map(([name, { flips, spots }]) => ({
    name,
    drop: estimate(flips.map((f) => f.drop)),
    between: estimate(flips.map((f) => f.between)),
    most: meanCurve(flips.map((f) => f.most)),
    least: meanCurve(flips.map((f) => f.least)),
    ...(spots.length > 0 && {
      mass: estimate(spots.map((s) => s.mass)),
      rank: estimate(spots.map((s) => s.rank)),
      hits: estimate(spots.map((s) => Number(s.isHit))),
    }),
  }));
}

/** The rank correlation of an explanation with what is said when the weights of the top layers are shuffled. */
export async function randomization(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  options: ExplainOptions = {},
): Promise<readonly Randomization[]> {
  const examples = examplesOf(await prepare(graph, inputs, inDouble(options)));
  const names = weightNames(examples[0]!.graph);
  const depths = names.length === 0 ? [] : [...new Set([1, Math.ceil(names.length / 2), names.length])];
  const random = createRandom(`randomization/${options.seed ?? 0}`);
  const correlations = new Map<number, number[]>(depths.map((n) => [n, []]));
  const size = (map: ReadonlyMap<string, Tensor>): number[] =>
    [...map.values()].flatMap((t) => Array.from(numbers(t), Math.abs));
  for (const example of examples) {
    const own: ExplainOptions = { ...options, output: example.of, target: await targetOf(example, options) };
    const before = size((await explain(example.graph, example.inputs, own)).relevance);
    for (const depth of depths) {
      const other = shuffled(example.graph, names.slice(0, depth), random);
      const after = size((await explain(other, example.inputs, own)).relevance);
      correlations.get(depth)!.push(rankCorrelation(before, after));
    }
  }
  return [...correlations].map(([layers, values]) => ({ layers, correlation: estimate(values) }));
}
