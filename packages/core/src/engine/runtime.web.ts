// The runtime in a browser: onnxruntime-web on WebAssembly, loaded when first needed.
import type { Runtime } from "./runtime.ts";

export const loadRuntime = async (): Promise<Runtime> => {
  const { InferenceSession, Tensor } = await import("onnxruntime-web/wasm");
  return { InferenceSession, Tensor, fillsOutputs: false };
};
