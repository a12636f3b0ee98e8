// The certificate of a two-layer ReLU network, from data as training reads it, and as text.
import type { Graph } from "@lemmata/core/graph";
import {
  type CertifiedLoss,
  type ConvexLoss,
  certifiedMinimum,
  certifyTwoLayer,
  convexLoss,
  readTwoLayer,
  rowsOf,
  type TwoLayer,
  targetsOf,
} from "@lemmata/core/landscape";
import { directedNumber } from "@lemmata/core/numbers";
import { denseNetwork, type LossName, type TrainingData } from "@lemmata/core/train";
import { counted, number, table } from "./output.ts";
import { UsageError } from "./usage-error.ts";

interface Options {
  readonly decay: number;
  readonly cones: number;
  readonly gapTolerance: number;
  readonly out?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number, note: string) => void;
}

const certifiedLosses: readonly string[] = ["square", "logistic", "cross-entropy"] satisfies CertifiedLoss[];

/** What the command prints as JSON. */
export function certified(net: Graph, loss: LossName, { x, target }: TrainingData, options: Options) {
  if (!certifiedLosses.includes(loss))
    throw new UsageError(`--certify is for the losses ${certifiedLosses.join(", ")}, not ${loss}`);
  if (!(options.decay > 0))
    throw new UsageError("--certify needs --decay above 0: the penalty is part of what is certified");
  const two = readTwoLayer(net);
  const inputs = rowsOf(x);
  const outputs = two.neurons[0]!.outgoing.length;
  const task = convexLoss(loss as CertifiedLoss, targetsOf({ x, target }, outputs));
  const settings = { ...options, onProgress: conesTold("this network", options) };
  const { polar, neuron, dual: _, ...found } = certifyTwoLayer(two, inputs, task, outputs, settings);
  const { lower, upper, cones } = polar;
  return {
    ...found,
    strength: "proved" as const,
    decay: options.decay,
    polar: { lower, upper, cones },
    better: options.out === undefined ? undefined : improved(two, inputs, task, outputs, options),
    ...(neuron ? { neuron: { incoming: [...neuron.incoming], outgoing: [...neuron.outgoing] } } : {}),
  };
}

const conesTold =
  (place: string, { onProgress }: Options) =>
  (share: number, cones: number): void =>
    onProgress?.(share, `${place}, ${counted(cones, "cone")}`);

/** Descent, slides and new neurons, from the network on. */
function improved(
  two: TwoLayer,
  inputs: readonly Float64Array[],
  loss: ConvexLoss,
  outputs: number,
  { out: _, ...options }: Options,
) {
  let place = "better networks";
  const { net, certificate, path } = certifiedMinimum(two, inputs, loss, outputs, {
    ...options,
    onStep: ({ step, objective, width }) => {
      place = `after ${step}: objective ${number(Number(objective.toPrecision(6)))}, ${counted(width, "neuron")}`;
      options.onProgress?.(0, place);
    },
    onProgress: (share, cones) => conesTold(place, options)(share, cones),
  });
  const width = inputs[0]!.length;
  const { neurons, hasBias, offset } = net;
  const first = {
    W: neurons.map(({ incoming }) => [...incoming.subarray(0, width)]),
    ...(hasBias ? { b: neurons.map(({ incoming }) => incoming[width]!) } : {}),
  };
  const second = {
    W: Array.from({ length: outputs }, (_, k) => neurons.map(({ outgoing }) => outgoing[k]!)),
    ...(offset ? { b: [...offset] } : {}),
  };
  const { objective, lowerBound, gap, verdict } = certificate;
  return { graph: denseNetwork([first, second], "relu"), path, objective, lowerBound, gap, verdict };
}

type Better = ReturnType<typeof improved>;

export const betterText = ({ path, objective, gap, verdict }: Better, out: string): string =>
  `\nwritten: ${out}, ${counted(path.at(-1)!.width, "neuron")}, objective ${digits(objective)}, gap ${directedNumber(gap, "up", 3)}: ${verdict}`;

type Found = Omit<ReturnType<typeof certified>, "better">;
const digits = (value: number): string => number(Number(value.toPrecision(10)));

export function certificateText({
  objective,
  lowerBound,
  gap,
  verdict,
  decay,
  polar,
  scaling,
  improved,
  scale,
}: Found): string {
  const rows = [
    ["objective", digits(objective)],
    ["lower bound for any width", directedNumber(lowerBound, "down", 10)],
    ["gap", directedNumber(gap, "up", 3)],
    [
      "pull of the best neuron",
      `${directedNumber(polar.lower, "down", 8)} to ${directedNumber(polar.upper, "up", 8)}; at a minimum up to the decay ${number(decay)}`,
    ],
    ["pull along all weights, over the decay, less 1", directedNumber(scaling, "up", 3)],
    ...(improved === undefined
      ? []
      : [
          [
            scale === undefined
              ? "objective with the best neuron added"
              : `objective with neurons' weights times ${digits(scale)}`,
            digits(improved),
          ],
        ]),
  ];
  return `${table(["", ""], rows).split("\n").slice(2).join("\n")}\n\n${verdict}`;
}
