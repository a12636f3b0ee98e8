// The part of ONNX Runtime's JavaScript interface that the engine uses; both runtimes have it.
import type { InferenceSession, Tensor, TensorConstructor } from "onnxruntime-common";

export interface Runtime {
  readonly InferenceSession: {
    create(model: Uint8Array, options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
  };
  readonly Tensor: TensorConstructor;
  /** Whether outputs can be written into arrays that are there already. */
  readonly fillsOutputs: boolean;
}
export type RuntimeSession = InferenceSession;
export type RuntimeTensor = Tensor;
