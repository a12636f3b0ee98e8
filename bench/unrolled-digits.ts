// Unrolled multilayer pursuits that read MNIST, beside the plain convolutional network with the same parameters (book, Figure 7.4).
// Words: train=4000 epochs=4 seeds=1 variants=ml-ista,ml-fista,layered,free unfoldings=0,1,2,4,6

import { meanInterval } from "@lemmata/core/inverse";
import { type UnrolledVariant, unrolledClassifier } from "@lemmata/core/sparse";
import { score, takeExamples, train } from "@lemmata/core/train";
import { loadDataset } from "../packages/cli/src/datasets.ts";

const words = new Map(
  process.argv
    .slice(2)
    .filter((w) => w.includes("="))
    .map((w) => w.split("=") as [string, string]),
);
const number = (name: string, fallback: number): number => Number(words.get(name) ?? fallback);
const list = (name: string, fallback: string): string[] => (words.get(name) ?? fallback).split(",");

const [examples, epochs, seeds] = [number("train", 4000), number("epochs", 4), number("seeds", 1)];
const data = loadDataset("mnist");
const few = takeExamples(
  data.train,
  Array.from({ length: examples }, (_, k) => k),
);
const layers = [
  { filters: number("width", 8), size: 6, stride: 2 },
  { filters: 2 * number("width", 8), size: 6, stride: 2 },
  { filters: 4 * number("width", 8), size: 4, stride: 1 },
];
console.log(
  `${examples} examples, ${epochs} epochs, ${seeds} seeds; widths ${layers.map((l) => l.filters).join(", ")}`,
);
console.log("variant    unfoldings  parameters  test accuracy  (95 % by seeds)  seconds");
for (const variant of list("variants", "ml-ista") as UnrolledVariant[])
  for (const k of list("unfoldings", "0,1,2,4,6").map(Number)) {
    const began = performance.now();
    const found: number[] = [];
    let parameters = 0;
    for (let seed = 0; seed < seeds; seed++) {
      const network = unrolledClassifier({
        input: [1, 28, 28],
        layers,
        classes: 10,
        unfoldings: k,
        variant,
        seed,
      });
      parameters = network.parameters;
      const { training, state, ended } = await train(
        network.graph,
        { x: few.x, target: few.y },
        {
          ...{ loss: "cross-entropy", optimizer: "adam", rate: number("rate", 2e-3), clip: 1, epochs, seed },
          ...{ batch: 100, weights: network.weights, threads: 1 },
        },
      );
      if (ended === "diverged") console.log(`${variant} ${k}: diverged with seed ${seed}`);
      const { accuracy } = await score(
        training,
        state,
        { x: data.test!.x, target: data.test!.y },
        { threads: 1 },
      );
      found.push(accuracy!);
    }
    const { mean, halfWidth } = meanInterval(found);
    const seconds = (performance.now() - began) / 1000;
    console.log(
      `${variant.padEnd(10)} ${String(k).padEnd(11)} ${String(parameters).padEnd(11)} ${(100 * mean).toFixed(2)} %        ${seeds > 1 ? `+- ${(100 * halfWidth).toFixed(2)}` : "-"}  ${seconds.toFixed(0)}`,
    );
  }
