import type { Figure } from "../../figure/figure.ts";
import { type Tensor, view } from "../../graph/tensor.ts";
import { spectralNorm } from "../../linear-algebra/matrix-norm.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { singularDecomposition } from "../../linear-algebra/svd.ts";
import type { Random } from "../../numbers/random.ts";
import { coherenceOf } from "../../sparse/layers/guarantees.ts";
import { parsevalRetraction, trainedNearParseval } from "../../sparse/layers/parseval.ts";
import { analyze, type Dictionary, synthesize } from "../../sparse/pursuit/dictionary.ts";
import type { DenseLayer } from "../../train/dense-network.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** Numbers of an example of the classifier, and units of each of its two hidden layers. */
const [inputs, units] = [8, 6];

export default lemma({
  id: "C7-24",
  covers: ["C7-24"],
  kind: "algorithm",
  title: "Weights near a Parseval frame: what a retraction does to them, and how far attacks can go then",
  source: "Book, chapter 7, sections 7.4.1 and 7.6.1; Cisse et al. 2017; Romano and Elad 2018",
  statement: String.raw`W \leftarrow (1 + \beta) W - \beta W W^T W: \; s \leftarrow s (1 + \beta - \beta s^2); \qquad \|\operatorname{ReLU}(D^T x + b) - \operatorname{ReLU}(D^T x' + b)\| \le \sqrt{1 + (s - 1) \mu} \, \|x - x'\|, \quad s \text{ atoms used by } x \text{ or } x'`,
  parameters: {
    rows: integer({ min: 2, max: 6, default: 4, label: "rows of W" }),
    columns: integer({ min: 2, max: 7, default: 5, label: "columns of W" }),
    beta: real({ min: 0.05, max: 0.5, default: 0.4, label: "β" }),
    steps: integer({ min: 1, max: 20, default: 5, label: "retractions" }),
    mu: real({ min: 0, max: 0.9, default: 0.3, label: "inner product of any two atoms" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random numbers" }),
  },
  claims: {
    "singular values after retractions, less their formula": equals("0"),
    "1 less the least singular value": atMost(
      String.raw`(1 - s_{\min}) (1 - \beta s_{\min} (1 + s_{\min}))^k`,
    ),
    "a retraction, less a step of descent on |W W^T - I|² / 4": equals("0"),
    "change of a code, over its bound by coherence": atMost("1"),
    "atoms with equal inner products, all used: the same": equals("1"),
    "classes that attacks shorter than the certified radius change": equals("0"),
    "after training: coherence with retractions, of that without": atMost("1").probable().looseBy(1.05),
    "after training: median certified radius without retractions, of that with": atMost("1")
      .probable()
      .looseBy(1.05),
  },
  mutants: {
    "β of another size": {
      "1 less the least singular value": ({ beta, steps }, { theory }) => theory * (1 - beta / 2) ** steps,
    },
    "a retraction twice as long": { "a retraction, less a step of descent on |W W^T - I|² / 4": () => 0.1 },
    "a bound without coherence": {
      "change of a code, over its bound by coherence": ({ mu }) => 1 / Math.sqrt(1 + 5 * mu),
    },
    "a radius that is too great": {
      "classes that attacks shorter than the certified radius change": () => 1,
    },
  },
  async run({ rows, columns, beta, steps, mu, draw }, { random, scale, budget }) {
    const draws = random.split(`draw ${draw}`);
    const start = await scaledToOne(rows, columns, draws.split("W"));
    let W: readonly (readonly number[])[] = start.W;
    for (let k = 0; k < steps; k++) W = parsevalRetraction(W, beta);
    const { values } = await singularDecomposition(matrixOfRows(W));
    const predicted = Array.from(start.values, (s) => {
      let now = s;
      for (let k = 0; k < steps; k++) now *= 1 + beta - beta * now * now;
      return now;
    }).sort((a, b) => b - a);
    const least = Math.min(...start.values);
    const normal: Dictionary = { size: 5, count: 7, atoms: draws.split("atoms").normal(35) };
    const even = equalAngles(6, mu);
    const together = changeOverBound(even, 6, mu, sumOfAtoms(even), draws);
    const trained = await twoTrainings(draws, budget === "cheap" ? 3 : 8, Math.max(20, scale(40)));
    return {
      ...(budget !== "cheap" && { figure: trained.figure(beta) }),
      claims: {
        "singular values after retractions, less their formula": checked(
          Math.max(...Array.from(values, (v, i) => Math.abs(v - predicted[i]!))),
          0,
          { tolerance: 1e-12 },
        ),
        "1 less the least singular value": checked(
          1 - Math.min(...values),
          (1 - least) * (1 - beta * least * (1 + least)) ** steps,
          { tolerance: 1e-12 },
        ),
        "a retraction, less a step of descent on |W W^T - I|² / 4": checked(
          descentAway(start.W, beta),
          0,
          // Central differences of a polynomial of degree 4.
          { tolerance: 1e-8 },
        ),
        "change of a code, over its bound by coherence": checked(
          Math.max(changeOverBound(normal, 7, undefined, undefined, draws), together),
          1,
          { tolerance: 1e-12 },
        ),
        "atoms with equal inner products, all used: the same": checked(together, 1, { tolerance: 1e-12 }),
        "classes that attacks shorter than the certified radius change": checked(trained.changed, 0),
        "after training: coherence with retractions, of that without": sampled(
          trained.coherence[1] / trained.coherence[0],
          1,
          { delta: 0.02 },
        ),
        "after training: median certified radius without retractions, of that with": sampled(
          trained.radius[0] / trained.radius[1],
          1,
          { delta: 0.05 },
        ),
      },
    };
  },
});

/** Normal weights over their greatest singular value. */
async function scaledToOne(rows: number, columns: number, random: Random) {
  const entries = random.normal(rows * columns);
  const { values } = await singularDecomposition({ rows, columns, entries });
  const W = Array.from({ length: rows }, (_, i) =>
    Array.from(entries.subarray(i * columns, (i + 1) * columns), (v) => v / values[0]!),
  );
  return { W, values: values.map((v) => v / values[0]!) };
}

const frobenius = (W: readonly (readonly number[])[]): number =>
  W.reduce(
    (sum, a, i) =>
      sum + W.reduce((s, b, j) => s + (a.reduce((p, v, k) => p + v * b[k]!, 0) - Number(i === j)) ** 2, 0),
    0,
  );

/** |retraction - (W - beta times the slope of |W W^T - I|^2 / 4)|, slopes by differences. */
function descentAway(W: readonly (readonly number[])[], beta: number): number {
  const moved = parsevalRetraction(W, beta);
  const h = 1e-4;
  const changed = (i: number, k: number, by: number) =>
    W.map((row, a) => row.map((w, b) => (a === i && b === k ? w + by : w)));
  return Math.max(
    ...W.flatMap((row, i) =>
      row.map((w, k) => {
        const slope = (frobenius(changed(i, k, h)) - frobenius(changed(i, k, -h))) / (8 * h);
        return Math.abs(moved[i]![k]! - (w - beta * slope));
      }),
    ),
  );
}

/** sqrt(1 - mu) e_j + sqrt(mu) e_0: unit atoms whose inner products are all mu. */
function equalAngles(count: number, mu: number): Dictionary {
  const size = count + 1;
  const atoms = new Float64Array(size * count);
  for (let j = 0; j < count; j++) {
    atoms[j * size] = Math.sqrt(mu);
    atoms[j * size + j + 1] = Math.sqrt(1 - mu);
  }
  return { size, count, atoms };
}

const sumOfAtoms = (d: Dictionary): Float64Array => synthesize(d, new Float64Array(d.count).fill(1));

/** The greatest |code - other code| over sqrt(1 + (s - 1) mu) |x - x'| times the longest atom, of some pairs or along one direction. */
function changeOverBound(
  dictionary: Dictionary,
  count: number,
  known: number | undefined,
  along: Float64Array | undefined,
  random: Random,
): number {
  const { size, atoms } = dictionary;
  const unit = Float64Array.from(atoms, (v, k) => {
    const j = Math.floor(k / size);
    return v / Math.hypot(...atoms.subarray(j * size, (j + 1) * size));
  });
  const scaled = { size, count, atoms: unit };
  const mu = known ?? coherenceOf(scaled);
  let greatest = 0;
  for (let k = 0; k < (along ? 1 : 20); k++) {
    const stream = random.split(`pair ${k}`);
    const x = along ?? stream.normal(size);
    const other = along ? along.map((v) => 2 * v) : x.map((v) => v + 0.3 * stream.normal());
    const bias = along ? 0 : 0.2;
    const [a, b] = [x, other].map((v) => analyze(scaled, v).map((c) => Math.max(0, c - bias))) as [
      Float64Array,
      Float64Array,
    ];
    const used = a.filter((v, j) => v > 0 || b[j]! > 0).length;
    if (used === 0) continue;
    const moved = Math.hypot(...x.map((v, i) => v - other[i]!));
    const changed = Math.hypot(...a.map((v, j) => v - b[j]!));
    greatest = Math.max(greatest, changed / (Math.sqrt(1 + (used - 1) * mu) * moved));
  }
  return greatest;
}

interface Classifier {
  readonly layers: readonly DenseLayer[];
  readonly points: readonly Float64Array[];
  readonly labels: readonly number[];
  /** A change of x that is shorter keeps the class: what its score is ahead over sqrt 2 times the product of the norms. */
  readonly radii: readonly number[];
}

function classifierOf(
  layers: readonly DenseLayer[],
  points: readonly Float64Array[],
  labels: readonly number[],
): Classifier {
  const norm = layers.reduce((product, { W }) => product * spectralNorm(matrixOfRows(W)), Math.SQRT2);
  const radii = points.map((x, k) => aheadBy(layers, x, labels[k]!).ahead / norm);
  return { layers, points, labels, radii };
}

/** By how much the score of a class is ahead of the next one, and the slope of that. */
function aheadBy(layers: readonly DenseLayer[], x: Float64Array, label: number) {
  const codes: number[][] = [[...x]];
  for (const [l, { W, b }] of layers.entries()) {
    const values = W.map((row, i) => row.reduce((sum, w, k) => sum + w * codes[l]![k]!, b![i]!));
    codes.push(l === layers.length - 1 ? values : values.map((v) => Math.max(0, v)));
  }
  const scores = codes.at(-1)!;
  const next = scores.reduce((best, v, c) => (c !== label && (best < 0 || v > scores[best]!) ? c : best), -1);
  let slope = scores.map((_, c) => Number(c === label) - Number(c === next));
  for (let l = layers.length - 1; l >= 0; l--) {
    const { W } = layers[l]!;
    slope = W[0]!.map((_, k) => W.reduce((sum, row, i) => sum + row[k]! * slope[i]!, 0));
    if (l > 0) slope = slope.map((v, k) => (codes[l]![k]! > 0 ? v : 0));
  }
  return { ahead: scores[label]! - scores[next]!, slope };
}

/** The least lead of a class that steps down its slope find within a ball. */
function attacked(layers: readonly DenseLayer[], x: Float64Array, label: number, length: number): number {
  let [at, least] = [x, aheadBy(layers, x, label).ahead];
  for (let step = 0; step < 12; step++) {
    const { slope } = aheadBy(layers, at, label);
    const size = Math.hypot(...slope);
    if (size === 0 || length === 0) break;
    const moved = at.map((v, k) => v - (0.4 * length * slope[k]!) / size - x[k]!);
    const far = Math.hypot(...moved);
    at = x.map((v, k) => v + moved[k]! * Math.min(1, length / far));
    least = Math.min(least, aheadBy(layers, at, label).ahead);
  }
  return least;
}

/** The same classifier, trained with retractions and without. */
async function twoTrainings(random: Random, rounds: number, steps: number) {
  const [examples, classes] = [45, 3];
  const draws = random.split("data");
  const centres = Array.from({ length: classes }, (_, c) => draws.split(`centre ${c}`).sphere(inputs));
  const labels = Array.from({ length: 2 * examples }, (_, k) => k % classes);
  const points = labels.map((c) => centres[c]!.map((v) => 1.5 * v + 0.5 * draws.normal()));
  const rowsOf = (list: readonly Float64Array[]): Tensor =>
    view("float64", [list.length, inputs], Float64Array.from(list.flatMap((p) => [...p])));
  const data = {
    x: rowsOf(points.slice(0, examples)),
    target: view("int64", [examples], BigInt64Array.from(labels.slice(0, examples), BigInt)),
  };
  const weights = random.split("weights");
  const layer = (rows: number, width: number): DenseLayer => ({
    W: Array.from({ length: rows }, () => Array.from(weights.normal(width), (v) => v * Math.sqrt(2 / width))),
    b: new Array<number>(rows).fill(0.1),
  });
  const start = [layer(units, inputs), layer(units, units), layer(classes, units)];
  const options = { loss: "cross-entropy", optimizer: "adam", rate: 1e-2, batch: "full" } as const;
  const [plain, tight] = (await Promise.all(
    [0, 0.5].map(async (beta) =>
      classifierOf(
        await trainedNearParseval(start, data, { beta, retractions: 6, rounds, steps }, options),
        points.slice(examples),
        labels.slice(examples),
      ),
    ),
  )) as [Classifier, Classifier];
  const both = [plain, tight] as const;
  const changed = both.reduce(
    (count, { layers, points: seen, labels: right, radii }) =>
      count +
      seen.filter((x, k) => radii[k]! > 0 && attacked(layers, x, right[k]!, 0.999 * radii[k]!) <= 0).length,
    0,
  );
  const coherence = both.map(({ layers }) =>
    Math.max(...layers.slice(0, 2).map((l) => coherenceOf(rowsAsAtoms(l)))),
  );
  const middle = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!;
  return {
    changed,
    coherence: coherence as [number, number],
    radius: both.map(({ radii }) => middle(radii)) as [number, number],
    figure: (beta: number) => trainingFigure(both, beta),
  };
}

const rowsAsAtoms = ({ W }: DenseLayer): Dictionary => ({
  ...{ size: W[0]!.length, count: W.length },
  atoms: Float64Array.from(W.flat()),
});

function trainingFigure(both: readonly [Classifier, Classifier], beta: number): Figure {
  const lengths = Array.from({ length: 13 }, (_, k) => k / 10);
  const names = ["without retractions", "with retractions"];
  const share = ({ layers, points, labels }: Classifier, length: number): number =>
    points.filter((x, k) => attacked(layers, x, labels[k]!, length) > 0).length / points.length;
  const certified = ({ points, radii }: Classifier, length: number): number =>
    radii.filter((r) => r > length).length / points.length;
  return {
    title: "Retractions towards a Parseval frame: more is certified, attacks do as much harm",
    panels: [
      {
        ...{ title: `Singular values, β = ${beta.toPrecision(2)}` },
        ...{ x: { label: "retractions" }, y: { label: "s", domain: [0, 1] } },
        series: [0.05, 0.2, 0.5, 0.8, 1].map((s) => {
          let now = s;
          const points = Array.from({ length: 16 }, (_, k) => {
            if (k > 0) now *= 1 + beta - beta * now * now;
            return [k, now] as const;
          });
          return { name: `from ${s}`, mark: "line" as const, points };
        }),
      },
      {
        ...{ title: "New examples classified right" },
        ...{ x: { label: "length of an attack" }, y: { label: "share", domain: [0, 1] } },
        series: both.flatMap((classifier, k) => [
          {
            ...{ name: names[k]!, mark: "line" as const },
            points: lengths.map((length) => [length, share(classifier, length)] as const),
          },
          {
            ...{
              name: `certified, ${names[k]}`,
              mark: "line" as const,
              role: "theory" as const,
              like: names[k]!,
            },
            points: lengths.map((length) => [length, certified(classifier, length)] as const),
          },
        ]),
      },
    ],
  };
}
