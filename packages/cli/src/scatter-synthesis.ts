// `lemmata scatter --synthesize`: noise is given the statistics of a signal.
import { writeNpz } from "@lemmata/core/data";
import { tensor } from "@lemmata/core/graph";
import { createRandom, type Random } from "@lemmata/core/numbers";
import {
  gaussianField,
  type SynthesisOptions,
  statistics,
  synthesize,
  type TextureDistances,
  type TransformOptions,
  textureDistances,
} from "@lemmata/core/scattering";
import type { ScatterOptions } from "./commands/scatter.ts";
import { writeWhole } from "./files.ts";
import { pngBytes } from "./images.ts";
import { print, printJson } from "./output.ts";
import { interruptSignal, progressBar } from "./progress.ts";
import type { Signals } from "./scatter-data.ts";
import { UsageError } from "./usage-error.ts";

interface Model {
  readonly name: string;
  /** Without options it is the Gaussian field, which needs no descent. */
  readonly options?: SynthesisOptions;
}

interface Made {
  readonly name: string;
  readonly x: Float64Array;
  readonly constraints: number;
  readonly steps: number;
  readonly error: { readonly before: number; readonly after: number };
  readonly distances: TextureDistances;
}

function modelsOf(
  transform: TransformOptions,
  { statistics: which, order }: ScatterOptions,
): readonly Model[] {
  const scattering = (m: number): Model => ({ name: `order ${m}`, options: { ...transform, order: m } });
  const harmonics: Model = { name: "harmonics", options: { ...transform, order: 1, model: "harmonics" } };
  if (which === "gaussian") return [{ name: "gaussian" }];
  if (which === "harmonics") return [harmonics];
  if (which === "scattering") return [scattering(order)];
  return [{ name: "gaussian" }, scattering(1), scattering(2), harmonics];
}

/** The signal is scaled to mean 0 and variance 1 first, and back in the end: statistics are of one size then. */
export async function scatterSynthesis(
  { x, shape, type }: Signals,
  transform: TransformOptions,
  options: ScatterOptions,
): Promise<void> {
  if (x.dims[0] !== 1)
    throw new UsageError(`--synthesize imitates one signal, and the file has ${x.dims[0]}`);
  const given = Float64Array.from(x.data as Float64Array);
  const mean = given.reduce((sum, v) => sum + v, 0) / given.length;
  const deviation = Math.sqrt(given.reduce((sum, v) => sum + (v - mean) ** 2, 0) / given.length);
  if (!(deviation > 0)) throw new UsageError("a constant signal has nothing to imitate");
  const standard = given.map((v) => (v - mean) / deviation);
  const [bar, signal] = [progressBar("synthesize", options), interruptSignal()];
  const models = modelsOf(transform, options);
  const made: Made[] = [];
  for (const [k, model] of models.entries()) {
    const advance = (share: number, note: string): void => {
      signal.throwIfAborted();
      bar.update((k + share) / models.length, `${model.name}, ${note}`);
    };
    made.push(await imitation(standard, model, transform, createRandom(options.seed), options, advance));
  }
  await bar.done();
  const pictures = made.map((one) => one.x.map((v) => mean + deviation * v));
  if (options.out !== undefined) {
    const named = (k: number): string => (made.length === 1 ? "x" : made[k]!.name.replace(" ", ""));
    const arrays = pictures.map((v, k) => [named(k), tensor(v, { dims: [...shape], type })] as const);
    writeWhole(options.out, writeNpz(Object.fromEntries(arrays)));
  }
  if (options.png !== undefined) writeWhole(options.png, pngBytes(sideBySide([given, ...pictures], shape)));
  if (options.json) return printJson(report(made));
  print(text(made, given.length));
  const written = [options.out, options.png].filter((file) => file !== undefined);
  if (written.length > 0 && !options.quiet) print(`written: ${written.join(", ")}`);
}

async function imitation(
  standard: Float64Array,
  { name, options }: Model,
  transform: TransformOptions,
  random: Random,
  { iterations, start }: ScatterOptions,
  advance: (share: number, note: string) => void,
): Promise<Made> {
  const { shape } = transform;
  if (!options) {
    const x = gaussianField(standard, shape, random);
    const distances = await textureDistances(x, standard, transform);
    // A spectrum is even: half of its numbers are free.
    const constraints = Math.floor(standard.length / 2) + 1;
    return { name, x, constraints, steps: 0, error: { before: 0, after: 0 }, distances };
  }
  const wanted = await statistics(standard, options);
  const from = start === "gaussian" ? gaussianField(standard, shape, random) : random.normal(standard.length);
  const found = await synthesize(wanted, from, {
    ...{ ...options, iterations },
    onStep: (_, step) => advance(step / iterations, `step ${step} of ${iterations}`),
  });
  const { x, before, after, constraints, values } = found;
  const distances = await textureDistances(x, standard, transform);
  return { name, x, constraints, steps: values.length - 1, error: { before, after }, distances };
}

/** One model alone is reported as before there were several: its numbers stand at the top. */
function report(made: readonly Made[]): object {
  const [only, ...more] = made.map(({ x: _, ...rest }) => ({ ...rest, paths: rest.constraints }));
  return more.length === 0 ? only! : { models: [only, ...more] };
}

const short = (value: number): string => value.toPrecision(3);

function text(made: readonly Made[], samples: number): string {
  const lines = made.map(({ name, constraints, steps, error, distances: d }) =>
    [
      `${name.padEnd(10)} ${constraints} numbers for ${samples} samples`,
      ...(steps > 0
        ? [`off by ${short(error.before)} in the noise, ${short(error.after)} after ${steps} steps`]
        : []),
      `order 1 ${short(d.first)}, order 2 ${short(d.second)}, harmonics ${short(d.harmonics)}, tails ${short(d.kurtosis)} from the model`,
    ].join("; "),
  );
  return lines.join("\n");
}

/** Pictures with the greys of the first, eight pixels apart. */
function sideBySide(pictures: readonly Float64Array[], shape: readonly number[]) {
  const [height, columns] = shape as readonly [number, number];
  const gap = 8;
  const width = pictures.length * (columns + gap) - gap;
  const [first] = pictures as readonly [Float64Array];
  const [least, most] = [first.reduce((p, q) => Math.min(p, q)), first.reduce((p, q) => Math.max(p, q))];
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < columns; column++)
      pictures.forEach((picture, k) => {
        const share = (picture[row * columns + column]! - least) / (most - least);
        const grey = Math.round(255 * Math.min(1, Math.max(0, share)));
        const at = 4 * (row * width + k * (columns + gap) + column);
        rgba.fill(grey, at, at + 3);
      });
  return { width, height, rgba };
}
