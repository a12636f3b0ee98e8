import type { Figure } from "../../figure/figure.ts";
import { linearAssignment } from "../../linear-algebra/assignment.ts";
import type { Random } from "../../numbers/random.ts";
import { solveSymmetric } from "../book7/normal-equations.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

type Vector = readonly number[];
type Rows = readonly Vector[];

export default lemma({
  id: "C1b-49",
  covers: ["C1b-49"],
  kind: "bound",
  title:
    "A regularizer that is learned from good signals and naive reconstructions: no critic beats the distance to the good ones",
  source: "Book, chapter 1, section 1.8; Lunz, Öktem and Schönlieb 2018, Theorems 1 and 2",
  statement: String.raw`\max_{\|\nabla \Psi\| \le 1} \mathbb E \Psi(K^{+} x) - \mathbb E \Psi(y) = W_1 = \mathbb E \, d_M(K^{+} x), \qquad \hat y = \arg\min_y \|K y - x\|^2 + \alpha \, d_M(y)^2: \; d_M(\hat y) \le d_M(K^{+} x)`,
  parameters: {
    n: integer({ min: 3, max: 7, default: 5, label: "numbers of a signal" }),
    good: integer({ min: 1, max: 2, default: 2, label: "dimension of the good signals" }),
    count: integer({ min: 2, max: 24, default: 16, label: "signals of each kind" }),
    directions: integer({ min: 1, max: 3, default: 1, label: "directions of artefacts" }),
    alpha: real({ min: 1e-3, max: 10, default: 0.5, label: "weight α of the regularizer" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random numbers" }),
  },
  claims: {
    "E d_M(naive) - E d_M(good)": equals(String.raw`W_1`),
    "the same of a ridge |<c, y>| that ascent has found": atMost(String.raw`W_1`),
    "distance of what is good from what is naive, a step of h down the slope of d_M later":
      equals(String.raw`W_1 - h`),
    "d_M of the regularized answer": atMost(String.raw`d_M(K^{+} x)`),
  },
  mutants: {
    "a critic whose slope is 1.01": {
      "E d_M(naive) - E d_M(good)": (_, { theory }) => theory / 1.01,
      "the same of a ridge |<c, y>| that ascent has found": (_, { theory }) => theory / 1.01,
    },
    "a step that brings twice as near": {
      "distance of what is good from what is naive, a step of h down the slope of d_M later": (
        _,
        { theory },
      ) => theory * 0.99,
    },
    "a regularizer that takes a tenth away whatever its weight": {
      "d_M of the regularized answer": (_, { theory }) => theory * 0.9,
    },
  },
  run({ n, good, count, directions, alpha, draw }, { random, budget }) {
    const draws = random.split(`draw ${draw}`);
    const data = drawn(n, good, count, Math.min(directions, n - good), draws);
    const distance = transportCost(data.good, data.naive);
    const ridge = learnedRidge(data, draws.split("ridge"));
    const step = 0.9 * Math.min(...data.naive.map((y) => away(data, y)));
    const moved = data.naive.map((y) => lessBy(data, y, step));
    const K = blur(n);
    const given = data.naive[0]!;
    const answer = regularized(K, times(K, given), data, alpha);
    const rounding = 1e-11 * (1 + distance);
    return {
      ...(budget !== "cheap" && { figure: pictured(data, K) }),
      claims: {
        "E d_M(naive) - E d_M(good)": checked(
          mean(data.naive.map((y) => away(data, y))) - mean(data.good.map((y) => away(data, y))),
          distance,
          { tolerance: rounding },
        ),
        "the same of a ridge |<c, y>| that ascent has found": checked(contrast(ridge, data), distance, {
          tolerance: rounding,
        }),
        "distance of what is good from what is naive, a step of h down the slope of d_M later": checked(
          transportCost(data.good, moved),
          distance - step,
          { tolerance: rounding },
        ),
        "d_M of the regularized answer": checked(away(data, answer), away(data, given), {
          tolerance: rounding,
        }),
      },
    };
  },
});

/** Good signals lie in a subspace M; a naive one is a good one with an artefact perpendicular to M. */
interface Data {
  /** Perpendicular unit vectors that span M. */
  readonly basis: Rows;
  readonly good: Rows;
  readonly naive: Rows;
}

const dot = (a: Vector, b: Vector): number => a.reduce((sum, x, k) => sum + x * b[k]!, 0);
const plus = (a: Vector, b: Vector, factor = 1): number[] => a.map((x, k) => x + factor * b[k]!);
const norm = (a: Vector): number => Math.sqrt(dot(a, a));
const mean = (values: Vector): number => values.reduce((a, b) => a + b, 0) / values.length;
const times = (M: Rows, v: Vector): number[] => M.map((row) => dot(row, v));

/** Unit vectors perpendicular to each other, by Gram and Schmidt, twice. */
function perpendicular(count: number, n: number, random: Random): Rows {
  const found: Vector[] = [];
  while (found.length < count) {
    let v: Vector = [...random.normal(n)];
    for (const b of [...found, ...found]) v = plus(v, b, -dot(v, b));
    const size = norm(v);
    if (size > 1e-3) found.push(v.map((x) => x / size));
  }
  return found;
}

function drawn(n: number, good: number, count: number, directions: number, random: Random): Data {
  const all = perpendicular(good + directions, n, random.split("directions"));
  const [basis, artefacts] = [all.slice(0, good), all.slice(good)];
  const some = (of: Rows, by: Random): Vector =>
    of.reduce<Vector>((sum, v) => plus(sum, v, by.normal()), new Array<number>(n).fill(0));
  const signals = Array.from({ length: count }, (_, i) => some(basis, random.split(`good ${i}`)));
  const naive = signals.map((y, i) => plus(y, some(artefacts, random.split(`artefact ${i}`))));
  // Which one came from which is not known.
  return { basis, good: signals, naive: naive.toReversed() };
}

/** What of a signal is perpendicular to M. */
const remainder = ({ basis }: Data, y: Vector): Vector =>
  basis.reduce<Vector>((rest, b) => plus(rest, b, -dot(y, b)), y);
const away = (data: Data, y: Vector): number => norm(remainder(data, y));

/** y - h times the slope of d_M there. */
function lessBy(data: Data, y: Vector, h: number): Vector {
  const rest = remainder(data, y);
  return plus(y, rest, -h / norm(rest));
}

/** The Wasserstein-1 distance of two sets of as many points: the cheapest way to pair them. */
function transportCost(a: Rows, b: Rows): number {
  const n = a.length;
  const costs = Float64Array.from({ length: n * n }, (_, k) =>
    norm(plus(a[Math.floor(k / n)]!, b[k % n]!, -1)),
  );
  const { columnOf } = linearAssignment(costs, n);
  return mean(a.map((_, i) => costs[i * n + columnOf[i]!]!));
}

/** E |<c, naive>| - E |<c, good>|. */
const contrast = (c: Vector, { naive, good }: Data): number =>
  mean(naive.map((y) => Math.abs(dot(c, y)))) - mean(good.map((y) => Math.abs(dot(c, y))));

/** A unit vector of great contrast: ascent along the slope, back to length 1 each time, from several starts. */
function learnedRidge(data: Data, random: Random): Vector {
  const n = data.good[0]!.length;
  let best: Vector = perpendicular(1, n, random.split("first"))[0]!;
  for (let start = 0; start < 6; start++) {
    let [c] = perpendicular(1, n, random.split(`start ${start}`)) as [Vector];
    for (let k = 0; k < 400; k++) {
      const slope = (set: Rows): Vector =>
        set.reduce<Vector>(
          (sum, y) => plus(sum, y, Math.sign(dot(c, y)) / set.length),
          c.map(() => 0),
        );
      const next = plus(c, plus(slope(data.naive), slope(data.good), -1), 1 / (1 + k / 10));
      c = next.map((x) => x / norm(next));
      if (contrast(c, data) > contrast(best, data)) best = c;
    }
  }
  return best;
}

/** A number and, by half each, its neighbours: an invertible K. */
const blur = (n: number): Rows =>
  Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (__, j) => (i === j ? 1 : Math.abs(i - j) === 1 ? 0.4 : 0)),
  );

/** The minimizer of |K y - x|^2 + alpha d_M(y)^2. */
function regularized(K: Rows, x: Vector, { basis }: Data, alpha: number): Vector {
  const n = x.length;
  const normal = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (__, j) => {
      const gram = K.reduce((sum, row) => sum + row[i]! * row[j]!, 0);
      const projection = basis.reduce((sum, b) => sum + b[i]! * b[j]!, 0);
      return gram + alpha * (Number(i === j) - projection);
    }),
  );
  const right = Array.from({ length: n }, (_, i) => K.reduce((sum, row, k) => sum + row[i]! * x[k]!, 0));
  return solveSymmetric(normal, right);
}

function pictured(data: Data, K: Rows): Figure {
  const weights = Array.from({ length: 25 }, (_, k) => 10 ** (-3 + k / 6));
  const given = data.naive[0]!;
  const x = times(K, given);
  const ridges = Array.from({ length: 41 }, (_, k) => (k * Math.PI) / 40);
  const [b] = data.basis as [Vector];
  const rest = remainder(data, given);
  const v = rest.map((r) => r / norm(rest));
  const turned = (t: number): Vector =>
    plus(
      b.map((s) => s * Math.cos(t)),
      v,
      Math.sin(t),
    );
  return {
    title: "What tells naive signals from good ones",
    panels: [
      {
        ...{ title: "Ridges |<c, y>|, c turned from M to an artefact and on" },
        ...{ x: { label: "angle" }, y: { label: "E Ψ(naive) - E Ψ(good)" } },
        series: [
          {
            name: "a ridge",
            mark: "line",
            points: ridges.map((t) => [t, contrast(turned(t), data)] as const),
          },
          {
            ...{ name: "Wasserstein distance", mark: "line", role: "theory" },
            points: [0, Math.PI].map((t) => [t, transportCost(data.good, data.naive)] as const),
          },
        ],
      },
      {
        ...{ title: "An answer and its distance to what is good" },
        ...{ x: { label: "weight α", scale: "log" }, y: { label: "d_M" } },
        series: [
          {
            ...{ name: "regularized", mark: "line" },
            points: weights.map((a) => [a, away(data, regularized(K, x, data, a))] as const),
          },
          {
            ...{ name: "naive", mark: "line", role: "theory" },
            points: [weights[0]!, weights.at(-1)!].map((a) => [a, away(data, given)] as const),
          },
        ],
      },
    ],
  };
}
