// MNIST: 70,000 handwritten digits of 28 x 28 pixels, from the bytes of its four IDX files.
import { DataError } from "../../data/error.ts";
import { readIdx } from "../../data/idx.ts";
import { elementCount, type Tensor, view } from "../../graph/tensor.ts";
import { classCount, type Dataset, type Examples } from "./dataset.ts";

export interface MnistFiles {
  readonly trainImages: Uint8Array;
  readonly trainLabels: Uint8Array;
  readonly testImages: Uint8Array;
  readonly testLabels: Uint8Array;
}

/** The data set of four IDX files (gzipped or not): images [n, 1, 28, 28] in [0, 1], labels 0 to 9. */
export function mnistFrom(files: MnistFiles): Dataset {
  const examples = (part: "train" | "test"): Examples => {
    const images = readIdx(files[`${part}Images`], { file: `${part} images` });
    const labels = readIdx(files[`${part}Labels`], { file: `${part} labels` });
    return { x: pixels(images, part), y: digits(labels, images.dims[0]!, part) };
  };
  return {
    name: "mnist",
    task: "classification",
    classes: 10,
    train: examples("train"),
    test: examples("test"),
  };
}

/** Bytes 0 .. 255 as numbers in [0, 1], with an axis for the one channel. */
function pixels({ type, dims, data }: Tensor, part: string): Tensor {
  const [n, ...sides] = dims;
  if (type !== "uint8" || sides.length !== 2 || elementCount(dims) === 0)
    throw new DataError(`${type} [${dims}] are no images; uint8 [n, 28, 28] are`, `${part} images`);
  const grey = Float32Array.from({ length: 256 }, (_, byte) => byte / 255);
  const bytes = data as Uint8Array;
  const scaled = new Float32Array(bytes.length);
  for (let k = 0; k < bytes.length; k++) scaled[k] = grey[bytes[k]!]!;
  return view("float32", [n!, 1, ...sides], scaled);
}

function digits(labels: Tensor, images: number, part: string): Tensor {
  const { type, dims, data } = labels;
  if (type !== "uint8" || dims.length !== 1)
    throw new DataError(`${type} [${dims}] are no labels; uint8 [n] are`, `${part} labels`);
  if (dims[0] !== images) throw new DataError(`${dims[0]} labels for ${images} images`, `${part} labels`);
  classCount(labels, `${part} labels`, 10);
  return view("int64", dims, BigInt64Array.from(data as Uint8Array, BigInt));
}
