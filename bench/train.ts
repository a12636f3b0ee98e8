// Seconds a training step: as a multiple of the time of its matrix products or convolutions alone, and beside PyTorch 2, eager
// and compiled; with one thread and with all cores. All take turns. Steps include the choice of a random batch. Given are
// the least times of many turns, which say most on a busy machine, and medians; LEMMATA_BENCH chooses cases by their title,
// LEMMATA_PEERS the peers.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
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
import { median, type Taken, taken } from "./kernel-peer.ts";
import { torchPython } from "./kernel-python.ts";
import { products } from "./train-products.ts";

/** "none", "torch", or "all": with TensorFlow.js and jax-js, which are slow. */
const asked = process.env.LEMMATA_PEERS ?? "torch";
const rounds = Number(process.env.LEMMATA_ROUNDS ?? 15);

interface Case {
  readonly network: "mlp" | "conv" | "wide";
  readonly title: string;
  readonly spec: string;
  readonly input: readonly number[];
  readonly options: TrainingOptions;
  readonly examples: number;
  readonly steps: number;
  /** How often the time of its products a step should take at most. */
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
    goal: 1.2,
  },
  {
    ...mlp,
    title: "MLP 784-256-256-10, batch 128, Adam",
    options: { loss: "cross-entropy", batch: 128, optimizer: "adam" },
    goal: 1.3,
  },
  {
    ...conv,
    title: "conv 16 and 32 of 5x5, batch 32, SGD",
    options: { loss: "cross-entropy", batch: 32 },
    goal: 1.5,
  },
  {
    ...conv,
    title: "conv 16 and 32 of 5x5, batch 32, Adam",
    options: { loss: "cross-entropy", batch: 32, optimizer: "adam" },
    goal: 1.5,
  },
  {
    ...wide,
    title: "64-4096-1, full batch of 512, GD",
    options: { loss: "square", batch: "full" },
    goal: 1.2,
  },
];

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

  constructor(name: string, command: readonly string[], networks: readonly Case["network"][], threads = 1) {
    this.name = name;
    this.networks = networks;
    const env = { ...process.env, OMP_NUM_THREADS: `${threads}` };
    this.#process = spawn(command[0]!, command.slice(1), { env });
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async answer(): Promise<string> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`${this.name} ended`);
    return value;
  }

  async step({ network, options, steps }: Case): Promise<Taken | undefined> {
    if (!this.networks.includes(network)) return undefined;
    this.#process.stdin.write(`${network} ${options.optimizer ?? "sgd"} ${steps}\n`);
    const [clock, processor = Number.NaN] = (await this.answer()).split(" ").map(Number);
    return { clock: clock!, processor };
  }

  end(): void {
    this.#process.stdin.end();
  }
}

function startPeers(threads: number): Peer[] {
  const python = asked === "none" ? "" : torchPython();
  const [all, dense] = [
    ["mlp", "conv", "wide"],
    ["mlp", "wide"],
  ] as const;
  const torch = (mode: string) =>
    new Peer(`PyTorch, ${mode}`, [python, peerFile("pytorch.py"), `${threads}`, mode], all, threads);
  const script = (name: string, file: string) => [new Peer(name, [process.execPath, peerFile(file)], dense)];
  return [
    ...(asked === "none" ? [] : [torch("eager"), torch("compiled")]),
    ...(asked === "all" && threads === 1 && installPeers()
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

/** Makes steps of a run. */
function runner(one: Case, threads: number): () => Promise<void> {
  const run = training(initialNetwork(one.spec, { seed: 1 }), one.options);
  const data = randomData(one);
  let state: TrainingState = initialState(run, 1);
  return async () => {
    const next = await advance(run, state, data, { rates: new Array(one.steps).fill(1e-3), threads });
    state = next.state;
  };
}

interface Contender {
  readonly name: string;
  readonly step: () => Promise<Taken | undefined>;
}

/** Seconds a step of all rounds but the first, which warms up. */
async function turns(contenders: readonly Contender[]): Promise<Map<string, Taken[]>> {
  const found = new Map<string, Taken[]>();
  for (let round = 0; round <= rounds; round++)
    for (const { name, step } of contenders) {
      const each = await step();
      if (each && round > 0) found.set(name, [...(found.get(name) ?? []), each]);
    }
  return found;
}

const least = (times: readonly Taken[], of: keyof Taken): number =>
  Math.min(...times.map((each) => each[of]));
const ms = (s: number): string => (1000 * s).toFixed(2).padStart(8);

async function race(one: Case, peers: readonly Peer[], threads: number): Promise<void> {
  const [step, alone] = [
    runner(one, threads),
    products(
      one.spec,
      [typeof one.options.batch === "number" ? one.options.batch : one.examples, ...one.input],
      threads,
    ),
  ];
  const own = (task: () => Promise<void>) => async (): Promise<Taken> => {
    const { clock, processor } = await taken(task);
    return { clock: clock / one.steps, processor: processor / one.steps };
  };
  const found = await turns([
    { name: "a step", step: own(step) },
    { name: "its products alone", step: own(() => alone(one.steps)) },
    ...peers.map((peer) => ({ name: peer.name, step: () => peer.step(one) })),
  ]);
  const mine = found.get("a step")!;
  console.log(`\n${one.title} (goal: at most ${one.goal} of its products)`);
  for (const [name, times] of found) {
    const middle = (of: readonly Taken[]): number => median(of.map(({ clock }) => clock));
    const ratios = [
      (least(mine, "clock") / least(times, "clock")).toFixed(2),
      (least(mine, "processor") / least(times, "processor")).toFixed(2),
      (middle(mine) / middle(times)).toFixed(2),
    ];
    const ratio =
      times === mine
        ? ""
        : `   a step / this ${ratios[0]}, of the processor ${ratios[1]}, medians ${ratios[2]}`;
    console.log(
      `  ${name.padEnd(22)} ${ms(least(times, "clock"))} ms, ${ms(middle(times))} in the median${ratio}`,
    );
  }
}

for (const threads of new Set([1, availableParallelism()])) {
  const peers = startPeers(threads);
  const versions = await Promise.all(peers.map(async (peer) => `${peer.name} ${await peer.answer()}`));
  console.log(
    `\n${threads === 1 ? "one thread" : `${threads} threads`}; ${rounds} turns; ${versions.join(", ")}`,
  );
  for (const one of cases.filter(({ title }) => title.includes(process.env.LEMMATA_BENCH ?? "")))
    await race(one, peers, threads);
  for (const peer of peers) peer.end();
}
