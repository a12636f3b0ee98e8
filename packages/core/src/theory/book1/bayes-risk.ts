import type { Figure } from "../../figure/figure.ts";
import { integral } from "../../generalization/error-decomposition.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const delta = 0.05;

/** eta(x) = a sin(2 pi w x + phase) is E[Y | X = x], X uniform on [0, 1]. */
interface Wave {
  readonly a: number;
  readonly w: number;
  readonly phase: number;
}
const eta = ({ a, w, phase }: Wave, x: number): number => a * Math.sin(2 * Math.PI * w * x + phase);
/** The integral of eta from s to t. */
const area = ({ a, w, phase }: Wave, s: number, t: number): number =>
  (a * (Math.cos(2 * Math.PI * w * s + phase) - Math.cos(2 * Math.PI * w * t + phase))) / (2 * Math.PI * w);

export default lemma({
  id: "C1a-05",
  covers: ["C1a-05"],
  kind: "measure",
  title: "Risk, Bayes-optimal function and excess risk of a known law",
  source: "Book, chapter 1, Definitions 1.11 and 1.12, Lemma 1.13",
  statement: String.raw`\mathcal R(f) - \mathcal R^* = \mathbb E\bigl[(f(X) - \mathbb E[Y|X])^2\bigr] \text{ (regression)}, \qquad \mathcal R(f) - \mathcal R^* = \mathbb E\bigl[|\mathbb E[Y|X]| \, 1_{(-\infty,0)}(\mathbb E[Y|X] f(X))\bigr] \text{ (classification)}`,
  parameters: {
    a: real({ min: 0, max: 1, default: 0.8, label: "amplitude of E[Y|X]" }),
    w: real({ min: 0.25, max: 4, default: 1.5, label: "its frequency" }),
    t: real({ min: 0, max: 1, default: 0.4, label: "the classifier says 1 from here on" }),
    slope: real({ min: -2, max: 2, default: -1, label: "slope of the regression function tried" }),
    n: integer({ min: 10, max: 5000, default: 500, label: "test examples" }),
  },
  claims: {
    "risk of a classifier": equals(String.raw`\mathbb E[|\eta| 1_{\eta f < 0}] + \mathcal R^*`),
    "risk of sgn E[Y|X]": equals(String.raw`\mathcal R^* = \mathbb E[(1 - |\eta(X)|) / 2]`),
    "least risk among thresholds on a grid": equals(
      String.raw`\text{at least } \mathcal R^*: \text{ shortfall } 0`,
    ),
    "risk of a regression function": equals(String.raw`\mathbb E[(f(X) - \eta(X))^2] + \mathcal R^*`),
    "approximation error of lines": atMost(String.raw`\min_f \|f - f^*\|_{L^\infty}^2`).looseBy(1.8),
    "error on the test examples less the risk": atMost(String.raw`\sqrt{\ln(2/\delta) / (2n)}`).probable(),
  },
  mutants: {
    "P(error) = 1 - |η| without the half": { "risk of sgn E[Y|X]": (_, { theory }) => 2 * theory },
    "excess by the mean of |η|, wherever f is wrong or right": {
      "risk of a classifier": ({ a }, { theory }) => theory + a / Math.PI,
    },
    "n for its root": {
      "error on the test examples less the risk": ({ n }, { theory }) => theory / Math.sqrt(n),
    },
  },
  run({ a, w, t, slope, n }, { random, budget }) {
    const wave = { a, w, phase: 2 * Math.PI * random.uniform() };
    const rounding = { tolerance: 1e-11 }; // cosines of arguments up to 32, some tens of pieces, Gauss on smooth pieces
    const [bayes, excess] = [bayesRisk(wave), excessOf(wave, t)];
    const grid = Array.from({ length: 101 }, (_, k) => riskOf(wave, k / 100));
    const line = (x: number): number => 0.3 + slope * (x - 0.5);
    const pieces = Math.ceil(16 * w);
    const noise = 1 - integral((x) => eta(wave, x) ** 2, pieces); // Y is 1 or -1: E Y^2 = 1
    const square = (f: (x: number) => number): number => integral((x) => (f(x) - eta(wave, x)) ** 2, pieces);
    const direct = integral(
      (x) => 0.5 * (1 + eta(wave, x)) * (line(x) - 1) ** 2 + 0.5 * (1 - eta(wave, x)) * (line(x) + 1) ** 2,
      pieces,
    );
    const best = bestLine(wave, pieces);
    let wrong = 0;
    for (let i = 0; i < n; i++) {
      const x = random.uniform();
      const y = random.uniform() < (1 + eta(wave, x)) / 2 ? 1 : -1;
      if (y !== (x >= t ? 1 : -1)) wrong++;
    }
    return {
      ...(budget === "cheap" ? {} : { figure: figure(wave, t, grid, bayes) }),
      claims: {
        "risk of a classifier": checked(
          quadratureRisk(wave, [0, t, 1], (x) => x >= t),
          excess + bayes,
          rounding,
        ),
        "risk of sgn E[Y|X]": checked(
          quadratureRisk(wave, zeros(wave), (x) => eta(wave, x) >= 0),
          bayes,
          rounding,
        ),
        "least risk among thresholds on a grid": checked(Math.max(0, bayes - Math.min(...grid)), 0, rounding),
        "risk of a regression function": checked(direct, square(line) + noise, rounding),
        ...(a > 0.01 && {
          "approximation error of lines": checked(square(best), supSquare(wave, best, random.normal(40))),
        }),
        "error on the test examples less the risk": checked(
          Math.abs(wrong / n - riskOf(wave, t)),
          Math.sqrt(Math.log(2 / delta) / (2 * n)),
          { delta },
        ),
      },
    };
  },
});

/** P(Y differs from f) = E (1 - f eta) / 2, for f = -1 before t and 1 after: areas in closed form. */
const riskOf = (wave: Wave, t: number): number => 0.5 * (1 + area(wave, 0, t) - area(wave, t, 1));

/** Zeros of eta within (0, 1), with the ends and, if wanted, another point. */
function zeros({ w, phase }: Wave, ...more: readonly number[]): readonly number[] {
  const found = [0, 1, ...more];
  for (let k = Math.floor(phase / Math.PI) - 1; ; k++) {
    const x = (k * Math.PI - phase) / (2 * Math.PI * w);
    if (x >= 1) break;
    if (x > 0) found.push(x);
  }
  return found.sort((s, u) => s - u);
}

const overPieces = (knots: readonly number[], value: (s: number, u: number) => number): number =>
  knots.slice(1).reduce((sum, u, k) => sum + value(knots[k]!, u), 0);

/** E (1 - |eta|) / 2. */
const bayesRisk = (wave: Wave): number =>
  0.5 * (1 - overPieces(zeros(wave), (s, u) => Math.abs(area(wave, s, u))));

/** P(Y differs from f) by quadrature between knots, where the classifier does not change. */
const quadratureRisk = (wave: Wave, knots: readonly number[], saysOne: (x: number) => boolean): number =>
  overPieces(knots, (s, u) => {
    const says = saysOne((s + u) / 2) ? 1 : -1;
    return (u - s) * integral((x) => (1 - says * eta(wave, s + (u - s) * x)) / 2, Math.ceil(16 * wave.w));
  });

/** E |eta| where eta and the classifier disagree. */
const excessOf = (wave: Wave, t: number): number =>
  overPieces(zeros(wave, t), (s, u) => {
    const middle = (s + u) / 2;
    return eta(wave, middle) * (middle >= t ? 1 : -1) < 0 ? Math.abs(area(wave, s, u)) : 0;
  });

/** The projection of eta on lines: 1 and x - 1/2 are orthogonal. */
function bestLine(wave: Wave, pieces: number): (x: number) => number {
  const mean = integral((x) => eta(wave, x), pieces);
  const slope = 12 * integral((x) => eta(wave, x) * (x - 0.5), pieces);
  return (x) => mean + slope * (x - 0.5);
}

/** The least sup distance among some lines near the best one, squared; sups on a grid, rounded up by the slope. */
function supSquare(wave: Wave, best: (x: number) => number, moves: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < moves.length; k += 2) {
    const [up, tilt] = k === 0 ? [0, 0] : [0.2 * moves[k]!, 0.2 * moves[k + 1]!];
    const slope = 2 * Math.PI * wave.w * wave.a + Math.abs(best(1) - best(0)) + Math.abs(tilt);
    let sup = 0;
    for (let i = 0; i <= 200; i++) {
      const x = i / 200;
      sup = Math.max(sup, Math.abs(best(x) + up + tilt * (x - 0.5) - eta(wave, x)));
    }
    least = Math.min(least, sup + slope / 400);
  }
  return least ** 2;
}

function figure(wave: Wave, t: number, grid: readonly number[], bayes: number): Figure {
  const xs = Array.from({ length: 201 }, (_, k) => k / 200);
  return {
    title: "A known law: what can be predicted, and what a threshold loses",
    panels: [
      {
        title: "Law and classifier",
        x: { label: "x" },
        y: { label: "E[Y|X = x]" },
        series: [
          { name: "E[Y|X]", mark: "line", points: xs.map((x) => [x, eta(wave, x)]) },
          {
            name: "Bayes-optimal: its sign",
            mark: "step",
            role: "theory",
            points: xs.map((x) => [x, eta(wave, x) >= 0 ? 1 : -1]),
          },
          { name: "threshold", mark: "step", points: xs.map((x) => [x, x >= t ? 0.97 : -0.97]) },
        ],
      },
      {
        title: "Risk of thresholds",
        x: { label: "threshold" },
        y: { label: "probability of error" },
        series: [
          { name: "risk", mark: "line", points: grid.map((r, k) => [k / 100, r]) },
          {
            name: "Bayes risk",
            mark: "line",
            role: "theory",
            points: [
              [0, bayes],
              [1, bayes],
            ],
          },
        ],
      },
    ],
  };
}
