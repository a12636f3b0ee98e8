// All bounds that read off one trained classifier, from plain numbers.
import type { BoundedSlope } from "../covering.ts";
import type { GeneralizationBound, SampleSize } from "./bound.ts";
import { coveringMarginBound } from "./covering-bound.ts";
import { logInverseBitWeight, occamBound, occamKlBound } from "./finite-class.ts";
import { type MarginBase, normMarginBound } from "./margin.ts";
import { pacBayesMarginBound } from "./pac-bayes-margin.ts";
import { depthFreeFactor, exponentialDepthFactor } from "./rademacher-norm.ts";
import { spectralMarginBound } from "./spectral-margin.ts";
import { networkVcBound } from "./vc.ts";

/** What is known of a classifier and its training sample. Norms are upper bounds, of whole operators for convolutions. */
export interface ClassifierFacts extends SampleSize {
  /** Input first, output last: features, not channels. */
  readonly widths: readonly number[];
  readonly parameters: number;
  /** Bits that a parameter is stored with, on average. */
  readonly bits: number;
  readonly trainError: number;
  /** Margin of every training example: y f(x) for one output, the right score less the greatest other one for several. */
  readonly margins: ArrayLike<number>;
  readonly spectralNorms: readonly number[];
  readonly frobeniusNorms: readonly number[];
  readonly rowNormSums: readonly number[];
  /** The greatest norm of a row of the last matrix. */
  readonly lastRowNorm: number;
  /** sqrt(sum |x_i|^2) over the sample. */
  readonly dataNorm: number;
  /** |x|_2 of all inputs that the law can draw; infinite if unknown. */
  readonly inputRadius: number;
  readonly greatestParameter: number;
  readonly activation: BoundedSlope;
  readonly biasFree: boolean;
  /** Layer after layer, no other paths. */
  readonly layered: boolean;
  /** Every layer has weights of its own for every pair of units. */
  readonly fullyConnected: boolean;
}

/** Margins to try: the bounds by margins hold for all of them at once, so that the best one may be taken. */
const quantiles = 40;

/** How many of ascending numbers are in a lower part, by bisection. */
function countBelow(sorted: Float64Array, isBelow: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(sorted[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The bound at the best of some margins.
 * @example bestOverMargins([0.5, 1, 2], (m) => normMarginBound({ ...m, n: 3, delta: 0.05, frobeniusNorms: [1], dataNorm: 1, outputs: 1, biasFree: true, homogeneous: true })).unmet // []
 */
export function bestOverMargins(
  margins: ArrayLike<number>,
  bound: (at: Pick<MarginBase, "margin" | "marginLoss">) => GeneralizationBound,
): GeneralizationBound {
  const sorted = Float64Array.from(margins).sort();
  const n = sorted.length;
  let best: GeneralizationBound | undefined;
  for (let k = 0; k <= quantiles; k++) {
    const margin = sorted[Math.min(n - 1, Math.floor((k * n) / quantiles))]!;
    if (!(margin > 0)) continue;
    const found = [
      { margin, marginLoss: countBelow(sorted, (t) => t <= margin) / n },
      // Just below the margin, where the examples that have it are not counted.
      {
        margin: margin * (1 - 2 ** -40),
        marginLoss: countBelow(sorted, (t) => t <= margin * (1 - 2 ** -40)) / n,
      },
    ].map(bound);
    for (const each of found) if (best === undefined || (each.value ?? 0) < (best.value ?? 0)) best = each;
  }
  return best ?? bound({ margin: Number.NaN, marginLoss: 1 });
}

/** Every bound of the list at the same delta, each by itself; `tightestBound` combines them. */
export function classifierBounds(f: ClassifierFacts): readonly GeneralizationBound[] {
  const { n, delta, widths } = f;
  const outputs = widths.at(-1)!;
  const homogeneous = f.activation === "relu";
  const biasFree = f.biasFree && f.layered;
  const byMargin = (bound: Parameters<typeof bestOverMargins>[1]) => bestOverMargins(f.margins, bound);
  const norms = {
    n,
    delta,
    frobeniusNorms: [...f.frobeniusNorms.slice(0, -1), f.lastRowNorm],
    dataNorm: f.dataNorm,
    outputs,
    biasFree,
    homogeneous,
  };
  const weight = {
    empirical: f.trainError,
    logInverseWeight: logInverseBitWeight(f.parameters, f.bits),
    n,
    delta,
  };
  const named = (id: string, name: string, bound: GeneralizationBound) => ({ ...bound, id, name });
  return [
    occamBound(weight),
    occamKlBound(weight),
    networkVcBound({
      empirical: f.trainError,
      piecewise: homogeneous,
      layered: f.layered, // shared or missing weights only make the class smaller
      n,
      delta,
      widths,
    }),
    named(
      "rademacher-norm-exponential",
      "Rademacher norm bound, factor 2^(L-1)",
      byMargin((at) => normMarginBound({ ...norms, ...at, depthFactor: exponentialDepthFactor })),
    ),
    named(
      "rademacher-norm-depth-free",
      "Rademacher norm bound, factor √(2 ln2 (L-1)) + 1",
      byMargin((at) => normMarginBound({ ...norms, ...at, depthFactor: depthFreeFactor })),
    ),
    byMargin((at) => spectralMarginBound({ ...f, ...at, biasFree, homogeneous })),
    byMargin((at) => pacBayesMarginBound({ ...f, ...at, biasFree, relu: homogeneous })),
    byMargin((at) =>
      coveringMarginBound({
        ...at,
        n,
        delta,
        networks: {
          // Without this, no covering number is known: the hypothesis is named.
          widths: f.layered && f.fullyConnected ? widths : [],
          B: f.greatestParameter,
          inputRadius: f.inputRadius,
          activation: f.activation,
        },
      }),
    ),
  ];
}
