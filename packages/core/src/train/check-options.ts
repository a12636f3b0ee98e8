// What is wrong with the options of a training run.
import { TrainError } from "./error.ts";
import { losses } from "./loss.ts";
import { optimizers } from "./optimizer.ts";
import type { TrainingOptions } from "./training/options.ts";

function oneOf(what: string, given: string, table: object): void {
  if (!Object.hasOwn(table, given))
    throw new TrainError(`there is no ${what} "${given}"; there are ${Object.keys(table).join(", ")}`);
}

function require(isRight: boolean, message: string): void {
  if (!isRight) throw new TrainError(message);
}

/** Stops with one line that says which option is wrong and what would be right. */
export function checkOptions(options: TrainingOptions): void {
  const { loss, optimizer = "sgd", batch = 1, clip, averaging, momentum, beta1, beta2, epsilon } = options;
  oneOf("loss", loss, losses);
  oneOf("optimizer", optimizer, optimizers);
  require(batch === "full" ||
    (Number.isInteger(batch) && batch > 0), `a batch is a number of examples, not ${batch}`);
  require(clip === undefined || clip > 0, `gradients cannot be clipped to norm ${clip}: give a positive one`);
  require(averaging === undefined ||
    averaging === "mean" ||
    (averaging > 0 &&
      averaging < 1), `iterates are averaged by "mean" or with a decay between 0 and 1, not ${averaging}`);
  for (const [name, value] of Object.entries({ momentum, beta1, beta2 }))
    require(value === undefined ||
      (value >= 0 && value < 1), `${name} is at least 0 and below 1, not ${value}`);
  require(epsilon === undefined || epsilon > 0, `epsilon is positive, not ${epsilon}`);
  for (const name of ["weightDecay", "l1", "proximalL1", "darc", "darc1"] as const)
    require(!(
      (options[name] ?? 0) < 0 || Number.isNaN(options[name])
    ), `${name} is not negative, not ${options[name]}`);
}
