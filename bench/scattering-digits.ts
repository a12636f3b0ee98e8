// Digits by scattering (Book, chapter 8, sect. 8.3.6; C8-24, C8-04): coefficients of MNIST, each path over its greatest norm
// among the training images, and the nearest of ten affine spaces, of a dimension that sixths of them choose. Every test
// image gets a radius within which the answer is certain, which descent then tries to refute.
// `npm run bench scattering-digits`, with TRAIN=10000,60000 for more, and FEATURES=PREFIX to keep coefficients.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { run, sessionOf } from "@lemmata/core/engine";
import { numbers, type Tensor, view } from "@lemmata/core/graph";
import type { Matrix } from "@lemmata/core/linear-algebra";
import { createRandom } from "@lemmata/core/numbers";
import { gradient } from "@lemmata/core/passes";
import {
  type AffineSpace,
  affineDistances,
  affineSpace,
  expansion,
  nearestSpace,
  scattering,
  scatteringPlan,
} from "@lemmata/core/scattering";
import { mnistFrom } from "@lemmata/core/train";
import { mnistFiles } from "../packages/cli/src/datasets.ts";

const sizes = (process.env.TRAIN ?? "1000,5000").split(",").map(Number);
const attacked = Number(process.env.ATTACKED ?? 20);
const dimensions = [5, 10, 20, 30, 40, 60, 80, 100, 120, 140, 160];
const [side, batch, classes, parts] = [32, 100, 10, 6];
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

const rowsOf = (all: Float32Array, weights: Float64Array, rows: readonly number[]): Matrix => {
  const entries = new Float64Array(rows.length * features);
  rows.forEach((i, r) => {
    for (let k = 0; k < features; k++)
      entries[r * features + k] = all[i * features + k]! * weights[Math.floor(k / outputs)]!;
  });
  return { rows: rows.length, columns: features, entries };
};
const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, k) => from + k);

async function spacesOf(
  all: Float32Array,
  weights: Float64Array,
  images: readonly number[],
  dimension: number,
): Promise<AffineSpace[]> {
  const spaces: AffineSpace[] = [];
  for (let c = 0; c < classes; c++) {
    const own = rowsOf(
      all,
      weights,
      images.filter((i) => train.labels[i] === c),
    );
    spaces.push(await affineSpace(own, { dimension, random: createRandom(`class ${c}`) }));
  }
  return spaces;
}

interface Judged {
  readonly wrong: number;
  readonly radii: Float64Array;
  readonly predicted: Uint8Array;
}

/** How many of these images are misread, by spaces of each dimension. */
async function judged(
  spaces: readonly AffineSpace[],
  inputs: (rows: readonly number[]) => Matrix,
  labels: Uint8Array,
  [from, to]: readonly [number, number],
  tried: readonly number[],
  factor = 1,
): Promise<readonly Judged[]> {
  const all = tried.map(() => ({
    ...{ wrong: 0, radii: new Float64Array(to - from), predicted: new Uint8Array(to - from) },
  }));
  for (let start = from; start < to; start += 2000) {
    const rows = range(start, Math.min(to, start + 2000));
    (await affineDistances(spaces, inputs(rows), tried)).forEach(({ entries }, d) => {
      const own = all[d]!;
      rows.forEach((i, r) => {
        const found = nearestSpace(entries.subarray(r * classes, (r + 1) * classes), factor);
        [own.radii[i - from], own.predicted[i - from]] = [found.radius, found.predicted];
        if (found.predicted !== labels[i]) own.wrong++;
      });
    });
  }
  return all;
}

const slope = gradient(transform.graph, { wrt: ["x"], of: ["s"] });
const seed = slope.inputs.find(({ name }) => name !== "x")!.name;

/** Descent on the lead of the nearest space within a share of the radius: whether the answer changed. */
async function isRefuted(
  spaces: readonly AffineSpace[],
  weights: Float64Array,
  start: Float32Array,
  radius: number,
): Promise<boolean> {
  const scaledBy = (s: ArrayLike<number>): Float64Array =>
    Float64Array.from(s, (v, k) => v * weights[Math.floor(k / outputs)]!);
  const inspect = async (x: Float32Array) => {
    const { s } = await run(transform.graph, { x: view("float32", [1, side, side], x) });
    const input = { rows: 1, columns: features, entries: scaledBy(numbers(s!)) };
    return { found: nearestSpace((await affineDistances(spaces, input))[0]!.entries), phi: input.entries };
  };
  const { found: first } = await inspect(start);
  let x = start.slice();
  for (let step = 0; step < 10; step++) {
    const { phi } = await inspect(x);
    const [own, rival] = [first.predicted, first.rival].map((c) => unitRest(spaces[c]!, phi));
    const rise = scaledBy(own!.map((v, k) => v - rival![k]!));
    const back = await run(slope, {
      x: view("float32", [1, side, side], x),
      [seed]: view("float32", [1, paths, ...transform.geometry.output], Float32Array.from(rise)),
    });
    const along = Float64Array.from(numbers(back.grad_x!));
    const length = Math.hypot(...along);
    const moved = x.map((v, k) => v + (0.3 * radius * along[k]!) / length - start[k]!);
    const size = Math.hypot(...moved);
    const shrink = Math.min(1, (0.999 * radius) / size);
    x = moved.map((v, k) => start[k]! + shrink * v);
  }
  return (await inspect(x)).found.predicted !== first.predicted;
}

/** The gradient of the distance to a space: the unit vector from it. */
function unitRest({ mean, directions }: AffineSpace, phi: Float64Array): Float64Array {
  const rest = phi.map((v, k) => v - mean[k]!);
  for (let r = 0; r < directions.rows; r++) {
    const row = directions.entries.subarray(r * features, (r + 1) * features);
    const along = row.reduce((sum, v, k) => sum + v * (phi[k]! - mean[k]!), 0);
    row.forEach((v, k) => {
      rest[k]! -= along * v;
    });
  }
  const size = Math.hypot(...rest);
  return rest.map((v) => v / size);
}

const median = (values: Float64Array): number => values.toSorted()[Math.floor(values.length / 2)]!;

const most = Math.max(...sizes);
const begin = performance.now();
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
const [seen, unseen] = [await kept(train.x, most, "train"), await kept(test.x, 10_000, "test")];
console.log(
  `${most + 10_000} images, ${paths} paths, ${features} coefficients each: ${((performance.now() - begin) / 1000).toFixed(0)} s`,
);
for (const count of sizes) {
  const weights = weightsOf(seen, count);
  // Each part is read by spaces of the others; with many images one part says enough.
  const folds = count > 10_000 ? 1 : parts;
  const misread = dimensions.map(() => 0);
  let read = 0;
  for (let fold = 0; fold < folds; fold++) {
    const [from, to] = [fold, fold + 1].map((k) => Math.floor((k * count) / parts)) as [number, number];
    const rest = [...range(0, from), ...range(to, count)];
    const trial = await spacesOf(seen, weights, rest, Math.max(...dimensions));
    const tried = await judged(
      trial,
      (rows) => rowsOf(seen, weights, rows),
      train.labels,
      [from, to],
      dimensions,
    );
    tried.forEach(({ wrong }, d) => {
      misread[d]! += wrong;
    });
    read += to - from;
  }
  const fewest = Math.min(...misread);
  const best = dimensions[misread.indexOf(fewest)]!;
  const spaces = await spacesOf(seen, weights, range(0, count), best);
  const factor = expansion(scatteringPlan(options), { weights });
  const [{ wrong, radii, predicted }] = (await judged(
    spaces,
    (rows) => rowsOf(unseen, weights, rows),
    test.labels,
    [0, 10_000],
    [best],
    factor,
  )) as [Judged];
  const certain = (radius: number): number =>
    radii.reduce((sum, r, i) => sum + (r >= radius && predicted[i] === test.labels[i] ? 1 : 0), 0);
  let refuted = 0;
  for (let i = 0; i < attacked; i++)
    if (await isRefuted(spaces, weights, framed(test.x, i, i + 1), radii[i]!)) refuted++;
  console.log(
    `${count} training images: dimension ${best} (${((100 * fewest) / read).toFixed(2)} % misread by spaces of the others), test error ${(wrong / 100).toFixed(2)} %
  distances expand by at most ${factor.toPrecision(4)}: radius ${median(radii).toPrecision(3)} (median); right and certain within 0.1: ${(certain(0.1) / 100).toFixed(1)} %, 0.3: ${(certain(0.3) / 100).toFixed(1)} %, 0.5: ${(certain(0.5) / 100).toFixed(1)} %
  ${refuted} of ${attacked} refuted by descent within the radius; ${((performance.now() - begin) / 1000).toFixed(0)} s since the start`,
  );
}
