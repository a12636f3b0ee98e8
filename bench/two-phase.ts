// Chapter 2 of the book on MNIST: Figure 2.2 (two-phase training, the accuracy ratio at each alpha) and Tables A.2 to A.4
// (DARC1). A part of MNIST, a dense network and a few epochs instead of a convolutional one and 1000; seeds are repeated.
// `npm run bench two-phase`, with EXAMPLES=60000 EPOCHS=20 SEEDS=10 for more.
import { run } from "@lemmata/core/engine";
import { type Graph, numbers } from "@lemmata/core/graph";
import {
  initialNetwork,
  type TrainingData,
  type TrainOptions,
  takeRows,
  train,
  trainTwoPhases,
} from "@lemmata/core/train";
import { loadDataset } from "../packages/cli/src/datasets.ts";

const setting = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const [examples, epochs, seeds] = [setting("EXAMPLES", 10_000), setting("EPOCHS", 10), setting("SEEDS", 3)];
const spec = "784-128-relu-128-relu-10";
const alphas = [0.05, 0.1, 0.2, 0.4, 0.8];
const lambda = 0.064; // the text's: lambda / 64 = 0.001 with batches of 64

const mnist = loadDataset("mnist", {
  inputShape: [784],
  seed: 1,
  testFraction: 0,
  count: 1,
  type: "float32",
});
const first = Array.from({ length: examples }, (_, i) => i);
const data: TrainingData = { x: takeRows(mnist.train.x, first), target: takeRows(mnist.train.y, first) };
const test: TrainingData = { x: mnist.test!.x, target: mnist.test!.y };
const options: TrainOptions = {
  loss: "cross-entropy",
  optimizer: "sgd",
  rate: 0.1,
  batch: 64,
  epochs,
  threads: 1,
};

async function logits(model: Graph, { x }: TrainingData): Promise<ArrayLike<number>> {
  return numbers((await run(model, { x }, { threads: 1 })).y!);
}

/** Test error, and (1/m) max_k sum |z_k| on the training examples. */
async function judged(model: Graph): Promise<{ readonly error: number; readonly size: number }> {
  const [seen, unseen] = [await logits(model, data), await logits(model, test)];
  const labels = numbers(test.target);
  const sizes = Array.from({ length: 10 }, (_, k) => {
    let sum = 0;
    for (let i = 0; i < examples; i++) sum += Math.abs(Number(seen[10 * i + k])) / examples;
    return sum;
  });
  let wrong = 0;
  for (let i = 0; i < labels.length; i++) {
    let best = 0;
    for (let k = 1; k < 10; k++) if (Number(unseen[10 * i + k]) > Number(unseen[10 * i + best])) best = k;
    if (best !== Number(labels[i])) wrong++;
  }
  return { error: wrong / labels.length, size: Math.max(...sizes) };
}

const mean = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0) / values.length;
const spread = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((s, v) => s + (v - mean(values)) ** 2, 0) / Math.max(1, values.length - 1));
const shown = (values: readonly number[], factor = 1): string =>
  `${(factor * mean(values)).toFixed(3)} ± ${(factor * spread(values)).toFixed(3)}`;

const base: { error: number; size: number }[] = [];
const darc: { error: number; size: number }[] = [];
const signed: { error: number; size: number }[] = [];
const ratios: number[][] = alphas.map(() => []);
const starts: number[][] = alphas.map(() => []);
for (let seed = 0; seed < seeds; seed++) {
  const net = initialNetwork(spec, { seed });
  base.push(await judged((await train(net, data, { ...options, seed })).model));
  darc.push(await judged((await train(net, data, { ...options, seed, darc1: lambda })).model));
  signed.push(await judged((await train(net, data, { ...options, seed, darc: lambda })).model));
  const accuracy = 1 - base.at(-1)!.error;
  for (const [k, alpha] of alphas.entries()) {
    // A first phase on a part makes as many steps as one on all would.
    const phases = await trainTwoPhases(net, data, {
      ...options,
      seed,
      alpha,
      steps: Math.ceil(examples / 64) * epochs,
    });
    ratios[k]!.push((1 - (await judged(phases.second.model)).error) / accuracy);
    starts[k]!.push((1 - (await judged(phases.first.model)).error) / accuracy);
  }
  console.error(`seed ${seed + 1} of ${seeds}`);
}

console.log(
  `${spec}, ${examples} examples of MNIST, ${epochs} epochs of SGD (rate 0.1, batches of 64), ${seeds} seeds\n`,
);
console.log(
  `Figure 2.2: accuracy of two-phase training over that of the base (${shown(
    base.map((b) => 1 - b.error),
    100,
  )} %)`,
);
console.log("alpha   two-phase / base     first phase / base");
alphas.forEach((alpha, k) => {
  console.log(`${alpha.toFixed(2)}    ${shown(ratios[k]!).padEnd(20)} ${shown(starts[k]!)}`);
});
console.log(
  "\nTables A.2 to A.4: DARC1, lambda = 0.064 (printed for MNIST without augmentation, 1000 epochs)",
);
/** A row of the table: ours as they are made, then what is printed. */
const row = (title: string, columns: readonly string[], printed: string): void =>
  console.log(`${title.padEnd(23)}${columns.map((c) => c.padEnd(19)).join("")}${printed}`);
row("", ["base", "DARC1", "DARC, random signs"], "printed base, DARC1");
const kinds = [base, darc, signed];
row(
  "test error in %",
  kinds.map((k) =>
    shown(
      k.map((b) => b.error),
      100,
    ),
  ),
  "0.53, ratio 0.89",
);
row(
  "error / base",
  kinds.map((k) => shown(k.map((b, s) => b.error / base[s]!.error))),
  "1, 0.89",
);
row(
  "(1/m) max_k sum |z_k|",
  kinds.map((k) => shown(k.map((b) => b.size))),
  "17.2, 1.30",
);
