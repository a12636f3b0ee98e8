// Trains a small convolutional network on the digits that the site has.
import { writeModel } from "@lemmata/core/graph";
import { initialNetwork, train } from "@lemmata/core/train";
import { exampleSource } from "../../audit/example-source.ts";
import type { Job } from "../protocol.ts";

/** Sides of kernels are multiples of their strides: every pixel is read equally often, and no grid shows. */
const spec = "1x28x28-conv8k6s2-relu-conv16k4s2-relu-flatten-32-relu-10";
const seed = 1;

export const digitNetwork: Job<{ readonly digitsAt: string }, Uint8Array> = async (
  { digitsAt },
  { signal, progress },
) => {
  progress(0, "loading the digits");
  const source = await exampleSource("digits", { digitsAt });
  const { x, y } = source.load({ count: 0, seed, testFraction: 0.2 }).train;
  const { model } = await train(
    initialNetwork(spec, { seed }),
    { x: { ...x, dims: [x.dims[0]!, 1, 28, 28] }, target: y },
    {
      ...{ loss: "cross-entropy", optimizer: "adam", rate: 0.005, epochs: 3, batch: 50, seed, signal },
      onProgress: ({ step, steps }) => {
        progress(step / steps, "6000 digits, three times");
        return undefined;
      },
    },
  );
  signal.throwIfAborted();
  return writeModel(model);
};
