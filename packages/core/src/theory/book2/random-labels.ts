import {
  corruptLabels,
  type Memorizer,
  memorizeLabels,
  memorizer,
  normForCoinThrows,
  outputsOf,
} from "../../capacity/memorization/label-noise.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import { tensor } from "../../graph/tensor.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const delta = 0.01;

export default lemma({
  id: "C2-07",
  covers: ["C2-07"],
  kind: "experiment",
  title: "Random labels fit too, and the norm shows it",
  source: "Book, chapter 2, sections 2.1 and 2.3; Zhang et al. 2017",
  statement: String.raw`y_i \text{ coin throws}: \quad \mathcal R_S[f] = 0, \; \mathcal R[f] = \tfrac12, \qquad \frac{\prod_l \|W^l\|_F}{\min_i y_i f(x_i)} \ge \frac{m}{\sqrt{\sum_i \|x_i\|^2} \, (c_L + \sqrt{2 \ln 1/\delta})}`,
  parameters: {
    m: integer({ min: 4, max: 40, default: 30, label: "examples m" }),
    d: integer({ min: 5, max: 20, default: 10, label: "inputs d" }),
    width: integer({ min: 60, max: 120, default: 100, label: "hidden units" }),
  },
  claims: {
    "training errors, labels of a teacher": equals("0"),
    "training errors, coin throws for labels": equals("0"),
    "share of test errors, coin throws": atLeast(
      String.raw`\tfrac12 - \sqrt{\ln(1/\delta) / 2 n_{\text{test}}}`,
    ).probable(),
    "norm product over margin, coin throws": atLeast(
      String.raw`m / \bigl(\sqrt{\sum_i \|x_i\|^2} (c_L + \sqrt{2 \ln 1/\delta})\bigr)`,
    ).probable(),
  },
  async run({ m, d, width }, { random, budget, progress }) {
    const run = memorizer(d, width, { seed: random.integer(0, 1e6), steps: 3000 });
    const task = taskOf(m, d, random);
    const taught = await memorizeLabels(run, task.x, task.labels);
    await progress(0.2);
    const thrown = corruptLabels(task.labels, 1, random);
    const parrot = await memorizeLabels(run, task.x, thrown);
    const tests = taskOf(1000, d, random);
    const outputs = await outputsOf(parrot.model, tests.x);
    const wrong = outputs.filter((f) => f > 0 !== random.uniform() < 0.5).length;
    await progress(0.4);
    return {
      graph: parrot.model,
      ...(budget === "cheap" ? {} : { figure: await noiseFigure(run, task, random, progress) }),
      claims: {
        "training errors, labels of a teacher": checked(taught.trainErrors, 0),
        "training errors, coin throws for labels": checked(parrot.trainErrors, 0),
        "share of test errors, coin throws": checked(
          wrong / outputs.length,
          0.5 - Math.sqrt(Math.log(1 / delta) / (2 * outputs.length)),
          { delta },
        ),
        ...(parrot.margin > 0
          ? {
              "norm product over margin, coin throws": checked(
                parrot.normProduct / parrot.margin,
                normForCoinThrows(task.lengths, 2, delta),
                { delta },
              ),
            }
          : {}),
      },
    };
  },
});

interface Task {
  readonly x: ReturnType<typeof tensor>;
  readonly lengths: readonly number[];
  readonly labels: readonly number[];
}

/** Normal inputs; the teacher looks at the sign of their first coordinate. */
function taskOf(count: number, d: number, random: Random): Task {
  const values = random.normal(count * d);
  const rows = Array.from({ length: count }, (_, i) => values.subarray(i * d, (i + 1) * d));
  return {
    x: tensor(values, { dims: [count, d] }),
    lengths: rows.map((row) => Math.sqrt(row.reduce((s, v) => s + v * v, 0))),
    labels: rows.map((row) => (row[0]! > 0 ? 1 : 0)),
  };
}

async function noiseFigure(
  run: Memorizer,
  task: Task,
  random: Random,
  progress: (fraction: number) => Promise<void>,
): Promise<Figure> {
  const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const d = task.x.dims[1]!;
  const tests = taskOf(2000, d, random);
  const errors: { share: number; test: number; train: number }[] = [];
  for (const share of shares) {
    const labels = corruptLabels(task.labels, share, random);
    const { model, trainErrors } = await memorizeLabels(run, task.x, labels);
    const right = corruptLabels(tests.labels, share, random);
    const outputs = await outputsOf(model, tests.x);
    const wrong = outputs.filter((f, i) => (f > 0 ? 1 : 0) !== right[i]).length;
    errors.push({ share, test: wrong / outputs.length, train: trainErrors / labels.length });
    await progress(0.4 + 0.3 * share);
  }
  const norms: { m: number; taught: number; thrown: number; least: number }[] = [];
  for (const m of [10, 20, 40, 80, 160]) {
    const { x, labels, lengths } = taskOf(m, d, random);
    const [taught, thrown] = [
      await memorizeLabels(run, x, labels),
      await memorizeLabels(run, x, corruptLabels(labels, 1, random)),
    ];
    const ratio = (of: typeof taught): number => (of.margin > 0 ? of.normProduct / of.margin : Number.NaN);
    norms.push({
      ...{ m, taught: ratio(taught), thrown: ratio(thrown), least: normForCoinThrows(lengths, 2, delta) },
    });
    await progress(0.7 + 0.3 * (m / 160));
  }
  const line = (of: (row: (typeof norms)[number]) => number) =>
    norms.filter((row) => of(row) > 0).map((row) => [row.m, of(row)] as const);
  return {
    title: `A network of ${d} inputs fits ${task.labels.length} labels, however many are thrown`,
    panels: [
      {
        title: "Errors",
        x: { label: "share of labels thrown" },
        y: { label: "share of errors" },
        series: [
          { name: "training", mark: "line", points: errors.map((r) => [r.share, r.train]) },
          { name: "test", mark: "dots", points: errors.map((r) => [r.share, r.test]) },
        ],
      },
      {
        title: "The price: norm product over margin",
        x: { label: "examples m", scale: "log" },
        y: { label: "product of norms / least margin", scale: "log" },
        series: [
          { name: "coin throws", mark: "dots", points: line((r) => r.thrown) },
          { name: "labels of a teacher", mark: "dots", points: line((r) => r.taught) },
          { name: "least for coin throws", mark: "line", role: "theory", points: line((r) => r.least) },
        ],
      },
    ],
  };
}
