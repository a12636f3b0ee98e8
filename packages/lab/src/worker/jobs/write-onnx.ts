// A network as the bytes of an ONNX file.
import { type Graph, writeModel } from "@lemmata/core/graph";
import type { Job } from "../protocol.ts";

export const writeOnnx: Job<Graph, Uint8Array<ArrayBuffer>> = async (graph) => writeModel(graph);
