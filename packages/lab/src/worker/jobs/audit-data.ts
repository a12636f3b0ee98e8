// What a dropped data file holds.
import { readCsv } from "@lemmata/core/data";
import { elementCount } from "@lemmata/core/graph";
import { datasetFromFile } from "@lemmata/core/train";
import type { Job } from "../protocol.ts";

export interface DataInspection {
  readonly examples: number;
  readonly testExamples?: number;
  readonly features: number;
  readonly task: "classification" | "regression";
  readonly classes?: number;
  /** Of a table. */
  readonly columns?: readonly string[];
}

export interface DataInspectionInput {
  readonly file: File;
  readonly target?: string;
}

export const inspectData: Job<DataInspectionInput, DataInspection> = async (
  { file, target },
  { partial },
) => {
  if (file.size === 0) throw new Error(`${file.name}: the file is empty`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const columns = /\.[ct]sv$/i.test(file.name)
    ? readCsv(new TextDecoder().decode(bytes), { file: file.name }).columns
    : undefined;
  // Even if the usual target will not do, another column may.
  if (columns) partial(columns);
  const read = (task?: "regression") =>
    datasetFromFile(bytes, file.name, { testFraction: 0, target, ...(task && { task }) });
  const { train, test, task, classes } = firstOf(read, () => read("regression"));
  return {
    examples: train.x.dims[0]!,
    ...(test && { testExamples: test.x.dims[0]! }),
    features: elementCount(train.x.dims.slice(1)),
    task,
    ...(classes !== undefined && { classes }),
    ...(columns && { columns }),
  };
};

/** Whole numbers that are no classes may still be quantities; if neither, the first reason counts. */
function firstOf<T>(usual: () => T, other: () => T): T {
  try {
    return usual();
  } catch (error) {
    try {
      return other();
    } catch {
      throw error;
    }
  }
}
