// Uniform convergence from the growth function: symmetrization, Massart's lemma and McDiarmid's inequality.
import {
  deviationTerm,
  type GeneralizationBound,
  type Hypothesis,
  isShare,
  type SampleSize,
  sampleHypotheses,
  stated,
} from "./bound.ts";
import { logSauer } from "./growth-function.ts";
import { logNetworkGrowth, type PiecewiseNetwork } from "./vc-dimension.ts";

export interface GrowthOptions extends SampleSize {
  /** ln of the patterns of losses (right or wrong) on n points. */
  readonly logGrowth: number;
}

const hypotheses = ({ logGrowth, ...sample }: GrowthOptions): readonly Hypothesis[] => [
  ...sampleHypotheses(sample),
  ["the loss counts errors"],
  ["the growth function is at least 1", logGrowth >= 0],
];

/**
 * sup_f |R(f) - R^(f)| <= sqrt(2 ln(2 growth(n)) / n) + sqrt(ln(1/delta) / (2 n)).
 * @example growthGapBound({ logGrowth: Math.log(101), n: 100, delta: 0.05 }).value // 0.4482...
 */
export const growthGapBound = (o: GrowthOptions): GeneralizationBound =>
  stated(
    { id: "growth", name: "Growth function", quantity: "gap", delta: o.delta, hypotheses: hypotheses(o) },
    () => Math.sqrt((2 * (Math.LN2 + o.logGrowth)) / o.n) + deviationTerm(o.n, o.delta),
  );

/** The same by the VC dimension, through Sauer's lemma. */
export const vcGapBound = ({
  dimension,
  n,
  delta,
}: SampleSize & { readonly dimension: number }): GeneralizationBound =>
  stated(
    {
      id: "vc",
      name: "VC dimension",
      quantity: "gap",
      delta,
      hypotheses: [
        ...hypotheses({ logGrowth: 0, n, delta }),
        ["the VC dimension is finite", dimension >= 0 && Number.isFinite(dimension)],
      ],
    },
    () => Math.sqrt((2 * (Math.LN2 + logSauer(n, dimension))) / n) + deviationTerm(n, delta),
  );

export interface NetworkVcOptions extends SampleSize, PiecewiseNetwork {
  /** Share of wrong answers on the sample. */
  readonly empirical: number;
  /** Whether all activations are piecewise polynomial (ReLU and its kin are). */
  readonly piecewise: boolean;
  /** Layer after layer, no other paths; so if left out. */
  readonly layered?: boolean;
}

/** R(f) <= R^(f) + sqrt(2 ln growth(n) / n) + sqrt(ln(1/delta) / (2 n)) for all networks of these widths. */
export const networkVcBound = ({
  empirical,
  piecewise,
  layered = true,
  n,
  delta,
  ...network
}: NetworkVcOptions): GeneralizationBound =>
  stated(
    {
      id: "vc-network",
      name: "VC (architecture)",
      delta,
      hypotheses: [
        ...hypotheses({ logGrowth: 0, n, delta }),
        ["the empirical risk is a share", isShare(empirical)],
        ["activations are piecewise polynomial", piecewise],
        ["the network is layered", layered],
        ["the widths were fixed before the sample", network.widths.length >= 2],
      ],
    },
    () => empirical + Math.sqrt((2 * logNetworkGrowth(network, n)) / n) + deviationTerm(n, delta),
  );
