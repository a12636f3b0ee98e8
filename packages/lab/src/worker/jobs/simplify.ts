// A smaller network with the same function: what `lemmata simplify` writes.

import { inputBox } from "@lemmata/core/bounds";
import { type Simplification, simplify } from "@lemmata/core/equivalence";
import { lowerFloat64, writeModel } from "@lemmata/core/graph";
import type { ModelFiles } from "../../audit/model-files.ts";
import { readDroppedModel } from "../../audit/read-model.ts";
import type { Job } from "../protocol.ts";

export interface SimplifyInput {
  readonly files: ModelFiles;
  /** Where the function must stay as it is; empty: everywhere. */
  readonly on: string;
}

export interface SimplifyOutput extends Omit<Simplification, "graph"> {
  /** The smaller network as an ONNX file; absent if nothing can be removed. */
  readonly onnx?: Uint8Array;
  readonly onBox: boolean;
}

export const simplifyModel: Job<SimplifyInput, SimplifyOutput> = async (
  { files, on },
  { signal, progress },
) => {
  const source = await readDroppedModel(files);
  const box = on.trim() ? inputBox(source, on) : undefined;
  const { graph, ...found } = await simplify(source, {
    ...(box && { box }),
    signal,
    onProgress: (share) => progress(share, "simplifying"),
  });
  const isSmaller = found.removed.length > 0 || found.after.nonzeros < found.before.nonzeros;
  return {
    ...found,
    ...(isSmaller && { onnx: writeModel(lowerFloat64(graph)) }),
    onBox: box !== undefined,
  };
};
