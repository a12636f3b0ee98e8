// The spectrally normalized margin bound (Bartlett, Foster and Telgarsky 2017), with constants that its proof gives.
import { type GeneralizationBound, normHypotheses, stated } from "./bound.ts";
import { empiricalDeviation, homogeneousHypotheses, type MarginBase, marginHypotheses } from "./margin.ts";
import { gridLevel, gridLevelFromOne } from "./union-grid.ts";

export interface SpectralMarginOptions extends MarginBase {
  /** Spectral norms of the matrices of weights, upper bounds. */
  readonly spectralNorms: readonly number[];
  /** Sums over the rows of a matrix of their norms, upper bounds. */
  readonly rowNormSums: readonly number[];
  /** Input first, output last. */
  readonly widths: readonly number[];
  /** sqrt(sum_i |x_i|^2). */
  readonly dataNorm: number;
  readonly biasFree: boolean;
  readonly homogeneous: boolean;
}

/**
 * Proper covers and the ceilings of Maurey's lemma cost a factor 5 in ln N, hence sqrt 5 here; the margin of two scores
 * is sqrt 2-Lipschitz; Dudley's integral has 12, symmetrization 2.
 */
export const spectralConstant = 24 * Math.SQRT2 * Math.sqrt(5);

/** R = prod s_i (sum_i (b_i / s_i)^(2/3))^(3/2) for layers that are scaled to s_i = 1. */
const spread = (ratios: readonly number[]): number => ratios.reduce((sum, r) => sum + r ** (2 / 3), 0) ** 1.5;

/**
 * marginLoss + 8 / n + c ln(n) |X| sqrt(ln 2 W^2) R / (margin n) + 3 sqrt(ln(2/delta') / (2 n)), for all norms and
 * margins at once: layers scaled to spectral norm 1, and grids of margin / prod s_i and of each b_i / s_i share delta.
 */
export const spectralMarginBound = (o: SpectralMarginOptions): GeneralizationBound =>
  stated(
    {
      id: "spectral-margin",
      name: "Spectral margin bound",
      delta: o.delta,
      hypotheses: [
        ...marginHypotheses(o),
        ...homogeneousHypotheses(o),
        ["there are at least 2 examples", o.n >= 2],
        ...normHypotheses(...o.spectralNorms, ...o.rowNormSums, o.dataNorm),
        [
          "every layer has its norms and its width",
          o.spectralNorms.length === o.rowNormSums.length && o.widths.length === o.spectralNorms.length + 1,
        ],
      ],
    },
    () => {
      const product = o.spectralNorms.reduce((p, s) => p * s, 1);
      const scale = gridLevel(product / o.margin);
      const ratios = o.rowNormSums.map((b, i) => gridLevelFromOne(b / o.spectralNorms[i]!));
      const cost = ratios.reduce((c, r) => c * r.cost, scale.cost);
      const W = Math.max(...o.widths);
      const R = scale.level * spread(ratios.map((r) => r.level));
      const complexity =
        (spectralConstant * Math.log(o.n) * o.dataNorm * Math.sqrt(Math.log(2 * W * W)) * R) / o.n;
      return o.marginLoss + 8 / o.n + complexity + empiricalDeviation(o.n, o.delta / cost);
    },
  );
