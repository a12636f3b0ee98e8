// Trains small networks, to be audited.
import { elementCount, writeModel } from "@lemmata/core/graph";
import { initialNetwork, train } from "@lemmata/core/train";
import { exampleSource } from "../../audit/example-source.ts";
import { type SampleName, samples } from "../../audit/samples.ts";
import type { Job } from "../protocol.ts";

export interface SampleInput {
  readonly sample: SampleName;
  readonly seed: number;
  readonly digitsAt: string;
}

export interface SampleNetwork {
  readonly name: string;
  readonly initial: Uint8Array;
  readonly trained: Uint8Array;
}

export const sampleNetworks: Job<SampleInput, readonly SampleNetwork[]> = async (
  { sample, seed, digitsAt },
  { signal, progress },
) => {
  const { data, count, specs, epochs, rate } = samples[sample];
  progress(0, "loading the data");
  const source = await exampleSource(data, { digitsAt });
  // The same draw and split as the audit's.
  const { x, y } = source.load({ count, seed, testFraction: 0.2 }).train;
  const inputs = { ...x, dims: [x.dims[0]!, elementCount(x.dims.slice(1))] };
  const networks: SampleNetwork[] = [];
  for (const [k, spec] of specs.entries()) {
    const initial = initialNetwork(spec, { seed });
    const { model } = await train(
      initial,
      { x: inputs, target: y },
      {
        ...{ loss: "cross-entropy", optimizer: "adam", rate, epochs, batch: 32, seed, signal },
        onProgress: ({ step, steps }) => {
          progress((k + step / steps) / specs.length, `training ${spec}`);
          return undefined;
        },
      },
    );
    signal.throwIfAborted();
    networks.push({ name: `${data} ${spec}`, initial: writeModel(initial), trained: writeModel(model) });
  }
  return networks;
};
