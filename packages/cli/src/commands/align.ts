import { run } from "@lemmata/core/engine";
import {
  type Alignment,
  alignByActivations,
  alignByWeights,
  type Barrier,
  lossBarrier,
} from "@lemmata/core/equivalence";
import type { Figure } from "@lemmata/core/figure";
import { type Graph, numbers, requiredInputs, type Tensor } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { type LossName, objective, type TrainingData, takeRows } from "@lemmata/core/train";
import { oneOf } from "../choice.ts";
import { checkOutput, writeNetwork, writeWhole } from "../files.ts";
import { type InterfaceOptions, loadGraph, settledAmong } from "../model.ts";
import { type CommonOptions, number, print, printJson } from "../output.ts";
import { progressBar } from "../progress.ts";
import { taskFor } from "../train-data.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions, InterfaceOptions {
  readonly seed: number;
  readonly method: string;
  readonly data?: string;
  readonly loss?: string;
  readonly samples: number;
  readonly out?: string;
  readonly svg?: string;
}

interface Task {
  readonly loss: LossName;
  readonly data: TrainingData;
}

/** The first examples of the data, as both networks read them. */
function taskOf(net: Graph, { data, loss, seed, samples }: Options): Task | undefined {
  if (data === undefined) return undefined;
  const settings = { data, seed, type: "float32", testFraction: 0.2, count: 1000, ...(loss && { loss }) };
  const { loss: name, train, test } = taskFor(net, settings);
  const { x, target } = test ?? train;
  const rows = Array.from({ length: Math.min(samples, x.dims[0]!) }, (_, k) => k);
  return { loss: name, data: { x: takeRows(x, rows), target: takeRows(target, rows) } };
}

async function lossOf(net: Graph, { loss, data }: Task): Promise<number> {
  const input = requiredInputs(net)[0]!.name;
  const found = await run(objective(net, loss), { [input]: data.x, target: data.target } as Record<
    string,
    Tensor
  >);
  return Number(numbers(found["loss"]!)[0]);
}

/** `lemmata align a.onnx b.onnx --data mnist --out aligned.onnx --svg barrier.svg` */
export default async function align(first: string, second: string, options: Options): Promise<void> {
  checkOutput("--out", options.out, ".onnx");
  checkOutput("--svg", options.svg, ".svg");
  const method = oneOf("--method", options.method, ["weights", "activations"]);
  if (method === "activations" && options.data === undefined)
    throw new UsageError("--method activations needs --data: units are told apart by what they do on it");
  if (options.svg && options.data === undefined)
    throw new UsageError("--svg draws the loss between the networks, so it needs --data");
  const [a, b] = settledAmong([await loadGraph(first), await loadGraph(second)], options) as [Graph, Graph];
  const task = taskOf(a, options);
  const bar = progressBar("aligning", options);
  const began = performance.now();
  const alignment =
    method === "weights"
      ? await alignByWeights(a, b, {
          random: createRandom(options.seed),
          size: task?.data.x.dims[0] ?? 1,
          onProgress: (fraction) => bar.update(task ? fraction / 2 : fraction),
        })
      : await alignByActivations(a, b, { [requiredInputs(a)[0]!.name]: task!.data.x });
  const { reference, given, aligned } = alignment.ends;
  const barriers = task && {
    before: await lossBarrier(reference, given, (net) => lossOf(net, task)),
    after: await lossBarrier(reference, aligned, (net) => lossOf(net, task)),
  };
  await bar.done();
  if (options.out) writeNetwork(options.out, alignment.graph);
  if (options.svg && barriers)
    writeWhole(options.svg, await (await import("../svg.ts")).figureSvg(figure(barriers)));
  report(alignment, barriers, { method, seconds: (performance.now() - began) / 1000 }, options);
}

interface Barriers {
  readonly before: Barrier;
  readonly after: Barrier;
}

const figure = ({ before, after }: Barriers): Figure => ({
  title: "Loss on the line between two networks",
  panels: [
    {
      title: `Barrier ${number(before.height)} before, ${number(after.height)} after`,
      x: { label: "way from the first network to the second" },
      y: { label: "loss" },
      series: [
        { name: "as given", mark: "line", points: before.points },
        { name: "units in the same order", mark: "line", points: after.points },
      ],
    },
  ],
});

function report(
  { distance: ofUnits, rest, permutations, movable, assignments }: Alignment,
  barriers: Barriers | undefined,
  { method, seconds }: { readonly method: string; readonly seconds: number },
  { json, out, svg }: Options,
): void {
  const whole = (part: number): number => Math.sqrt(part ** 2 + rest);
  const distance = { before: whole(ofUnits.before), after: whole(ofUnits.after) };
  const moved = [...permutations.values()].reduce((sum, p) => sum + p.filter((to, k) => to !== k).length, 0);
  if (json) {
    printJson({
      method,
      distance,
      movedUnits: moved,
      movableUnits: movable,
      assignments,
      ...(barriers && {
        barrier: { before: barriers.before.height, after: barriers.after.height },
        losses: { before: barriers.before.points, after: barriers.after.points },
      }),
      strength: "checked",
      seconds,
    });
    return;
  }
  print(`distance of the weights  ${number(distance.before)} before, ${number(distance.after)} after`);
  print(`units that moved         ${moved} of ${number(movable)} that can`);
  if (barriers)
    print(
      `loss barrier             ${number(barriers.before.height)} before, ${number(barriers.after.height)} after`,
    );
  const written = [out, svg].filter(Boolean);
  if (written.length > 0) print(`\nwritten: ${written.join(", ")}`);
}
