import { writeNpy } from "@lemmata/core/data";
import { tensor } from "@lemmata/core/graph";
import { generatorOf, noiseLength, pictureOf } from "@lemmata/core/inverse";
import { checkOutput, writeAll } from "../files.ts";
import { loadGraph } from "../model.ts";
import { print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { measuring, shapeFrom, signalIn } from "../recover/data.ts";
import { measured, methodOf, type Problem, type RecoverOptions, rangeOf } from "../recover/problem.ts";
import { drawn, reported, reportText } from "../recover/report.ts";
import { solve } from "../recover/solve.ts";
import { UsageError } from "../usage-error.ts";

/** `lemmata recover y.npy --operator pixels:keep=0.3 --shape 28x28 --prior tv --out x.npy` */
export default async function recoverCommand(path: string, options: RecoverOptions): Promise<void> {
  checkOutput("--out", options.out, ".npy");
  checkOutput("--measurements", options.measurements, ".npy");
  checkOutput("--png", options.png, ".png");
  const method = methodOf(options);
  const network = options.generator ?? options.network ?? options.denoiser;
  const model = network === undefined ? undefined : generatorOf(await loadGraph(network));
  const file = signalIn(path);
  const truth = options.measure ? file : options.truth === undefined ? undefined : signalIn(options.truth);
  const shape = options.shape === undefined ? undefined : shapeFrom(options.shape);
  const { map, ...like } = await measuring(
    options.operator,
    shape,
    truth,
    method === "network" ? undefined : model,
  );
  if (truth && truth.values.length !== map.inputs)
    throw new UsageError(`the truth has ${truth.values.length} numbers, signals have ${map.inputs}`);
  if (
    options.png !== undefined &&
    (like.shape.length === 1 || ![1, 3].includes(pictureOf(like.shape).channels))
  )
    throw new UsageError("--png needs rows and columns: --shape 28x28, or 3x64x64");
  const y = options.measure ? measured(map, file.values, options) : file.values;
  if (y.length !== map.outputs)
    throw new UsageError(
      `${path} holds ${y.length} numbers, but the operator measures ${map.outputs}${options.measure ? "" : "; --measure takes it as the signal itself"}`,
    );
  const [bar, signal] = [progressBar("recover", options), interruptSignal()];
  const problem: Problem = {
    ...{ map, ...like, y, truth, options, signal, range: rangeOf(options) },
    noise: noiseLength(options.noise ?? 0, y.length),
    tick(fraction, note) {
      signal.throwIfAborted();
      bar.update(fraction, note);
    },
  };
  const found = await solve(problem, method, model);
  await bar.done();
  const report = reported(problem, method, found);
  const array = (values: Float64Array, dims: readonly number[]): Uint8Array =>
    writeNpy(tensor(values, { type: "float64", dims: [...dims] }));
  writeAll([
    [options.out, array(found.x, like.shape)],
    [options.measurements, array(y, [y.length])],
    ...(options.png === undefined ? [] : [[options.png, drawn(problem, found.x)] as const]),
  ]);
  if (options.json) return printJson(report);
  print(reportText(report));
  const written = [options.out, options.measurements, options.png].filter((name) => name !== undefined);
  if (written.length > 0 && !options.quiet) print(`written: ${written.join(", ")}`);
}
