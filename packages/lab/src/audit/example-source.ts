// Loads examples in a worker.
import type { ExampleSource } from "@lemmata/core/audit";
import { datasetFromFile, drawnDataset, fittedDataset, mnistFrom, withClasses } from "@lemmata/core/train";
import type { DataChoice } from "./data-choice.ts";

/** Where the examples of a choice come from; a file's are read, and the digits fetched, here. */
export async function exampleSource(
  choice: DataChoice,
  { digitsAt, target }: { readonly digitsAt: string; readonly target?: string | undefined },
): Promise<ExampleSource> {
  if (choice === "digits") {
    const digits = { ...mnistFrom(await digitFiles(digitsAt)), name: "digits" };
    return {
      isNamed: true,
      isPixels: true,
      load: (options) => fittedDataset(withClasses(digits, options), options),
    };
  }
  if (typeof choice === "string") return { isNamed: true, load: (options) => drawnDataset(choice, options) };
  const bytes = new Uint8Array(await choice.arrayBuffer());
  return { isNamed: false, load: (options) => datasetFromFile(bytes, choice.name, { ...options, target }) };
}

async function digitFiles(folder: string) {
  const get = async (name: string): Promise<Uint8Array> => {
    const response = await fetch(new URL(`${name}.gz`, folder));
    if (!response.ok) throw new Error(`${name} could not be loaded: the server says ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const [trainImages, trainLabels, testImages, testLabels] = await Promise.all(
    [
      "train-images-idx3-ubyte",
      "train-labels-idx1-ubyte",
      "t10k-images-idx3-ubyte",
      "t10k-labels-idx1-ubyte",
    ].map(get),
  );
  return {
    trainImages: trainImages!,
    trainLabels: trainLabels!,
    testImages: testImages!,
    testLabels: testLabels!,
  };
}
