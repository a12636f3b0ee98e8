import { type GeneratorKind, generatorKinds, trainedGenerator } from "@lemmata/core/inverse";
import { takeExamples } from "@lemmata/core/train";
import { loadDataset } from "../datasets.ts";
import { checkOutput, writeNetwork } from "../files.ts";
import { print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import type { TrainCommandOptions } from "../train-options.ts";
import { UsageError } from "../usage-error.ts";

const form = /^(vae|gan|autoencoder)(?::(\d+(?:-\d+)*))?$/;

/** Whether the network of `lemmata train` is a generator: "vae:20-500-500". */
export const isGenerator = (net: string): boolean =>
  new RegExp(`^(${generatorKinds.join("|")})(:|$)`).test(net);

/** `lemmata train vae:20-500-500 --data mnist --epochs 20 --out decoder.onnx` */
export async function trainGenerator(net: string, options: TrainCommandOptions): Promise<void> {
  const match = form.exec(net);
  const [latent = 20, ...hidden] = (match?.[2] ?? "20-500-500").split("-").map(Number);
  if (!match || [latent, ...hidden].some((width) => width < 1 || width > 1e5))
    throw new UsageError(
      `"${net}" is no generator: say vae:20-500-500, latent numbers and hidden widths from 1 to 100000`,
    );
  checkOutput("--out", options.out, ".onnx");
  const given = Number(options.batch ?? 100);
  if (!(Number.isInteger(given) && given > 0))
    throw new UsageError(`--batch ${options.batch}: a number of examples`);
  const whole = loadDataset(options.data, { seed: options.seed }).train;
  const count = Math.min(options.examples ?? whole.x.dims[0]!, whole.x.dims[0]!);
  const { x } = takeExamples(
    whole,
    Array.from({ length: count }, (_, k) => k),
  );
  if (x.type !== "float32")
    throw new UsageError(`${options.data} holds ${x.type}: generators learn from f32`);
  const values = x.data as Float32Array;
  const outside = values.findIndex((v) => !(v >= 0 && v <= 1));
  if (outside >= 0)
    throw new UsageError(
      `${options.data}: number ${outside} is ${values[outside]}: generators learn from 0 to 1`,
    );
  const kind = match[1] as GeneratorKind;
  const bar = progressBar("train", options);
  const began = performance.now();
  const { generator, losses, ended } = await trainedGenerator(x, {
    ...{ kind, latent, hidden, epochs: options.epochs, batch: given, seed: options.seed },
    rate: options.rate ?? (kind === "gan" ? 2e-4 : 1e-3),
    ...(options.threads === undefined ? {} : { threads: options.threads }),
    signal: interruptSignal(),
    onEpoch: (epoch, loss) =>
      bar.update(epoch / options.epochs, `epoch ${epoch} of ${options.epochs}, loss ${loss.toPrecision(5)}`),
  });
  await bar.done();
  if (ended === "diverged")
    throw new UsageError(
      `the loss left every bound after ${losses.length} epochs: a smaller --rate may help`,
    );
  if (options.out !== undefined) writeNetwork(options.out, generator);
  const seconds = (performance.now() - began) / 1000;
  if (options.json)
    return printJson({
      kind,
      latent,
      hidden,
      examples: count,
      epochs: losses.length,
      losses,
      seconds,
      ended,
    });
  print(
    [
      `${kind}  ${latent} latent numbers, hidden ${hidden.join(", ") || "none"}, ${count} examples`,
      `loss  ${losses[0]?.toPrecision(5)} after the first epoch, ${losses.at(-1)?.toPrecision(5)} after ${losses.length}`,
      ...(options.out === undefined || options.quiet ? [] : [`written: ${options.out}`]),
    ].join("\n"),
  );
}
