// `lemmata scatter --synthesize`: noise is given the scattering averages of a signal.
import { writeNpz } from "@lemmata/core/data";
import { tensor } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { statistics, synthesize, type TransformOptions } from "@lemmata/core/scattering";
import type { ScatterOptions } from "./commands/scatter.ts";
import { writeWhole } from "./files.ts";
import { pngBytes } from "./images.ts";
import { print, printJson } from "./output.ts";
import { interruptSignal, progressBar } from "./progress.ts";
import type { Signals } from "./scatter-data.ts";
import { UsageError } from "./usage-error.ts";

/** The signal is scaled to mean 0 and variance 1 first, and back in the end: averages are of one size then. */
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
  const wanted = await statistics(standard, transform);
  const found = await synthesize(wanted, createRandom(options.seed).normal(given.length), {
    ...transform,
    iterations: options.iterations,
    onStep(_, step) {
      signal.throwIfAborted();
      bar.update(step / options.iterations, `step ${step} of ${options.iterations}`);
    },
  });
  await bar.done();
  const made = found.x.map((v) => mean + deviation * v);
  if (options.out !== undefined)
    writeWhole(options.out, writeNpz({ x: tensor(made, { dims: [...shape], type }) }));
  if (options.png !== undefined) writeWhole(options.png, pngBytes(sideBySide(given, made, shape)));
  const { before, after, constraints, values } = found;
  const report = { paths: wanted.length, constraints, steps: values.length - 1, error: { before, after } };
  if (options.json) return printJson(report);
  print(
    `averages ${constraints} of ${given.length} samples\nerror    ${before.toPrecision(3)} of their size in the noise, ${after.toPrecision(3)} after ${report.steps} steps`,
  );
  const written = [options.out, options.png].filter((file) => file !== undefined);
  if (written.length > 0 && !options.quiet) print(`written: ${written.join(", ")}`);
}

/** Two pictures with the greys of the first, eight pixels apart. */
function sideBySide(a: Float64Array, b: Float64Array, shape: readonly number[]) {
  const [height, columns] = shape as readonly [number, number];
  const [gap, width] = [8, 2 * columns + 8];
  const [least, most] = [a.reduce((p, q) => Math.min(p, q)), a.reduce((p, q) => Math.max(p, q))];
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < columns; column++)
      [a, b].forEach((picture, k) => {
        const share = (picture[row * columns + column]! - least) / (most - least);
        const grey = Math.round(255 * Math.min(1, Math.max(0, share)));
        const at = 4 * (row * width + k * (columns + gap) + column);
        rgba.fill(grey, at, at + 3);
      });
  return { width, height, rgba };
}
