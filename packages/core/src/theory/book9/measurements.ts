import { denseMap, type LinearMap, lengthOf } from "../../inverse/linear-map.ts";
import { meanSquaredError, peakSignalToNoise } from "../../inverse/measures.ts";
import {
  blurOperator,
  cosineSamples,
  downsampling,
  fourierSamples,
  gaussianOperator,
  hiddenBox,
  radonOperator,
  randomPixels,
} from "../../inverse/operators.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C9-01",
  covers: ["C9-01", "C9-02"],
  kind: "construction",
  title: "Measurement operators, and what a Gaussian one does to lengths",
  source: "Book, chapter 9, section 9.3.1; Bora et al. 2017",
  statement: String.raw`y = A x + e, \quad A_{ij} \sim N(0, 1/m): \; \mathbb E \|A x\|^2 = \|x\|^2, \qquad \mathrm{PSNR} = 10 \log_{10} \frac{\text{peak}^2}{\|\hat x - x\|^2 / n}`,
  parameters: {
    m: integer({ min: 2, max: 40, default: 12, label: "measurements" }),
    side: integer({ min: 2, max: 5, default: 4, label: "half of the side of a picture" }),
    error: real({ min: 0.01, max: 2, default: 0.1, label: "error of every pixel" }),
  },
  claims: {
    "variance 1/m: mean of |A x|² / |x|²": equals("1"),
    "deviation 1/m: mean of |A x|² / |x|²": equals("1").printed({
      where: "section 9.3.1, before (9.1), and the caption of Figure 9.3",
      printed: "random independent Gaussian entries with zero mean and standard deviation  $1/m$",
      corrected:
        "variance $1/m$: with standard deviation $1/m$ lengths shrink to $\\mathbb E \\|A x\\|^2 = \\|x\\|^2 / m$, and no number of measurements keeps a restricted eigenvalue above a constant",
    }),
    "⟨A x, r⟩ - ⟨x, Aᵀ r⟩, greatest of all operators": equals("0"),
    "Aᵀ A of a mask, less its square": equals("0"),
    "means of blocks of a constant picture": equals("the constant"),
    "power of a unitary transform on all its frequencies": equals(String.raw`\|x\|^2`),
    "PSNR of an error of every pixel, peak 1": equals(String.raw`-20 \log_{10} \text{error}`),
  },
  mutants: {
    "entries of variance 1": { "variance 1/m: mean of |A x|² / |x|²": ({ m }) => m },
    "sums of blocks in place of means": { "means of blocks of a constant picture": () => 4 * 0.7 },
    "10 for 20": {
      "PSNR of an error of every pixel, peak 1": ({ error }) => -10 * Math.log10(error),
    },
  },
  run({ m, side, error }, { random, scale }) {
    const n = 2 * side;
    const shape = [n, n];
    const size = n * n;
    const draws = Math.max(4, scale(40));
    const ratio = gaussianRatio(m, 30, draws, random.split("lengths"));
    const x = random.split("picture").normal(size);
    const mask = randomPixels(0.5, shape, random.split("mask"));
    const seen = mask.transpose(mask.apply(x));
    const again = mask.transpose(mask.apply(seen));
    const constant = downsampling(2, shape).apply(new Float64Array(size).fill(0.7));
    const noisy = x.map((v, k) => v + (k % 2 === 0 ? error : -error));
    return {
      claims: {
        // |A x|^2 / |x|^2 has variance 2 / m; six deviations of the mean of all draws.
        "variance 1/m: mean of |A x|² / |x|²": sampled(ratio, 1, {
          tolerance: 6 * Math.sqrt(2 / (m * draws)),
        }),
        "deviation 1/m: mean of |A x|² / |x|²": sampled(ratio / m, 1, {
          tolerance: 6 * Math.sqrt(2 / (m * draws)) * (1 / m),
        }),
        "⟨A x, r⟩ - ⟨x, Aᵀ r⟩, greatest of all operators": checked(
          Math.max(...operatorsOf(m, shape, random).map((map) => adjointDefect(map, random))),
          0,
          { tolerance: 1e-12 },
        ),
        "Aᵀ A of a mask, less its square": checked(
          Math.max(...again.map((v, k) => Math.abs(v - seen[k]!))),
          0,
        ),
        "means of blocks of a constant picture": checked(
          constant.reduce((worst, v) => (Math.abs(v - 0.7) > Math.abs(worst - 0.7) ? v : worst), 0.7),
          0.7,
          { tolerance: 1e-15 },
        ),
        "power of a unitary transform on all its frequencies": checked(
          fourierPower(x, n, random) / lengthOf(x) ** 2,
          1,
          { tolerance: 1e-12 },
        ),
        "PSNR of an error of every pixel, peak 1": checked(
          peakSignalToNoise(noisy, x, 1),
          -20 * Math.log10(error),
          { tolerance: 1e-10 * (1 + meanSquaredError(x, new Float64Array(size))) },
        ),
      },
    };
  },
});

/** The mean of |A x|^2 / |x|^2 over operators. */
function gaussianRatio(m: number, n: number, draws: number, random: Random): number {
  let sum = 0;
  for (let k = 0; k < draws; k++) {
    const x = random.normal(n);
    sum += (lengthOf(gaussianOperator(m, n, random).apply(x)) / lengthOf(x)) ** 2;
  }
  return sum / draws;
}

function operatorsOf(m: number, shape: readonly number[], random: Random): readonly LinearMap[] {
  const n = shape[0]!;
  return [
    gaussianOperator(m, n * n, random),
    denseMap({ rows: 1, columns: n * n, entries: random.normal(n * n) }),
    cosineSamples(Math.min(m, n * n), shape, random),
    fourierSamples(Math.min(m, (n * n) / 2), shape, random),
    randomPixels(0.4, shape, random),
    hiddenBox([0, 1, 1, 3], shape),
    blurOperator(1.1, shape),
    downsampling(2, shape),
    radonOperator(3, shape),
  ];
}

function adjointDefect(map: LinearMap, random: Random): number {
  const [x, r] = [random.normal(map.inputs), random.normal(map.outputs)];
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);
  return Math.abs(dot(map.apply(x), r) - dot(x, map.transpose(r))) / (lengthOf(x) * lengthOf(r));
}

/** A frequency and its negative have the same power: all but those that are their own count twice. */
function fourierPower(x: Float64Array, n: number, random: Random): number {
  const count = (n * n) / 2 + 2; // four frequencies of an even grid are their own negatives
  const y = fourierSamples(count, [n, n], random, 0).apply(x);
  const own = (k: number): boolean => {
    const [u, v] = [Math.floor(k / n), k % n];
    return (2 * u) % n === 0 && (2 * v) % n === 0;
  };
  const places = Array.from({ length: n * n }, (_, k) => k).filter((k) => {
    const [u, v] = [Math.floor(k / n), k % n];
    return k <= ((n - u) % n) * n + ((n - v) % n);
  });
  return places.reduce((sum, k, i) => sum + (own(k) ? 1 : 2) * (y[i]! ** 2 + y[count + i]! ** 2), 0);
}
