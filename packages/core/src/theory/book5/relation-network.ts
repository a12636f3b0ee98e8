import type { Graph } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { elementCount } from "../../graph/tensor.ts";
import {
  drawRelationNetwork,
  type RelationNetworkOptions,
  relationNetwork,
} from "../../networks/relation-network.ts";
import { trainableWeights } from "../../train/weights.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { relationFigure, relationTable } from "./relation-network-figure.ts";
import { relationBooks, relationRelevance } from "./relation-relevance.ts";
import { answersForSwapped, changedAnswers } from "./swapped-shapes.ts";

/** Sums of products in another order. */
const rounding = { tolerance: 1e-9 };

export default lemma({
  id: "C5-29",
  covers: ["C5-29"],
  kind: "algorithm",
  title: "A relation network that answers questions about images, and relevance through its pairs",
  source: "Book, chapter 5, section 5.5, Figure 5.3; Santoro et al. 2017",
  statement: String.raw`f\Big(\sum_{i,j} g(o_i, o_j, q)\Big): \quad R_{ij,k} = \frac{a_{ij,k}}{\sum_{i'j'} a_{i'j',k}} R_k, \qquad R_{o_i} = \sum_j R_{ij}^{(1)} + R_{ji}^{(2)}, \quad R_q = \sum_{i,j} R_{ij}^{(q)}`,
  parameters: {
    side: integer({ min: 31, max: 160, default: 128, label: "side of the image" }),
    kernels: integer({ min: 1, max: 32, default: 24, label: "kernels" }),
    places: choice(["untold", "told"], { label: "places of the objects" }),
    vocabulary: integer({ min: 2, max: 100, default: 80, label: "vocabulary" }),
    embedding: integer({ min: 1, max: 64, default: 32, label: "numbers of a word" }),
    units: integer({ min: 1, max: 128, default: 128, label: "units of the LSTM" }),
    width: integer({ min: 2, max: 256, default: 256, label: "width of g and f" }),
    pairLayers: integer({ min: 1, max: 4, default: 4, label: "layers of g" }),
    answerLayers: integer({ min: 1, max: 3, default: 3, label: "hidden layers of f" }),
    answers: integer({ min: 2, max: 28, default: 28, label: "answers" }),
  },
  claims: {
    "side of the last feature maps": equals(String.raw`\lfloor (s + 1) / 2^4 \rfloor - 1`),
    "pairs of objects": equals(String.raw`(\lfloor (s + 1) / 2^4 \rfloor - 1)^4`),
    "numbers that g reads for a pair": equals(String.raw`2 (k + 2 [\text{places}]) + u`),
    "numbers that training changes": equals(
      String.raw`30k + 3 (9k + 3) k + e v + 4u (e + u + 2) + (2k + 4 [\text{places}] + u + 1) w + (l_g - 1 + l_f)(w + 1) w + (w + 1) c`,
    ),
    "scores: greatest difference to plain loops, of the greatest": equals("0"),
    "share of the pair with the most relevance": equals(
      String.raw`\sum_k (a_{ij,k} / \sum a_{\cdot\cdot,k}) R_k / \sum_k R_k`,
    ),
    "relevance of the objects: greatest difference to plain loops, of the greatest": equals("0"),
    "relevance of the words: greatest difference to plain loops, of the greatest": equals("0"),
    "score less relevance of image and words, biases and what was absorbed": equals("0"),
    "objects in another order: greatest change of a score, of the greatest": equals("0"),
    "answers whose score changes when two distant shapes swap places": equals(
      String.raw`0 \text{ (places untold)}, \; c \text{ (told)}`,
    ),
  },
  mutants: {
    "each pair once": { "pairs of objects": (_, { theory }) => (theory + Math.sqrt(theory)) / 2 },
    "a gate with one bias": {
      "numbers that training changes": ({ units }, { theory }) => theory - 4 * units,
    },
    "places forgotten": ({ places }) => ({ places: places === "told" ? "untold" : "told" }),
  },
  async run({ places, ...sizes }, { random, budget, progress }) {
    const options: RelationNetworkOptions = { ...sizes, convolutions: 4, coordinates: places === "told" };
    const network = relationNetwork(options, drawRelationNetwork(options, random));
    const shapes = measuredShapes(network);
    await progress(0.2);
    const small = smallOf(options, budget === "cheap" ? 47 : 63);
    const found = await relationRelevance(small, random.split("relevance"));
    await progress(0.5);
    // As large as it is: seconds.
    const books = budget === "thorough" ? await relationBooks(options, random.split("whole")) : found.books;
    await progress(0.6);
    const swapped = await answersForSwapped(seeing(small, options), random.split("swapped"));
    await progress(0.9);
    const last = Math.floor((options.side + 1) / 16) - 1;
    return {
      graph: network,
      ...(budget !== "cheap" && { figure: await relationFigure(options, seeing(small, options)) }),
      table: relationTable(options),
      claims: {
        "side of the last feature maps": checked(shapes.side, last),
        "pairs of objects": checked(shapes.pairs, last ** 4),
        "numbers that g reads for a pair": checked(
          shapes.pairSize,
          2 * (options.kernels + (options.coordinates ? 2 : 0)) + options.units,
        ),
        "numbers that training changes": checked(shapes.parameters, parameterFormula(options)),
        "scores: greatest difference to plain loops, of the greatest": checked(found.scores, 0, rounding),
        "share of the pair with the most relevance": checked(
          found.share.measured,
          found.share.theory,
          rounding,
        ),
        "relevance of the objects: greatest difference to plain loops, of the greatest": checked(
          found.objects,
          0,
          rounding,
        ),
        "relevance of the words: greatest difference to plain loops, of the greatest": checked(
          found.words,
          0,
          {
            tolerance: 1e-6, // quotients by sums that nearly cancel
          },
        ),
        "score less relevance of image and words, biases and what was absorbed": checked(books, 0, rounding),
        "objects in another order: greatest change of a score, of the greatest": checked(
          found.reordered,
          0,
          rounding,
        ),
        "answers whose score changes when two distant shapes swap places": checked(
          changedAnswers(swapped),
          options.coordinates ? options.answers : 0,
        ),
      },
    };
  },
});

/** The same depths and places, with few kernels, words and units: 4 objects at 47 pixels, 9 at 63. */
const smallOf = (options: RelationNetworkOptions, side: number): RelationNetworkOptions => ({
  ...options,
  ...{ side, kernels: 4, vocabulary: 10, embedding: 4, units: 5, width: 16, answers: 5 },
});

/** With as many kernels as the document has: of few, all may be closed where a shape is. */
const seeing = (small: RelationNetworkOptions, { answers }: RelationNetworkOptions) => ({
  ...small,
  ...{ kernels: 24, answers },
});

/** What the graph itself says, by the inference of shapes. */
function measuredShapes(network: Graph) {
  const types = inferTypes(network);
  const shapesOf = (op: string) =>
    network.nodes
      .filter((node) => node.op === op)
      .map(({ outputs }) => types.get(outputs[0]!)!.shape as readonly number[]);
  const [, pairs, pairSize] = shapesOf("Concat")[0]!;
  return {
    side: shapesOf("Conv").at(-1)![2]!,
    pairs: pairs!,
    pairSize: pairSize!,
    parameters: trainableWeights(network).reduce(
      (total, name) => total + elementCount(network.initializers.get(name)!.dims),
      0,
    ),
  };
}

/** Convolutions with their normalization, words, four gates with two biases each, g, f. */
function parameterFormula(o: RelationNetworkOptions): number {
  const pair = 2 * o.kernels + (o.coordinates ? 4 : 0) + o.units;
  return (
    30 * o.kernels +
    3 * (9 * o.kernels + 3) * o.kernels +
    o.embedding * o.vocabulary +
    4 * o.units * (o.embedding + o.units + 2) +
    (pair + 1) * o.width +
    (o.pairLayers - 1 + o.answerLayers) * (o.width + 1) * o.width +
    (o.width + 1) * o.answers
  );
}
