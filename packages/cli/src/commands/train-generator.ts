// `lemmata train` of what inverse problems need: generators, flows, and networks that undo an operator.
import type { Graph, Tensor } from "@lemmata/core/graph";
import {
  type GeneratorKind,
  generatorKinds,
  type Learned,
  type LearningOptions,
  type LinearMap,
  pictureOf,
  type ReconstructionKind,
  trainedFlow,
  trainedGenerator,
  trainedReconstruction,
} from "@lemmata/core/inverse";
import { takeExamples } from "@lemmata/core/train";
import { loadDataset } from "../datasets.ts";
import { checkOutput, writeNetwork } from "../files.ts";
import { number, print, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { measuring } from "../recover/data.ts";
import type { TrainCommandOptions } from "../train-options.ts";
import { UsageError } from "../usage-error.ts";

interface Lesson {
  /** What stands behind the colon if nothing does, and in words. */
  readonly usual: string;
  readonly means: string;
  /** How many numbers there are at most; default: any. */
  readonly count?: number;
  readonly needsOperator?: true;
  readonly takesNoise?: true;
  /** How much of it is learned by default. */
  readonly rate: number;
  readonly learn: (
    x: Tensor,
    numbers: readonly number[],
    options: LearningOptions,
    given: { readonly noise?: number; readonly map?: LinearMap; readonly shape: readonly number[] },
  ) => Promise<Learned & { readonly written: Graph }>;
}

const generator = (kind: GeneratorKind): Lesson => ({
  ...{ usual: "20-500-500", means: "latent numbers and hidden widths", rate: kind === "gan" ? 5e-4 : 1e-3 },
  async learn(x, [latent, ...hidden], options) {
    const learned = await trainedGenerator(x, { kind, latent: latent!, hidden, ...options });
    return { ...learned, written: learned.generator };
  },
});

const reconstruction = (networkOf: (numbers: readonly number[]) => ReconstructionKind): Lesson["learn"] =>
  async function learn(x, numbers, options, { noise = 0, map, shape }) {
    const network = networkOf(numbers);
    const learned = await trainedReconstruction(x, { network, map: map!, shape, noise, ...options });
    return { ...learned, written: learned.network };
  };

const lessons: Readonly<Record<string, Lesson>> = {
  ...(Object.fromEntries(generatorKinds.map((kind) => [kind, generator(kind)])) as Record<
    GeneratorKind,
    Lesson
  >),
  flow: {
    ...{ usual: "6-256", means: "couplings and their width", count: 2, takesNoise: true, rate: 1e-3 },
    async learn(x, [couplings, hidden = 256], options, { noise = 0.05 }) {
      const learned = await trainedFlow(x, { couplings: couplings!, hidden, noise, ...options });
      return { ...learned, written: learned.generator };
    },
  },
  inversion: {
    ...{ usual: "500-500", means: "hidden widths", needsOperator: true, takesNoise: true, rate: 1e-3 },
    learn: reconstruction((hidden) => ({ kind: "dense", hidden })),
  },
  unrolled: {
    ...{ usual: "5-16", means: "steps and channels", count: 2, needsOperator: true, takesNoise: true },
    rate: 2e-3,
    learn: reconstruction(([steps, channels = 16]) => ({ kind: "unrolled", steps: steps!, channels })),
  },
};

/** Whether the network of `lemmata train` is for inverse problems: "vae:20-500-500". */
export const isGenerator = (net: string): boolean =>
  new RegExp(`^(${Object.keys(lessons).join("|")})(:|$)`).test(net);

const form = /^([a-z]+)(?::(\d+(?:-\d+)*))?$/;

/** Options of other trainings, which would have no effect. */
const others = [
  ...["steps", "weightDecay", "l1", "proximalL1", "penalty", "clip", "sparsityGraph", "prune", "average"],
  ...[
    "stopBelow",
    "patience",
    "log",
    "svg",
    "checkpoint",
    "resume",
    "labelNoise",
    "loss",
    "init",
    "momentum",
  ],
  "warmup",
] as const;

function refuse(net: string, lesson: Lesson, options: TrainCommandOptions): void {
  const given = options as unknown as Readonly<Record<string, unknown>>;
  const spelled = (name: string): string => `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;
  const other = others.find((name) => given[name] !== undefined);
  if (other)
    throw new UsageError(
      `${spelled(other)} has no meaning for ${net}, which is trained by Adam on signals alone`,
    );
  if (!lesson.needsOperator && options.operator !== undefined)
    throw new UsageError("--operator is there for inversion: and unrolled:");
  if (lesson.needsOperator && options.operator === undefined)
    throw new UsageError(`${net} learns to undo an operator: --operator says which`);
  if (!lesson.takesNoise && options.noise !== undefined)
    throw new UsageError("--noise is there for flow:, inversion: and unrolled:");
}

/** Signals with numbers from 0 to 1, a row each. */
function signalsOf(options: TrainCommandOptions): Tensor {
  const whole = loadDataset(options.data, { seed: options.seed }).train;
  const count = Math.min(options.examples ?? whole.x.dims[0]!, whole.x.dims[0]!);
  const { x } = takeExamples(
    whole,
    Array.from({ length: count }, (_, k) => k),
  );
  if (x.type !== "float32") throw new UsageError(`${options.data} holds ${x.type}: signals are f32 here`);
  const values = x.data as Float32Array;
  const outside = values.findIndex((v) => !(v >= 0 && v <= 1));
  if (outside >= 0)
    throw new UsageError(
      `${options.data}: number ${outside} is ${values[outside]}: signals have numbers from 0 to 1 here`,
    );
  return x;
}

/** A list of numbers whose count is a square is a picture. */
function shapeOf([, ...dims]: readonly number[]): readonly number[] {
  const size = dims.reduce((a, b) => a * b, 1);
  const side = Math.round(Math.sqrt(size));
  if (dims.length > 1 && dims.length <= 3) return dims;
  return side ** 2 === size ? [side, side] : [size];
}

/** `lemmata train vae:20-500-500 --data mnist --epochs 20 --out decoder.onnx` */
export async function trainGenerator(net: string, options: TrainCommandOptions): Promise<void> {
  const match = form.exec(net);
  const kind = match?.[1] ?? net.split(":")[0]!;
  const lesson = lessons[kind]!;
  const numbers = (match?.[2] ?? lesson.usual).split("-").map(Number);
  if (!match || numbers.some((n) => n < 1 || n > 1e5) || numbers.length > (lesson.count ?? 100))
    throw new UsageError(
      `"${net}" cannot be trained: say ${kind}:${lesson.usual}, ${lesson.means} from 1 to 100000`,
    );
  refuse(net, lesson, options);
  checkOutput("--out", options.out, ".onnx");
  const batch = Number(options.batch ?? 100);
  if (!(Number.isInteger(batch) && batch > 0))
    throw new UsageError(`--batch ${options.batch}: a number of examples`);
  const x = signalsOf(options);
  const shape = shapeOf(x.dims);
  const map =
    options.operator === undefined
      ? undefined
      : (await measuring(options.operator, shape, undefined, undefined)).map;
  const bar = progressBar("train", options);
  const began = performance.now();
  const { written, losses, ended } = await lesson.learn(
    x,
    numbers,
    {
      ...{ epochs: options.epochs, batch, seed: options.seed, rate: options.rate ?? lesson.rate },
      ...(options.threads === undefined ? {} : { threads: options.threads }),
      signal: interruptSignal(),
      onEpoch: (epoch, loss) =>
        bar.update(
          epoch / options.epochs,
          `epoch ${epoch} of ${options.epochs}, loss ${loss.toPrecision(5)}`,
        ),
    },
    {
      ...(options.noise === undefined ? {} : { noise: options.noise }),
      ...(map === undefined ? {} : { map }),
      shape: map && pictureOf(shape).size !== map.inputs ? [map.inputs] : shape,
    },
  );
  await bar.done();
  if (ended === "diverged")
    throw new UsageError(
      `the loss left every bound after ${losses.length} epochs: a smaller --rate may help`,
    );
  if (options.out !== undefined) writeNetwork(options.out, written);
  const seconds = (performance.now() - began) / 1000;
  const examples = x.dims[0]!;
  if (options.json)
    return printJson({ kind, widths: numbers, examples, epochs: losses.length, losses, seconds, ended });
  const [first, last] = [losses[0], losses.at(-1)].map((v) => v?.toPrecision(5));
  print(
    [
      `${kind}  ${lesson.means} ${numbers.join(", ")}; ${number(examples)} examples`,
      `loss  ${first} after the first epoch, ${last} after ${losses.length}`,
      ...(options.out === undefined || options.quiet ? [] : [`written: ${options.out}`]),
    ].join("\n"),
  );
}
