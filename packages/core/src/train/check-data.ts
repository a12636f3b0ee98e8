// What is wrong with data before a training run starts on it.
import { numbers, type Tensor } from "../graph/tensor.ts";
import type { TrainingData } from "./advance.ts";
import { TrainError } from "./error.ts";
import { type LossName, losses } from "./loss.ts";
import type { Training } from "./training.ts";

/** Stops with one line that says which example is wrong and how. */
export function checkData(
  { options, outputs }: Training,
  { x, target }: TrainingData,
  what = "the data",
): void {
  const [examples, targets] = [x.dims[0] ?? 0, target.dims[0] ?? 0];
  if (examples === 0) throw new TrainError(`${what}: there are no examples`);
  if (examples !== targets) throw new TrainError(`${what}: ${examples} examples, but ${targets} targets`);
  const place = notFinite(x);
  if (place) throw new TrainError(`${what}: example ${place.example} holds ${place.value}`);
  if (losses[options.loss].target === "class") checkClasses(target, classesOf(options.loss, outputs), what);
  const wrong = losses[options.loss].target === "real" && notFinite(target);
  if (wrong) throw new TrainError(`${what}: the target of example ${wrong.example} is ${wrong.value}`);
}

/** How many classes the outputs can tell apart: one output, two by its sign. */
function classesOf(loss: LossName, outputs = Number.POSITIVE_INFINITY): number {
  if (outputs > 1) return outputs;
  if (loss === "cross-entropy")
    throw new TrainError(
      "the cross-entropy loss needs an output for each class; for one output there is logistic",
    );
  return 2;
}

function notFinite(data: Tensor): { readonly example: number; readonly value: number } | undefined {
  const values = numbers(data);
  const k = values.findIndex((v) => !Number.isFinite(v));
  return k < 0
    ? undefined
    : { example: Math.floor((k * data.dims[0]!) / values.length) + 1, value: values[k]! };
}

function checkClasses(target: Tensor, count: number, what: string): void {
  const classes = numbers(target);
  const k = classes.findIndex((c) => !(Number.isInteger(c) && c >= 0 && c < count));
  if (k >= 0)
    throw new TrainError(
      `${what}: the class of example ${k + 1} is ${classes[k]}, not one of 0 to ${count - 1}`,
    );
}
