import { distortionAt, rateDistortion } from "../../explain/methods/rate-distortion.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import type { Figure } from "../../figure/figure.ts";
import { matrixOfRows, pivotedQr, qrSolve } from "../../linear-algebra/index.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { apart, dot, sum } from "./drawn.ts";

export default lemma({
  id: "C5-25",
  covers: ["C5-25"],
  kind: "algorithm",
  title: "The least part of the input that keeps the score",
  source: "Book, chapter 5, sects. 5.3.3 and 5.6 (Macdonald et al. 2019)",
  statement: String.raw`\min_{s \in [0,1]^d} \; \frac{D(s)}{D(0)} + \frac{\lambda}{d} \|s\|_1, \quad D(s) = \tfrac12 \mathbb{E}_n \bigl( f(x) - f(s \odot x + (1 - s) \odot n) \bigr)^2; \qquad f(x) = w^T x + b: \; D(s) = \tfrac12 \Bigl( \sum_i (1 - s_i) w_i x_i \Bigr)^2 + \tfrac12 \sigma^2 \sum_i (1 - s_i)^2 w_i^2`,
  parameters: {
    strong: integer({ min: 1, max: 3, default: 2, label: "features that count" }),
    weak: integer({ min: 1, max: 3, default: 3, label: "features with x = 0 and small weight" }),
    sigma: real({ min: 0.1, max: 1, default: 0.5, label: "deviation of the noise" }),
    price: real({ min: 0.02, max: 0.3, default: 0.1, label: "price λ of the whole mask" }),
  },
  claims: {
    "distortion at a mask": equals(
      String.raw`\tfrac12 (\sum (1 - s_i) w_i x_i)^2 + \tfrac12 \sigma^2 \sum (1 - s_i)^2 w_i^2`,
    ),
    "gradient of the distortion less that of the formula, greatest": equals("0"),
    "least cost": equals(String.raw`\text{that of the best of all } 3^d \text{ active sets}`),
    "mask less the best one, greatest": equals("0"),
    "weak features: mask, greatest": equals("0"),
    "strong features: what is masked, over its bound": atMost(
      String.raw`1 - s_i \le \frac{\lambda D(0)}{d \, w_i^2 (x_i^2 + \sigma^2)}`,
    ),
    "one feature alone: mask": equals(String.raw`1 - \lambda / 2`),
    "a score that noise does not change: mask, greatest": equals("0"),
  },
  mutants: {
    "cost of the whole input": { "least cost": ({ price }) => price },
    "a price for every number": { "one feature alone: mask": ({ price }) => 1 - price },
    "less noise": ({ sigma }) => ({ sigma: sigma / 2 }),
  },
  async run({ strong, weak, sigma, price }, { random, progress }) {
    const d = strong + weak;
    const isStrong = (i: number): boolean => i < strong;
    const sign = (): number => (random.uniform() < 0.5 ? -1 : 1);
    const w = Float64Array.from(
      { length: d },
      (_, i) => sign() * (isStrong(i) ? 1 + random.uniform() : 0.01),
    );
    // All strong features pull in one direction, so that none makes up for another.
    const x = w.map((v, i) => (isStrong(i) ? Math.sign(v) * (1 + random.uniform()) : 0));
    const noises = signPatterns(d).map((signs) => signs.map((v) => sigma * v));
    const graph = network([layer([[...w]], [0.25])], { name: "linear model" });
    const model = await modelAt(graph, row(x));
    const problem: Problem = { w, x, sigma, price };
    const mask = random.uniform(d);
    const found = await distortionAt(model, mask, noises, dot(w, x) + 0.25);
    await progress(0.3);
    const { relevance, details } = await rateDistortion(model, { price, steps: 300, noises });
    const best = bestMask(problem);
    await progress(0.8);
    const alone = await modelAt(network([layer([[w[0]!]], [0])]), row([x[0]!]));
    const single = await rateDistortion(alone, { price, steps: 300, noises: signPatterns(1) });
    const constant = await modelAt(network([layer([new Array<number>(d).fill(0)], [1])]), row(x));
    const nothing = await rateDistortion(constant, { price, steps: 10, noises });
    const cost = details["distortion"]! + price * details["rate"]!;
    return {
      graph,
      figure: figure(problem, relevance, best),
      claims: {
        "distortion at a mask": checked(found.value, distortion(problem, mask), { tolerance: 1e-12 * d }),
        "gradient of the distortion less that of the formula, greatest": checked(
          apart(found.slope, slope(problem, mask)),
          0,
          { tolerance: 1e-11 * d },
        ),
        // The descent stops where no coordinate could move by more than 1e-10.
        "least cost": checked(cost, costOf(problem, best), { tolerance: 1e-9 }),
        "mask less the best one, greatest": checked(apart(relevance, best), 0, { tolerance: 1e-3 }),
        "weak features: mask, greatest": checked(Math.max(...relevance.slice(strong)), 0),
        "strong features: what is masked, over its bound": checked(
          Math.max(
            ...Array.from({ length: strong }, (_, i) => {
              const curvature = w[i]! ** 2 * (x[i]! ** 2 + sigma ** 2);
              return (
                ((1 - relevance[i]!) * d * curvature) / (price * distortion(problem, new Float64Array(d)))
              );
            }),
          ),
          1,
          { tolerance: 1e-6 },
        ),
        "one feature alone: mask": checked(single.relevance[0]!, 1 - price / 2, { tolerance: 1e-8 }),
        "a score that noise does not change: mask, greatest": checked(Math.max(...nothing.relevance), 0),
      },
    };
  },
});

interface Problem {
  readonly w: Float64Array;
  readonly x: Float64Array;
  readonly sigma: number;
  readonly price: number;
}

/** All vectors of signs: mean 0 and covariance 1, exactly. */
const signPatterns = (d: number): Float64Array[] =>
  Array.from({ length: 2 ** d }, (_, k) =>
    Float64Array.from({ length: d }, (_, i) => (k & (1 << i) ? 1 : -1)),
  );

const distortion = ({ w, x, sigma }: Problem, s: ArrayLike<number>): number =>
  w.reduce((total, v, i) => total + (1 - s[i]!) * v * x[i]!, 0) ** 2 / 2 +
  (sigma ** 2 / 2) * w.reduce((total, v, i) => total + ((1 - s[i]!) * v) ** 2, 0);

const slope = ({ w, x, sigma }: Problem, s: ArrayLike<number>): number[] => {
  const lost = w.reduce((total, v, i) => total + (1 - s[i]!) * v * x[i]!, 0);
  return Array.from(w, (v, i) => -lost * v * x[i]! - sigma ** 2 * (1 - s[i]!) * v * v);
};

const costOf = (problem: Problem, s: ArrayLike<number>): number =>
  distortion(problem, s) / distortion(problem, new Float64Array(s.length)) +
  (problem.price * sum(s)) / s.length;

/** The best over all ways to put each coordinate at 0, at 1, or where the gradient is 0. */
function bestMask(problem: Problem): number[] {
  const { w, x, sigma, price } = problem;
  const d = w.length;
  const parts = w.map((v, i) => v * x[i]!);
  const scale = distortion(problem, new Float64Array(d));
  let best = new Array<number>(d).fill(1);
  for (let k = 0; k < 3 ** d; k++) {
    const states = Array.from({ length: d }, (_, i) => Math.floor(k / 3 ** i) % 3);
    const free = states.flatMap((state, i) => (state === 2 ? [i] : []));
    const gone: number[] = states.map((state) => (state === 0 ? 1 : 0));
    if (free.length > 0) {
      // (p p^T + sigma^2 diag(w^2)) (1 - s) = price D(0) / d on the free coordinates
      const rows = free.map((i) =>
        free.map((j) => parts[i]! * parts[j]! + (i === j ? (sigma * w[i]!) ** 2 : 0)),
      );
      const right = free.map(
        (i) =>
          (price * scale) / d - parts[i]! * sum(gone.map((g, j) => (states[j] === 2 ? 0 : g * parts[j]!))),
      );
      const solution = solved(rows, right);
      free.forEach((i, at) => {
        gone[i] = solution[at]!;
      });
    }
    const s = gone.map((g) => 1 - g);
    if (s.every((v) => v >= 0 && v <= 1) && costOf(problem, s) < costOf(problem, best)) best = s;
  }
  return best;
}

const solved = (rows: readonly number[][], right: readonly number[]): ArrayLike<number> =>
  qrSolve(pivotedQr(matrixOfRows(rows)), Float64Array.from(right));

const figure = (problem: Problem, mask: Float64Array, best: readonly number[]): Figure => ({
  title: `Mask of a linear score at price ${problem.price}`,
  panels: [
    {
      title: "By feature",
      x: { label: "feature" },
      y: { label: "mask" },
      series: [
        { name: "descent", mark: "dots", points: Array.from(mask, (v, i) => [i + 1, v]) },
        { name: "best active set", mark: "line", role: "theory", points: best.map((v, i) => [i + 1, v]) },
      ],
    },
    {
      title: "Rate against distortion",
      x: { label: "part of the input" },
      y: { label: "D(s) / D(0)" },
      series: [
        {
          name: "best masks for prices from 0.005 to 2",
          mark: "line",
          points: Array.from({ length: 24 }, (_, k): [number, number] => {
            const s = bestMask({ ...problem, price: 0.005 * 400 ** (k / 23) });
            const whole = distortion(problem, new Float64Array(s.length));
            return [sum(s) / s.length, distortion(problem, s) / whole];
          }),
        },
      ],
    },
  ],
});
