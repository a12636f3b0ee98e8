import { writeNpy } from "@lemmata/core/data";
import { run } from "@lemmata/core/engine";
import { encode, numbers, tensor, view, widenHalf } from "@lemmata/core/graph";
import {
  type Basis,
  type Certificate,
  certificateOf,
  cosineBasis,
  type Generator,
  generatorOf,
  type LatentRecovery,
  type LinearMap,
  latentDescent,
  layerwiseInversion,
  leastSingularValue,
  meanSquaredError,
  noiseLength,
  peakSignalToNoise,
  pictureOf,
  rangeIsometry,
  sampledRangeIsometry,
  sparseDeviations,
  sparseIsometry,
  sparseRecovery,
  squaredNormAbove,
  squaredNormOf,
  structuralSimilarity,
  totalVariation,
  untrainedNames,
  untrainedRecovery,
  type WaveletName,
  waveletBasis,
} from "@lemmata/core/inverse";
import { createRandom } from "@lemmata/core/numbers";
import { lipschitzBound } from "@lemmata/core/passes";
import { checkOutput, writeAll } from "../files.ts";
import { pngBytes } from "../images.ts";
import { linearSolver } from "../milp-solver.ts";
import { loadGraph } from "../model.ts";
import { type CommonOptions, number, print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { type Measuring, measuring, type RealArray, shapeFrom, signalIn } from "../recover-data.ts";
import { panels } from "../recover-picture.ts";
import { UsageError } from "../usage-error.ts";

export interface RecoverOptions extends CommonOptions {
  readonly operator: string;
  readonly generator?: string;
  readonly prior?: string;
  readonly shape?: string;
  readonly measure?: boolean;
  readonly noise?: number;
  readonly truth?: string;
  readonly out?: string;
  readonly measurements?: string;
  readonly png?: string;
  readonly lambda?: number;
  readonly wavelet: string;
  readonly range?: readonly number[];
  readonly restarts: number;
  readonly steps?: number;
  readonly rate?: number;
  readonly latentWeight: number;
  readonly negation?: number;
  readonly deviations?: number;
  readonly layerwise?: boolean;
  readonly modulus?: boolean;
  readonly radius: number;
  readonly width: number;
  readonly variation: number;
}

const priors = ["tv", "dct", "wavelet", ...untrainedNames] as const;
type Prior = (typeof priors)[number];

/** What a prior found, and what it says of it. */
interface Found {
  readonly x: Float64Array;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly certificate: Certificate;
}

interface Problem extends Measuring {
  readonly y: Float64Array;
  readonly truth: RealArray | undefined;
  readonly noise: number;
  readonly range: readonly [number, number] | undefined;
  readonly options: RecoverOptions;
  readonly tick: (fraction: number, note: string) => void;
  readonly signal: AbortSignal;
}

/** `lemmata recover y.npy --operator pixels:keep=0.3 --shape 28x28 --prior tv --out x.npy` */
export default async function recoverCommand(path: string, options: RecoverOptions): Promise<void> {
  checkOutput("--out", options.out, ".npy");
  checkOutput("--measurements", options.measurements, ".npy");
  checkOutput("--png", options.png, ".png");
  const prior = priorOf(options);
  const generator =
    options.generator === undefined ? undefined : generatorOf(widenHalf(await loadGraph(options.generator)));
  const file = signalIn(path);
  const truth = options.measure ? file : options.truth === undefined ? undefined : signalIn(options.truth);
  const shape = options.shape === undefined ? undefined : shapeFrom(options.shape);
  const { map, ...like } = await measuring(options.operator, shape, truth, generator);
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
  const found = generator ? await fromGenerator(problem, generator) : await fromPrior(problem, prior!);
  await bar.done();
  const report = reported(problem, generator ? "generator" : prior!, found);
  const array = (values: Float64Array, dims: readonly number[]): Uint8Array =>
    writeNpy(tensor(values, { type: "float64", dims: [...dims] }));
  writeAll([
    [options.out, array(found.x, like.shape)],
    [options.measurements, array(y, [y.length])],
    ...(options.png === undefined ? [] : [[options.png, drawn(problem, found.x)] as const]),
  ]);
  if (options.json) return printJson(report);
  print(text(report));
  const written = [options.out, options.measurements, options.png].filter((name) => name !== undefined);
  if (written.length > 0 && !options.quiet) print(`written: ${written.join(", ")}`);
}

function priorOf({
  prior,
  generator,
  modulus,
  deviations,
  layerwise,
  operator,
}: RecoverOptions): Prior | undefined {
  if ((prior === undefined) === (generator === undefined))
    throw new UsageError("one of --generator and --prior is wanted");
  if (prior !== undefined && !priors.includes(prior as Prior))
    throw new UsageError(`--prior is one of ${priors.join(", ")}, not ${prior}`);
  if (generator === undefined && (deviations !== undefined || layerwise))
    throw new UsageError("--deviations and --layerwise are there for a --generator");
  if (layerwise && (operator !== "identity" || modulus || deviations !== undefined))
    throw new UsageError(
      "--layerwise inverts a generator: --operator identity, without --modulus and --deviations",
    );
  if (deviations !== undefined && (modulus || !(deviations > 0)))
    throw new UsageError("--deviations is a positive weight, without --modulus");
  if (modulus && generator === undefined) throw new UsageError("--modulus is there for a --generator");
  return prior as Prior | undefined;
}

function rangeOf({ range }: RecoverOptions): readonly [number, number] | undefined {
  if (range === undefined) return undefined;
  const [low, high, ...more] = range as [number, number];
  if (!(low < high) || more.length > 0)
    throw new UsageError("--range is two numbers, the lower one first: 0,1");
  return [low, high];
}

/** y = A x + e, or |A x| + e. */
function measured(
  map: LinearMap,
  x: Float64Array,
  { noise = 0, modulus, seed }: RecoverOptions,
): Float64Array {
  if (x.length !== map.inputs)
    throw new UsageError(`the signal has ${x.length} numbers, the operator takes ${map.inputs}`);
  const random = createRandom(`noise ${seed}`);
  return map.apply(x).map((v) => (modulus ? Math.abs(v) : v) + (noise > 0 ? noise * random.normal() : 0));
}

const residualOf = ({ map, y, options }: Problem, x: Float64Array): number =>
  Math.sqrt(map.apply(x).reduce((sum, v, i) => sum + ((options.modulus ? Math.abs(v) : v) - y[i]!) ** 2, 0));

const noiseWords = ({ options, noise, y }: Problem): string =>
  options.noise
    ? `noise of length at most ${number(Number(noise.toPrecision(4)))} (${y.length} normal numbers of deviation ${options.noise}, but for 1 case in 100)`
    : "no noise";

/** Where measurements determine every signal, no prior is needed; else what the prior knows, or nothing. */
async function certified(
  problem: Problem,
  x: Float64Array,
  ofPrior: () => Promise<Certificate>,
): Promise<Certificate> {
  if (problem.options.modulus) return { kind: "none", assumes: [] };
  const gamma = await leastSingularValue(problem.map);
  if (!(gamma > 0)) return ofPrior();
  const lengths = { residual: residualOf(problem, x), noise: problem.noise, norm: 0 };
  const { perDistance: _, ...certificate } = certificateOf(
    "all-signals",
    { gamma, delta: 0, provenance: "checked", looked: 1 },
    lengths,
    [noiseWords(problem)],
  );
  return certificate;
}

/** x = G(z) + nu: signals near the range, of which nothing is certified but where measurements determine all. */
async function withDeviations(problem: Problem, generator: Generator): Promise<Found> {
  const { map, y, options, tick } = problem;
  const steps = options.steps ?? 500;
  const found = await sparseDeviations(generator, map, y, createRandom(options.seed).split("starts"), {
    ...{ lambda: options.deviations!, restarts: options.restarts, steps, rate: options.rate ?? 0.1 },
    ...{ weight: options.latentWeight, onStep: (step) => tick(step / steps, `step ${step} of ${steps}`) },
  });
  return {
    x: found.x,
    facts: {
      ...{ objective: found.objectives.at(-1), latent: Array.from(found.z), restarts: found.restarts },
      deviations: found.deviation.reduce((count, v) => count + Number(v !== 0), 0),
    },
    certificate: await certified(problem, found.x, async () => ({ kind: "none", assumes: [] })),
  };
}

/** Back through the layers by linear programs; the misfit of each is what it could not meet. */
async function layerByLayer(problem: Problem, generator: Generator): Promise<Found> {
  const { solve, end } = linearSolver(problem.signal, 120);
  const { z, misfits } = await layerwiseInversion(generator.graph, problem.y, solve).finally(end);
  const outputs = await run(generator.graph, {
    [generator.input]: view(generator.type, [1, ...generator.latentShape], encode(z, generator.type)),
  });
  const x = Float64Array.from(numbers(outputs[generator.output]!));
  return {
    x,
    facts: { latent: Array.from(z), restarts: [], misfits },
    certificate: await certified(problem, x, async () => ({ kind: "none", assumes: [] })),
  };
}

async function fromGenerator(problem: Problem, generator: Generator): Promise<Found> {
  const { map, y, options, tick } = problem;
  if (options.layerwise) return layerByLayer(problem, generator);
  if (options.deviations !== undefined) return withDeviations(problem, generator);
  const random = createRandom(options.seed);
  const steps = options.steps ?? 500;
  const found: LatentRecovery = await latentDescent(generator, map, y, random.split("starts"), {
    ...{ restarts: options.restarts, steps, rate: options.rate ?? 0.1, weight: options.latentWeight },
    ...(options.negation === undefined ? {} : { negation: options.negation }),
    ...(options.modulus ? { measured: "modulus" as const } : {}),
    onStep: (step, least) => tick(step / steps, `step ${step} of ${steps}, ${least.toPrecision(3)}`),
  });
  const certificate = await certified(problem, found.x, async () => {
    const exact = await rangeIsometry(generator, map, options.radius);
    const isometry = exact ?? (await sampledRangeIsometry(generator, map, found.z, random.split("pairs")));
    return certificateOf(
      "generator-range",
      isometry,
      {
        residual: residualOf(problem, found.x),
        noise: problem.noise,
        norm: Math.sqrt(squaredNormAbove(map)),
      },
      [
        exact
          ? `the truth is G(z) with |z_j| <= ${options.radius}`
          : "the truth is in the range of the generator",
        noiseWords(problem),
        exact
          ? `gamma is the least over all ${isometry.looked} pairs of linear pieces`
          : `gamma is the least that ${isometry.looked} pairs showed: the true one may be smaller`,
      ],
    );
  });
  return {
    x: found.x,
    facts: {
      ...{ objective: found.objective, latent: Array.from(found.z), restarts: found.restarts },
      lipschitz: lipschitzOf(generator),
    },
    certificate,
  };
}

/** The bound of our own pass; networks that it cannot read have none. */
function lipschitzOf({ graph }: Generator): number | undefined {
  try {
    return lipschitzBound(graph, 2);
  } catch {
    return undefined;
  }
}

async function fromPrior(problem: Problem, prior: Prior): Promise<Found> {
  if (prior === "dip" || prior === "deep-decoder") return untrained(problem, prior);
  if (prior === "tv") return smooth(problem);
  return sparse(problem, prior);
}

async function sparse(problem: Problem, prior: "dct" | "wavelet"): Promise<Found> {
  const { map, y, shape, options, tick } = problem;
  const basis: Basis =
    prior === "dct" ? cosineBasis(shape) : waveletBasis(shape, options.wavelet as WaveletName);
  const steps = options.steps ?? 2000;
  const { x, code, ...facts } = await sparseRecovery(map, y, basis, {
    ...(options.lambda === undefined ? {} : { lambda: options.lambda }),
    iterations: steps,
    onStep: (step) => tick(step / steps, `step ${step} of at most ${steps}`),
  });
  const nonzeros = code.reduce((count, v) => count + Number(v !== 0), 0);
  const certificate = await certified(problem, x, async () => {
    const isometry = sparseIsometry(map, basis, code, createRandom(options.seed).split("sets"));
    if (!isometry) return { kind: "none", assumes: [] };
    return certificateOf(
      "sparse-codes",
      isometry,
      { residual: residualOf(problem, x), noise: problem.noise, norm: Math.sqrt(squaredNormAbove(map)) },
      [
        `the truth has at most ${nonzeros} nonzero coefficients, as the answer has`,
        noiseWords(problem),
        isometry.provenance === "checked"
          ? "gamma by the correlations of all pairs of elements"
          : isometry.looked > 0
            ? `gamma is the least of ${isometry.looked} sets of ${2 * nonzeros} elements: the true one may be smaller`
            : `${2 * nonzeros} elements are too many for ${map.outputs} measurements to tell apart`,
      ],
    );
  });
  return { x, facts: { ...facts, nonzeros }, certificate };
}

async function smooth(problem: Problem): Promise<Found> {
  const { map, y, shape, options, range, tick } = problem;
  const steps = options.steps ?? 3000;
  const { x, ...facts } = await totalVariation(map, y, shape, {
    ...(options.lambda === undefined ? {} : { lambda: options.lambda }),
    ...(range ? { range } : {}),
    iterations: steps,
    onStep: (step) => tick(step / steps, `step ${step} of at most ${steps}`),
  });
  return { x, facts, certificate: await certified(problem, x, async () => ({ kind: "none", assumes: [] })) };
}

async function untrained(problem: Problem, prior: "dip" | "deep-decoder"): Promise<Found> {
  const { map, y, shape, options, range, tick, signal } = problem;
  const steps = options.steps ?? 1000;
  const { x, losses, ...facts } = await untrainedRecovery(prior, map, y, shape, createRandom(options.seed), {
    ...{ steps, rate: options.rate ?? 0.01, width: options.width, variation: options.variation, signal },
    ...(range ? { range } : {}),
    ...(options.noise ? { discrepancy: y.length * options.noise ** 2 } : {}),
    onStep: (step, loss) => tick(step / steps, `step ${step} of ${steps}, ${loss.toPrecision(3)}`),
  });
  signal.throwIfAborted();
  const certificate = await certified(problem, x, async () => ({ kind: "none", assumes: [] }));
  return { x, facts: { ...facts, objective: losses.at(-1) }, certificate };
}

function reported(problem: Problem, prior: string, { x, facts, certificate }: Found) {
  const { map, shape, truth, range } = problem;
  const peak = range ? range[1] - range[0] : 1;
  const { rows, columns } = pictureOf(shape);
  const errors = truth && {
    error: Math.sqrt(x.length * meanSquaredError(x, truth.values)),
    perPixelError: meanSquaredError(x, truth.values),
    psnr: peakSignalToNoise(x, truth.values, peak),
    ...(rows >= 7 && columns >= 7 ? { ssim: structuralSimilarity(x, truth.values, shape, peak) } : {}),
  };
  return {
    ...{ prior, numbers: map.inputs, measurements: map.outputs, measurementError: residualOf(problem, x) },
    ...(errors ?? {}),
    ...(facts as Record<string, unknown>),
    certificate,
  };
}

type Report = ReturnType<typeof reported>;

function drawn({ map, y, shape, truth, range = [0, 1] }: Problem, x: Float64Array): Uint8Array {
  // What the measurements show by themselves: A^T y, as large as it fits them best.
  const back = map.transpose(y);
  const norm = squaredNormOf(map);
  const naive = back.map((v) => v / (norm || 1));
  return pngBytes(panels([...(truth ? [truth.values] : []), naive, x], shape, range));
}

function text(report: Report): string {
  const { prior, numbers, measurements, measurementError, certificate } = report;
  const facts = report as unknown as Record<string, unknown>;
  const short = (v: unknown): string => number(Number((v as number).toPrecision(5)));
  const line = (label: string, value: string): string => `${label.padEnd(13)} ${value}`;
  const lines = [
    line("prior", prior),
    line("measured", `${measurements} numbers of a signal of ${number(numbers)}`),
    line("misfit", `|A x - y| = ${short(measurementError)}`),
  ];
  if (typeof facts["objective"] === "number")
    lines.push(
      line(
        "objective",
        `${short(facts["objective"])}${typeof facts["dualityGap"] === "number" ? `, within ${facts["dualityGap"].toExponential(1)} of the least` : ""}${typeof facts["lambda"] === "number" ? `, lambda ${short(facts["lambda"])}` : ""}`,
      ),
    );
  if (typeof facts["nonzeros"] === "number")
    lines.push(line("code", `${facts["nonzeros"]} nonzeros of ${number(numbers)}`));
  if (typeof facts["weights"] === "number")
    lines.push(
      line(
        "network",
        `${number(facts["weights"])} weights, ${facts["steps"]} steps${facts["ended"] === "floor" ? ": what is left is as large as the noise" : ""}`,
      ),
    );
  if (Array.isArray(facts["restarts"])) {
    const sorted = (facts["restarts"] as number[]).toSorted((a, b) => a - b);
    lines.push(
      line("restarts", `${sorted.length}, objectives ${short(sorted[0])} to ${short(sorted.at(-1))}`),
    );
  }
  if (typeof facts["lipschitz"] === "number")
    lines.push(line("generator", `Lipschitz constant at most ${short(facts["lipschitz"])}`));
  if (report.psnr !== undefined)
    lines.push(
      line(
        "truth",
        `|x - x*| = ${short(report.error)}, ${report.psnr.toFixed(2)} dB${report.ssim === undefined ? "" : `, SSIM ${report.ssim.toFixed(4)}`}`,
      ),
    );
  return [...lines, ...certificateText(certificate, short)].join("\n");
}

function certificateText(
  { kind, gamma, provenance, bound, perDistance, assumes }: Certificate,
  short: (v: unknown) => string,
): string[] {
  if (kind === "none") return ["certificate   none: nothing is known of signals that measure alike"];
  const head = `certificate   ${kind}, gamma ${short(gamma)} (${provenance})`;
  const says =
    bound === undefined
      ? "  no bound: signals of this kind may measure alike"
      : `  |x - x*| <= ${short(bound)}${perDistance === undefined ? "" : `, and ${short(perDistance)} times its distance if the truth is no such signal`}`;
  return [head, says, ...assumes.map((a) => `  assumes ${a}`)];
}
