// The runtime in a browser: onnxruntime-web on WebAssembly, loaded when first needed.
import type { Runtime } from "./runtime.ts";

export const loadRuntime = async (): Promise<Runtime> =>
  (await import("onnxruntime-web/wasm")) as unknown as Runtime;
