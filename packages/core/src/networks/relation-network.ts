// The relation network for questions about images (Santoro et al. 2017; section 5.5 of the book): a convolutional network
// sees objects, an LSTM reads the question, g looks at every pair of objects with the question, f answers from the sum.
import { float32, float64, graph, int64 } from "../graph/builder.ts";
import type { GraphWith, TensorType } from "../graph/graph.ts";
import { type Tensor, tensor } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import type { Random } from "../numbers/random.ts";

export interface RelationNetworkOptions {
  /** The side of the image, in pixels. */
  readonly side: number;
  /** Convolutions 3x3 of stride 2 without padding, and the kernels of each. */
  readonly convolutions: number;
  readonly kernels: number;
  /** Whether each object is told its place in the image, as two numbers from -1 to 1. */
  readonly coordinates: boolean;
  readonly vocabulary: number;
  readonly embedding: number;
  /** Of the LSTM. */
  readonly units: number;
  /** Units of every hidden layer of g and f, and how many such layers each has. */
  readonly width: number;
  readonly pairLayers: number;
  readonly answerLayers: number;
  readonly answers: number;
}

/** As section 5.5 describes it. */
export const describedRelationNetwork: RelationNetworkOptions = {
  side: 128,
  convolutions: 4,
  kernels: 24,
  coordinates: false,
  vocabulary: 80,
  embedding: 32,
  units: 128,
  width: 256,
  pairLayers: 4,
  answerLayers: 3,
  answers: 28,
};

export type RelationPrecision = "float32" | "float64";
/** By name; all that training would change, and the statistics of normalization. */
export type RelationWeights = Readonly<Record<string, Tensor>>;

/** Numbers that g reads for a pair: two objects, their places, the question. */
const pairSize = (objectSize: number, units: number): number => 2 * objectSize + units;

/** The shape of each weight, and what it is scaled by when drawn; a shift of 1 is for what multiplies or divides. */
interface Drawn {
  readonly dims: readonly number[];
  readonly scale: number;
  readonly shift?: number;
}

type Shapes = readonly (readonly [string, Drawn])[];

const dense = (name: string, from: number, to: number): Shapes => [
  [`${name}.weight`, { dims: [from, to], scale: Math.sqrt(2 / from) }],
  [`${name}.bias`, { dims: [to], scale: 0.1 }],
];

/** The weights of g and f for objects of this many numbers. */
export function relationShapes(
  {
    units,
    width,
    pairLayers,
    answerLayers,
    answers,
  }: Pick<RelationNetworkOptions, "units" | "width" | "pairLayers" | "answerLayers" | "answers">,
  objectSize: number,
): Shapes {
  const first = pairSize(objectSize, units);
  return [
    ...Array.from({ length: pairLayers }, (_, l) => dense(`pair${l + 1}`, l === 0 ? first : width, width)),
    ...Array.from({ length: answerLayers }, (_, l) => dense(`answer${l + 1}`, width, width)),
    dense("scores", width, answers),
  ].flat();
}

/** The weights of the words and of the LSTM that reads them; gates in ONNX's order i, o, f, z, with two biases each. */
export const questionShapes = ({
  vocabulary,
  embedding,
  units,
}: Pick<RelationNetworkOptions, "vocabulary" | "embedding" | "units">): Shapes => [
  ["words", { dims: [vocabulary, embedding], scale: 1 }],
  ["lstm.input", { dims: [1, 4 * units, embedding], scale: 1 / Math.sqrt(embedding) }],
  ["lstm.recurrence", { dims: [1, 4 * units, units], scale: 1 / Math.sqrt(units) }],
  ["lstm.bias", { dims: [1, 8 * units], scale: 0.1 }],
];

const imageShapes = ({ convolutions, kernels }: RelationNetworkOptions): Shapes =>
  Array.from({ length: convolutions }, (_, l): Shapes => {
    const from = l === 0 ? 3 : kernels;
    return [
      [`conv${l + 1}.weight`, { dims: [kernels, from, 3, 3], scale: Math.sqrt(2 / (9 * from)) }],
      [`conv${l + 1}.bias`, { dims: [kernels], scale: 0.1 }],
      [`norm${l + 1}.scale`, { dims: [kernels], scale: 0.1, shift: 1 }],
      [`norm${l + 1}.shift`, { dims: [kernels], scale: 0.1 }],
      [`norm${l + 1}.mean`, { dims: [kernels], scale: 0.1 }],
      [`norm${l + 1}.variance`, { dims: [kernels], scale: 0.1, shift: 1 }],
    ];
  }).flat();

/** Numbers drawn for these shapes, each weight from a stream of its own. */
export const drawnWeights = (
  shapes: Shapes,
  random: Random,
  type: RelationPrecision = "float32",
): RelationWeights =>
  Object.fromEntries(
    shapes.map(([name, { dims, scale, shift = 0 }]) => {
      const count = dims.reduce((n, d) => n * d, 1);
      const values = random.split(name).normal(count);
      // |.| keeps variances positive.
      return [
        name,
        tensor(
          values.map((v) => (shift === 0 ? scale * v : Math.abs(shift + scale * v))),
          { type, dims },
        ),
      ];
    }),
  );

/** The shapes of all weights of the network. */
export const networkShapes = (options: RelationNetworkOptions): Shapes => [
  ...imageShapes(options),
  ...questionShapes(options),
  ...relationShapes(options, options.kernels + (options.coordinates ? 2 : 0)),
];

/** All weights, drawn: of the size that keeps sums near 1, normalization near the identity. */
export const drawRelationNetwork = (
  options: RelationNetworkOptions,
  random: Random,
  type: RelationPrecision = "float32",
): RelationWeights => drawnWeights(networkShapes(options), random, type);

const affine = (x: Value, weights: RelationWeights, name: string): Value => {
  const weight = (part: string) => x.builder.weight(weights[`${name}.${part}`]!, `${name}.${part}`);
  return x.matmul(weight("weight")).add(weight("bias"));
};

export interface RelationValues {
  /** What g makes of each pair, [N, objects², width], and the sum of it, [N, width]. */
  readonly pairs: Value;
  readonly sum: Value;
  readonly scores: Value;
}

const indices = (values: readonly number[]): Tensor =>
  tensor([...values], { type: "int64", dims: [values.length] });

/** scores = f(sum over i and j of g(o_i, o_j, q)), from objects [N, n, d] and a question [N, units]. */
export function relate(
  objects: Value,
  question: Value,
  weights: RelationWeights,
  { pairLayers, answerLayers }: Pick<RelationNetworkOptions, "pairLayers" | "answerLayers">,
): RelationValues {
  const count = objects.type.shape![1] as number;
  const all = [...Array(count * count).keys()];
  const first = objects.gather(indices(all.map((p) => Math.floor(p / count))), 1);
  const second = objects.gather(indices(all.map((p) => p % count)), 1);
  const asked = question
    .reshape([-1, 1, question.type.shape![1] as number])
    .gather(indices(all.map(() => 0)), 1);
  let pairs = first.concat([second, asked], 2);
  for (let l = 1; l <= pairLayers; l++) pairs = affine(pairs, weights, `pair${l}`).relu();
  const sum = pairs.sum([1]);
  let answer = sum;
  for (let l = 1; l <= answerLayers; l++) answer = affine(answer, weights, `answer${l}`).relu();
  return { pairs, sum, scores: affine(answer, weights, "scores") };
}

/** The last output of the LSTM, [N, units], from the vectors of the words, [N, steps, embedding]. */
export function read(words: Value, weights: RelationWeights): Value {
  const weight = (name: string) => words.builder.weight(weights[name]!, name);
  const units = weights["lstm.recurrence"]!.dims[2]!;
  const given = [
    words.transpose([1, 0, 2]),
    weight("lstm.input"),
    weight("lstm.recurrence"),
    weight("lstm.bias"),
  ];
  const [, last] = words.builder.apply("LSTM", given, { hidden_size: units }, 2);
  return last!.reshape([-1, units]);
}

/** Places of the cells of a square grid, from -1 to 1, behind what each object is. */
function placed(objects: Value, side: number): Value {
  const size = objects.type.shape![2] as number;
  const pads = tensor([0, 0, 0, 0, 0, 2], { type: "int64" });
  const centred = (k: number): number => 2 * k - (side - 1);
  const places = Array.from({ length: side * side }, (_, p) => [
    ...new Array<number>(size).fill(0),
    centred(p % side),
    centred(Math.floor(p / side)),
  ]);
  // Integers until here: they are no weights, which training would change.
  const table = objects.builder
    .weight(tensor([places], { type: "int64" }), "places")
    .cast(objects.type.type as RelationPrecision)
    .div(Math.max(1, side - 1));
  return objects.op("Pad", [pads]).add(table);
}

/** The cells of the last feature maps as objects, [N, cells, kernels], or with their places. */
export function look(
  image: Value,
  weights: RelationWeights,
  { convolutions, coordinates }: RelationNetworkOptions,
): Value {
  const weight = (name: string) => image.builder.weight(weights[name]!, name);
  let maps = image;
  for (let l = 1; l <= convolutions; l++)
    maps = maps
      .op("Conv", [weight(`conv${l}.weight`), weight(`conv${l}.bias`)], {
        kernel_shape: [3, 3],
        strides: [2, 2],
      })
      .relu()
      .op(
        "BatchNormalization",
        ["scale", "shift", "mean", "variance"].map((part) => weight(`norm${l}.${part}`)),
      );
  const [, kernels, side] = maps.type.shape as readonly number[];
  const objects = maps.reshape([-1, kernels!, side! * side!]).transpose([0, 2, 1]);
  return coordinates ? placed(objects, side!) : objects;
}

/** A question is the numbers of its words, or, to be explained, their vectors. */
export type QuestionForm = "numbers" | "vectors";

export interface RelationGraphOptions {
  readonly steps?: number | undefined;
  readonly form?: QuestionForm;
}

/**
 * The whole network, from "image" [N, 3, side, side] and "question" to "scores"; "objects" and "state" are what it sees and
 * has read.
 * @example relationNetwork(describedRelationNetwork, drawRelationNetwork(describedRelationNetwork, createRandom(1))).outputs.length // 3
 */
export function relationNetwork(
  options: RelationNetworkOptions,
  weights: RelationWeights,
  { steps, form = "numbers" }: RelationGraphOptions = {},
): GraphWith<"scores" | "objects" | "state"> {
  const type = weights["words"]!.type === "float64" ? float64 : float32;
  const length = steps ?? "T";
  const question: TensorType = form === "numbers" ? int64("N", length) : type("N", length, options.embedding);
  const inputs = { image: type("N", 3, options.side, options.side), question };
  return graph(
    inputs,
    ({ image, question }) => {
      const words =
        form === "numbers"
          ? image.builder.weight(weights["words"]!, "words").op("Gather", [question])
          : question;
      const [objects, state] = [look(image, weights, options), read(words, weights)];
      return { scores: relate(objects, state, weights, options).scores, objects, state };
    },
    { name: "relation_network" },
  );
}
