import { cosineBasis, waveletBasis } from "../../inverse/bases.ts";
import { identityOperator, type LinearMap, lengthOf, matrixOfMap } from "../../inverse/linear-map.ts";
import { downsampling, gaussianOperator } from "../../inverse/operators.ts";
import { sparseRecovery } from "../../inverse/sparse-recovery.ts";
import { totalVariation } from "../../inverse/total-variation.ts";
import { dictionaryOf } from "../../sparse/pursuit/dictionary.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { softThreshold } from "../../sparse/pursuit/thresholds.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

export default lemma({
  id: "C9-15",
  covers: ["C9-15", "C1b-47"],
  kind: "algorithm",
  title: "Classical priors with certificates: sparse codes in cosines and wavelets, total variation",
  source: "Book, chapter 9, section 9.2.1; chapter 1, (1.66)",
  statement: String.raw`\min_s \tfrac12 \|A \Psi s - y\|^2 + \lambda \|s\|_1, \qquad \min_x \tfrac12 \|A x - y\|^2 + \lambda \, \mathrm{TV}(x)`,
  parameters: {
    basis: choice(["dct", "haar", "db2", "db3"], { label: "basis" }),
    m: integer({ min: 3, max: 14, default: 10, label: "measurements of 16 numbers" }),
    share: real({
      min: 0.05,
      max: 0.9,
      default: 0.3,
      label: "λ, as a share of the least one whose code is 0",
    }),
    left: integer({ min: 1, max: 6, default: 3, label: "pixels left of a step" }),
    right: integer({ min: 1, max: 6, default: 4, label: "pixels right of it" }),
    lambda: real({ min: 0.01, max: 0.4, default: 0.15, label: "λ of the total variation" }),
  },
  claims: {
    "least objective by operator, less that of coordinate descent in the dictionary": equals("0"),
    "optimality, relative to λ: |Ψᵀ Aᵀ r| and signs": equals("0"),
    "A = 1: code, less the threshold of the coefficients": equals("0"),
    "an early objective less its gap, of the least one": atMost("1"),
    "total variation of a step: the height that is left": equals(String.raw`1 - \lambda (1/a + 1/b)`),
    "numbers of K y - x": equals(String.raw`\dim \mathcal Y`).printed({
      where: "(1.66)",
      printed: "$\\|\\cdot\\|$ denotes the norm on $\\mathcal{Y}$",
      corrected:
        "the norm on $\\mathcal X$: $K$ maps $\\mathcal Y$ to $\\mathcal X$, and $K y - x$ is in $\\mathcal X$ (with block means a quarter as many numbers)",
    }),
  },
  mutants: {
    "half of λ": {
      "total variation of a step: the height that is left": ({ left, right, lambda }) =>
        1 - (lambda / 2) * (1 / left + 1 / right),
    },
    "a gap of half its size": { "an early objective less its gap, of the least one": () => 0.3 },
    "no threshold": { "A = 1: code, less the threshold of the coefficients": () => 0.1 },
  },
  async run({ basis: name, m, share, left, right, lambda: weight }, { random }) {
    const shape = [4, 4];
    const basis = name === "dct" ? cosineBasis(shape) : waveletBasis(shape, name === "db3" ? "haar" : name);
    const line = name === "db3" ? waveletBasis([16], "db3") : basis;
    const map = gaussianOperator(m, 16, random.split("A"));
    const y = random.split("y").normal(m);
    const composed: LinearMap = { ...map, apply: (s) => map.apply(line.synthesis(s)) };
    const dictionary = dictionaryOf(matrixOfMap(composed));
    const correlations = (r: Float64Array): Float64Array => line.analysis(map.transpose(r));
    const lambda = share * correlations(y).reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    const found = await sparseRecovery(map, y, line, { lambda, gap: 1e-11, iterations: 20_000 });
    const early = await sparseRecovery(map, y, line, { lambda, gap: 0, iterations: 3 });
    const known = lassoCode(dictionary, y, lambda, { gap: 1e-13 });
    const fit = map.apply(found.x);
    const atEnd = correlations(y.map((v, i) => v - fit[i]!));
    const violation = atEnd.reduce((worst, c, j) => {
      const s = found.code[j]!;
      return Math.max(worst, s === 0 ? Math.abs(c) - lambda : Math.abs(c - lambda * Math.sign(s)));
    }, 0);
    const whole = random.split("whole").normal(16);
    const plain = await sparseRecovery(identityOperator(16), whole, line, { lambda: 0.3, gap: 1e-12 });
    const size = lengthOf(y) ** 2 / 2;
    const height = 1 - weight * (1 / left + 1 / right);
    const step = Float64Array.from({ length: left + right }, (_, k) => (k < left ? 0 : 1));
    const flat = await totalVariation(identityOperator(left + right), step, [left + right], {
      ...{ lambda: weight, gap: 1e-12, iterations: 4000 },
    });
    return {
      claims: {
        "least objective by operator, less that of coordinate descent in the dictionary": checked(
          (found.objective - known.objective) / size,
          0,
          { tolerance: 1e-10 },
        ),
        // |A Psi (s - s*)|^2 / 2 is at most the gap.
        "optimality, relative to λ: |Ψᵀ Aᵀ r| and signs": checked(violation / lambda, 0, { tolerance: 1e-3 }),
        "A = 1: code, less the threshold of the coefficients": checked(
          plain.code.reduce(
            (worst, v, k) => Math.max(worst, Math.abs(v - softThreshold(line.analysis(whole)[k]!, 0.3))),
            0,
          ),
          0,
          { tolerance: 1e-4 },
        ),
        "an early objective less its gap, of the least one": checked(
          (early.objective - early.dualityGap) / known.objective,
          1,
          { tolerance: 1e-12 },
        ),
        // With A = 1 the objective is 1-convex: |x - x*|^2 / 2 is at most the gap, at each end of the step.
        "total variation of a step: the height that is left": checked(
          flat.x.at(-1)! - flat.x[0]!,
          Math.max(0, height),
          { tolerance: 2 * Math.sqrt(2 * flat.dualityGap) + 1e-12 },
        ),
        "numbers of K y - x": checked(downsampling(2, shape).outputs, downsampling(2, shape).inputs),
      },
    };
  },
});
