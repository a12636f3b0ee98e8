// How much the memories of P-33 forget as pairs are added.
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { drawSigns } from "../../numbers/signs.ts";
import {
  hebbianBitError,
  hebbianMemory,
  linearMemory,
  type Pairs,
  recall,
  softRecall,
} from "../../sparse/associative-memory.ts";
import type { LemmaTable } from "../lemma.ts";

interface CapacityPoint {
  readonly N: number;
  /** Errors relative to the size of the values, and the share of signs that the Hebbian memory gets wrong. */
  readonly hebbian: number;
  readonly fitted: number;
  readonly soft: number;
  readonly wrong: number;
}

/** Memories of N random pairs of signs, for N up to twice as many as a key has numbers. */
export async function capacity(
  d: number,
  beta: number,
  repeats: number,
  random: Random,
): Promise<readonly CapacityPoint[]> {
  const counts = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2].map((r) =>
    Math.max(2, Math.round(r * d)),
  );
  const points: CapacityPoint[] = [];
  for (const N of new Set(counts)) {
    const sums = { hebbian: 0, fitted: 0, soft: 0, wrong: 0, bits: 0 };
    for (let r = 0; r < repeats; r++) {
      const unit = (): Float64Array => Float64Array.from(drawSigns(d, random), (s) => s / Math.sqrt(d));
      const pairs: Pairs = {
        keys: Array.from({ length: N }, unit),
        values: Array.from({ length: N }, unit),
      };
      const [hebbian, fitted] = [hebbianMemory(pairs), await linearMemory(pairs)];
      pairs.keys.forEach((key, k) => {
        const y = pairs.values[k]!;
        const answer = recall(hebbian, key);
        sums.hebbian += squaredDistance(answer, y);
        sums.fitted += squaredDistance(recall(fitted, key), y);
        sums.soft += squaredDistance(softRecall(pairs, key, beta), y);
        answer.forEach((v, i) => {
          sums.wrong += v * y[i]! < 0 ? 1 : v === 0 ? 1 / 2 : 0;
        });
        sums.bits += d;
      });
    }
    const root = (sum: number): number => Math.sqrt(sum / (N * repeats));
    points.push({
      ...{ N, hebbian: root(sums.hebbian), fitted: root(sums.fitted), soft: root(sums.soft) },
      wrong: sums.wrong / sums.bits,
    });
  }
  return points;
}

const squaredDistance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k]! - b[k]!) ** 2;
  return sum;
};

export function capacityFigure(d: number, beta: number, points: readonly CapacityPoint[]): Figure {
  const fine = Array.from({ length: 2 * d - 1 }, (_, k) => k + 2);
  const line = (of: (p: CapacityPoint) => number) => points.map((p) => [p.N / d, of(p)] as const);
  return {
    title: `What memories with keys of ${d} numbers forget`,
    panels: [
      {
        title: "Relative recall error",
        x: { label: "pairs / numbers in a key" },
        y: { label: "|recalled - value| / |value|" },
        series: [
          { name: "Hebbian, Y Xᵀ", mark: "dots", points: line((p) => p.hebbian) },
          { name: "least squares, Y X⁺", mark: "dots", points: line((p) => p.fitted) },
          {
            name: `soft lookup, β = ${Number(beta.toPrecision(3))}`,
            mark: "dots",
            points: line((p) => p.soft),
          },
          {
            name: "√((N - 1) / d)",
            ...{ mark: "line", role: "theory" },
            points: fine.map((N) => [N / d, Math.sqrt((N - 1) / d)]),
          },
          {
            name: "√(1 - d / N) beyond d",
            ...{ mark: "line", role: "theory" },
            points: fine.map((N) => [N / d, Math.sqrt(Math.max(0, 1 - d / N))]),
          },
        ],
      },
      {
        title: "Share of bits that the Hebbian memory gets wrong",
        x: { label: "pairs / numbers in a key" },
        y: { label: "share of bits" },
        series: [
          { name: "measured", mark: "dots", points: line((p) => p.wrong) },
          {
            name: "the binomial tail",
            ...{ mark: "line", role: "theory" },
            points: fine.map((N) => [N / d, hebbianBitError(N, d)]),
          },
        ],
      },
    ],
  };
}

export const capacityTable = (d: number, points: readonly CapacityPoint[]): LemmaTable => ({
  title: `Relative recall error with keys of ${d} signs`,
  columns: ["pairs N", "Hebbian", "√((N - 1) / d)", "least squares", "soft lookup", "bits wrong", "theory"],
  rows: points.map((p) => [
    p.N,
    Number(p.hebbian.toPrecision(3)),
    Number(Math.sqrt((p.N - 1) / d).toPrecision(3)),
    Number(p.fitted.toPrecision(3)),
    Number(p.soft.toPrecision(3)),
    Number(p.wrong.toPrecision(3)),
    Number(hebbianBitError(p.N, d).toPrecision(3)),
  ]),
});
