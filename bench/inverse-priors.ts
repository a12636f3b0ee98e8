// Trained priors beside others on MNIST's test images: PSNR and SSIM with 95 % intervals, for one operator.
// Words: operator=gaussian:m=100 noise=0.01 images=8, and of networks that `lemmata train` makes, as far as they are there:
// generator= flow= denoiser= network= (inversion or unrolled, for this operator) unrolled= steps=300; only=generator,cosines
import { run, setDefaultThreads } from "@lemmata/core/engine";
import { numbers, view } from "@lemmata/core/graph";
import {
  cosineBasis,
  type Generator,
  generatorOf,
  intermediateRecovery,
  latentDescent,
  meanInterval,
  operatorFromSpec,
  peakSignalToNoise,
  plugAndPlay,
  sparseRecovery,
  structuralSimilarity,
  totalVariation,
  untrainedRecovery,
  waveletBasis,
} from "@lemmata/core/inverse";
import { createRandom } from "@lemmata/core/numbers";
import { loadDataset } from "../packages/cli/src/datasets.ts";
import { loadGraph } from "../packages/cli/src/model.ts";

const words = new Map(
  process.argv
    .slice(2)
    .filter((w) => w.includes("="))
    .map((w) => {
      const at = w.indexOf("=");
      return [w.slice(0, at), w.slice(at + 1)] as const;
    }),
);
const spec = words.get("operator") ?? "gaussian:m=100";
const noise = Number(words.get("noise") ?? 0.01);
const images = Number(words.get("images") ?? 8);
const steps = Number(words.get("steps") ?? 300);
setDefaultThreads(1);

const shape = [28, 28];
const map = operatorFromSpec(spec, shape);
const model = async (name: string): Promise<Generator | undefined> => {
  const file = words.get(name);
  return file === undefined ? undefined : generatorOf(await loadGraph(file));
};
const bounded = (x: Float64Array): Float64Array => x.map((v) => Math.min(1, Math.max(0, v)));
const starts = () => createRandom("starts");
const apply = async ({ graph, input, output }: Generator, y: Float64Array): Promise<Float64Array> => {
  const found = await run(graph, { [input]: view("float32", [1, y.length], Float32Array.from(y)) });
  return Float64Array.from(numbers(found[output]!));
};

type Method = (y: Float64Array) => Promise<Float64Array>;
const [generator, flow, denoiser, network, unrolled] = await Promise.all(
  ["generator", "flow", "denoiser", "network", "unrolled"].map(model),
);
const methods: Readonly<Record<string, Method | undefined>> = {
  cosines: async (y) => (await sparseRecovery(map, y, cosineBasis(shape), { iterations: 500 })).x,
  wavelets: async (y) => (await sparseRecovery(map, y, waveletBasis(shape, "db2"), { iterations: 500 })).x,
  "total variation": async (y) =>
    (await totalVariation(map, y, shape, { range: [0, 1], lambda: 0.005, iterations: 600 })).x,
  untrained: async (y) =>
    (
      await untrainedRecovery("dip", map, y, shape, starts(), {
        ...{ steps: 500, variation: 1e-4, discrepancy: y.length * noise ** 2 },
      })
    ).x,
  generator:
    generator &&
    (async (y) => (await latentDescent(generator, map, y, starts(), { restarts: 6, steps, rate: 0.05 })).x),
  "and its layers":
    generator &&
    (async (y) =>
      (await intermediateRecovery(generator, map, y, starts(), { restarts: 6, steps, rate: 0.05 })).x),
  "flow, most probable":
    flow &&
    (async (y) => {
      const start = new Float64Array(784);
      return (await latentDescent(flow, map, y, starts(), { restarts: 1, steps, start, posterior: noise })).x;
    }),
  denoiser: denoiser && (async (y) => (await plugAndPlay(denoiser, map, y)).x),
  "trained inverse": network && ((y) => apply(network, y)),
  unrolled: unrolled && ((y) => apply(unrolled, y)),
};

const only = words.get("only")?.split(",");
const all = numbers(loadDataset("mnist").test!.x);
console.log(
  `${spec}, noise ${noise}, ${images} test images: PSNR (dB), SSIM, squared error of a pixel, 95 % intervals`,
);
for (const [name, method] of Object.entries(methods)) {
  if (!method || (only && !only.includes(name))) continue;
  const [decibels, likeness, errors]: [number[], number[], number[]] = [[], [], []];
  for (let k = 0; k < images; k++) {
    const truth = Float64Array.from(all.subarray(784 * k, 784 * (k + 1)) as never);
    const random = createRandom(`noise ${k}`);
    const x = bounded(await method(map.apply(truth).map((v) => v + noise * random.normal())));
    decibels.push(peakSignalToNoise(x, truth, 1));
    likeness.push(structuralSimilarity(x, truth, shape, 1));
    errors.push(10 ** (-decibels.at(-1)! / 10));
  }
  const told = (values: readonly number[], digits: number): string => {
    const { mean, halfWidth } = meanInterval(values);
    return `${mean.toFixed(digits)} +- ${halfWidth.toFixed(digits)}`;
  };
  console.log(
    `${name.padEnd(20)} ${told(decibels, 1).padEnd(14)} ${told(likeness, 3).padEnd(18)} ${told(errors, 4)}`,
  );
}
