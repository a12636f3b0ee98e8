// The share of examples below a margin, and a complexity over that margin.
import {
  arePositive,
  type GeneralizationBound,
  type Hypothesis,
  isShare,
  normHypotheses,
  type SampleSize,
  sampleHypotheses,
  stated,
} from "./bound.ts";
import { normRademacher } from "./rademacher-norm.ts";
import { gridLevel } from "./union-grid.ts";

export interface MarginBase extends SampleSize {
  readonly margin: number;
  /** Share of examples with a margin of at most `margin`; bounds by complexities also take the mean ramp loss, which is less. */
  readonly marginLoss: number;
}

export const marginHypotheses = (o: MarginBase): readonly Hypothesis[] => [
  ...sampleHypotheses(o),
  ["the margin is positive", arePositive(o.margin)],
  ["the margin loss is a share", isShare(o.marginLoss)],
];

/** 3 sqrt(ln(2/delta) / (2 n)): McDiarmid's inequality for the deviation, and once more for the complexity. */
export const empiricalDeviation = (n: number, delta: number): number =>
  3 * Math.sqrt(Math.log(2 / delta) / (2 * n));

export interface RademacherMarginOptions extends MarginBase {
  /** E sup_f (1/n) sum tau_i f(x_i) on this sample, over a class that was fixed before it, as was the margin. */
  readonly complexity: number;
}

/** P(y f(x) <= 0) <= marginLoss + (2 / margin) complexity + 3 sqrt(ln(2/delta) / (2 n)), margin and class fixed beforehand. */
export const rademacherMarginBound = (o: RademacherMarginOptions): GeneralizationBound =>
  stated(
    {
      id: "rademacher-margin",
      name: "Rademacher margin bound",
      delta: o.delta,
      hypotheses: [
        ...marginHypotheses(o),
        ["class and margin were fixed before the sample"],
        ["the complexity is not negative", o.complexity >= 0],
      ],
    },
    () => o.marginLoss + (2 / o.margin) * o.complexity + empiricalDeviation(o.n, o.delta),
  );

export interface NormMarginOptions extends MarginBase {
  /** Frobenius norms of the layers, upper bounds; of the last one, the greatest norm of a row. */
  readonly frobeniusNorms: readonly number[];
  /** sqrt(sum_i |x_i|^2). */
  readonly dataNorm: number;
  /** Outputs; one output is read by its sign, several by the greatest. */
  readonly outputs: number;
  readonly biasFree: boolean;
  /** Activations are 1-Lipschitz and positively homogeneous, as ReLU is. */
  readonly homogeneous: boolean;
  /** Which depth factor; the smaller one if left out. */
  readonly depthFactor?: (depth: number) => number;
}

/** What the bounds by norms of layers share. */
export const homogeneousHypotheses = (o: {
  readonly biasFree: boolean;
  readonly homogeneous: boolean;
}): readonly Hypothesis[] => [
  ["the network is layered and has no biases", o.biasFree],
  ["activations are 1-Lipschitz and positively homogeneous", o.homogeneous],
];

/**
 * The norm bound for a trained network, for all margins and all norms at once: only norm product / margin counts, and a
 * geometric grid of it shares delta. The factor is 2 / margin for one output and 4 k / margin for k.
 */
export const normMarginBound = (o: NormMarginOptions): GeneralizationBound =>
  stated(
    {
      id: "rademacher-norm",
      name: "Rademacher norm bound",
      delta: o.delta,
      hypotheses: [
        ...marginHypotheses(o),
        ...homogeneousHypotheses(o),
        ["there is a layer", o.frobeniusNorms.length > 0],
        ...normHypotheses(...o.frobeniusNorms, o.dataNorm),
        ["outputs is a positive whole number", Number.isInteger(o.outputs) && o.outputs >= 1],
      ],
    },
    () => {
      const depth = o.frobeniusNorms.length;
      const product = o.frobeniusNorms.reduce((p, v) => p * v, 1);
      const { level, cost } = gridLevel(product / o.margin);
      const plain = { depth, normProduct: level, dataNorm: o.dataNorm, n: o.n };
      const complexity = o.depthFactor
        ? o.depthFactor(depth) * normRademacher({ ...plain, depth: 1 })
        : normRademacher(plain);
      const factor = o.outputs === 1 ? 2 : 4 * o.outputs;
      return o.marginLoss + factor * complexity + empiricalDeviation(o.n, o.delta / cost);
    },
  );
