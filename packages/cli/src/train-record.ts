// The course of a training run: what was measured at each step and epoch, as CSV and as a figure.
import type { Figure, Series } from "@lemmata/core/figure";
import type { Progress, Score } from "@lemmata/core/train";

interface Step {
  readonly step: number;
  readonly loss: number;
  readonly accuracy: number | undefined;
}

export class TrainRecord {
  readonly steps: Step[] = [];
  readonly rates: number[] = [];
  readonly tests: { readonly step: number; readonly score: Score }[] = [];

  add({ step, losses, accuracies, rates }: Progress): void {
    const first = step - losses.length;
    losses.forEach((loss, k) => {
      this.steps.push({ step: first + k, loss, accuracy: accuracies[k] });
      this.rates.push(rates[k]!);
    });
  }

  /** Takes up an earlier log, up to the step that the run goes on from. */
  recall(csv: string, upTo: number): void {
    for (const row of csv.trim().split("\n").slice(1)) {
      const [step, , rate, loss, accuracy, testLoss, testAccuracy] = row
        .split(",")
        .map((cell) => (cell === "" ? undefined : Number(cell)));
      if (step === undefined || !(step <= upTo)) continue;
      this.steps.push({ step: step - 1, loss: loss!, accuracy });
      this.rates.push(rate!);
      const score = { loss: testLoss!, ...(testAccuracy === undefined ? {} : { accuracy: testAccuracy }) };
      if (testLoss !== undefined) this.tests.push({ step, score });
    }
  }

  /** The means of the last epoch's steps. */
  lately(count: number): { readonly loss: number; readonly accuracy: number | undefined } {
    const last = this.steps.slice(-count);
    const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const accuracies = last.flatMap(({ accuracy }) => (accuracy === undefined ? [] : [accuracy]));
    return {
      loss: mean(last.map((s) => s.loss)),
      accuracy: accuracies.length > 0 ? mean(accuracies) : undefined,
    };
  }
}

/** One row a step: the batch's loss and accuracy before it, and the test's after the steps where it was measured. */
export function recordCsv({ steps, rates, tests }: TrainRecord, perEpoch: number): string {
  const tested = new Map(tests.map(({ step, score }) => [step, score]));
  const rows = steps.map(({ step, loss, accuracy }, k) => {
    const score = tested.get(step + 1);
    return [step + 1, (step + 1) / perEpoch, rates[k]!, loss, accuracy, score?.loss, score?.accuracy]
      .map((v) => (v === undefined ? "" : String(v)))
      .join(",");
  });
  return `${["step,epoch,rate,loss,accuracy,test_loss,test_accuracy", ...rows].join("\n")}\n`;
}

const mostPoints = 400;

/** At most so many points, each the mean of neighbours. */
function thinned(points: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const size = Math.ceil(points.length / mostPoints);
  const groups = Array.from({ length: Math.ceil(points.length / size) }, (_, k) =>
    points.slice(k * size, (k + 1) * size),
  );
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  return groups.map((group) => [mean(group.map(([x]) => x)), mean(group.map(([, y]) => y))]);
}

/** Loss, and accuracy where there is one, over epochs. */
export function recordFigure({ steps, tests }: TrainRecord, perEpoch: number, title: string): Figure {
  const series = (
    name: string,
    points: readonly (readonly [number, number])[],
    mark: Series["mark"],
  ): Series[] => (points.length > 0 ? [{ name, mark, points }] : []);
  const panel = (what: "loss" | "accuracy") => {
    const course = steps.flatMap((s) =>
      s[what] === undefined ? [] : [[s.step / perEpoch, s[what]] as const],
    );
    const tested = tests.flatMap(({ step, score }) =>
      score[what] === undefined ? [] : [[step / perEpoch, score[what]] as const],
    );
    const lines = [
      ...series("training (batches, before the step)", thinned(course), "line"),
      ...series("test", tested, tested.length > 1 ? "line" : "dots"),
    ];
    const isPositive = lines.every((s) => s.points.every(([, y]) => y > 0));
    const scale = what === "loss" && isPositive ? ("log" as const) : ("linear" as const);
    return { title: what, x: { label: "epochs" }, y: { label: what, scale }, series: lines };
  };
  const panels = [panel("loss"), panel("accuracy")].filter((p) => p.series.length > 0);
  return { title, panels };
}
