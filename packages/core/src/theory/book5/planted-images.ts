// Small images of three shapes at random places, in noise and with stray pixels: where the object is, is known; and a small
// network that is trained to tell the shapes.
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { initialNetwork } from "../../train/network.ts";
import { train } from "../../train/train.ts";

export const side = 10;
const pixels = side * side;

/** Three by three pixels each: a plus, a ring, a cross. */
const shapes = [
  [0, 1, 0, 1, 1, 1, 0, 1, 0],
  [1, 1, 1, 1, 0, 1, 1, 1, 1],
  [1, 0, 1, 0, 1, 0, 1, 0, 1],
] as const;
export const classes = shapes.length;

export interface PlantedImage {
  readonly pixels: Float64Array;
  /** 1 where the object is. */
  readonly mask: Float64Array;
  readonly label: number;
}

/** An object of the class at a random place, its corner between these rows and columns, noise and four stray pixels. */
export function plantedImage(
  label: number,
  random: Random,
  [first, last]: readonly [number, number] = [0, side - 3],
): PlantedImage {
  const image = random.uniform(pixels).map((v) => 0.3 * v);
  const mask = new Float64Array(pixels);
  for (let k = 0; k < 4; k++) image[random.integer(0, pixels - 1)] = 0.5 + 0.5 * random.uniform();
  const [top, left] = [random.integer(first, last), random.integer(first, last)];
  shapes[label]!.forEach((v, k) => {
    const at = (top + Math.floor(k / 3)) * side + left + (k % 3);
    mask[at] = 1;
    image[at] = v === 1 ? 0.8 + 0.2 * random.uniform() : 0.2 * random.uniform();
  });
  return { pixels: image, mask, label };
}

/** The classes in turn. */
export const plantedImages = (count: number, random: Random): readonly PlantedImage[] =>
  Array.from({ length: count }, (_, k) => plantedImage(k % classes, random));

/** [n, 1, side, side] */
export const imageTensor = (
  images: readonly Pick<PlantedImage, "pixels">[],
  type: "float32" | "float64",
): Tensor =>
  tensor(
    images.flatMap((image) => [...image.pixels]),
    { type, dims: [images.length, 1, side, side] },
  );

const labelTensor = (images: readonly Pick<PlantedImage, "label">[]): Tensor =>
  tensor(
    images.map(({ label }) => label),
    { type: "int64", dims: [images.length] },
  );

/** Two convolutions and a linear layer behind their greatest responses, or dense layers. */
export const specs = {
  convolutional: `1x${side}x${side}-conv8k3-relu-conv8k1-relu-maxpool8-flatten-${classes}`,
  dense: `1x${side}x${side}-flatten-48-relu-24-relu-${classes}`,
};

export interface TrainedOn {
  readonly images: readonly Pick<PlantedImage, "pixels" | "label">[];
  readonly spec: string;
  readonly steps: number;
  readonly random: Random;
  readonly rate?: number;
}

/** By Adam on the cross-entropy. */
export async function trainedNetwork({
  images,
  spec,
  steps,
  random,
  rate = 0.01,
}: TrainedOn): Promise<Graph> {
  const { model } = await train(
    initialNetwork(spec, { seed: random.integer(0, 2 ** 30) }),
    { x: imageTensor(images, "float32"), target: labelTensor(images) },
    { loss: "cross-entropy", optimizer: "adam", rate, steps, batch: 32, seed: 1, threads: 1 },
  );
  return model;
}

/** The class that the network gives each image. */
export async function predictedClasses(
  network: Graph,
  images: readonly Pick<PlantedImage, "pixels">[],
): Promise<readonly number[]> {
  const scores = numbers((await run(network, { x: imageTensor(images, "float32") }))["y"]!);
  const count = scores.length / images.length;
  return images.map((_, n) => {
    const row = Array.from(scores.slice(n * count, (n + 1) * count));
    return row.indexOf(Math.max(...row));
  });
}
