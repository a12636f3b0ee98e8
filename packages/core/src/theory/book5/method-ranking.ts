import { run } from "../../engine/run.ts";
import { type Batch, drops, flippingCurves } from "../../explain/batch-flipping.ts";
import { type Estimate, estimate } from "../../explain/evaluate.ts";
import { assess, type ExplainOptions, explain } from "../../explain/index.ts";
import { patchGroups } from "../../explain/methods/groups.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers } from "../../graph/tensor.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import {
  imageTensor,
  plantedImages,
  predictedClasses,
  side,
  specs,
  trainedNetwork,
} from "./planted-images.ts";

/** Everything that is ranked; a falsifier's trial looks at those that the claims are about. */
const contestants = {
  "LRP-0": { composite: "uniform(zero)" },
  "gradient × input": { method: "gradient-x-input" },
  occlusion: { method: "occlusion", patch: 2 },
  "LRP γ, box": { composite: "epsilon-gamma-box" },
  gradient: { method: "gradient" },
  "integrated gradients": { method: "integrated-gradients", samples: 32 },
  SmoothGrad: { method: "smoothgrad", samples: 32 },
  "LRP ε": { composite: "uniform(epsilon=0.01)" },
  "LRP α1β0": { composite: "alpha1-beta0" },
  "LRP ε and z+, flat below": { composite: "epsilon-plus-flat" },
} as const satisfies Record<string, ExplainOptions>;
type Name = keyof typeof contestants;
const few: readonly Name[] = ["LRP-0", "gradient × input", "occlusion", "LRP γ, box"];

interface Ranked {
  readonly name: string;
  readonly drop: Estimate;
  readonly drops: readonly number[];
  readonly curve: readonly number[];
}

export default lemma({
  id: "C5-21r",
  covers: ["C5-21", "C5-16"],
  kind: "experiment",
  title: "Explanations ranked by pixel flipping on a trained network",
  source: "Book, chapter 5, sections 5.3 and 5.5; Samek et al. 2017",
  statement: String.raw`\mathrm{AOPC} = \frac{1}{K+1} \sum_{k=0}^{K} f_c(x) - f_c(x^{(k)}), \quad x^{(k)}: \text{ the } k \text{ most relevant regions replaced}`,
  parameters: {
    examples: integer({ min: 2, max: 12, default: 12, label: "explained examples" }),
    baseline: real({ min: 0, max: 0.3, default: 0.15, label: "what replaces a pixel" }),
  },
  claims: {
    "mean drop by LRP-0": equals(
      String.raw`\text{that of gradient } \times \text{ input, for ReLU networks}`,
    ),
    "greatest difference of relevance, LRP-0 and gradient × input, of the greatest": equals("0"),
    "mean drop by LRP-0, all examples in one run": equals(String.raw`\text{example by example}`),
    "mean drop by occlusion, less at random": atLeast("0").probable(),
    "mean drop by LRP γ with the box, less at random": atLeast("0").probable(),
    "score when all regions are gone, mean": equals(String.raw`\text{that of the empty image}`),
  },
  mutants: {
    "the last step not counted": {
      "mean drop by LRP-0, all examples in one run": (_, { theory }) => (theory * 26) / 25,
    },
    "another example less": ({ examples }) => ({ examples: examples - 1 }),
  },
  async run({ examples, baseline }, { random, budget, progress }) {
    const graph = await trainedNetwork({
      images: plantedImages(300, random),
      spec: specs.convolutional,
      steps: budget === "cheap" ? 150 : 300,
      random,
    });
    await progress(0.4);
    const count = budget === "cheap" ? Math.min(examples, 4) : examples;
    const images = plantedImages(count, random.split("explained"));
    const x = imageTensor(images, "float32");
    const classes = await predictedClasses(graph, images);
    const groups = patchGroups([1, 1, side, side], 2);
    const batch = { graph, input: "x", output: "y", x, classes, groups, baseline };
    const ranked = async (name: string, relevance: ArrayLike<number>): Promise<Ranked> => {
      const curves = await flippingCurves(batch, relevance);
      return { name, drop: estimate(drops(curves)), drops: drops(curves), curve: meanCurve(curves) };
    };
    const names = budget === "cheap" ? few : (Object.keys(contestants) as Name[]);
    const relevance = new Map<Name, ArrayLike<number>>();
    for (const name of names) {
      const options = { ...contestants[name], baseline, bounds: { low: 0, high: 1 } };
      relevance.set(name, numbers((await explain(graph, { x }, options)).relevance.get("x")!));
      await progress(0.4 + (0.5 * relevance.size) / names.length);
    }
    const all = new Map<string, Ranked>();
    for (const [name, values] of relevance) all.set(name, await ranked(name, values));
    const chance = await ranked("random", random.normal(x.data.length));
    const [own, slope] = [relevance.get("LRP-0")!, relevance.get("gradient × input")!];
    const [alone] = await assess(
      graph,
      { x },
      [{ name: "LRP-0", options: { ...contestants["LRP-0"], baseline } }],
      { baseline, patch: 2 },
    );
    const size = Math.max(1, Math.abs(alone!.drop.mean));
    const inSingle = { tolerance: 1e-4 * size }; // the batch is run in f32
    return {
      graph,
      figure: figure([...all.values(), chance]),
      table: tableOf([...all.values(), chance]),
      claims: {
        "mean drop by LRP-0": checked(
          all.get("LRP-0")!.drop.mean,
          all.get("gradient × input")!.drop.mean,
          { tolerance: 0.05 * size }, // regions that count alike may be in another order
        ),
        "greatest difference of relevance, LRP-0 and gradient × input, of the greatest": checked(
          distance(own, slope),
          0,
          { tolerance: 1e-9 },
        ),
        "mean drop by LRP-0, all examples in one run": checked(
          all.get("LRP-0")!.drop.mean,
          alone!.drop.mean,
          inSingle,
        ),
        "mean drop by occlusion, less at random": sampled(
          all.get("occlusion")!.drop.mean - chance.drop.mean,
          0,
          { delta: 0.05 },
        ),
        "mean drop by LRP γ with the box, less at random": sampled(
          all.get("LRP γ, box")!.drop.mean - chance.drop.mean,
          0,
          { delta: 0.05 },
        ),
        "score when all regions are gone, mean": checked(
          chance.curve.at(-1)!,
          await emptyScore(batch),
          inSingle,
        ),
      },
    };
  },
});

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let [most, size] = [0, 1e-12];
  for (let k = 0; k < a.length; k++) {
    most = Math.max(most, Math.abs(a[k]! - b[k]!));
    size = Math.max(size, Math.abs(a[k]!));
  }
  return most / size;
};

const meanCurve = (curves: readonly (readonly number[])[]): readonly number[] =>
  curves[0]!.map((_, k) => curves.reduce((s, c) => s + c[k]!, 0) / curves.length);

/** The mean over the examples' classes. */
async function emptyScore({ graph, classes, baseline }: Pick<Batch, "graph" | "classes" | "baseline">) {
  const empty = imageTensor([{ pixels: new Float64Array(side * side).fill(baseline) }], "float32");
  const scores = numbers((await run(graph, { x: empty }))["y"]!);
  return classes.reduce((sum, c) => sum + scores[c]!, 0) / classes.length;
}

const tableOf = (all: readonly Ranked[]) => ({
  title: "Mean drop of the score, the greatest first",
  columns: ["explanation", "mean drop", "± (95 %)"],
  rows: all
    .toSorted((a, b) => b.drop.mean - a.drop.mean)
    .map(({ name, drop }) => [name, Number(drop.mean.toFixed(3)), Number(drop.plusMinus.toFixed(3))]),
});

function figure(all: readonly Ranked[]): Figure {
  const sorted = all.toSorted((a, b) => a.drop.mean - b.drop.mean);
  return {
    title: "Regions taken away, most relevant first",
    panels: [
      {
        title: "The score that is left",
        x: { label: "regions taken away" },
        y: { label: "score" },
        series: sorted
          .toReversed()
          .map(({ name, curve }) => ({ name, mark: "line", points: curve.map((v, k) => [k, v] as const) })),
      },
      {
        title: "Mean drop, with intervals of 95 %",
        x: { label: "mean drop of the score" },
        y: { label: "explanation", names: sorted.map(({ name }) => name) },
        series: [
          { name: "mean", mark: "dots", points: sorted.map(({ drop }, k) => [drop.mean, k] as const) },
          ...sorted.map(({ name, drop }, k) => ({
            name: `${name}, interval`,
            mark: "line" as const,
            points: [
              [drop.mean - drop.plusMinus, k],
              [drop.mean + drop.plusMinus, k],
            ] as const,
          })),
        ],
      },
    ],
  };
}
