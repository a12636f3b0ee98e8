// The PAC-Bayes margin bound (Neyshabur, Bhojanapalli and Srebro 2018), its constants written out.
import { arePositive, type GeneralizationBound, normHypotheses, stated } from "./bound.ts";
import { type MarginBase, marginHypotheses } from "./margin.ts";

export interface PacBayesMarginOptions extends MarginBase {
  readonly spectralNorms: readonly number[];
  readonly frobeniusNorms: readonly number[];
  /** Input first, output last. */
  readonly widths: readonly number[];
  /** |x|_2 of all inputs that the law can draw. */
  readonly inputRadius: number;
  readonly biasFree: boolean;
  readonly relu: boolean;
}

/**
 * marginLoss + 4 sqrt((K + ln(6 n G / delta)) / (n - 1)),
 * K = (42 e L B)^2 h ln(4 L h) prod s_i^2 sum_i (|A_i|_F / s_i)^2 / (2 margin^2), G = L n^(1/(2L)) levels of norms.
 * Scaling the layers of f / margin shows that one grid serves all margins.
 */
export const pacBayesMarginBound = (o: PacBayesMarginOptions): GeneralizationBound =>
  stated(
    {
      id: "pac-bayes-margin",
      name: "PAC-Bayes margin bound",
      delta: o.delta,
      hypotheses: [
        ...marginHypotheses(o),
        ["the network is layered and has no biases", o.biasFree],
        ["activations are ReLU", o.relu],
        ["there are at least 2 examples", o.n >= 2],
        ["inputs stay within a known radius", arePositive(o.inputRadius)],
        ...normHypotheses(...o.spectralNorms, ...o.frobeniusNorms),
        [
          "every layer has its norms and its width",
          o.spectralNorms.length === o.frobeniusNorms.length &&
            o.widths.length === o.spectralNorms.length + 1,
        ],
      ],
    },
    () => {
      const L = o.spectralNorms.length;
      const h = Math.max(...o.widths);
      const product = o.spectralNorms.reduce((p, s) => p * s, 1);
      const ranks = o.frobeniusNorms.reduce((sum, f, i) => sum + (f / o.spectralNorms[i]!) ** 2, 0);
      const reach = (42 * Math.E * L * o.inputRadius * product) / o.margin;
      const K = (reach ** 2 * h * Math.log(4 * L * h) * ranks) / 2;
      const levels = Math.ceil(L * o.n ** (1 / (2 * L)));
      return o.marginLoss + 4 * Math.sqrt((K + Math.log((6 * o.n * levels) / o.delta)) / (o.n - 1));
    },
  );
