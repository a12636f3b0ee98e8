// `lemmata scatter --stability`: how much noise and deformations change the coefficients, and what else there is to compare.
import { release } from "@lemmata/core/engine";
import { numbers } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import {
  gridFourier,
  type Representation,
  representationOf,
  type StabilityConstants,
  scattering,
  stabilityConstants,
  type TransformOptions,
} from "@lemmata/core/scattering";
import type { ScatterOptions } from "./commands/scatter.ts";
import { loadGraph } from "./model.ts";
import { print, printJson } from "./output.ts";
import { interruptSignal, progressBar } from "./progress.ts";
import type { Signals } from "./scatter-data.ts";
import { UsageError } from "./usage-error.ts";

/** Signals that are looked at: each takes some forty transforms. */
const mostSignals = 16;
/** |tau'| of the deformations, and the size of the noise over that of the signal. */
const [slope, noise] = [0.1, 0.01];

interface Row extends StabilityConstants {
  readonly name: string;
}

export async function scatterStability(
  { x, shape, type }: Signals,
  chosen: TransformOptions,
  options: ScatterOptions,
): Promise<void> {
  const size = shape.reduce((a, b) => a * b, 1);
  const all = Float64Array.from(numbers(x), Number);
  const count = Math.min(mostSignals, x.dims[0]!);
  const signals = Array.from({ length: count }, (_, k) => all.slice(k * size, (k + 1) * size));
  if (signals.some((signal) => signal.every((v) => v === 0)))
    throw new UsageError("a signal of zeros is not deformed: it has no stability");
  const transform = scattering({ ...chosen, type });
  const model = typeof options.stability === "string" ? await loadGraph(options.stability) : undefined;
  const coefficients = representationOf(transform.graph, shape);
  // An output stands for the samples between it and the next one.
  const share = 2 ** ((transform.geometry.stride * shape.length) / 2);
  const representations: readonly (readonly [string, Representation])[] = [
    ["scattering", async (z) => Float64Array.from(await coefficients(z), (v) => share * v)],
    ["Fourier modulus", (z) => fourierModulus(z, shape)],
    ["samples", (z) => z],
    ...(model ? [[options.stability as string, representationOf(model, shape)] as const] : []),
  ];
  const [bar, signal] = [progressBar("stability", options), interruptSignal()];
  const rows: Row[] = [];
  for (const [k, [name, representation]] of representations.entries()) {
    bar.update(k / representations.length, name);
    // The same changes are drawn for each of them; only the climbs differ.
    const random = createRandom(options.seed);
    const found = await stabilityConstants(representation, signals, { shape, random, slope, noise, signal });
    rows.push({ name, ...found });
  }
  await bar.done();
  await release(transform.graph);
  if (model) await release(model);
  if (options.json) return printJson({ signals: count, slope, noise, representations: rows });
  const width = Math.max(...rows.map(({ name }) => name.length));
  print(
    [
      `${"".padEnd(width)}  noise     deformation`,
      ...rows.map(
        ({ name, additive, geometric }) =>
          `${name.padEnd(width)}  ${additive.toPrecision(4).padEnd(8)}  ${geometric.toPrecision(4)}`,
      ),
      `the greatest |F x - F y| / |x - y| and |F x - F x_tau| / (|x| |tau'|) seen on ${count} signal${count === 1 ? "" : "s"}, |tau'| = ${slope}: estimated from below`,
    ].join("\n"),
  );
}

/** |x^| with the norm of x. */
function fourierModulus(z: Float64Array, shape: readonly number[]): Float64Array {
  const { re, im } = gridFourier(shape, z);
  const factor = 1 / Math.sqrt(z.length);
  return re.map((v, k) => factor * Math.hypot(v, im[k]!));
}
