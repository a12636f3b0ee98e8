// How a run stands: loss, accuracy, margins, and what the network says on the plane or of the digits.
import type { Tensor } from "@lemmata/core/graph";
import { rates } from "@lemmata/core/train";
import { contrast, guessesFrom } from "./margins.ts";
import { type Opened, type Snapshot, shownDigits } from "./messages.ts";
import { specOf } from "./run-plan.ts";
import type { Settings } from "./settings.ts";
import { firstDigits, firstRows, type Part, pointsOf, type Task } from "./task.ts";
import { gridOf, type Trainer, trainerFor } from "./trainer.ts";

/** Examples that a snapshot judges. */
const judgedExamples = 1000;

/** A run with what its snapshots look at. */
export interface OpenRun {
  readonly trainer: Trainer;
  readonly task: Task;
  readonly train: Part;
  readonly test: Part;
  readonly grid?: Tensor;
}

export function openRun(settings: Settings, task: Task): OpenRun {
  return {
    trainer: trainerFor(settings, task),
    task,
    train: firstRows(task.train, judgedExamples),
    test: firstRows(task.test, judgedExamples),
    ...(task.box ? { grid: gridOf(task.box) } : {}),
  };
}

/** What does not change while the run goes. */
export function openedBy(settings: Settings, { task, trainer }: OpenRun): Opened {
  const { parameters, perEpoch } = trainer;
  const { train, test, box } = task;
  return {
    kind: "opened",
    ...{ spec: specOf(settings), examples: train.classes.length, perEpoch, parameters },
    ...(box
      ? { plane: { box, train: pointsOf(train), test: pointsOf(test) } }
      : { digits: firstDigits(test) }),
  };
}

export async function snapshotOf(
  { trainer, train, test, grid }: OpenRun,
  settings: Settings,
  running: boolean,
): Promise<Snapshot> {
  const [onTrain, onTest] = [await trainer.judge(train), await trainer.judge(test)];
  const { step } = trainer;
  const steps = settings.epochs * trainer.perEpoch;
  const last = Math.min(step, steps - 1);
  const outputs = onTrain.scores.length / train.classes.length;
  return {
    kind: "snapshot",
    ...{ running, step, steps },
    rate: rates(settings, last, last + 1, steps)[0]!,
    train: { loss: onTrain.loss, accuracy: onTrain.accuracy },
    test: { loss: onTest.loss, accuracy: onTest.accuracy },
    margins: onTrain.margins,
    weights: trainer.weights(),
    ...(grid
      ? { surface: contrast(await trainer.scores(grid), outputs) }
      : { guesses: guessesFrom(onTest.scores.subarray(0, shownDigits * outputs), outputs) }),
  };
}
