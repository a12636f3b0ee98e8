import type { Figure, Panel } from "../../figure/figure.ts";
import { normalDesignVariance } from "../../generalization/double-descent/bias-variance.ts";
import {
  type BenignOverfitting,
  benignOverfitting,
  effectiveRanks,
  varianceEquivalent,
} from "../../generalization/double-descent/effective-ranks.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { HypothesisError, type LemmaTable, lemma, type RunContext } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const delta = 0.1;

/** lambda_1, lambda_2, ...; a spectrum has the first d of them. */
const spectra = {
  flat: () => 1,
  "five spikes": (i: number) => (i <= 5 ? 1 : 0.01),
  "1/i": (i: number) => 1 / i,
  "1/(i ln²)": (i: number) => 1 / (i * Math.log(i + 1) ** 2),
  "i^-1.5": (i: number) => i ** -1.5,
  "exponential with a floor": (i: number) => Math.exp(-i) + 0.001,
} as const;
type Shape = keyof typeof spectra;

interface Drawn {
  readonly shape: Shape;
  readonly m: number;
  readonly c: number;
  readonly times: number;
}
type Parts = Pick<BenignOverfitting, "head" | "tail">;

const featuresOf = ({ m, c, times }: Drawn): number => Math.ceil(times * c * m);
const of = (drawn: Drawn): Parts =>
  benignOverfitting(spectrumOf(drawn.shape, featuresOf(drawn)), drawn.m, drawn.c) ?? {
    ...{ head: Number.NaN, tail: Number.NaN },
  };

/** The implied ridge is at least (1 - 1/c) sum_{i>k*} lambda_i / m, since lambda_{k*+1} <= sum_{i>k*} lambda_i / (c m). */
const upperBound = ({ head, tail }: Parts, c: number): number => head + (c / (c - 1)) ** 2 * tail;

/**
 * The implied ridge is at most sum_{i>k*} lambda_i / (m - k*), and lambda_i > sum_{j>k*} lambda_j / (c m) for i <= k*: both by
 * the definition of k*.
 */
function lowerBound({ head, tail }: Parts, c: number): number {
  const t = (1 - head) / c;
  return (t / (1 + t)) ** 2 * head + ((1 - head) / (1 + t)) ** 2 * tail;
}

const spectrumOf = (shape: Shape, d: number): Float64Array =>
  Float64Array.from({ length: d }, (_, k) => spectra[shape](k + 1));

export default lemma({
  id: "C1a-45",
  covers: ["C1a-45"],
  kind: "bound",
  title: "Benign overfitting: what a spectrum says of the variance",
  source: "Book, chapter 1, (1.28); Bartlett, Long, Lugosi, Tsigler 2020",
  statement: String.raw`k^* = \min\Bigl\{k \ge 0 : \frac{\sum_{i > k} \lambda_i}{\lambda_{k+1}} \ge cm\Bigr\}, \qquad \operatorname{Tr}(\Sigma^+ \mathbb E[XX^T]) \approx \frac{k^*}{m} + \frac{m \sum_{i > k^*} \lambda_i^2}{(\sum_{i > k^*} \lambda_i)^2}`,
  parameters: {
    shape: choice(["five spikes", "flat", "1/i", "1/(i ln²)", "i^-1.5", "exponential with a floor"], {
      label: "eigenvalues",
    }),
    m: integer({ min: 4, max: 16, default: 16, label: "examples m" }),
    c: real({ min: 1.5, max: 40, default: 4, label: "constant c" }),
    times: real({ min: 1.5, max: 12, default: 6, label: "features d, as a multiple of c m" }),
  },
  claims: {
    "degrees of freedom over m, at most": atMost(
      String.raw`k^*/m + \bigl(\tfrac{c}{c-1}\bigr)^2 \, m / R_{k^*}`,
    ),
    "degrees of freedom over m, at least": atLeast(
      String.raw`\bigl(\tfrac{t}{1+t}\bigr)^2 k^*/m + \bigl(\tfrac{1 - k^*/m}{1+t}\bigr)^2 m / R_{k^*}, \; t = (1 - k^*/m)/c`,
    ),
    "k*, counted by its definition": equals("k^*"),
    "effective ranks, one above the other": atLeast(String.raw`r_{k^*}`),
    "the implied ridge solves its equation": equals("m"),
    "flat spectrum, order": equals("m/d"),
    "flat spectrum, drawn designs": equals(String.raw`m / (d - m - 1)`).probable(),
  },
  mutants: {
    "the tail not multiplied by m": {
      "degrees of freedom over m, at most": (p) => upperBound({ ...of(p), tail: of(p).tail / p.m }, p.c),
    },
    "c/(c - 1) turned": {
      "degrees of freedom over m, at most": (p) => upperBound(of(p), 1 - p.c),
    },
    "the head counted whole": {
      "degrees of freedom over m, at least": (p) => lowerBound(of(p), p.c) + of(p).head,
    },
  },
  async run({ shape, m, c, times }, context) {
    const { random, budget, scale } = context;
    const d = featuresOf({ shape, m, c, times });
    const spectrum = spectrumOf(shape, d);
    const found = benignOverfitting(spectrum, m, c);
    if (!found) throw new HypothesisError("some k has an effective rank of at least c m");
    const { kappa, freedom } = varianceEquivalent(spectrum, m);
    let solved = 0;
    for (const lambda of spectrum) solved += lambda / (lambda + kappa);
    const draws = scale(300);
    const flat = shape === "flat" && d < 200 ? normalDesignVariance(m, d) : undefined;
    return {
      ...(budget === "cheap" ? {} : await shown(context)),
      claims: {
        "degrees of freedom over m, at most": checked(freedom / m, upperBound(found, c)),
        ...(found.head < 1 && {
          "degrees of freedom over m, at least": checked(freedom / m, lowerBound(found, c)),
        }),
        "k*, counted by its definition": checked(countedHead(spectrum, c * m), found.k),
        // sum lambda^2 <= lambda_{k+1} sum lambda
        "effective ranks, one above the other": checked(found.R, found.r, {
          tolerance: 2 ** -50 * d * found.R,
        }),
        "the implied ridge solves its equation": checked(solved, m, { tolerance: 2 ** -50 * d * m }),
        ...(shape === "flat" && {
          "flat spectrum, order": checked(found.order, m / d, { tolerance: 2 ** -50 * d }),
        }),
        ...(flat && {
          "flat spectrum, drawn designs": sampled(drawnVariance(spectrum, m, draws, random), flat.mean, {
            tolerance: Math.sqrt(flat.variance / (draws * delta)), // Chebyshev's inequality
            delta,
          }),
        }),
      },
    };
  },
});

/**
 * The mean of Tr(Sigma^+ C) over designs with independent normal coordinates of these variances. With G = X X^T and
 * H = X C X^T it is Tr(G^{-1} H G^{-1}).
 */
function drawnVariance(spectrum: Float64Array, m: number, draws: number, random: Random): number {
  const roots = spectrum.map(Math.sqrt);
  let mean = 0;
  for (let k = 0; k < draws; k++) {
    const rows = Array.from({ length: m }, () => random.normal(spectrum.length).map((z, i) => z * roots[i]!));
    const scaled = rows.map((row) => row.map((v, i) => v * roots[i]!));
    const { values, vectors } = symmetricEigen(rows.map((a) => rows.map((b) => dot(a, b))));
    const inner = scaled.map((a) => scaled.map((b) => dot(a, b)));
    vectors.forEach((u, i) => {
      mean += inner.reduce((sum, row, j) => sum + u[j]! * dot(row, u), 0) / values[i]! ** 2 / draws;
    });
  }
  return mean;
}

/** The first k that leaves an effective rank this large. */
function countedHead(spectrum: Float64Array, least: number): number {
  let k = 0;
  while (spectrum.subarray(k).reduce((a, b) => a + b, 0) < least * spectrum[k]!) k++;
  return k;
}

const shapes = Object.keys(spectra) as readonly Shape[];

async function shown({
  random,
  scale,
  progress,
}: RunContext): Promise<{ figure: Figure; table: LemmaTable }> {
  const [m, d, draws] = [30, 600, scale(3)];
  const rows: { shape: Shape; found?: BenignOverfitting; limit: number; drawn: number }[] = [];
  for (const shape of shapes) {
    const spectrum = spectrumOf(shape, d);
    rows.push({
      ...{ shape, found: benignOverfitting(spectrum, m), limit: varianceEquivalent(spectrum, m).variance },
      drawn: drawnVariance(spectrum, m, draws, random),
    });
    await progress(rows.length / (shapes.length + 1));
  }
  const sizes = [5, 10, 20, 50, 100, 200, 500, 1000, 2000];
  const infinite = 200_000;
  const orders: Panel = {
    title: `k*/m + m/R, c = 1, ${infinite} features`,
    x: { label: "examples m", scale: "log" },
    y: { label: "order of the variance", scale: "log" },
    series: shapes.map((shape) => {
      const spectrum = spectrumOf(shape, infinite);
      const points = sizes.flatMap((n) => {
        const found = benignOverfitting(spectrum, n);
        return found ? [[n, found.order] as const] : [];
      });
      return { name: shape, mark: "line" as const, points };
    }),
  };
  const told = rows.flatMap(({ found, drawn, limit }) =>
    found ? [{ order: found.order, drawn, limit }] : [],
  );
  const ends = [Math.min(...told.map((r) => r.order)), Math.max(...told.map((r) => r.order))];
  return {
    figure: {
      title: "Overfitting is benign where the spectrum has a short head and a long, flat tail",
      panels: [
        {
          title: `${m} examples, ${d} features, means of ${draws} normal designs`,
          x: { label: "k*/m + m/R", scale: "log" },
          y: { label: "Tr(Σ⁺C)", scale: "log" },
          series: [
            { name: "drawn designs", mark: "dots", points: told.map((r) => [r.order, r.drawn]) },
            { name: "limit of large designs", mark: "dots", points: told.map((r) => [r.order, r.limit]) },
            { name: "equal", mark: "line", role: "theory", points: ends.map((v) => [v, v]) },
          ],
        },
        orders,
      ],
    },
    table: {
      title: `m = ${m}, d = ${d}, c = 1: the variance in three ways`,
      columns: [
        "eigenvalues",
        "r_0",
        "k*",
        "R_k*",
        "k*/m + m/R",
        "limit",
        `mean of ${draws} designs`,
        "ratio",
      ],
      rows: rows.map(({ shape, found, limit, drawn }) => [
        ...[shape, effectiveRanks(spectrumOf(shape, d), 0).r, found?.k ?? "none", found?.R ?? "-"],
        ...[found?.order ?? "-", limit, drawn, found ? drawn / found.order : "-"],
      ]),
    },
  };
}
