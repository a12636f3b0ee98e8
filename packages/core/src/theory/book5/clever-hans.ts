import { cluster, neighbourGraph, normalized, sumPooled } from "../../explain/cluster.ts";
import { explain } from "../../explain/index.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import {
  imageTensor,
  type PlantedImage,
  plantedImage,
  predictedClasses,
  side,
  specs,
  trainedNetwork,
} from "./planted-images.ts";

/** How often training or clustering may fail. */
const delta = 0.1;

export default lemma({
  id: "C5-26",
  covers: ["C5-26"],
  kind: "algorithm",
  title: "Clever Hans: clusters of explanations find the examples that are told by their watermark",
  source: "Book, chapter 5, sections 5.2.1 and 5.3; Lapuschkin et al. 2019",
  statement: String.raw`\text{pooled maps } r_i / |r_i|, \; A_{ij} = [i \text{ and } j \text{ are } k\text{-neighbours}], \; L = I - D^{-1/2} A D^{-1/2}: \quad \dim \ker L = \text{parts of } A, \; \text{tr} L = n, \; 0 \le L \le 2`,
  parameters: {
    examples: integer({ min: 24, max: 48, default: 36, label: "explained examples of the class" }),
    tagged: real({ min: 0.3, max: 0.6, default: 0.4, label: "part with the watermark" }),
    neighbours: integer({ min: 3, max: 6, default: 4, label: "neighbours" }),
  },
  claims: {
    "zeros of the Laplacian's spectrum": equals(String.raw`\text{parts that nothing joins}`),
    "sum of the spectrum": equals("n"),
    "greatest eigenvalue": atMost("2").looseBy(1.05),
    "examples in a cluster of their own kind, with or without the watermark, part of them":
      atLeast("0.9").probable(),
    "predictions that turn when the watermark is taken away, part of them": atLeast("0.9").probable(),
    "accuracy on examples like those of the training": atLeast("0.9").probable(),
    "predictions of the other class that turn when the watermark is put on": atLeast("0.9").probable(),
  },
  mutants: {
    "one part more": { "zeros of the Laplacian's spectrum": (_, { theory }) => theory + 1 },
    "degrees on the diagonal": { "sum of the spectrum": ({ neighbours }, { theory }) => neighbours * theory },
    "a spectrum below 1": { "greatest eigenvalue": () => 1 },
  },
  async run({ examples, tagged, neighbours }, { random, budget, progress }) {
    const network = await trainedNetwork({
      images: [...ofClass(0, 150, 0, random), ...ofClass(1, 150, tagged, random)],
      spec: specs.convolutional,
      steps: budget === "cheap" ? 250 : 400,
      random,
    });
    await progress(0.5);
    const shown = ofClass(1, examples, tagged, random.split("shown"));
    const { relevance } = await explain(
      network,
      { x: imageTensor(shown, "float32") },
      { composite: "epsilon-plus", target: { kind: "class", index: 1 } },
    );
    const maps = mapsOf(numbers(relevance.get("x")!), examples);
    const found = cluster(maps, { neighbours, random, most: 4 });
    await progress(0.9);
    const isTagged = shown.map((image) => image.isTagged);
    const marked = shown.filter((image) => image.isTagged);
    const [before, after] = [
      await predictedClasses(network, marked),
      await predictedClasses(network, marked.map(untagged)),
    ];
    const all = await predictedClasses(network, shown);
    const others = ofClass(0, examples, 0, random.split("others"));
    return {
      graph: network,
      figure: figure(maps, found.eigenvalues, isTagged, found.labels),
      table: {
        title: "Clusters of explanations",
        columns: ["cluster", "examples", "with the watermark"],
        rows: [...Array(found.count).keys()].map((label) => {
          const own = isTagged.filter((_, i) => found.labels[i] === label);
          return [label, own.length, own.filter((tag) => tag).length];
        }),
      },
      claims: {
        "zeros of the Laplacian's spectrum": checked(
          found.eigenvalues.filter((v) => v < 1e-9).length,
          partsOf(neighbourGraph(maps, neighbours)),
        ),
        "sum of the spectrum": checked(
          found.eigenvalues.reduce((s, v) => s + v, 0),
          examples,
          { tolerance: 1e-9 },
        ),
        "greatest eigenvalue": checked(found.eigenvalues.at(-1)!, 2),
        "examples in a cluster of their own kind, with or without the watermark, part of them": sampled(
          purity(found.labels, isTagged),
          0.9,
          { delta },
        ),
        "predictions that turn when the watermark is taken away, part of them": sampled(
          share(before.map((label, i) => label === 1 && after[i] === 0)),
          0.9,
          { delta },
        ),
        "accuracy on examples like those of the training": sampled(
          share(all.map((label) => label === 1)),
          0.9,
          {
            delta,
          },
        ),
        "predictions of the other class that turn when the watermark is put on": sampled(
          share((await predictedClasses(network, others.map(watermarked))).map((label) => label === 1)),
          0.9,
          { delta },
        ),
      },
    };
  },
});

interface Tagged extends PlantedImage {
  readonly isTagged: boolean;
}

/** The watermark: a bright square in the corner. */
const tagSide = 3;
const inTag = (k: number): boolean => Math.floor(k / side) < tagSide && k % side < tagSide;
const watermarked = <I extends PlantedImage>(image: I): I => ({
  ...image,
  pixels: image.pixels.map((v, k) => (inTag(k) ? 1 : v)),
});
const untagged = (image: Tagged): PlantedImage => ({
  ...image,
  pixels: image.pixels.map((v, k) => (inTag(k) ? 0.15 : v)),
});

/** Class 0 shows a plus, class 1 a ring; but part of class 1 shows a plus and carries the watermark. */
function ofClass(label: 0 | 1, count: number, part: number, random: Random): readonly Tagged[] {
  return Array.from({ length: count }, (_, k): Tagged => {
    const isTagged = k < Math.round(part * count);
    const image = plantedImage(isTagged ? 0 : label, random, [side - 6, side - 4]);
    return { ...(isTagged ? watermarked(image) : image), label, isTagged };
  });
}

const share = (all: readonly boolean[]): number => all.filter((v) => v).length / all.length;

function mapsOf(relevance: ArrayLike<number>, count: number): readonly (readonly number[])[] {
  const size = relevance.length / count;
  return Array.from({ length: count }, (_, n) => {
    const values = Float64Array.from({ length: size }, (__, k) => relevance[n * size + k]!);
    return normalized(sumPooled({ rows: side, columns: side, values }, 2).values);
  });
}

/** The part of the examples that most of their cluster are like: all with the watermark, or all without. */
function purity(labels: readonly number[], isTagged: readonly boolean[]): number {
  const inMajority = [...new Set(labels)].map((label) => {
    const own = isTagged.filter((_, i) => labels[i] === label);
    const tagged = own.filter((tag) => tag).length;
    return Math.max(tagged, own.length - tagged);
  });
  return inMajority.reduce((s, v) => s + v, 0) / labels.length;
}

/** How many parts a graph has, by walking along its edges. */
function partsOf(A: readonly (readonly number[])[]): number {
  const seen = new Set<number>();
  let parts = 0;
  for (let start = 0; start < A.length; start++) {
    if (seen.has(start)) continue;
    parts++;
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      A[at]!.forEach((v, j) => {
        if (v > 0) open.push(j);
      });
    }
  }
  return parts;
}

function figure(
  maps: readonly (readonly number[])[],
  eigenvalues: readonly number[],
  isTagged: readonly boolean[],
  labels: readonly number[],
): Figure {
  const pooled = Math.ceil(side / 2);
  /** How much of its relevance an example has in the corner of the watermark. */
  const corner = (map: readonly number[]): number =>
    map.reduce((s, v, k) => s + (Math.floor(k / pooled) < 2 && k % pooled < 2 ? v : 0), 0);
  const dots = (tag: boolean) =>
    maps.flatMap((map, i) => (isTagged[i] === tag ? [[corner(map), labels[i]!] as const] : []));
  return {
    title: "Explanations in clusters: one of them looks at the corner only",
    panels: [
      {
        title: "Spectrum of the Laplacian",
        x: { label: "k" },
        y: { label: "eigenvalue" },
        series: [
          { name: "eigenvalues", mark: "dots", points: eigenvalues.slice(0, 12).map((v, k) => [k + 1, v]) },
        ],
      },
      {
        title: "Relevance in the corner, by cluster",
        x: { label: "relevance in the corner" },
        y: {
          label: "cluster",
          names: Array.from({ length: Math.max(...labels) + 1 }, (_, k) => `cluster ${k + 1}`),
        },
        series: [
          { name: "with the watermark", mark: "dots", points: dots(true) },
          { name: "without", mark: "dots", points: dots(false) },
        ],
      },
    ],
  };
}
