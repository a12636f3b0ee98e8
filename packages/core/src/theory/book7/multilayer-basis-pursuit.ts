import { generalizedObjective, multilayerBasisPursuit } from "../../sparse/layers/generalized-lasso.ts";
import { effectiveDictionary } from "../../sparse/layers/model.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { multilayerObjective, multilayerPursuit, safeSteps } from "../../sparse/pursuit/multilayer.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { normalDictionary } from "./draws.ts";

/** Steps as parts of the greatest safe ones. */
const parts = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16];

export default lemma({
  id: "C7-16",
  covers: ["C7-16", "C7-19"],
  kind: "algorithm",
  title:
    "Multilayer basis pursuit with a certificate, and how far fixed points of multilayer iterations are from it",
  source: "Book, chapter 7, (7.23), Theorem 7.4; Sulam et al. 2020",
  statement: String.raw`F(x) = \tfrac12 \|x_0 - D_1 D_2 x\|^2 + \lambda_1 \|D_2 x\|_1 + \lambda_2 \|x\|_1, \qquad F(x_\rho) - F_* = O(\rho) \text{ at the fixed point } x_\rho \text{ of steps } \rho, t`,
  parameters: {
    n: integer({ min: 4, max: 14, default: 10, label: "numbers of a signal" }),
    lambda1: real({ min: 0.005, max: 0.2, default: 0.05, label: "λ of the first code" }),
    lambda2: real({ min: 0.005, max: 0.2, default: 0.05, label: "λ of the second" }),
    signal: integer({ min: 0, max: 1e6, default: 1, label: "which random signal" }),
  },
  claims: {
    "duality gap, relative": equals("0"),
    "F of other codes, less the dual value": atLeast("0"),
    "λ of the first code 0: F, less that of basis pursuit in D_1 D_2": equals("0"),
    "F at a fixed point of the iterations, less the dual value": atLeast("0"),
    "F at fixed points with half the step: what is left of F - F*": atMost("1"),
    "three layers: gap, relative": equals("0"),
    "ML-FISTA: what is left of F - F* after 200 iterations, against ML-ISTA": atMost("1").looseBy(1.0001),
  },
  mutants: {
    "one penalty lost": {
      "λ of the first code 0: F, less that of basis pursuit in D_1 D_2": () => 0.01,
    },
    "a dual point outside": { "F of other codes, less the dual value": () => 10 },
    "fixed points that are minimizers": {
      "F at fixed points with half the step: what is left of F - F*": () => 0,
    },
  },
  async run({ n, lambda1, lambda2, signal }, { random, budget }) {
    const draws = random.split(`signal ${signal}`);
    const layers = [
      normalDictionary(n, n + 4, draws.split("D1")),
      normalDictionary(n + 4, n + 8, draws.split("D2")),
      normalDictionary(n + 8, n + 10, draws.split("D3")),
    ] as const;
    const two = layers.slice(0, 2);
    const effective = [effectiveDictionary(two), layers[1]];
    const y = draws.split("y").normal(n);
    const size = y.reduce((sum, v) => sum + v * v, 0) / 2;
    const lambdas = [lambda1, lambda2];
    const best = await multilayerBasisPursuit(effective, y, lambdas, { gap: 1e-11 });
    const deep = await multilayerBasisPursuit(
      [effectiveDictionary(layers), effectiveDictionary(layers, 2), layers[2]],
      y,
      [...lambdas, lambda2],
      { gap: 1e-9 },
    );
    const single = lassoCode(effective[0]!, y, lambda2, { gap: 1e-13 });
    const plain = await multilayerBasisPursuit(effective, y, [0, lambda2], { gap: 1e-12 });
    const others = Array.from({ length: 20 }, (_, k) => {
      const away = draws.split(k).normal(n + 8);
      return multilayerObjective(
        two,
        y,
        lambdas,
        best.x.map((v, j) => v + 10 ** (-k / 4) * away[j]!),
      );
    });
    const safe = safeSteps(two);
    const iterations = budget === "cheap" ? 3000 : 20_000;
    const fixed = parts.slice(0, budget === "cheap" ? 3 : 5).map((part) => {
      const found = multilayerPursuit(two, y, lambdas, {
        ...{ iterations, accelerated: true, start: best.x, steps: safe.map((step) => part * step) },
      });
      return { part, moved: found.moved, above: found.objectives.at(-1)! - best.dual };
    });
    const early = (accelerated: boolean): number =>
      multilayerPursuit(two, y, lambdas, { iterations: 200, accelerated, steps: 1 / 16 }).objectives.at(-1)! -
      best.dual;
    const settled = fixed.filter(({ moved }) => moved < 1e-7);
    const last = settled.slice(-2);
    return {
      claims: {
        "duality gap, relative": checked(best.dualityGap / size, 0, { tolerance: 1e-8 }),
        "F of other codes, less the dual value": checked(Math.min(...others) - best.dual, 0),
        "λ of the first code 0: F, less that of basis pursuit in D_1 D_2": checked(
          (generalizedObjective(effective[0], y, [{ weight: lambda2 }], plain.x) - single.objective) / size,
          0,
          { tolerance: 1e-8 },
        ),
        "F at a fixed point of the iterations, less the dual value": checked(
          Math.min(...fixed.map(({ above }) => above)),
          0,
        ),
        ...(last.length === 2 &&
          last[0]!.above > 1e-7 * size && {
            "F at fixed points with half the step: what is left of F - F*": checked(
              last[1]!.above / last[0]!.above,
              1,
            ),
          }),
        "three layers: gap, relative": checked(deep.dualityGap / size, 0, { tolerance: 1e-6 }),
        ...(early(false) > 1e-6 * size && {
          "ML-FISTA: what is left of F - F* after 200 iterations, against ML-ISTA": checked(
            early(true) / early(false),
            1,
          ),
        }),
      },
      table: {
        title: "What fixed points lack",
        columns: ["step, of the safe one", "F - F*", "by the step", "last move"],
        rows: fixed.map(({ part, above, moved }) => [part, above, above / part, moved]),
      },
    };
  },
});
