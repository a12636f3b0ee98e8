import { oracleErrors } from "../../sparse/layers/guarantees.ts";
import { fittedOn } from "../../sparse/layers/holistic-pursuit.ts";
import { effectiveDictionary, modelDimension } from "../../sparse/layers/model.ts";
import { fitOn } from "../../sparse/pursuit/greedy-pursuits.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { normalDictionary, someOf } from "./draws.ts";
import { solveSymmetric } from "./normal-equations.ts";

export default lemma({
  id: "C7-14",
  covers: ["C7-14"],
  kind: "bound",
  title: "Known zeros of inner codes lower the error of the last code, one dimension each",
  source: "Book, chapter 7, (7.21), (7.22); Aberdam, Sulam and Elad 2019",
  statement: String.raw`\mathbb E \|\hat x_L - x_L\|^2 = \sigma^2 \operatorname{tr} (N^T A^T A N)^{-1} \le \frac{\sigma^2}{1 - \delta} (s_L - r), \qquad A = D_{1..L}|_\Lambda, \; \Phi_\Lambda N = 0`,
  parameters: {
    n0: integer({ min: 12, max: 30, default: 20, label: "numbers of a signal" }),
    n1: integer({ min: 14, max: 36, default: 26, label: "atoms of the first dictionary" }),
    n2: integer({ min: 12, max: 40, default: 30, label: "atoms of the second" }),
    s2: integer({ min: 1, max: 12, default: 9, label: "nonzeros of the last code" }),
    zeros: integer({ min: 0, max: 11, default: 5, label: "known zeros of the first code" }),
    sigma: real({ min: 0.1, max: 2, default: 1, label: "deviation of the noise" }),
  },
  claims: {
    "expected error on the support": atMost(String.raw`\sigma^2 s_L / (1 - \delta)`),
    "expected error with inner zeros": atMost(String.raw`\sigma^2 (s_L - r) / (1 - \delta)`),
    "with inner zeros, against the support alone": atMost("1"),
    "orthonormal atoms: error with inner zeros": equals(String.raw`\sigma^2 (s_L - r)`),
    "least squares on drawn noise, against the expected error": equals("1").probable(),
    "the same with inner zeros": equals("1").probable(),
    "expected error, from the inverse's diagonal": equals(
      String.raw`\sigma^2 \operatorname{tr} (A^T A)^{-1}`,
    ),
  },
  mutants: {
    "a zero too many": {
      "orthonormal atoms: error with inner zeros": (_, { theory }) => Number(theory) + 1,
    },
    "deviation for variance": {
      "expected error, from the inverse's diagonal": (_, { theory }) => Number(theory) * 1.1,
    },
    "a tenth of the noise": {
      "least squares on drawn noise, against the expected error": () => 0.1,
    },
  },
  async run({ n0, n1, n2, s2: most, zeros: known, sigma }, { random, scale, progress }) {
    const s2 = Math.min(most, n0, n2);
    const count = Math.min(known, s2 - 1);
    const layers = [
      normalDictionary(n0, n1, random.split("D1")),
      normalDictionary(n1, n2, random.split("D2")),
    ] as const;
    const pattern = {
      support: someOf(n2, s2, random.split("support")),
      zeros: [someOf(n1, count, random.split("zeros"))],
    };
    const errors = oracleErrors(layers, pattern, sigma);
    const whole = effectiveDictionary(layers);
    const draws = scale(400);
    const noise = random.split("noise");
    let [plain, holistic, plainSquare, holisticSquare] = [0, 0, 0, 0];
    for (let k = 0; k < draws; k++) {
      // The truth is 0: both estimators are linear, so that their errors are what they make of the noise.
      const v = noise.normal(n0).map((e) => sigma * e);
      const a = squareOf(fitOn(whole, pattern.support, v)!);
      const b = squareOf(fittedOn(layers, whole, v, pattern)!);
      [plain, holistic] = [plain + a, holistic + b];
      [plainSquare, holisticSquare] = [plainSquare + a * a, holisticSquare + b * b];
      if (k % 50 === 0) await progress(k / draws);
    }
    // Five deviations of the mean, the variance as drawn (by Chebyshev 1 in 25 at worst).
    const off = (sum: number, square: number): number =>
      (5 * Math.sqrt(Math.max(0, square / draws - (sum / draws) ** 2) / draws)) / (sum / draws);
    const flat = orthonormalCase(s2, count, sigma);
    return {
      claims: {
        "expected error on the support": checked(errors.synthesis, errors.synthesisBound, {
          tolerance: 1e-12 * errors.synthesisBound,
        }),
        "expected error with inner zeros": checked(errors.holistic, errors.holisticBound, {
          tolerance: 1e-12 * errors.holisticBound,
        }),
        "with inner zeros, against the support alone": checked(errors.holistic / errors.synthesis, 1, {
          tolerance: 1e-12,
        }),
        "orthonormal atoms: error with inner zeros": checked(flat, sigma ** 2 * (s2 - count), {
          tolerance: 1e-10 * sigma ** 2 * s2,
        }),
        "least squares on drawn noise, against the expected error": sampled(
          plain / draws / errors.synthesis,
          1,
          {
            delta: 1 / 25,
            tolerance: off(plain, plainSquare),
          },
        ),
        "the same with inner zeros": sampled(holistic / draws / errors.holistic, 1, {
          delta: 1 / 25,
          tolerance: off(holistic, holisticSquare),
        }),
        "expected error, from the inverse's diagonal": checked(
          sigma ** 2 * inverseTrace(whole, pattern.support),
          errors.synthesis,
          { tolerance: 1e-8 * errors.synthesis },
        ),
      },
      table: {
        title: "What each known zero is worth",
        columns: ["known zeros r", "expected error", "bound", "dimension"],
        rows: Array.from({ length: s2 }, (_, r) => {
          const smaller = { ...pattern, zeros: [someOf(n1, n1, random.split("order")).slice(0, r)] };
          const at = oracleErrors(layers, smaller, sigma);
          return [r, at.holistic, at.holisticBound, modelDimension(layers, smaller).dimension];
        }),
      },
    };
  },
});

const squareOf = (x: Float64Array): number => x.reduce((sum, v) => sum + v * v, 0);

/** D_1 = 1 and D_2 = 1: known zeros of x_1 = x_2 on the support cost nothing else. */
function orthonormalCase(s: number, count: number, sigma: number): number {
  const n = s;
  const atoms = Float64Array.from({ length: n * n }, (_, k) => Number(k % (n + 1) === 0));
  const unit = { size: n, count: n, atoms };
  const all = Array.from({ length: n }, (_, j) => j);
  return oracleErrors([unit, unit], { support: all, zeros: [all.slice(0, count)] }, sigma).holistic;
}

/** tr (A^T A)^-1, a column of the inverse at a time. */
function inverseTrace(
  { size, atoms }: { size: number; atoms: Float64Array },
  support: readonly number[],
): number {
  const gram = support.map((i) =>
    support.map((j) => {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += atoms[i * size + k]! * atoms[j * size + k]!;
      return sum;
    }),
  );
  return gram.reduce(
    (sum, _, k) =>
      sum +
      solveSymmetric(
        gram,
        gram.map((__, i) => Number(i === k)),
      )[k]!,
    0,
  );
}
