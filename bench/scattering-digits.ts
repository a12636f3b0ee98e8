// Digits by scattering (Book, chapter 8, sect. 8.3.6; C8-24, C8-04): coefficients of MNIST, each path over its greatest norm
// among the training images, and a Gaussian kernel's scores, whose bandwidth and ridge training images choose that were left
// out. Every test image gets a radius within which the answer is certain, which descent then tries to refute.
// `npm run bench scattering-digits`, with TRAIN=10000,60000 for more, and FEATURES=PREFIX to keep coefficients.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { run, sessionOf } from "@lemmata/core/engine";
import { numbers, type Tensor, view } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { gradient } from "@lemmata/core/passes";
import {
  certifiedKernelRadius,
  type Examples,
  expansion,
  type KernelClasses,
  kernelClasses,
  kernelScores,
  scattering,
  scatteringPlan,
} from "@lemmata/core/scattering";
import { mnistFrom } from "@lemmata/core/train";
import { mnistFiles } from "../packages/cli/src/datasets.ts";

const sizes = (process.env.TRAIN ?? "1000,5000").split(",").map(Number);
const attacked = Number(process.env.ATTACKED ?? 20);
/** Squared bandwidths over the variance of the features, and ridges, that are tried; centres of a trial and of the end. */
const tried = [0.25, 0.5, 1].flatMap((share) => [1e-3, 1e-2].map((ridge) => ({ share, ridge })));
const centres = { trial: 1500, end: 8000 };
/** Training images of a trial, at most; a sixth of all, at most 10,000 others, are read. */
const trialImages = 10_000;
const [side, batch, classes] = [32, 100, 10];
const options = { shape: [side, side], scale: 3, angles: 8, padding: "none" as const };
const transform = scattering(options);
const paths = transform.paths.length;
const outputs = transform.geometry.output.reduce((a, b) => a * b, 1);
const features = paths * outputs;

const mnist = mnistFrom(mnistFiles());
const labelsOf = (y: Tensor): Uint8Array => Uint8Array.from(numbers(y), Number);
const train = { x: mnist.train.x.data as Float32Array, labels: labelsOf(mnist.train.y) };
const test = { x: mnist.test!.x.data as Float32Array, labels: labelsOf(mnist.test!.y) };

/** Images with a margin of 2, so that the periodic grid has black around each. */
function framed(x: Float32Array, from: number, to: number): Float32Array {
  const out = new Float32Array((to - from) * side * side);
  for (let i = from; i < to; i++)
    for (let row = 0; row < 28; row++) {
      const start = 784 * i + 28 * row;
      out.set(x.subarray(start, start + 28), (i - from) * side * side + (row + 2) * side + 2);
    }
  return out;
}

async function coefficientsOf(x: Float32Array, count: number): Promise<Float32Array> {
  const session = await sessionOf(transform.graph, { threads: 1 });
  const all = new Float32Array(count * features);
  for (let from = 0; from < count; from += batch) {
    const to = Math.min(count, from + batch);
    const { s } = await session.run({ x: view("float32", [to - from, side, side], framed(x, from, to)) });
    all.set(s!.data as Float32Array, from * features);
  }
  return all;
}

/** Coefficients are kept in a file, if there is one to keep them in. */
async function kept(x: Float32Array, count: number, part: string): Promise<Float32Array> {
  const file = process.env.FEATURES && `${process.env.FEATURES}-${part}-${count}.f32`;
  if (!file || !existsSync(file)) {
    const found = await coefficientsOf(x, count);
    if (file) writeFileSync(file, found);
    return found;
  }
  const bytes = readFileSync(file);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** 1 over the greatest norm of each path among the first images. */
function weightsOf(all: Float32Array, count: number): Float64Array {
  const most = new Float64Array(paths);
  for (let i = 0; i < count; i++)
    for (let p = 0; p < paths; p++) {
      let square = 0;
      const at = i * features + p * outputs;
      for (let k = at; k < at + outputs; k++) square += all[k]! ** 2;
      most[p] = Math.max(most[p]!, square);
    }
  return most.map((square) => 1 / Math.sqrt(square));
}

/** Images from .. to - 1 with weights. */
function weighted(all: Float32Array, weights: Float64Array, from: number, to: number): Examples {
  const entries = new Float32Array((to - from) * features);
  for (let i = 0; i < to - from; i++)
    for (let p = 0; p < paths; p++)
      for (let k = p * outputs; k < (p + 1) * outputs; k++)
        entries[i * features + k] = all[(from + i) * features + k]! * weights[p]!;
  return { rows: to - from, columns: features, entries };
}

/** The mean squared distance of examples from their mean. */
function varianceOf({ rows, entries }: Examples): number {
  const mean = new Float64Array(features);
  let square = 0;
  entries.forEach((v, k) => {
    mean[k % features]! += v / rows;
    square += v * v;
  });
  return square / rows - mean.reduce((sum, v) => sum + v * v, 0);
}

interface Judged {
  readonly wrong: number;
  readonly radii: Float64Array;
  readonly predicted: Uint8Array;
}

async function judged(
  readout: KernelClasses,
  inputs: Examples,
  labels: Uint8Array,
  factor = 1,
): Promise<Judged> {
  const { entries } = await kernelScores(readout, inputs);
  const found = Array.from({ length: inputs.rows }, (_, i) =>
    certifiedKernelRadius(readout, entries.subarray(i * classes, (i + 1) * classes), factor),
  );
  return {
    wrong: found.filter(({ predicted }, i) => predicted !== labels[i]).length,
    radii: Float64Array.from(found, ({ radius }) => radius),
    predicted: Uint8Array.from(found, ({ predicted }) => predicted),
  };
}

const slope = gradient(transform.graph, { wrt: ["x"], of: ["s"] });
const seed = slope.inputs.find(({ name }) => name !== "x")!.name;

/** The gradient of f_c - f_d at these features: sum of (a_ci - a_di) k(phi, x_i) (x_i - phi) / s^2. */
async function rise(
  { centres: { rows, entries }, bandwidth, coefficients }: KernelClasses,
  phi: Float64Array,
  [c, d]: readonly [number, number],
): Promise<Float64Array> {
  const out = new Float64Array(features);
  for (let i = 0; i < rows; i++) {
    const row = entries.subarray(i * features, (i + 1) * features);
    let square = 0;
    for (let k = 0; k < features; k++) square += (row[k]! - phi[k]!) ** 2;
    const share = coefficients.entries[c * rows + i]! - coefficients.entries[d * rows + i]!;
    const size = (share * Math.exp(-square / 2 / bandwidth ** 2)) / bandwidth ** 2;
    for (let k = 0; k < features; k++) out[k]! += size * (row[k]! - phi[k]!);
  }
  return out;
}

/** Descent on the lead of the answer within a share of the radius: whether the answer changed. */
async function isRefuted(
  readout: KernelClasses,
  weights: Float64Array,
  start: Float32Array,
  radius: number,
): Promise<boolean> {
  const scaledBy = (s: ArrayLike<number>): Float64Array =>
    Float64Array.from(s, (v, k) => v * weights[Math.floor(k / outputs)]!);
  const inspect = async (x: Float32Array) => {
    const { s } = await run(transform.graph, { x: view("float32", [1, side, side], x) });
    const phi = scaledBy(numbers(s!));
    const { entries } = await kernelScores(readout, { rows: 1, columns: features, entries: phi });
    return { found: certifiedKernelRadius(readout, entries), phi };
  };
  const { found: first } = await inspect(start);
  let x = start.slice();
  for (let step = 0; step < 10; step++) {
    const { phi } = await inspect(x);
    const down = scaledBy((await rise(readout, phi, [first.predicted, first.rival])).map((v) => -v));
    const back = await run(slope, {
      x: view("float32", [1, side, side], x),
      [seed]: view("float32", [1, paths, ...transform.geometry.output], Float32Array.from(down)),
    });
    const along = Float64Array.from(numbers(back.grad_x!));
    const length = Math.hypot(...along);
    const moved = x.map((v, k) => v + (0.3 * radius * along[k]!) / length - start[k]!);
    const shrink = Math.min(1, (0.999 * radius) / Math.hypot(...moved));
    x = moved.map((v, k) => start[k]! + shrink * v);
  }
  return (await inspect(x)).found.predicted !== first.predicted;
}

const median = (values: Float64Array): number => values.toSorted()[Math.floor(values.length / 2)]!;

const most = Math.max(...sizes);
const begin = performance.now();
const seconds = (): string => `${((performance.now() - begin) / 1000).toFixed(0)} s since the start`;
const [seen, unseen] = [await kept(train.x, most, "train"), await kept(test.x, 10_000, "test")];
console.log(`${most + 10_000} images, ${paths} paths, ${features} coefficients each: ${seconds()}`);
for (const count of sizes) {
  const weights = weightsOf(seen, count);
  const known = Math.min(trialImages, count - Math.ceil(count / 6));
  const read = Math.min(10_000, count - known);
  const trial = weighted(seen, weights, 0, known);
  const others = weighted(seen, weights, known, known + read);
  const variance = varianceOf(trial);
  const fitted = (
    examples: Examples,
    labels: Uint8Array,
    { share, ridge }: (typeof tried)[number],
    some: number,
  ) =>
    kernelClasses(examples, labels, {
      ...{ classes, ridge, bandwidth: Math.sqrt(share * variance), centres: some },
      random: createRandom("digits"),
    });
  let best = { ...tried[0]!, wrong: Number.POSITIVE_INFINITY };
  for (const choice of tried) {
    const readout = await fitted(trial, train.labels.subarray(0, known), choice, centres.trial);
    const { wrong } = await judged(readout, others, train.labels.subarray(known, known + read));
    if (wrong < best.wrong) best = { ...choice, wrong };
  }
  console.log(
    `${count} training images: ${known} of them read ${read} others with ${((100 * best.wrong) / read).toFixed(2)} % wrong where the squared bandwidth is ${best.share} of the variance and the ridge ${best.ridge}; ${seconds()}`,
  );
  const labels = train.labels.subarray(0, count);
  const readout = await fitted(weighted(seen, weights, 0, count), labels, best, centres.end);
  const factor = expansion(scatteringPlan(options), { weights });
  const { wrong, radii, predicted } = await judged(
    readout,
    weighted(unseen, weights, 0, 10_000),
    test.labels,
    factor,
  );
  const certain = (radius: number): string =>
    (
      radii.reduce((sum, r, i) => sum + (r >= radius && predicted[i] === test.labels[i] ? 1 : 0), 0) / 100
    ).toFixed(1);
  let refuted = 0;
  for (let i = 0; i < attacked; i++)
    if (await isRefuted(readout, weights, framed(test.x, i, i + 1), radii[i]!)) refuted++;
  console.log(
    `  ${readout.centres.rows} centres: test error ${(wrong / 100).toFixed(2)} %
  distances expand by at most ${factor.toPrecision(4)}: radius ${median(radii).toPrecision(3)} (median); right and certain within 0.01: ${certain(0.01)} %, 0.03: ${certain(0.03)} %, 0.1: ${certain(0.1)} %
  ${refuted} of ${attacked} refuted by descent within the radius; ${seconds()}`,
  );
}
