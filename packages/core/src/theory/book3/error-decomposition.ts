import { geometricSizes } from "../../approximate/rates/sizes.ts";
import {
  absoluteExcess,
  descendRisk,
  drawRisk,
  empiricalRiskAt,
  type Hats,
  hatsAt,
  integral,
  type Law,
  leastRisk,
  projection,
  squareRisk,
} from "../../generalization/error-decomposition.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, fitted } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { decompositionFigure } from "./error-decomposition-figure.ts";

interface Target {
  readonly f: (x: number) => number;
  /** max |f''| on [0, 1]. */
  readonly second: number;
}
const targets: Readonly<Record<"wave" | "exp" | "square", Target>> = {
  wave: { f: (x) => Math.sin(2 * Math.PI * x), second: 4 * Math.PI ** 2 },
  exp: { f: Math.exp, second: Math.E },
  square: { f: (x) => x ** 2, second: 2 },
};
const samplesOfFit = geometricSizes(200, 3200, 12);

export default lemma({
  id: "C3-05",
  covers: ["C3-05", "S-02"],
  kind: "experiment",
  title: "Training, estimation and approximation error",
  source: "Book, chapter 3, sect. 3.1, Figure 3.1 and (3.1); Shen, Generalization Error",
  statement: String.raw`|R(\hat f) - R(\hat f^*_{H,S})| \le |R(\hat f^*_{H,S}) - R(\hat f_{H,S})| + |R(\hat f_{H,S}) - R(\hat f_H)| + |R(\hat f_H) - R(\hat f)|, \qquad |R(\hat f_H) - R(\hat f)| \le \operatorname{Lip}(\mathcal L) \, \|\hat f_H - \hat f\|_\infty`,
  parameters: {
    target: choice(["wave", "exp", "square"], { label: "regression function" }),
    pieces: integer({ min: 1, max: 8, default: 6, label: "pieces K of the hypotheses" }),
    m: integer({ min: 200, max: 2000, default: 300, label: "examples m" }),
    steps: integer({ min: 1, max: 400, default: 40, label: "steps of gradient descent" }),
    spread: real({ min: 0.001, max: 2, default: 0.5, label: "noise, uniform on ± this" }),
  },
  claims: {
    "total error": atMost("training + estimation + approximation error"),
    "empirical risk above its minimum": equals(
      String.raw`\textstyle\sum_i \lambda_i (1 - 2 \eta \lambda_i)^{2T} \langle u_i, \hat f_{H,S} \rangle^2`,
    ),
    "estimation error": equals(String.raw`\|\hat f_{H,S} - \hat f_H\|_{L^2}^2`),
    "estimation error, exponent in m": equals("-1").rate(),
    "approximation error, square loss": atMost(
      String.raw`\operatorname{Lip} \cdot \|\hat f_H - \hat f\|_\infty, \; \operatorname{Lip} = 2 \sup |\hat f_H - y|`,
    ).looseBy(3),
    "excess risk of f_H, absolute loss": atMost(String.raw`\|\hat f_H - \hat f\|_\infty`).looseBy(1.5),
    "excess risk of f moved by ten spreads, absolute loss": atMost(String.raw`\|\hat f_H - \hat f\|_\infty`),
    "excess risk of the interpolant, absolute loss": atMost(String.raw`\max |f''| / (8 K^2)`).looseBy(1.4),
  },
  mutants: {
    "(3.1) with half the Lipschitz constant": {
      "excess risk of f moved by ten spreads, absolute loss": (_, { theory }) => theory / 2,
    },
    "a norm for its square": { "estimation error": (_, { theory }) => Math.sqrt(theory) },
    "the root of m": { "estimation error, exponent in m": () => -1 / 2 },
  },
  async run({ target, pieces, m, steps, spread }, { random, scale, progress, budget }) {
    const { f, second } = targets[target];
    const law: Law = { f, spread };
    const best = projection(f, pieces);
    const sample = drawRisk(law, pieces, m, random.split("sample"));
    const minimum = leastRisk(sample);
    const { values, vectors } = symmetricEigen(sample.A);
    const rate = 1 / (2 * values.at(-1)!);
    const trained = descendRisk(sample, rate, steps);
    const risks = [trained, minimum, best].map((h) => squareRisk(h, law));
    const bayes = spread ** 2 / 3;
    const parts = [risks[0]! - risks[1]!, risks[1]! - risks[2]!, risks[2]! - bayes].map(Math.abs);
    await progress(0.3);
    const growth = samplesOfFit.map(
      (size) =>
        [size, meanEstimationError(law, best, size, Math.max(60, scale(200)), random.split(size))] as const,
    );
    const above = (h: Hats) => empiricalRiskAt(sample, h) - empiricalRiskAt(sample, minimum);
    const byDirection = values.reduce((sum, lambda, i) => {
      const along = minimum.reduce((dot, v, j) => dot + v * vectors[i]![j]!, 0);
      return sum + lambda * (1 - lambda / values.at(-1)!) ** (2 * steps) * along ** 2;
    }, 0);
    const away = supDistance(best, f);
    const interpolant = Array.from({ length: pieces + 1 }, (_, k) => f(k / pieces));
    const rounding = { tolerance: 1e-12 * (1 + sample.c) }; // quadrature and elimination in doubles
    return {
      ...(budget === "cheap"
        ? {}
        : { figure: decompositionFigure(law, best, { m, steps, rate }, random.split("figure")) }),
      claims: {
        "total error": checked(Math.abs(risks[0]! - bayes), parts[0]! + parts[1]! + parts[2]!, rounding),
        "empirical risk above its minimum": checked(above(trained), byDirection, rounding),
        "estimation error": checked(parts[1]!, squaredDistance(minimum, best), rounding),
        "estimation error, exponent in m": fitted(growth, -1),
        "approximation error, square loss": checked(parts[2]!, 2 * (away + spread) * away, rounding),
        "excess risk of f_H, absolute loss": checked(absoluteExcess(best, law), away, rounding),
        "excess risk of f moved by ten spreads, absolute loss": checked(
          absoluteExcess(
            interpolant.map((v) => v + 10 * spread),
            { f: (x) => hatsAt(interpolant, x), spread },
          ),
          10 * spread,
          rounding,
        ),
        // The interpolant is a hypothesis: the least excess risk is at most its own.
        "excess risk of the interpolant, absolute loss": checked(
          absoluteExcess(interpolant, law),
          second / (8 * pieces ** 2),
          rounding,
        ),
      },
    };
  },
});

/** The mean of |f_HS - f_H|^2 over samples of m examples. */
function meanEstimationError(law: Law, best: Hats, m: number, draws: number, random: Random): number {
  let sum = 0;
  for (let k = 0; k < draws; k++)
    sum += squaredDistance(leastRisk(drawRisk(law, best.length - 1, m, random)), best);
  return sum / draws;
}

const squaredDistance = (g: Hats, h: Hats): number =>
  integral((x) => (hatsAt(g, x) - hatsAt(h, x)) ** 2, g.length - 1);

/** sup |h - f|, from below by no more than a millionth: at 1000 points of every piece. */
function supDistance(h: Hats, f: Law["f"]): number {
  const count = 1000 * (h.length - 1);
  let most = 0;
  for (let k = 0; k <= count; k++) most = Math.max(most, Math.abs(hatsAt(h, k / count) - f(k / count)));
  return most;
}
