// The data of a run, as the command line draws and splits it.
import { numbers, type Tensor, tensor } from "@lemmata/core/graph";
import {
  circles,
  type Examples,
  mnistFrom,
  spirals,
  splitExamples,
  type TrainingData,
  takeExamples,
  twoMoons,
} from "@lemmata/core/train";
import { type PlaneBox, type Points, shownDigits } from "./messages.ts";
import type { DataName, Settings } from "./settings.ts";

/** Examples with targets as the loss reads them. */
export interface Part extends TrainingData {
  readonly classes: Uint8Array;
}

export interface Task {
  readonly train: Part;
  readonly test: Part;
  readonly box?: PlaneBox;
}

const planes = { "two-moons": twoMoons, circles, spirals } as const;

/** `digitsAt`: the address of the folder with MNIST's files. */
export async function taskOf(settings: Settings, digitsAt: string): Promise<Task> {
  const { data, count, noise, seed } = settings;
  const { train, test } =
    data === "digits"
      ? await digits(digitsAt)
      : splitExamples(planes[data](count, { seed, noise }), { testFraction: 0.2, seed });
  if (!test) throw new Error("the data has no test part");
  return {
    train: partOf(train, settings),
    test: partOf(test, settings),
    ...(data === "digits" ? {} : { box: boxAround(numbers(train.x), numbers(test.x)) }),
  };
}

const outputsOf = (data: DataName, loss: string): number =>
  data === "digits" ? 10 : loss === "cross-entropy" ? 2 : 1;

function partOf({ x, y }: Examples, { data, loss }: Settings): Part {
  const classes = Uint8Array.from(numbers(y));
  const outputs = outputsOf(data, loss);
  return { x, classes, target: loss === "square" ? codes(classes, outputs) : y };
}

/** Classes as numbers, for the square loss: -1 and 1, or 1 at the place of the class. */
function codes(classes: Uint8Array, outputs: number): Tensor {
  const values = new Float32Array(classes.length * outputs);
  classes.forEach((c, k) => {
    if (outputs === 1) values[k] = 2 * c - 1;
    else values[k * outputs + c] = 1;
  });
  return tensor(values, { type: "float32", dims: [classes.length, outputs] });
}

/** The square around all points with some room, its sides on tenths, so that a command can name it. */
export function boxAround(...points: readonly ArrayLike<number>[]): PlaneBox {
  const [least, most] = [
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ];
  for (const list of points)
    for (let k = 0; k < list.length; k++) {
      least[k % 2] = Math.min(least[k % 2]!, list[k]!);
      most[k % 2] = Math.max(most[k % 2]!, list[k]!);
    }
  const half = Math.ceil(10 * (0.57 * Math.max(most[0]! - least[0]!, most[1]! - least[1]!) + 0.1));
  const middle = [0, 1].map((k) => Math.round(5 * (least[k]! + most[k]!)));
  const side = (sign: number) => [(middle[0]! + sign * half) / 10, (middle[1]! + sign * half) / 10] as const;
  return { lower: side(-1), upper: side(1) };
}

export const pointsOf = ({ x, classes }: Part): Points => ({ x: x.data as Float32Array, classes });

/** The first digits of a set, as bytes. */
export function firstDigits({ x, classes }: Part): {
  readonly images: Uint8Array;
  readonly classes: Uint8Array;
} {
  const shown = (x.data as Float32Array).subarray(0, shownDigits * 784);
  return {
    images: Uint8Array.from(shown, (v) => Math.round(255 * v)),
    classes: classes.slice(0, shownDigits),
  };
}

/** The first rows. */
export function firstRows(part: Part, count: number): Part {
  if (part.classes.length <= count) return part;
  const rows = Array.from({ length: count }, (_, k) => k);
  const { x, y: target } = takeExamples({ x: part.x, y: part.target }, rows);
  return { x, target, classes: part.classes.slice(0, count) };
}

let loaded: Promise<{ readonly train: Examples; readonly test?: Examples }> | undefined;

async function digits(at: string): Promise<{ readonly train: Examples; readonly test?: Examples }> {
  loaded ??= loadDigits(at).catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function loadDigits(at: string) {
  const bytes = async (name: string): Promise<Uint8Array> => {
    const address = `${at}${name}-ubyte.gz`;
    const response = await fetch(address);
    if (!response.ok) throw new Error(`the digits could not be loaded: ${address} gives ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const [trainImages, trainLabels, testImages, testLabels] = await Promise.all(
    ["train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"].map(bytes),
  );
  const { train, test } = mnistFrom({
    trainImages: trainImages!,
    trainLabels: trainLabels!,
    testImages: testImages!,
    testLabels: testLabels!,
  });
  const flat = ({ x, y }: Examples): Examples => ({ x: { ...x, dims: [x.dims[0]!, 784] }, y });
  return { train: flat(train), ...(test ? { test: flat(test) } : {}) };
}
