import { run } from "../../engine/run.ts";
import {
  leastFirst,
  scaledToLength,
  type UnitLayer,
  unitLayers,
  unitRelevance,
  withoutUnits,
} from "../../explain/prune-by-relevance.ts";
import type { Figure } from "../../figure/figure.ts";
import { type Graph, isSparse } from "../../graph/graph.ts";
import { numbers, type Tensor } from "../../graph/tensor.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { imageTensor, type PlantedImage, plantedImages, specs, trainedNetwork } from "./planted-images.ts";

type Unit = readonly [layer: number, unit: number];

/** Filters that go at a time along the curves, and random orders to compare with. */
const effort = {
  cheap: { stride: 4, orders: 2 },
  live: { stride: 2, orders: 4 },
  thorough: { stride: 1, orders: 20 },
};

export default lemma({
  id: "C5-27",
  covers: ["C5-27"],
  kind: "algorithm",
  title: "Pruning by relevance: filters that hand on nothing can go",
  source: "Book, chapter 5, sections 5.4.2 and 5.6; Yeom et al. 2019",
  statement: String.raw`I_u = \sum_{x, p} R_{u,p}(x), \text{ per layer of length } 1; \text{ least first.} \quad \text{Below a linear score: } I_u^{\text{LRP-}0} = \sum_x f_c(x) - f_c(x \text{ without } u)`,
  parameters: {
    reference: integer({ min: 3, max: 30, default: 12, label: "reference examples" }),
    dead: integer({ min: 1, max: 4, default: 3, label: "filters that nobody reads" }),
  },
  claims: {
    "last layer, rule 0: greatest difference to the drop when a filter goes": equals("0"),
    "last layer, rule 0: relevance of the most relevant filter": equals(
      String.raw`\sum_x f_c(x) - f_c(x \text{ without it})`,
    ),
    "relevance of filters that nobody reads": equals("0"),
    "change of the scores when they go": equals("0"),
    "their mean rank by the size of their weights, from the top": equals(String.raw`\text{first}`),
    "mean accuracy along the curve, by relevance less at random": atLeast("0").probable(),
  },
  mutants: {
    "shared with the bias": {
      "last layer, rule 0: relevance of the most relevant filter": (_, { theory }) => 0.9 * theory,
    },
    "one filter more": ({ dead }) => ({ dead: dead + 1 }),
  },
  async run({ reference, dead }, { random, budget, progress }) {
    const trained = await trainedNetwork({
      images: plantedImages(300, random),
      spec: specs.convolutional,
      steps: budget === "cheap" ? 250 : 300,
      random,
    });
    await progress(0.5);
    const { stride, orders } = effort[budget];
    const layers = unitLayers(trained);
    const shown = plantedImages(reference, random.split("reference"));
    const x = imageTensor(shown, "float32");
    const network = unread(trained, layers, dead);
    const unreadUnits = Array.from({ length: dead }, (_, unit): Unit => [0, unit]);
    const [below] = await unitRelevance(network, { x }, layers);
    const without = withoutUnits(network, layers, unreadUnits);
    const test = plantedImages(90, random.split("test"));
    const worth = (await unitRelevance(trained, { x }, layers)).map(scaledToLength);
    const curves = {
      relevance: await accuracies(trained, layers, leastFirst(worth), test, stride),
      weights: await accuracies(trained, layers, leastFirst(weightSizes(trained, layers)), test, stride),
      random: await Promise.all(
        Array.from({ length: orders }, () =>
          accuracies(trained, layers, random.shuffle([...leastFirst(worth)]), test, stride),
        ),
      ),
    };
    await progress(0.9);
    const last = await lastLayer(network, layers, x);
    const rounding = { tolerance: 1e-5 * reference * (1 + Math.max(...last.drops.map(Math.abs))) }; // sums in f32
    const bySize = leastFirst(weightSizes(network, layers)).toReversed();
    return {
      graph: network,
      figure: figure(curves, stride),
      claims: {
        "last layer, rule 0: greatest difference to the drop when a filter goes": checked(
          distance(last.drops, last.relevance),
          0,
          rounding,
        ),
        "last layer, rule 0: relevance of the most relevant filter": checked(
          Math.max(...last.relevance),
          last.drops[last.relevance.indexOf(Math.max(...last.relevance))]!,
          rounding,
        ),
        "relevance of filters that nobody reads": checked(
          unreadUnits.reduce((s, [, unit]) => s + Math.abs(below![unit]!), 0),
          0,
        ),
        "change of the scores when they go": checked(
          distance(await scoresOf(network, x), await scoresOf(without, x)),
          0,
        ),
        "their mean rank by the size of their weights, from the top": checked(
          mean(unreadUnits.map((u) => bySize.findIndex(([l, k]) => l === u[0] && k === u[1]))),
          (dead - 1) / 2,
        ),
        "mean accuracy along the curve, by relevance less at random": sampled(
          mean(curves.relevance) - mean(curves.random.map(mean)),
          0,
          { delta: 0.05 },
        ),
      },
    };
  },
});

const mean = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0) / values.length;
const distance = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((m, v, k) => Math.max(m, Math.abs(v - b[k]!)), 0);

const scoresOf = async (network: Graph, x: Tensor): Promise<number[]> =>
  Array.from(numbers((await run(network, { x }, { threads: 1 }))["y"]!));

/** The network in which nothing reads the first filters of the first layer, however large their own weights are. */
function unread(network: Graph, layers: readonly UnitLayer[], count: number): Graph {
  const initializers = new Map(network.initializers);
  const change = (name: string, to: (v: number, k: number, dims: readonly number[]) => number): void => {
    const weight = initializers.get(name)!;
    if (isSparse(weight)) return;
    const data = (weight.data as Float32Array).map((v, k) => to(v, k, weight.dims));
    initializers.set(name, { ...weight, data });
  };
  const [first, second] = layers.map(({ node }) => node);
  change(first!.inputs[1]!, (v, k, [, ...dims]) =>
    Math.floor(k / dims.reduce((n, d) => n * d, 1)) < count ? 100 * v : v,
  );
  // Kernels of the second layer: [filters, channels, 1, 1].
  change(second!.inputs[1]!, (v, k, dims) => (k % dims[1]! < count ? 0 : v));
  return { ...network, initializers };
}

/** The Euclidean size of each filter's weights. */
const weightSizes = (network: Graph, layers: readonly UnitLayer[]): readonly Float64Array[] =>
  layers.map(({ node, units }) => {
    const weight = network.initializers.get(node.inputs[1]!)! as Tensor;
    const values = numbers(weight);
    const size = values.length / units;
    return Float64Array.from({ length: units }, (_, u) =>
      Math.hypot(...values.slice(u * size, (u + 1) * size)),
    );
  });

/** Behind the last layer come a maximum and a linear score: a filter's relevance by rule 0 is what it adds. */
async function lastLayer(
  network: Graph,
  layers: readonly UnitLayer[],
  x: Tensor,
): Promise<{ readonly relevance: readonly number[]; readonly drops: readonly number[] }> {
  const last = layers.length - 1;
  const [relevance] = await unitRelevance(network, { x }, [layers[last]!], { kind: "zero" });
  const before = await scoresOf(network, x);
  const classes = before.length / x.dims[0]!;
  const winners = Array.from({ length: x.dims[0]! }, (_, n) => {
    const row = before.slice(n * classes, (n + 1) * classes);
    return n * classes + row.indexOf(Math.max(...row));
  });
  const drops: number[] = [];
  for (let unit = 0; unit < relevance!.length; unit++) {
    const after = await scoresOf(withoutUnits(network, layers, [[last, unit]]), x);
    drops.push(winners.reduce((s, k) => s + before[k]! - after[k]!, 0));
  }
  return { relevance: [...relevance!], drops };
}

/** The part classified right as more and more filters go. */
async function accuracies(
  network: Graph,
  layers: readonly UnitLayer[],
  order: readonly Unit[],
  images: readonly PlantedImage[],
  stride: number,
): Promise<number[]> {
  const x = imageTensor(images, "float32");
  const found: number[] = [];
  for (let gone = 0; gone < order.length; gone += stride) {
    const scores = await scoresOf(withoutUnits(network, layers, order.slice(0, gone)), x);
    const classes = scores.length / images.length;
    const right = images.filter(({ label }, n) => {
      const row = scores.slice(n * classes, (n + 1) * classes);
      return row.indexOf(Math.max(...row)) === label;
    });
    found.push(right.length / images.length);
  }
  return found;
}

interface Curves {
  readonly relevance: readonly number[];
  readonly weights: readonly number[];
  readonly random: readonly (readonly number[])[];
}

function figure({ relevance, weights, random }: Curves, stride: number): Figure {
  const over = (name: string, values: readonly number[]) => ({
    name,
    mark: "line" as const,
    points: values.map((v, k) => [k * stride, v] as const),
  });
  return {
    title: "Filters taken out, least relevant first",
    panels: [
      {
        title: "Accuracy without retraining",
        x: { label: "filters taken out" },
        y: { label: "accuracy" },
        series: [
          over("by relevance", relevance),
          over("by the size of weights", weights),
          {
            ...over(
              "at random",
              relevance.map((_, k) => mean(random.map((curve) => curve[k]!))),
            ),
            role: "theory",
          },
        ],
      },
    ],
  };
}
