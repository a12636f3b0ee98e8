// A small relation network that is told the objects of a scene and reads a question about it: trained by Adam, then taken
// apart so that it can be explained by the vectors of its words.
import { float32, float64, graph } from "../../graph/builder.ts";
import { type Graph, isSparse } from "../../graph/graph.ts";
import { cast, numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import {
  drawnWeights,
  questionShapes,
  type RelationWeights,
  read,
  relate,
  relationShapes,
} from "../../networks/relation-network.ts";
import type { Random } from "../../numbers/random.ts";
import { train } from "../../train/train.ts";
import {
  answers,
  attributeValues,
  longest,
  objectsPerScene,
  type Question,
  vocabulary,
} from "./scene-questions.ts";

const sizes = {
  ...{ vocabulary: vocabulary.length, embedding: 16, units: 32 },
  ...{ width: 48, pairLayers: 2, answerLayers: 1, answers: answers.length },
};
const objectNumbers = objectsPerScene * attributeValues.length;

/** The numbers of the words, behind as many zeros as a short question lacks. */
const wordNumbers = ({ words }: Question): readonly number[] => [
  ...new Array<number>(longest - words.length).fill(0),
  ...words.map((word) => vocabulary.indexOf(word)),
];

/** Which values each object has, object by object. */
const sceneNumbers = ({ scene }: Question): readonly number[] =>
  scene.flatMap((object) => {
    const own = new Set<string>(Object.values(object));
    return attributeValues.map((value) => (own.has(value) ? 1 : 0));
  });

/** From one row of numbers, words and then objects, to scores: training takes networks of one input. */
function trainable(weights: RelationWeights): Graph {
  return graph({ x: float32("N", longest + objectNumbers) }, ({ x }) => {
    const words = x.slice(1, 0, longest);
    const isWord = words.min(1).reshape([-1, longest, 1]);
    const vectors = x.builder
      .weight(weights["words"]!, "words")
      .op("Gather", [words.cast("int64")])
      .mul(isWord);
    const objects = x.slice(1, longest, longest + objectNumbers);
    const rows = objects.reshape([-1, objectsPerScene, attributeValues.length]);
    return { y: relate(rows, read(vectors, weights), weights, sizes).scores };
  });
}

export interface TrainedScenes {
  readonly questions: readonly Question[];
  readonly steps: number;
  readonly random: Random;
}

/** The weights that Adam finds on the cross-entropy. */
export async function trainedOnScenes({ questions, steps, random }: TrainedScenes): Promise<RelationWeights> {
  const shapes = [...questionShapes(sizes), ...relationShapes(sizes, attributeValues.length)];
  const count = questions.length;
  const { model } = await train(
    trainable(drawnWeights(shapes, random.split("weights"))),
    {
      x: tensor(
        questions.flatMap((question) => [...wordNumbers(question), ...sceneNumbers(question)]),
        { type: "float32", dims: [count, longest + objectNumbers] },
      ),
      target: tensor(
        questions.map(({ answer }) => answers.indexOf(answer)),
        { type: "int64", dims: [count] },
      ),
    },
    { loss: "cross-entropy", optimizer: "adam", rate: 0.01, steps, batch: 64, seed: 1, threads: 1 },
  );
  return Object.fromEntries(
    shapes.map(([name]) => {
      const weight = model.initializers.get(name)!;
      if (isSparse(weight)) throw new RangeError(`weight "${name}" is sparse`);
      return [name, cast(weight, "float64")];
    }),
  );
}

/** From the vectors of the words, "words" [N, steps, embedding], and "objects" to "scores", in f64. */
export const sceneNetwork = (weights: RelationWeights) =>
  graph(
    {
      words: float64("N", longest, sizes.embedding),
      objects: float64("N", objectsPerScene, attributeValues.length),
    },
    ({ words, objects }) => ({ scores: relate(objects, read(words, weights), weights, sizes).scores }),
    { name: "scenes" },
  );

/** Questions as the network takes them; no word is a vector of zeros. */
export function sceneInputs(
  questions: readonly Question[],
  weights: RelationWeights,
): Readonly<Record<"words" | "objects", Tensor>> {
  const table = numbers(weights["words"]!);
  const { embedding } = sizes;
  const vector = (word: number): readonly number[] =>
    Array.from({ length: embedding }, (_, k) => (word === 0 ? 0 : table[word * embedding + k]!));
  return {
    words: tensor(
      questions.flatMap((question) => wordNumbers(question).flatMap(vector)),
      { type: "float64", dims: [questions.length, longest, embedding] },
    ),
    objects: tensor(questions.flatMap(sceneNumbers), {
      type: "float64",
      dims: [questions.length, objectsPerScene, attributeValues.length],
    }),
  };
}
