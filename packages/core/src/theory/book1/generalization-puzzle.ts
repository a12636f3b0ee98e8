import type { Figure, Panel, Series } from "../../figure/figure.ts";
import { type Examples, fitNetwork } from "../../generalization/double-descent/networks.ts";
import { corruptLabels } from "../../generalization/memorization/label-noise.ts";
import type { Random } from "../../numbers/random.ts";
import { preActivations } from "../../train/dense-network.ts";
import {
  type DenseLayers,
  levenbergMarquardt,
  meanSquare,
  type Point,
} from "../../train/levenberg-marquardt.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { type LemmaTable, lemma, type RunContext } from "../lemma.ts";
import { integer } from "../parameter.ts";

const delta = 0.1;
const [tests, starts] = [400, 3];
/** Steps of a training, after how many it is looked at, and how often it may start again: of 400 data sets one needed ten. */
const [steps, chunk, tries] = [40, 5, 40];

export default lemma({
  id: "C1a-26",
  covers: ["C1a-26"],
  kind: "experiment",
  title: "The generalization puzzle on a small network",
  source: "Book, chapter 1, sect. 1.1.3, (i) to (v); Zhang et al. 2017",
  statement: String.raw`\forall y \in \{-1, 1\}^m \; \exists \theta: \; \operatorname{sgn} \Phi(x^{(i)}, \theta) = y_i \quad \Longrightarrow \quad \operatorname{VCdim} \ge m, \; \mathfrak R_S = 1`,
  parameters: {
    m: integer({ min: 2, max: 4, default: 4, label: "points with all labels m" }),
    width: integer({ min: 8, max: 12, default: 10, label: "hidden units" }),
  },
  claims: {
    "(i) labellings that training fits": equals("2^m"),
    "(i) training errors, coin throws": equals("0"),
    "(i) share of test errors, coin throws": equals("1/2").probable(),
    "(ii) what is learned without a penalty, as a share of what the best one learns":
      atLeast("4/5").probable(),
    "(iii) starts with a test error of their own": equals("3"),
    "(iv) training errors, a quarter of the labels thrown": equals("0"),
    "(v) the width with fewer test errors, of two that fit": equals("the greater").probable(),
  },
  mutants: {
    "one labelling for both signs": { "(i) labellings that training fits": ({ m }) => 2 ** (m - 1) },
    "the best penalty learns half as much again": {
      "(ii) what is learned without a penalty, as a share of what the best one learns": () => 3 / 2,
    },
    "fewer weights, fewer errors": {
      "(v) the width with fewer test errors, of two that fit": () => narrow,
    },
    "what was learned tells something": { "(i) share of test errors, coin throws": () => 0.25 },
  },
  async run({ m, width }, context) {
    const { random, budget } = context;
    const points = Array.from({ length: m }, () => inputs(random));
    const fitted = Array.from({ length: 2 ** m }, (_, k) => points.map((__, i) => (k >> i) & 1)).filter(
      (y) => errors(trained(width, labelled(points, y), random), labelled(points, y)) === 0,
    ).length;
    const x = Array.from({ length: 14 }, () => inputs(random));
    const right = x.map(teacher);
    const thrown = labelled(x, corruptLabels(right, 1, random));
    const noisy = labelled(x, corruptLabels(right, 0.25, random));
    const parrot = trained(width, thrown, random);
    const fresh = Array.from({ length: tests }, () => inputs(random));
    const coins = labelled(fresh, corruptLabels(fresh.map(teacher), 1, random));
    const taught = labelled(x, right);
    const own = Array.from({ length: starts }, () =>
      meanSquare(trained(width, taught, random), "tanh", labelled(fresh, fresh.map(teacher))),
    );
    const mild = penalized(random);
    return {
      ...(budget === "cheap" ? {} : await shown(context)),
      claims: {
        "(i) labellings that training fits": checked(fitted, 2 ** m),
        "(i) training errors, coin throws": checked(errors(parrot, thrown), 0),
        "(i) share of test errors, coin throws": sampled(errors(parrot, coins) / tests, 0.5, {
          tolerance: Math.sqrt(Math.log(2 / delta) / (2 * tests)), // Hoeffding's inequality
          delta,
        }),
        // Findings on one small task, no theorem: means of nine data sets may err. (ii) and (v) failed in none of 200 trials that
        // were drawn for them (seed 20261119): with more than this delta, 0.9^200 = 7e-10.
        "(ii) what is learned without a penalty, as a share of what the best one learns": sampled(
          mild.share,
          4 / 5,
          { delta },
        ),
        "(v) the width with fewer test errors, of two that fit": sampled(mild.better, wide, { delta }),
        "(iii) starts with a test error of their own": checked(new Set(own).size, starts),
        "(iv) training errors, a quarter of the labels thrown": checked(
          errors(trained(width, noisy, random), noisy),
          0,
        ),
      },
    };
  },
});

/** Half-spaces of ten dimensions, twenty examples: two units fit them, and so do thirty-two. */
const [dimension, few] = [10, 20];
const [narrow, wide, sets] = [2, 32, 9];
const penalties = [0, 1, 30];

function halfSpace(count: number, random: Random): Examples {
  const x = Array.from({ length: count }, () => random.normal(dimension));
  return { x, y: x.map((v) => (v[0]! > 0.5 * v[1]! ? 1 : -1)) };
}

/** Means over fresh data of the share of test errors, with this width and each penalty decay |theta - theta_0|^2. */
function meanErrors(width: number, decays: readonly number[], count: number, random: Random): number[] {
  const totals = decays.map(() => 0);
  for (let k = 0; k < count; k++) {
    const [data, fresh] = [halfSpace(few, random), halfSpace(tests, random)];
    decays.forEach((decay, i) => {
      const { value } = fitNetwork(width, data, random, decay);
      totals[i]! += fresh.x.filter((v, j) => !(value(v) * fresh.y[j]! > 0)).length / (tests * count);
    });
  }
  return totals;
}

/** What a wide network learns without a penalty (half of the labels would be guessed), and whether a narrow one does better. */
function penalized(random: Random) {
  const errors = meanErrors(wide, penalties, sets, random);
  const [other] = meanErrors(narrow, [0], sets, random);
  return {
    share: (0.5 - errors[0]!) / (0.5 - Math.min(...errors)),
    better: errors[0]! < other! ? wide : narrow,
  };
}

const inputs = (random: Random): readonly number[] => [2 * random.uniform() - 1, 2 * random.uniform() - 1];
const teacher = ([a, b]: readonly number[]): number => Number(a! > 0.5 * b!);
const labelled = (x: readonly (readonly number[])[], y: readonly number[]): readonly Point[] =>
  x.map((v, i) => ({ x: v, y: 2 * y[i]! - 1 }));

const errors = (layers: DenseLayers, points: readonly Point[]): number =>
  points.filter(({ x, y }) => !(preActivations(layers, "tanh", x).at(-1)![0]! * y > 0)).length;

/** A network 2 - width - tanh - 1, trained on the squared loss until all labels are fitted; if that fails, from elsewhere. */
function trained(width: number, points: readonly Point[], random: Random): DenseLayers {
  let layers: DenseLayers = [];
  for (let k = 0; k < tries; k++) {
    layers = start(width, random);
    for (let done = 0; done < steps; done += chunk) {
      layers = levenbergMarquardt(layers, "tanh", points, chunk);
      if (errors(layers, points) === 0) return layers;
    }
  }
  return layers;
}

const start = (width: number, random: Random): DenseLayers => [
  {
    W: Array.from({ length: width }, () => [...random.normal(2).map((v) => 2 * v)]),
    b: [...random.normal(width)],
  },
  { W: [[...random.normal(width).map((v) => v / Math.sqrt(width))]], b: [0] },
];

/** Medians over a few runs: what noise, width and an early end do to test errors. */
async function shown({
  random,
  scale,
  progress,
}: RunContext): Promise<{ figure: Figure; table: LemmaTable }> {
  const [m, runs] = [24, 2 * scale(1) + 1];
  const fresh = Array.from({ length: tests }, () => inputs(random));
  const truth = labelled(fresh, fresh.map(teacher));
  const rows: { what: string; value: number; train: number; test: number }[] = [];
  const measure = async (what: string, value: number, width: number, noise: number, count: number) => {
    const found = Array.from({ length: runs }, () => {
      const x = Array.from({ length: m }, () => inputs(random));
      const points = labelled(x, corruptLabels(x.map(teacher), noise, random));
      const layers = levenbergMarquardt(start(width, random), "tanh", points, count);
      return { train: errors(layers, points) / m, test: errors(layers, truth) / tests };
    });
    const median = (of: (f: (typeof found)[number]) => number): number =>
      found.map(of).toSorted((a, b) => a - b)[runs >> 1]!;
    rows.push({ what, value, train: median((f) => f.train), test: median((f) => f.test) });
    await progress(rows.length / 20);
  };
  for (const noise of [0, 0.2, 0.4, 0.6, 0.8, 1])
    await measure("share of labels thrown", noise, 12, noise, 40);
  for (const width of [1, 2, 4, 8, 16, 32])
    await measure("hidden units, a fifth thrown", width, width, 0.2, 40);
  for (const count of [2, 5, 10, 20, 40]) await measure("steps, a fifth thrown", count, 12, 0.2, count);
  const widths = [2, 4, 8, 16, 32, 64];
  const many = 3 * runs;
  const further = widths.map((width) => [width, meanErrors(width, [0], many, random)[0]!] as const);
  await progress(0.9);
  const decays = [0.1, 1, 10, 100];
  const byPenalty = [narrow, wide].map((width) => ({
    width,
    none: meanErrors(width, [0], many, random)[0]!,
    errors: meanErrors(width, decays, many, random),
  }));
  const halfSpaces = `half-space of ${dimension}, mean of ${many}`;
  const kinds = [...new Set(rows.map((r) => r.what))];
  return {
    figure: {
      title: `A network that fits everything: ${m} examples of a half-plane; for (ii) and (v) ${few} of a half-space`,
      panels: [
        ...kinds.map((what): Panel => {
          const own = rows.filter((r) => r.what === what);
          return {
            ...{
              title: what,
              x: { label: what, ...(what.startsWith("hidden") && { scale: "log" as const }) },
              y: { label: "share of errors" },
            },
            series: [
              {
                name: "training",
                mark: "line" as const,
                points: own.map((r) => [r.value, r.train] as const),
              },
              { name: "test", mark: "line" as const, points: own.map((r) => [r.value, r.test] as const) },
            ],
          };
        }),
        {
          title: "(ii) Penalty on the way from the start",
          x: { label: "weight of the penalty", scale: "log" },
          y: { label: "share of test errors" },
          series: byPenalty.flatMap(({ width, none, errors }): Series[] => [
            {
              ...{ name: `${width} units`, mark: "line" },
              points: decays.map((decay, i) => [decay, errors[i]!]),
            },
            {
              ...{ name: `${width} units, none`, mark: "line", role: "theory" },
              points: [decays[0]!, decays.at(-1)!].map((decay) => [decay, none]),
            },
          ]),
        },
        {
          title: "(v) Networks that fit",
          x: { label: "hidden units", scale: "log" },
          y: { label: "share of test errors" },
          series: [{ name: "test", mark: "line", points: further }],
        },
      ],
    },
    table: {
      title: `${m} examples of a half-plane, medians of ${runs} runs`,
      columns: ["what varies", "value", "training errors", "test errors"],
      rows: [
        ...rows.map((r) => [r.what, r.value, r.train, r.test]),
        ...further.map(([width, error]) => [`hidden units, ${halfSpaces}`, width, 0, error]),
        ...byPenalty.flatMap(({ width, none, errors }) =>
          [[0, none] as const, ...decays.map((decay, i) => [decay, errors[i]!] as const)].map(
            ([decay, error]) => [
              `penalty, ${width} units, ${halfSpaces}`,
              decay,
              decay === 0 ? 0 : "",
              error,
            ],
          ),
        ),
      ],
    },
  };
}
