// What settings mean for the library and for the command line.
import type { Settings } from "./settings.ts";

/** The network in one line: "2-16-relu-16-relu-2". Two classes are told apart by one output, or for cross-entropy by two. */
export function specOf({ data, hidden, activation, loss }: Settings): string {
  const outputs = data === "digits" ? 10 : loss === "cross-entropy" ? 2 : 1;
  const inputs = data === "digits" ? 784 : 2;
  return [inputs, ...hidden.flatMap((width) => [width, activation]), outputs].join("-");
}

/** Whether the network is piecewise linear, so that it has regions to count. */
export const isPiecewiseLinear = ({ activation, hidden }: Pick<Settings, "activation" | "hidden">): boolean =>
  hidden.length === 0 || ["relu", "leakyrelu(0.1)", "abs", "linear"].includes(activation);

/** The batch for this many examples: all of them at once is another loop. */
export const batchFor = ({ batch, optimizer }: Settings, examples: number): number | "full" =>
  optimizer === "gd" || batch >= examples ? "full" : batch;

export const stepsPerEpoch = (settings: Settings, examples: number): number => {
  const batch = batchFor(settings, examples);
  return batch === "full" ? 1 : Math.ceil(examples / batch);
};

/** The same run on the command line. */
export function commandOf(settings: Settings): string {
  const { data, count, noise, optimizer, batch, weightDecay, l1, proximalL1 } = settings;
  const isDigits = data === "digits";
  const words = [
    `lemmata train "${specOf(settings)}"`,
    `--data ${isDigits ? "mnist" : data}`,
    ...(isDigits ? [] : [`--count ${count}`, `--noise ${noise}`]),
    `--loss ${settings.loss}`,
    `--optimizer ${optimizer}`,
    `--rate ${settings.rate}`,
    `--schedule ${settings.schedule}`,
    `--batch ${optimizer === "gd" ? "full" : batch}`,
    `--epochs ${settings.epochs}`,
    // AdamW decays by 0.01 unless told otherwise.
    ...(weightDecay > 0 || optimizer === "adamw" ? [`--weight-decay ${weightDecay}`] : []),
    ...(l1 > 0 ? [`--l1 ${l1}`] : []),
    ...(proximalL1 > 0 ? [`--proximal-l1 ${proximalL1}`] : []),
    `--seed ${settings.seed}`,
    `--out ${fileName(settings)}`,
  ];
  return words.join(" ");
}

export const fileName = ({ data }: Pick<Settings, "data">): string => `${data}.onnx`;
