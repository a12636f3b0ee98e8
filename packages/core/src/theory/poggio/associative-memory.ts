import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { singularDecomposition } from "../../linear-algebra/svd.ts";
import type { Random } from "../../numbers/random.ts";
import { drawSigns, overSigns } from "../../numbers/signs.ts";
import {
  hebbianBitError,
  hebbianMemory,
  inner,
  linearMemory,
  lookupWeights,
  type Pairs,
  recall,
} from "../../sparse/associative-memory.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { capacity, capacityFigure, capacityTable } from "./associative-memory-figure.ts";

const delta = 0.01;
/** Numbers in a value. */
const m = 3;

export default lemma({
  id: "P-33",
  covers: ["P-33"],
  kind: "algorithm",
  title: "A linear associative memory, and what it forgets",
  source: "Poggio, section 7, equation (10)",
  statement: String.raw`A = Y X^+ : \; A X = Y \text{ for independent keys}, \qquad A = Y X^T : \; \mathbb E \|A X - Y\|_F^2 = \frac{N - 1}{d} \|Y\|_F^2, \; \|x_i\| = \|y_i\| = 1`,
  parameters: {
    d: integer({ min: 4, max: 48, default: 32, label: "numbers in a key" }),
    N: integer({ min: 2, max: 64, default: 12, label: "pairs" }),
    beta: real({ min: 1, max: 40, default: 12, label: "inverse temperature of the soft lookup" }),
  },
  claims: {
    "least squares, N <= d: greatest recall error": equals("0"),
    "least squares, N > d: squared recall error, normal values": equals("m (N - d)").probable(),
    "Hebbian, orthonormal keys: greatest recall error": equals("0"),
    "Hebbian, mean squared error over all keys of signs": equals("(N - 1) / d"),
    "Hebbian, share of bits wrong over all keys and bits": equals(
      String.raw`\mathbb P[S < -d] + \tfrac12 \mathbb P[S = -d], \; S \text{ a sum of } (N - 1) d \text{ signs}`,
    ),
    "Hebbian, squared error over keys on the sphere": equals("N (N - 1) / d").probable(),
    "Hebbian, share of random bits wrong": equals("as over all keys and bits").probable(),
    "soft lookup, weight of the other pairs": atMost(
      String.raw`\frac{(N - 1) e^{-\beta \Delta}}{1 + (N - 1) e^{-\beta \Delta}}, \; \Delta = 1 - \max_{i \ne j} \langle x_i, x_j \rangle`,
    ),
    "rank of X X^T, which is to be inverted": equals("d").printed({
      where: "section 7, after equation (10)",
      printed:
        "If $(XX^T)^{-1} \\approx I$ – which happens for noiselike X – then $A = YX^T$ implying $Ax = YX^Tx$. Typically the dimensionality of the columns of X is large to allow for the noiselike property (and sparsity).",
      corrected:
        "With long keys and fewer of them, $N < d$, the matrix $XX^T$ has rank $N$ and no inverse. What noiselike keys have is $X^T X \\approx I$; the best $A$ is $Y X^+$, and $Y X^T$ errs by $Y (X^T X - I)$.",
    }),
  },
  mutants: {
    "a pair disturbs itself": {
      "Hebbian, mean squared error over all keys of signs": ({ d, N }) => few(d, N).N / few(d, N).d,
    },
    "a pair's own signs are noise too": {
      "Hebbian, share of bits wrong over all keys and bits": ({ d, N }) =>
        hebbianBitError(few(d, N).N + 1, few(d, N).d),
    },
    "as many errors as pairs": {
      "least squares, N > d: squared recall error, normal values": ({ N }) => m * N,
    },
  },
  async run({ d, N, beta }, { random, scale, budget, progress }) {
    const keys = Array.from({ length: N }, () => random.sphere(d));
    const values = Array.from({ length: N }, () => random.normal(m));
    const { values: singular } = await singularDecomposition(matrixOfRows(keys));
    const fitted = await linearMemory({ keys, values });
    const errors = errorsOf({ keys, values }, (key) => recall(fitted, key));
    await progress(0.2);
    const small = few(d, N);
    const all = overAllSigns(small.N, small.d);
    const sphere = sphereError(d, N, scale(200), random);
    await progress(0.5);
    const bits = scale(3000);
    const wrong = wrongBits(d, N, bits, random);
    const nearest = Math.max(...keys.slice(1).map((key) => inner(key, keys[0]!)));
    const others = (N - 1) * Math.exp(-beta * (1 - nearest));
    const freedom = m * (N - d);
    const condition = singular[0]! / singular.at(-1)!;
    const points =
      budget === "cheap" ? undefined : await capacity(d, beta, scale(20), random.split("capacity"));
    return {
      ...(points ? { figure: capacityFigure(d, beta, points), table: capacityTable(d, points) } : {}),
      claims: {
        ...(N <= d
          ? {
              // |Y| |δX⁺| |X|, and |δX⁺| <= 8 (N + d) 2^-53 cond² / |X| for a stable decomposition.
              "least squares, N <= d: greatest recall error": sampled(Math.max(...errors.lengths), 0, {
                tolerance: 8 * (N + d) * 2 ** -53 * condition ** 2 * Math.hypot(...errors.sizes),
              }),
            }
          : {
              // The residual is Y times a projection on N - d dimensions: chi-squared (Laurent and Massart's tails).
              "least squares, N > d: squared recall error, normal values": sampled(errors.squares, freedom, {
                tolerance: 2 * Math.sqrt(freedom * Math.log(2 / delta)) + 2 * Math.log(2 / delta),
                delta,
              }),
            }),
        "Hebbian, orthonormal keys: greatest recall error": sampled(orthonormalError(d, N, random), 0, {
          tolerance: 2 ** -48 * (d + N) * 8, // sums of d products of numbers below 1, and of N values of size below 8
        }),
        "Hebbian, mean squared error over all keys of signs": checked(all.squares, (small.N - 1) / small.d, {
          tolerance: 2 ** -40, // a mean of at most 2^12 numbers
        }),
        "Hebbian, share of bits wrong over all keys and bits": checked(
          all.wrong,
          hebbianBitError(small.N, small.d),
          { tolerance: 2 ** -40 },
        ),
        "Hebbian, squared error over keys on the sphere": sampled(sphere.mean, (N * (N - 1)) / d, {
          tolerance: sphere.deviation / Math.sqrt(delta), // Chebyshev
          delta,
        }),
        "Hebbian, share of random bits wrong": sampled(wrong / bits, hebbianBitError(N, d), {
          tolerance: Math.sqrt(Math.log(2 / delta) / (2 * bits)), // Hoeffding
          delta,
        }),
        "soft lookup, weight of the other pairs": sampled(
          lookupWeights(keys, keys[0]!, beta)
            .subarray(1)
            .reduce((a, b) => a + b, 0),
          others / (1 + others),
          { tolerance: 2 ** -46 },
        ),
        "rank of X X^T, which is to be inverted": checked(
          singular.filter((s) => s > singular[0]! * 2 ** -40).length,
          d,
        ),
      },
    };
  },
});

/** Sizes of which all keys of signs, and all bits, can be gone through: 2^(N d + N) of them. */
const few = (d: number, N: number): { readonly d: number; readonly N: number } =>
  N === 2 ? { N: 2, d: Math.min(d, 5) } : { N: 3, d: Math.min(d, 3) };

function errorsOf({ keys, values }: Pairs, answer: (key: ArrayLike<number>) => Float64Array) {
  const rows = keys.map((key, k) => answer(key).map((v, i) => v - values[k]![i]!));
  const lengths = rows.map((row) => Math.hypot(...row));
  return {
    lengths,
    squares: lengths.reduce((sum, v) => sum + v * v, 0),
    sizes: values.map((y) => Math.hypot(...Array.from(y))),
  };
}

/** Over all keys in {-1, 1}^d / sqrt d and all bits: the mean squared error of a bit, and the share that is wrong. */
function overAllSigns(N: number, d: number): { readonly squares: number; readonly wrong: number } {
  let [squares, wrong] = [0, 0];
  const { count } = overSigns(N * d + N, (signs) => {
    const keys = Array.from({ length: N }, (_, i) =>
      Array.from(signs.subarray(i * d, (i + 1) * d), (s) => s / Math.sqrt(d)),
    );
    const values = Array.from(signs.subarray(N * d), (s) => [s]);
    const answer = recall(hebbianMemory({ keys, values }), keys[0]!)[0]! * values[0]![0]!;
    squares += (answer - 1) ** 2;
    const isTie = Math.abs(answer) < 2 ** -40;
    wrong += isTie ? 1 / 2 : Number(answer < 0);
  });
  return { squares: squares / count, wrong: wrong / count };
}

/**
 * |Y (X^T X - I)|^2 for values that are unit vectors: the sum of <x_i, x_j>^2 over pairs. Its mean over the sphere is
 * N (N - 1) / d, and as the pairs are uncorrelated, its variance is 2 N (N - 1) (3 / (d (d + 2)) - 1 / d^2).
 */
function sphereError(d: number, N: number, repeats: number, random: Random) {
  let total = 0;
  for (let r = 0; r < repeats; r++) {
    const keys = Array.from({ length: N }, () => random.sphere(d));
    const values = keys.map((_, i) => keys.map((__, j) => Number(i === j)));
    const memory = hebbianMemory({ keys, values });
    total += errorsOf({ keys, values }, (key) => recall(memory, key)).squares;
  }
  const variance = 2 * N * (N - 1) * (3 / (d * (d + 2)) - 1 / d ** 2);
  return { mean: total / repeats, deviation: Math.sqrt(variance / repeats) };
}

/** Bits wrong, each in a memory of its own: they are independent. */
function wrongBits(d: number, N: number, count: number, random: Random): number {
  let wrong = 0;
  for (let k = 0; k < count; k++) {
    const keys = Array.from({ length: N }, () => drawSigns(d, random));
    const values = Array.from(drawSigns(N, random), (s) => [s]);
    const answer = recall(hebbianMemory({ keys, values }), keys[0]!)[0]! * values[0]![0]!;
    wrong += answer === 0 ? Number(random.uniform() < 0.5) : Number(answer < 0);
  }
  return wrong;
}

/** Orthonormal keys by Gram and Schmidt, twice: as many as there is room for. */
function orthonormalError(d: number, N: number, random: Random): number {
  const keys: Float64Array[] = [];
  for (let k = 0; k < Math.min(N, d); k++) {
    let next = random.sphere(d);
    for (let again = 0; again < 2; again++) {
      for (const key of keys) {
        const share = inner(key, next);
        next = next.map((v, i) => v - share * key[i]!);
      }
      const length = Math.hypot(...next);
      next = next.map((v) => v / length);
    }
    keys.push(next);
  }
  const values = keys.map(() => random.normal(m));
  const memory = hebbianMemory({ keys, values });
  return Math.max(...errorsOf({ keys, values }, (key) => recall(memory, key)).lengths);
}
