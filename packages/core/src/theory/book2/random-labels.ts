import type { Figure } from "../../figure/figure.ts";
import {
  corruptLabels,
  type Memorizer,
  memorizeLabels,
  memorizer,
  normForCoinThrows,
  outputsOf,
} from "../../generalization/memorization/label-noise.ts";
import { tensor } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
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
    )
      .probable()
      .looseBy(10),
    "orthogonal inputs, a unit for each label: norm product over margin": equals(
      String.raw`\sqrt{m_+} + \sqrt{m_-}, \; \|x_i\| = 1`,
    ),
    "the same, against what coin throws cost": atLeast(
      String.raw`\sqrt m / (2 + \sqrt{2 \ln 1/\delta})`,
    ).looseBy(5),
  },
  mutants: {
    "the deviation left out": { "share of test errors, coin throws": () => 0.5 },
    "m for its root": {
      "the same, against what coin throws cost": ({ m }, { theory }) => theory * Math.sqrt(m),
    },
    "one unit for both labels": {
      "orthogonal inputs, a unit for each label: norm product over margin": ({ m }) => Math.sqrt(m),
    },
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
    const [zeros, ones] = [0, 1].map((label) => thrown.filter((y) => y === label).length);
    const cheapest = await unitForEachLabel(thrown);
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
        "orthogonal inputs, a unit for each label: norm product over margin": checked(
          cheapest,
          Math.sqrt(ones!) + Math.sqrt(zeros!),
          { tolerance: 2 ** -46 * m }, // sums of up to m squares and a margin of rounded roots
        ),
        "the same, against what coin throws cost": checked(
          cheapest,
          normForCoinThrows(new Float64Array(m).fill(1), 2, delta),
        ),
      },
    };
  },
});

/** relu(<w_+, x>) - relu(<w_-, x>) on unit vectors, w_+ and w_- sums of those with a label, fits with little norm. */
async function unitForEachLabel(labels: readonly number[]): Promise<number> {
  const m = labels.length;
  const rows = [1, 0].map((label) => labels.map((y) => Number(y === label)));
  // With c_j = |row j| |outer weight j| shared out equally, the product of the norms is their sum.
  const shares = rows.map((row) => row.reduce((a, b) => a + b, 0) ** (1 / 4) || 1);
  const inner = rows.map((row, j) => row.map((v) => v / shares[j]!));
  const outer = [shares[0]!, -shares[1]!];
  const model = network([layer(inner), layer([outer])]);
  const units = Array.from({ length: m * m }, (_, k) => Number(k % (m + 1) === 0));
  const outputs = await outputsOf(model, tensor(units, { dims: [m, m] }));
  const margin = Math.min(...labels.map((y, i) => (2 * y - 1) * outputs[i]!));
  const used = outer.map((v, j) => (rows[j]!.includes(1) ? v : 0));
  return (Math.hypot(...inner.flat()) * Math.hypot(...used)) / margin;
}

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
