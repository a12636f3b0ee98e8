// The runtime in Node: onnxruntime-node, loaded when first needed.
import type { Runtime } from "./runtime.ts";

export const loadRuntime = async (): Promise<Runtime> =>
  (await import("onnxruntime-node")) as unknown as Runtime;
