// ONNX files: reading and writing.
export { loadModel, type SaveOptions, saveModel } from "#files";
export type { ExternalData } from "./external.ts";
export { type ModelReadOptions, readModel } from "./read.ts";
export { type ExternalOptions, type ModelAndWeights, writeModel, writeModelAndWeights } from "./write.ts";
