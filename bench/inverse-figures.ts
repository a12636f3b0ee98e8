// Figures 9.2 to 9.6 of the book on MNIST and on a retina: errors against measurements with 95 % intervals, and panels as PNG.
// Words: generator=decoder.onnx (lemmata train vae:20-500-500 --data mnist ...), out=FOLDER, images=5, which=9.2,9.3,9.4,9.5,9.6
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNpy } from "@lemmata/core/data";
import { setDefaultThreads } from "@lemmata/core/engine";
import { numbers } from "@lemmata/core/graph";
import {
  cosineBasis,
  downsampling,
  gaussianOperator,
  generatorOf,
  hiddenBox,
  identityOperator,
  intermediateRecovery,
  type LinearMap,
  latentDescent,
  meanInterval,
  meanSquaredError,
  peakSignalToNoise,
  randomPixels,
  sparseRecovery,
  totalVariation,
  untrainedRecovery,
  waveletBasis,
} from "@lemmata/core/inverse";
import { createRandom } from "@lemmata/core/numbers";
import { loadDataset } from "../packages/cli/src/datasets.ts";
import { pngBytes } from "../packages/cli/src/images.ts";
import { loadGraph } from "../packages/cli/src/model.ts";
import { panels } from "../packages/cli/src/recover/picture.ts";
import { figureSvg } from "../packages/cli/src/svg.ts";

const words = new Map(
  process.argv
    .slice(2)
    .filter((w) => w.includes("="))
    .map((w) => w.split("=") as [string, string]),
);
const out = words.get("out") ?? "figures";
const images = Number(words.get("images") ?? 5);
const which = (words.get("which") ?? "9.2,9.3,9.4,9.5,9.6").split(",");
const steps = Number(words.get("steps") ?? 400);
setDefaultThreads(1);
mkdirSync(out, { recursive: true });

type Method = (map: LinearMap, y: Float64Array, shape: readonly number[]) => Promise<Float64Array>;
const bounded = (x: Float64Array): Float64Array => x.map((v) => Math.min(1, Math.max(0, v)));

const sparse: Readonly<Record<string, Method>> = {
  cosines: async (map, y, shape) =>
    bounded((await sparseRecovery(map, y, cosineBasis(shape), { iterations: 500 })).x),
  wavelets: async (map, y, shape) =>
    bounded((await sparseRecovery(map, y, waveletBasis(shape, "db2"), { iterations: 500 })).x),
  "total variation": async (map, y, shape) =>
    (await totalVariation(map, y, shape, { range: [0, 1], lambda: 0.005, iterations: 500 })).x,
};
const untrained: Method = async (map, y, shape) =>
  (await untrainedRecovery("dip", map, y, shape, createRandom("dip"), { steps, variation: 1e-4, threads: 1 }))
    .x;

/** Descent in the latent vector alone, and in later layers too. */
async function generative(): Promise<Readonly<Record<string, Method>>> {
  const file = words.get("generator");
  if (!file) return {};
  const generator = generatorOf(await loadGraph(file));
  const options = { steps, rate: 0.05, threads: 1 };
  const starts = (): ReturnType<typeof createRandom> => createRandom("starts");
  return {
    generator: async (map, y) =>
      (await latentDescent(generator, map, y, starts(), { ...options, restarts: 10 })).x,
    "and its layers": async (map, y) =>
      bounded((await intermediateRecovery(generator, map, y, starts(), { ...options, restarts: 10 })).x),
  };
}

/** Test images, each with its own noise of the given length. */
function digits(): readonly Float64Array[] {
  const { x } = loadDataset("mnist").test!;
  const all = numbers(x);
  return Array.from({ length: images }, (_, k) =>
    Float64Array.from(all.subarray(784 * k, 784 * (k + 1)) as never),
  );
}

/** Two retinas and four quarters of the first as means of blocks: 32 x 32 numbers from 0 to 1 each. */
function retinas(): readonly Float64Array[] {
  const bytes = (name: string): Uint8Array =>
    readNpy(readFileSync(new URL(`../../shared/data/${name}.npy`, import.meta.url))).data as Uint8Array;
  const part = (data: Uint8Array, width: number, top: number, left: number, side: number): Float64Array => {
    const square = Float64Array.from(
      { length: side ** 2 },
      (_, k) => data[(top + Math.floor(k / side)) * width + left + (k % side)]! / 255,
    );
    return downsampling(side / 32, [side, side]).apply(square);
  };
  const [eye, spots] = [bytes("retina"), bytes("microaneurysms")];
  return [
    part(eye, 256, 0, 0, 256),
    ...[0, 1, 2, 3].map((k) => part(eye, 256, 128 * Math.floor(k / 2), 128 * (k % 2), 128)),
    part(spots, 102, 3, 3, 96),
  ];
}

function measured(map: LinearMap, x: Float64Array, length: number, seed: string): Float64Array {
  const e = createRandom(seed).sphere(map.outputs);
  return map.apply(x).map((v, i) => v + length * e[i]!);
}

interface Curve {
  readonly name: string;
  readonly points: [number, number][];
  readonly band: [number, number, number][];
}

/** Errors of methods for numbers of measurements; prints a row each. */
async function curves(
  methods: Readonly<Record<string, Method>>,
  signals: readonly Float64Array[],
  shape: readonly number[],
  counts: readonly number[],
  judge: (x: Float64Array, truth: Float64Array) => number,
): Promise<Curve[]> {
  const found: Curve[] = [];
  for (const [name, method] of Object.entries(methods)) {
    const curve: Curve = { name, points: [], band: [] };
    for (const m of counts) {
      const errors: number[] = [];
      for (const [k, truth] of signals.entries()) {
        const map = gaussianOperator(m, truth.length, createRandom(`A ${m} ${k}`));
        errors.push(judge(await method(map, measured(map, truth, 0.1, `noise ${m} ${k}`), shape), truth));
      }
      const { mean, halfWidth } = meanInterval(errors);
      const half = Number.isFinite(halfWidth) ? halfWidth : 0;
      curve.points.push([m, mean]);
      curve.band.push([m, Math.max(mean - half, mean / 10), mean + half]);
      console.log(
        `${name.padEnd(16)} m ${String(m).padStart(4)}  ${mean.toPrecision(3)} +- ${half.toPrecision(2)}`,
      );
    }
    found.push(curve);
  }
  return found;
}

const priors = await generative();
if (which.includes("9.2")) {
  const signals = digits();
  const methods = {
    ...priors,
    cosines: sparse["cosines"]!,
    wavelets: sparse["wavelets"]!,
    untrained,
  };
  console.log(`Figure 9.2: per-pixel error, ${images} test images of MNIST, noise of length 0.1`);
  const found = await curves(methods, signals, [28, 28], [10, 25, 50, 100, 200, 400], meanSquaredError);
  const prior = priors["generator"];
  if (prior) {
    const floor: number[] = [];
    for (const x of signals) floor.push(meanSquaredError(await prior(identityOperator(784), x, [28, 28]), x));
    const { mean } = meanInterval(floor);
    console.log(`nearest signals of the generator: ${mean.toPrecision(3)}`);
    found.push({
      name: "what the generator can make",
      points: [
        [10, mean],
        [400, mean],
      ],
      band: [],
    });
  }
  const svg = await figureSvg({
    title: "Figure 9.2 on MNIST: error against measurements",
    panels: [
      {
        title: `${images} test images, 95 % intervals`,
        x: { label: "Gaussian measurements", scale: "log" },
        y: { label: "squared error of a pixel", scale: "log" },
        series: found.map((c) => ({
          name: c.name,
          mark: "line" as const,
          points: c.points,
          ...(c.band.length > 0 && { band: c.band }),
        })),
      },
    ],
  });
  writeFileSync(join(out, "figure-9-2.svg"), svg);
}

/** Rows of panels: the truth, what was seen, and what each method makes of it. */
async function rows(name: string, map: LinearMap, shape: readonly number[]): Promise<void> {
  const methods = { ...priors, ...sparse, untrained };
  console.log(`Figure ${name}: truth, seen, ${Object.keys(methods).join(", ")}`);
  for (const [k, truth] of digits().slice(0, 3).entries()) {
    const y = measured(map, truth, 0.05, `${name} ${k}`);
    const back = map.transpose(y);
    const greatest = back.reduce((a, b) => Math.max(a, b), 0);
    const found: Float64Array[] = [];
    for (const method of Object.values(methods)) found.push(await method(map, y, shape));
    console.log(found.map((x) => meanSquaredError(x, truth).toPrecision(3)).join("  "));
    const pictures = [truth, back.map((v) => v / greatest), ...found];
    writeFileSync(
      join(out, `figure-${name.replaceAll(".", "-")}-${k}.png`),
      pngBytes(panels(pictures, shape, [0, 1])),
    );
  }
}
if (which.includes("9.3")) await rows("9.3", gaussianOperator(100, 784, createRandom("A 9.3")), [28, 28]);
if (which.includes("9.4"))
  await rows("9.4-pixels", randomPixels(0.1, [28, 28], createRandom("9.4")), [28, 28]);
if (which.includes("9.4")) await rows("9.4", hiddenBox([8, 18, 8, 20], [28, 28]), [28, 28]);
if (which.includes("9.5")) await rows("9.5", downsampling(4, [28, 28]), [28, 28]);
if (which.includes("9.6")) {
  console.log("Figure 9.6: PSNR, six retinas of 32 x 32, noise of length 0.1");
  const found = await curves({ ...sparse, untrained }, retinas(), [32, 32], [51, 102, 205, 410], (x, truth) =>
    peakSignalToNoise(x, truth, 1),
  );
  writeFileSync(
    join(out, "figure-9-6.svg"),
    await figureSvg({
      title: "Figure 9.6: retinas from few measurements",
      panels: [
        {
          title: "six pictures of 32 x 32 pixels, 95 % intervals",
          x: { label: "Gaussian measurements", scale: "log" },
          y: { label: "PSNR (dB)" },
          series: found.map((c) => ({ name: c.name, mark: "line" as const, points: c.points, band: c.band })),
        },
      ],
    }),
  );
}
