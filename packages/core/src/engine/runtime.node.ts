// The runtime in Node, Bun and Deno: onnxruntime-node, loaded when first needed, and told to keep to itself.
import { isMainThread } from "node:worker_threads";
import { EngineError } from "./error.ts";
import type { Runtime } from "./runtime.ts";

/**
 * ONNX Runtime writes a device id and events with names of graphs into the user's cache, to be sent to its vendor,
 * unless this is in the environment when its library is loaded.
 */
const telemetrySwitch = "ORT_DISABLE_TELEMETRY";

/** Where `process.env` is a copy, which native code does not see, and what must start with the switch set instead. */
function copiedEnvironment(): { readonly place: string; readonly start: string } | undefined {
  if (process.versions["bun"] !== undefined) return { place: "Bun", start: "Bun" };
  return isMainThread ? undefined : { place: "a worker thread", start: "the thread" };
}

/** Who has set the switch himself, to whatever value, has decided. */
function disableTelemetry(): void {
  if (process.env[telemetrySwitch] !== undefined) return;
  const copied = copiedEnvironment();
  if (copied)
    throw new EngineError(
      `in ${copied.place} the telemetry of ONNX Runtime cannot be turned off: set ${telemetrySwitch}=1 before ${copied.start} starts`,
    );
  process.env[telemetrySwitch] = "1";
}

export const loadRuntime = async (): Promise<Runtime> => {
  disableTelemetry();
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  return { InferenceSession, Tensor, fillsOutputs: true };
};
