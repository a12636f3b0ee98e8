import type { Graph } from "@lemmata/core/graph";
import { describePaths, describePoint, type LandscapePoint, spectralDensity } from "@lemmata/core/landscape";
import { type LossName, type TrainingData, takeRows } from "@lemmata/core/train";
import { undecided } from "../exit-code.ts";
import { checkOutput, writeNetwork, writeWhole } from "../files.ts";
import { betterText, certificateText, certified } from "../landscape-certificate.ts";
import { pathsFigure, pathsRecord, pathsText } from "../landscape-paths.ts";
import { landscapeText } from "../landscape-text.ts";
import { type InterfaceOptions, loadGraph, settledAmong } from "../model.ts";
import { type CommonOptions, print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { taskFor } from "../train-data.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions, InterfaceOptions {
  readonly data: string;
  readonly loss?: string;
  readonly decay: number;
  readonly samples?: number;
  readonly count: number;
  readonly noise?: number;
  readonly testFraction: number;
  readonly probes: number;
  readonly steps: number;
  readonly gradientTolerance: number;
  readonly curvatureTolerance: number;
  readonly svg?: string;
  readonly grid: number;
  readonly radius: number;
  readonly zooms: number;
  readonly certify?: boolean;
  readonly cones: number;
  readonly gapTolerance: number;
  readonly out?: string;
  readonly places: number;
  readonly bends: number;
  readonly curveSteps: number;
  readonly curveRate: number;
}

const exitCodes = { "globally optimal": 0, "not optimal": 1, unknown: undecided } as const;

/** `lemmata landscape net.onnx --data train.npz --svg landscape.svg`, `lemmata landscape a.onnx b.onnx --data train.npz` */
export default async function landscape(
  path: string,
  other: string | undefined,
  options: Options,
): Promise<void> {
  checkOutput("--svg", options.svg, ".svg");
  checkOutput("--out", options.out, ".onnx");
  if (options.out && !options.certify)
    throw new UsageError("--out is for --certify: it writes a better network");
  if (other !== undefined && options.certify)
    throw new UsageError("--certify is for one network, not for the way between two");
  if (!(options.radius > 0)) throw new UsageError("--radius is above 0");
  const loaded = [await loadGraph(path), ...(other === undefined ? [] : [await loadGraph(other)])];
  const [net, second] = settledAmong(loaded, options) as [Graph, Graph | undefined];
  const { loss, train } = taskFor(net, { ...options, type: "float32" });
  const rows = Math.min(options.samples ?? Number.POSITIVE_INFINITY, train.x.dims[0]!);
  const first = Array.from({ length: rows }, (_, k) => k);
  const data = { x: takeRows(train.x, first), target: takeRows(train.target, first) };
  if (second) return paths(net, second, data, loss, options);
  if (options.certify) {
    let [bar, reached] = [progressBar("certify", options), 0];
    const { better, ...certificate } = certified(net, loss, data, {
      ...options,
      onProgress: (share, note) => {
        // Each network has its own time left.
        if (share < reached) bar = progressBar("certify", options);
        reached = share;
        bar.update(share, note);
      },
    });
    await bar.done();
    if (options.out && better) writeNetwork(options.out, better.graph);
    if (options.json)
      printJson({ ...certificate, ...(better ? { path: better.path, written: options.out } : {}) });
    else {
      print(certificateText(certificate));
      if (better) print(betterText(better, options.out!));
    }
    process.exitCode = exitCodes[certificate.verdict];
    return;
  }
  const bar = progressBar("landscape", options);
  const began = performance.now();
  const radii = Array.from({ length: options.zooms }, (_, k) => options.radius / 4 ** k);
  const point = await describePoint(net, data, {
    loss,
    ...{ decay: options.decay, seed: options.seed, probes: options.probes, steps: options.steps },
    gradientTolerance: options.gradientTolerance,
    curvatureTolerance: options.curvatureTolerance,
    ...(options.svg ? { slices: { points: options.grid, radii } } : {}),
    signal: interruptSignal(),
    onProgress: (what, share) => bar.update(share, what),
  });
  await bar.done();
  if (options.svg) {
    const [{ figureSvg }, { landscapeFigure }] = await Promise.all([
      import("../svg.ts"),
      import("../landscape-figure.ts"),
    ]);
    writeWhole(options.svg, await figureSvg(landscapeFigure(point)));
  }
  const seconds = (performance.now() - began) / 1000;
  if (options.json) printJson({ lossName: loss, decay: options.decay, ...record(point), seconds });
  else {
    print(landscapeText(point, { loss, decay: options.decay }));
    if (options.svg && !options.quiet) print(`written: ${options.svg}`);
  }
}

async function paths(
  first: Graph,
  second: Graph,
  data: TrainingData,
  loss: LossName,
  options: Options,
): Promise<void> {
  const bar = progressBar("paths", options);
  const began = performance.now();
  const found = await describePaths(first, second, data, {
    ...{ loss, decay: options.decay, seed: options.seed, steps: options.places },
    curve: { steps: options.curveSteps, bends: options.bends, rate: options.curveRate },
    signal: interruptSignal(),
    onProgress: (what, share) => bar.update(share, what),
  });
  await bar.done();
  if (options.svg) writeWhole(options.svg, await (await import("../svg.ts")).figureSvg(pathsFigure(found)));
  const seconds = (performance.now() - began) / 1000;
  if (options.json) printJson({ ...pathsRecord(found), lossName: loss, decay: options.decay, seconds });
  else {
    print(pathsText(found, { loss, decay: options.decay }));
    if (options.svg && !options.quiet) print(`\nwritten: ${options.svg}`);
  }
}

function record({ hessian, slices, ...point }: LandscapePoint) {
  const { points, ...ends } = hessian;
  return {
    ...point,
    hessian: { ...ends, density: spectralDensity(points) },
    strength: "sampled",
    ...(slices.length > 0 ? { slices } : {}),
  };
}
