// Seconds a training step, against PyTorch (eager, python3-torch of Debian) in the same minutes: the two take turns, one
// thread each, and the ratio of the medians is what counts. Steps include the choice of a random batch.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tensor } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
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

const blas = (name: string) => `/usr/lib/x86_64-linux-gnu/${name}`;
const fastBlas = blas("openblas-pthread");

/** Debian's torch comes with a reference BLAS ten times slower than OpenBLAS: what counts is the fast one. */
function pythonWithTorch(): string | undefined {
  const found = findPython();
  if (found && existsSync(fastBlas)) return found;
  console.log("installing python3-torch and libopenblas0-pthread ...");
  const root = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const [command, ...rest] = [...root, "apt-get", "install", "-y", "python3-torch", "libopenblas0-pthread"];
  if (spawnSync(command!, rest, { stdio: "ignore" }).status !== 0)
    console.log("... which is not possible here");
  return findPython();
}

const peerFile = (name: string): string => fileURLToPath(new URL(`peers/${name}`, import.meta.url));

function installPeers(): boolean {
  if (existsSync(peerFile("node_modules"))) return true;
  console.log("installing TensorFlow.js and jax-js ...");
  const words = ["install", "--ignore-scripts", "--no-package-lock", "--prefix", peerFile(".")];
  return spawnSync("npm", words, { stdio: "ignore", cwd: peerFile(".") }).status === 0;
}

/** A process that makes the same steps, asked line by line. */
class Peer {
  readonly name: string;
  readonly networks: readonly Case["network"][];
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor(
    name: string,
    command: readonly string[],
    networks: readonly Case["network"][],
    libraries?: string,
  ) {
    this.name = name;
    this.networks = networks;
    const env = {
      ...process.env,
      OMP_NUM_THREADS: "1",
      ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}),
    };
    this.#process = spawn(command[0]!, command.slice(1), { env });
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async answer(): Promise<string> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`${this.name} ended`);
    return value;
  }

  async secondsAStep({ network, options, steps }: Case): Promise<number> {
    if (!this.networks.includes(network)) return Number.NaN;
    this.#process.stdin.write(`${network} ${options.optimizer ?? "sgd"} ${steps}\n`);
    return Number(await this.answer());
  }

  end(): void {
    this.#process.stdin.end();
  }
}

function startPeers(): Peer[] {
  const python = pythonWithTorch();
  const [all, dense] = [
    ["mlp", "conv", "wide"],
    ["mlp", "wide"],
  ] as const;
  const torch = (name: string, libraries: string) =>
    python && existsSync(libraries) ? [new Peer(name, [python, peerFile("pytorch.py")], all, libraries)] : [];
  const script = (name: string, file: string) => [new Peer(name, [process.execPath, peerFile(file)], dense)];
  return [
    ...torch("PyTorch, OpenBLAS", fastBlas),
    ...torch("PyTorch, Debian's own BLAS", blas("blas")),
    ...(installPeers()
      ? [...script("jax-js (wasm)", "jax.mjs"), ...script("TensorFlow.js (wasm)", "tfjs.mjs")]
      : []),
  ];
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

const peers = startPeers();
for (const peer of peers) console.log(`${peer.name}: ${await peer.answer()}`);
console.log(`one thread each, medians of ${rounds} turns; ratio: ours / theirs\n`);
const ms = (s: number) => `${(1000 * s).toFixed(2)} ms`;
for (const one of cases.filter(({ title }) => title.includes(process.env.LEMMATA_BENCH ?? ""))) {
  const ours = runner(one);
  const mine: number[] = [];
  const theirs = peers.map(() => [] as number[]);
  for (let round = 0; round <= rounds; round++) {
    const times = [await ours()];
    for (const peer of peers) times.push(await peer.secondsAStep(one));
    if (round === 0) continue;
    mine.push(times[0]!);
    for (const [k, list] of theirs.entries()) list.push(times[k + 1]!);
  }
  console.log(`${one.title}: ${ms(median(mine))} (goal: at most ${one.goal} of PyTorch)`);
  peers.forEach(({ name }, k) => {
    const time = median(theirs[k]!);
    if (!Number.isNaN(time))
      console.log(
        `  ${name.padEnd(28)} ${ms(time).padStart(10)}   ratio ${(median(mine) / time).toFixed(2)}`,
      );
  });
}
for (const peer of peers) peer.end();
