// Figures of double descent: Figure 1.6 with features by importance, and what features that are alike do.
import type { Figure, Panel } from "../../figure/figure.ts";
import { minimumNormRisk } from "../../generalization/double-descent/bias-variance.ts";
import {
  bestRidge,
  type LimitTask,
  limitRisk,
  marchenkoPastur,
} from "../../generalization/double-descent/marchenko-pastur.ts";
import {
  leftOut,
  type OrderedTask,
  orderedRisk,
  sweetSpots,
} from "../../generalization/double-descent/ordered-features.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import type { LemmaTable, RunContext } from "../lemma.ts";

/** Features whose weights fall so that there is a U before the peak, and less risk beyond it: the shape of Figure 1.6. */
export const ordered = (m: number): OrderedTask => ({ m, signal: 25, noise: 1, decay: 2 });

export const limitVariance = (kappa: number): number => limitRisk({ kappa, signal: 0, noise: 1 }).variance;
export const totalRisk = (task: LimitTask): number => {
  const { bias, variance } = limitRisk(task);
  return bias + variance;
};

/** The eigenvalues of Sigma that are not 0. */
export function gramSpectrum(m: number, d: number, draw: () => number): readonly number[] {
  const [p, n] = [Math.min(m, d), Math.max(m, d)];
  const rows = Array.from({ length: p }, () => Float64Array.from({ length: n }, draw));
  return symmetricEigen(rows.map((a) => rows.map((b) => dot(a, b)))).values;
}

const laws: Readonly<Record<string, (random: Random) => number>> = {
  normal: (random) => random.normal(),
  "±1": (random) => (random.uniform() < 0.5 ? -1 : 1),
  uniform: (random) => Math.sqrt(12) * (random.uniform() - 0.5),
};

export async function shown(
  snr: number,
  { random, scale, progress }: RunContext,
): Promise<{ figure: Figure; table: LemmaTable }> {
  const m = 40;
  const draws = scale(4);
  const kappas = [0.1, 0.25, 0.5, 0.75, 0.9, 1.15, 1.5, 2, 3, 5, 8];
  const rows: { kappa: number; seen: number[] }[] = [];
  for (const kappa of kappas) {
    const seen = Object.values(laws).map((draw) => {
      let mean = 0;
      for (let k = 0; k < draws; k++)
        for (const lambda of gramSpectrum(m, kappa * m, () => draw(random))) mean += 1 / lambda / draws;
      return mean;
    });
    rows.push({ kappa, seen });
    await progress(kappa / 8);
  }
  const fine = Array.from({ length: 160 }, (_, k) => 10 ** (-1 + (k / 159) * 1.9031)).filter(
    (k) => Math.abs(k - 1) > 0.02,
  );
  const task = { signal: snr ** 2, noise: 1 };
  const curve = (of: (kappa: number) => number): (readonly [number, number])[] =>
    fine.map((kappa) => [kappa, of(kappa)] as const);
  const variances: Panel = {
    title: `Variance: ${m} examples, means of ${draws} designs`,
    x: { label: "features an example κ", scale: "log" },
    y: { label: "Tr Σ⁺", scale: "log" },
    series: [
      { name: "limit", mark: "line", role: "theory", points: curve(limitVariance) },
      ...Object.keys(laws).map((name, k) => ({
        ...{ name: `entries ${name}`, mark: "dots" as const },
        points: rows.map((r) => [r.kappa, r.seen[k]!] as const),
      })),
    ],
  };
  const risks: Panel = {
    title: `Features alike, |θ*|/σ = ${snr}: a peak and no U before it`,
    x: { label: "features an example κ", scale: "log" },
    y: { label: "excess risk", scale: "log" },
    series: [
      { name: "least norm", mark: "line", points: curve((kappa) => totalRisk({ ...task, kappa })) },
      {
        name: "ridge 0.1",
        mark: "line",
        points: curve((kappa) => totalRisk({ ...task, kappa, ridge: 0.1 })),
      },
      {
        ...{ name: "the best ridge for each κ", mark: "line" },
        points: curve((kappa) => totalRisk({ ...task, kappa, ridge: bestRidge({ ...task, kappa }) })),
      },
      { name: "the zero function", mark: "line", role: "theory", points: curve(() => snr ** 2) },
    ],
  };
  return {
    figure: {
      title: "Double descent of linear regression",
      panels: [await importancePanel(random, scale(3)), risks, variances, histogram(0.5, scale(3), random)],
    },
    table: {
      title: `Tr Σ⁺, m = ${m}, means of ${draws} designs, and the limit`,
      columns: ["κ", "limit", ...Object.keys(laws).map((name) => `entries ${name}`)],
      rows: rows.map((r) => [r.kappa, limitVariance(r.kappa), ...r.seen]),
    },
  };
}

/** Figure 1.6: the expected risk of the least norm on the most important features, and that of drawn designs. */
async function importancePanel(random: Random, draws: number): Promise<Panel> {
  const task = ordered(40);
  const { m } = task;
  const [before, beyond] = sweetSpots(task);
  const counts = Array.from({ length: 12 * m }, (_, k) => k + 1).filter((d) => Math.abs(d - m) > 1);
  const line = (name: string, from: number, to: number, role?: "theory") => ({
    ...{ name, mark: "line" as const, ...(role && { role }) },
    points: counts.filter((d) => d >= from && d <= to).map((d) => [d / m, orderedRisk(task, d)] as const),
  });
  const seen: (readonly [number, number])[] = [];
  for (const d of [2, 6, 12, 20, 28, 34, 37, 44, 50, 64, 88, 140, 240, 440])
    seen.push([d / m, await drawnRisk(task, d, draws, random)]);
  return {
    title: `Figure 1.6: ${before.risk.toFixed(1)} before the peak, ${beyond.risk.toFixed(1)} beyond`,
    x: { label: "features an example κ, the most important first", scale: "log" },
    y: { label: "excess risk", scale: "log" },
    series: [
      line("expected, fewer features than examples", 1, m - 3, "theory"),
      line("expected, more features", m + 3, 12 * m, "theory"),
      { name: `means of ${draws} designs`, mark: "dots", points: seen },
      {
        ...{ name: "the least of each", mark: "dots" },
        points: [before, beyond].map(({ d, risk }) => [d / m, risk] as const),
      },
    ],
  };
}

/** The mean excess risk over designs that are drawn: what is left out is noise for the features that are in. */
async function drawnRisk(task: OrderedTask, d: number, draws: number, random: Random): Promise<number> {
  const target = Array.from({ length: d }, (_, k) => Math.sqrt(leftOut(task, k) - leftOut(task, k + 1)));
  const left = leftOut(task, d);
  const identity = target.map((_, i) => target.map((__, j) => Number(i === j)));
  let mean = left;
  for (let k = 0; k < draws; k++) {
    const design = matrixOfRows(Array.from({ length: task.m }, () => [...random.normal(d)]));
    const { bias, variance } = await minimumNormRisk(design, {
      ...{ covariance: matrixOfRows(identity), target, noise: task.noise + left },
    });
    mean += (bias + variance) / draws;
  }
  return mean;
}

/** Eigenvalues of Sigma/m of a few designs, and the density. */
function histogram(kappa: number, draws: number, random: Random): Panel {
  const [m, bins] = [80, 24];
  const law = marchenkoPastur(kappa);
  const [a, b] = [Math.max(0, law.edges[0] - 0.1), law.edges[1] + 0.2];
  const width = (b - a) / bins;
  const counts = new Float64Array(bins);
  for (let k = 0; k < draws; k++)
    for (const lambda of gramSpectrum(m, kappa * m, () => random.normal())) {
      const bin = Math.floor((lambda / m - a) / width);
      if (bin >= 0 && bin < bins) counts[bin]! += 1 / (draws * kappa * m * width);
    }
  return {
    title: `Eigenvalues of Σ/m, m = ${m}, κ = ${kappa}`,
    x: { label: "eigenvalue" },
    y: { label: "density" },
    series: [
      { name: `${draws} designs`, mark: "step", points: Array.from(counts, (v, k) => [a + k * width, v]) },
      {
        ...{ name: "the law", mark: "line", role: "theory" },
        points: Array.from({ length: 200 }, (_, k) => a + ((b - a) * k) / 199).map((x) => [
          x,
          law.density(x),
        ]),
      },
    ],
  };
}
