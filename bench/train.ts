// Seconds a training step, against PyTorch (eager, python3-torch of Debian) in the same minutes: the two take turns, one
// thread each, and the ratio of the medians is what counts. Steps include the choice of a random batch.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createRandom } from "@lemmata/core/engine";
import { tensor } from "@lemmata/core/graph";
import {
  advance,
  initialNetwork,
  initialState,
  type TrainingData,
  type TrainingOptions,
  type TrainingState,
  training,
} from "@lemmata/core/train";

const rounds = 9;

interface Case {
  readonly network: "mlp" | "conv" | "wide";
  readonly title: string;
  readonly spec: string;
  readonly input: readonly number[];
  readonly options: TrainingOptions;
  readonly examples: number;
  readonly steps: number;
  /** What the ratio should be at most. */
  readonly goal: number;
}

const mlp = {
  network: "mlp",
  spec: "784-256-relu-256-relu-10",
  input: [784],
  examples: 2560,
  steps: 60,
} as const;
const conv = {
  network: "conv",
  spec: "1x28x28-conv16k5-relu-conv32k5s2-relu-flatten-10",
  input: [1, 28, 28],
  examples: 640,
  steps: 20,
} as const;
const wide = { network: "wide", spec: "64-4096-relu-1", input: [64], examples: 512, steps: 20 } as const;
const cases: readonly Case[] = [
  {
    ...mlp,
    title: "MLP 784-256-256-10, batch 128, SGD",
    options: { loss: "cross-entropy", batch: 128 },
    goal: 0.7,
  },
  {
    ...mlp,
    title: "the same, Adam",
    options: { loss: "cross-entropy", batch: 128, optimizer: "adam" },
    goal: 0.7,
  },
  {
    ...conv,
    title: "conv 16 and 32 of 5x5, batch 32, SGD",
    options: { loss: "cross-entropy", batch: 32 },
    goal: 2,
  },
  {
    ...conv,
    title: "the same, Adam",
    options: { loss: "cross-entropy", batch: 32, optimizer: "adam" },
    goal: 2,
  },
  {
    ...wide,
    title: "64-4096-1, full batch of 512, GD",
    options: { loss: "square", batch: "full" },
    goal: 0.8,
  },
];

/** A Python that has torch; the one first in the path may be another than Debian's. */
const findPython = () =>
  ["python3", "/usr/bin/python3"].find((python) => spawnSync(python, ["-c", "import torch"]).status === 0);

/** Debian's torch comes with a reference BLAS that is ten times slower than OpenBLAS: the peer gets the fast one. */
function pythonWithTorch(): string | undefined {
  const hasBlas = existsSync("/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3");
  const found = findPython();
  if (found && hasBlas) return found;
  console.log("installing python3-torch and libopenblas0-pthread ...");
  const root = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const [command, ...rest] = [...root, "apt-get", "install", "-y", "python3-torch", "libopenblas0-pthread"];
  if (spawnSync(command!, rest, { stdio: "ignore" }).status !== 0 && found)
    console.log("OpenBLAS is not there: PyTorch's times are those of a slow BLAS");
  return findPython();
}

class Torch {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor(python: string) {
    const script = fileURLToPath(new URL("train.py", import.meta.url));
    this.#process = spawn(python, [script], { env: { ...process.env, OMP_NUM_THREADS: "1" } });
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async answer(): Promise<string> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error("bench/train.py ended");
    return value;
  }

  async secondsAStep({ network, options, steps }: Case): Promise<number> {
    this.#process.stdin.write(`${network} ${options.optimizer ?? "sgd"} ${steps}\n`);
    return Number(await this.answer());
  }

  end(): void {
    this.#process.stdin.end();
  }
}

function randomData({ input, examples, options }: Case): TrainingData {
  const random = createRandom(1);
  const size = input.reduce((a, b) => a * b, examples);
  const x = tensor(random.normal(size), { type: "float32", dims: [examples, ...input] });
  const target =
    options.loss === "square"
      ? tensor(random.normal(examples), { type: "float32", dims: [examples, 1] })
      : tensor(
          Array.from({ length: examples }, () => Math.floor(10 * random.uniform())),
          { type: "int64" },
        );
  return { x, target };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Makes steps of a run and gives seconds a step. */
function runner(one: Case): () => Promise<number> {
  const run = training(initialNetwork(one.spec, { seed: 1 }), one.options);
  const data = randomData(one);
  let state: TrainingState = initialState(run, 1);
  return async () => {
    const began = performance.now();
    const next = await advance(run, state, data, { rates: new Array(one.steps).fill(1e-3), threads: 1 });
    state = next.state;
    return (performance.now() - began) / 1000 / one.steps;
  };
}

const python = pythonWithTorch();
const torch = python ? new Torch(python) : undefined;
if (torch) console.log(`PyTorch ${await torch.answer()}, one thread each, medians of ${rounds} turns\n`);
else console.log("python3-torch is not here and cannot be installed: ratios are left out\n");
for (const one of cases.filter(({ title }) => title.includes(process.env.LEMMATA_BENCH ?? ""))) {
  const ours = runner(one);
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const [a, b] = [await ours(), await torch?.secondsAStep(one)];
    if (round === 0) continue;
    mine.push(a);
    if (b !== undefined) theirs.push(b);
  }
  const ratio = torch ? (median(mine) / median(theirs)).toFixed(2) : "-";
  const ms = (s: number) => `${(1000 * s).toFixed(2)} ms`;
  console.log(
    `${one.title.padEnd(40)} ${ms(median(mine))}  torch ${torch ? ms(median(theirs)) : "-"}  ratio ${ratio} (goal ${one.goal})`,
  );
}
torch?.end();
