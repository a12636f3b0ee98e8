import { type Candidate, candidates, paretoFront } from "../../explain/batch-flipping.ts";
import { explain } from "../../explain/index.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers } from "../../graph/tensor.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import {
  imageTensor,
  type PlantedImage,
  plantedImages,
  predictedClasses,
  specs,
  trainedNetwork,
} from "./planted-images.ts";

const plainest = "uniform(zero)";

/** What is tried: rules and their parameters. */
const grid = {
  cheap: [plainest, "uniform(gamma=0.25)", "alpha1-beta0", "epsilon-gamma-box"],
  live: [
    plainest,
    "uniform(epsilon=0.01)",
    "uniform(epsilon=0.1rms)",
    "uniform(gamma=0.1)",
    "uniform(gamma=0.25)",
    "uniform(gamma=1)",
    "uniform(alpha-beta=2,1)",
    "alpha1-beta0",
    "epsilon-plus",
    "epsilon-plus-flat",
    "epsilon-gamma-box",
    "montavon",
  ],
} as const;

export default lemma({
  id: "C5-28",
  covers: ["C5-28"],
  kind: "experiment",
  title: "Choosing the rules: what wins on some examples wins on others",
  source: "Book, chapter 5, section 5.4.2",
  statement: String.raw`\hat\rho = \arg\max_\rho \frac1n \sum_{x} \frac{\sum_{i \in G_x} R_i^+}{\sum_i R_i^+}, \quad \text{chosen on some examples, judged on others}`,
  parameters: {
    shown: integer({ min: 6, max: 18, default: 15, label: "examples to choose on" }),
    baseline: real({ min: 0, max: 0.3, default: 0.15, label: "what replaces a pixel" }),
  },
  claims: {
    "mass on the object by the chosen rules, on other examples: less that of LRP-0": atLeast("0").probable(),
    "relevance on the object by the chosen rules, less its part of the pixels": atLeast("0").probable(),
    "mass of the first example, in the batch": equals(String.raw`\text{that of the example alone}`),
    "choices that another one beats in both, on the front": equals("0"),
    "choices that none beats in both, off the front": equals("0"),
  },
  mutants: {
    "the mass off the object": {
      "mass of the first example, in the batch": (_, { theory }) => 1 - theory,
    },
    "a front with a hole": { "choices that none beats in both, off the front": () => 1 },
  },
  async run({ shown, baseline }, { random, budget, progress }) {
    const graph = await trainedNetwork({
      images: plantedImages(300, random),
      spec: specs.convolutional,
      steps: budget === "cheap" ? 150 : 300,
      random,
    });
    await progress(0.4);
    const names = grid[budget === "cheap" ? "cheap" : "live"];
    const judged = async (images: readonly PlantedImage[], of: readonly string[]) =>
      candidates(
        { ...(await batchOf(graph, images)), baseline },
        images.map(({ mask }) => mask),
        of,
        2,
      );
    const all = await judged(plantedImages(shown, random.split("choose")), names);
    await progress(0.8);
    const chosen = all.reduce((best, other) => (other.mass.mean > best.mass.mean ? other : best));
    const others = plantedImages(30, random.split("judge"));
    const [own, plain] = await judged(others, [chosen.name, plainest]);
    const front = new Set(paretoFront(all));
    const isBeaten = (one: Candidate): boolean =>
      all.some((other) => other.drop.mean > one.drop.mean && other.mass.mean > one.mass.mean);
    return {
      graph,
      figure: figure(all, front),
      table: {
        title: `Rules on ${shown} examples, the greatest mass first`,
        columns: ["rules", "mass on the object", "±", "mean drop", "±", "on the front"],
        rows: all
          .toSorted((a, b) => b.mass.mean - a.mass.mean)
          .map((c) => [
            c.name,
            ...[c.mass.mean, c.mass.plusMinus, c.drop.mean, c.drop.plusMinus].map((v) =>
              Number(v.toFixed(3)),
            ),
            front.has(c) ? "yes" : "",
          ]),
      },
      claims: {
        "mass on the object by the chosen rules, on other examples: less that of LRP-0": sampled(
          own!.mass.mean - plain!.mass.mean,
          0,
          { delta: 0.05 },
        ),
        "relevance on the object by the chosen rules, less its part of the pixels": sampled(
          own!.mass.mean - 9 / 100,
          0,
          { delta: 0.05 },
        ),
        "mass of the first example, in the batch": checked(
          own!.masses[0]!,
          await massAlone(graph, others[0]!, chosen.name),
          { tolerance: 1e-9 },
        ),
        "choices that another one beats in both, on the front": checked(
          [...front].filter(isBeaten).length,
          0,
        ),
        "choices that none beats in both, off the front": checked(
          all.filter((c) => !front.has(c) && all.every((other) => other === c || isWorse(other, c))).length,
          0,
        ),
      },
    };
  },
});

async function massAlone(graph: Graph, image: PlantedImage, composite: string): Promise<number> {
  const { relevance } = await explain(
    graph,
    { x: imageTensor([image], "float32") },
    { composite, bounds: { low: 0, high: 1 } },
  );
  const positive = Array.from(numbers(relevance.get("x")!), (v) => Math.max(0, v));
  const sum = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0);
  const total = sum(positive);
  return total > 0 ? sum(positive.filter((_, k) => image.mask[k] === 1)) / total : 0;
}

/** Worse in one of the two at least. */
const isWorse = (a: Candidate, b: Candidate): boolean =>
  a.drop.mean < b.drop.mean || a.mass.mean < b.mass.mean;

/** Examples with the classes that the network predicts. */
async function batchOf(graph: Graph, images: readonly PlantedImage[]) {
  const classes = await predictedClasses(graph, images);
  const x = imageTensor(images, "float32");
  return { graph, input: "x", output: "y", x, classes };
}

function figure(all: readonly Candidate[], front: ReadonlySet<Candidate>): Figure {
  const dots = (name: string, of: readonly Candidate[]) => ({
    name,
    mark: "dots" as const,
    points: of.map(({ mass, drop }) => [mass.mean, drop.mean] as const),
  });
  return {
    title: "Composites by both measures",
    panels: [
      {
        title: "Right above is better",
        x: { label: "part of the relevance on the object" },
        y: { label: "mean drop of the score by flipping" },
        series: [
          dots(
            "beaten by another one",
            all.filter((c) => !front.has(c)),
          ),
          dots("on the front", [...front]),
        ],
      },
    ],
  };
}
