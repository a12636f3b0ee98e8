// Measures from parameters, norms, distances and margins.
import type { LayerMeasures } from "./layer-values.ts";
import {
  type Amount,
  amount,
  type MeasureInput,
  missing,
  noData,
  noInitial,
  noMargins,
  orReason,
  type Row,
} from "./measure-row.ts";

/** ln of the product of squared norms. */
const logProduct = (layers: readonly LayerMeasures[], norm: (l: LayerMeasures) => number): number =>
  layers.reduce((sum, l) => sum + 2 * Math.log(norm(l)), 0);
const spectralOf = (l: LayerMeasures): number => l.spectral.value;
const frobeniusOf = (l: LayerMeasures): number => l.frobenius;
/** Of the operator, as its spectral norm is: over the kernel's, a ratio of the two would be of two different matrices. */
const operatorFrobenius = (l: LayerMeasures): number => l.toeplitz?.frobenius ?? l.frobenius;

/** ln gamma^2, where gamma is positive. */
function logMargin({ margins, examples }: MeasureInput): number | string {
  if (examples === undefined) return noData;
  if (!margins) return noMargins;
  return margins.q10 > 0
    ? 2 * Math.log(margins.q10)
    : `the margin that a tenth do not exceed is ${margins.q10.toPrecision(3)}, not positive`;
}

/** exp(log) / gamma^2. */
function overMargin(input: MeasureInput, log: number, root = 1, factor = 1): Amount {
  const gamma = logMargin(input);
  return typeof gamma === "string" ? missing(gamma) : { log: Math.log(factor) + (log - gamma) / root };
}

const hasLayers =
  (use: (input: MeasureInput) => Amount) =>
  (input: MeasureInput): Amount =>
    input.layers.length > 0 ? use(input) : missing("no linear layer was found");

/** ln of sum_j |A_j - A_j^0|_F^2 / |A_j|_2^2, A_j the operator of a layer. */
function logDistanceRatio(layers: readonly LayerMeasures[], fromZero: boolean): number | undefined {
  const parts = layers.map((l) =>
    fromZero ? operatorFrobenius(l) : (l.fromInitial?.operatorFrobenius ?? l.fromInitial?.frobenius),
  );
  if (parts.some((p) => p === undefined)) return undefined;
  return Math.log(parts.reduce<number>((sum, p, k) => sum + (p! / layers[k]!.spectral.value) ** 2, 0));
}

const spectralComplexity = (fromZero: boolean) =>
  hasLayers((input) => {
    const ratio = logDistanceRatio(input.layers, fromZero);
    if (ratio === undefined) return missing(noInitial);
    return overMargin(input, logProduct(input.layers, spectralOf) + ratio);
  });

function distances(
  { layers }: MeasureInput,
  pick: (d: NonNullable<LayerMeasures["fromInitial"]>) => number,
): Amount {
  const all = layers.map((l) => l.fromInitial);
  if (all.some((d) => !d)) return missing(noInitial);
  return amount(all.reduce((s, d) => s + pick(d!) ** 2, 0));
}

const meanProduct = ({ layers }: MeasureInput, norm: (l: LayerMeasures) => number): Amount => ({
  log: Math.log(layers.length) + logProduct(layers, norm) / layers.length,
});

/** One row a measure. */
export const normMeasures: readonly Row[] = [
  [
    "params",
    "parameters",
    "parameters",
    ["weights"],
    String.raw`\omega`,
    "checked",
    (i) => amount(i.parameters),
  ],
  [
    "vc-dim",
    "order of the VC dimension of the architecture",
    "parameters",
    ["weights"],
    String.raw`\omega d \ln \omega`,
    "checked",
    (i) => amount(i.vcDimension),
  ],
  [
    "l2",
    "norm of the weights",
    "norms",
    ["weights"],
    "|w|_2",
    "checked",
    (i) => amount(Math.sqrt(i.weightSquare)),
  ],
  [
    "l2-dist",
    "distance from the start",
    "distance",
    ["initial weights"],
    "|w - w^0|_2",
    "checked",
    (i) => orReason(i.distanceSquare, Math.sqrt),
  ],
  [
    "param-norm",
    "sum of squared Frobenius norms",
    "norms",
    ["weights"],
    String.raw`\sum_i |W_i|_F^2`,
    "checked",
    hasLayers((i) => amount(i.layers.reduce((s, l) => s + l.frobenius ** 2, 0))),
  ],
  [
    "fro-dist",
    "Frobenius distance from the start",
    "distance",
    ["initial weights"],
    String.raw`\sum_i |W_i - W_i^0|_F^2`,
    "checked",
    hasLayers((i) => distances(i, (d) => d.frobenius)),
  ],
  [
    "dist-spec-init",
    "spectral distance from the start",
    "distance",
    ["initial weights"],
    String.raw`\sum_i |W_i - W_i^0|_2^2`,
    "checked",
    hasLayers((i) => distances(i, (d) => d.spectral)),
  ],
  [
    "prod-of-spec",
    "product of spectral norms",
    "norms",
    ["weights"],
    String.raw`\prod_i |W_i|_2^2`,
    "checked",
    hasLayers((i) => ({ log: logProduct(i.layers, spectralOf) })),
  ],
  [
    "prod-of-spec-over-margin",
    "product of spectral norms over margin",
    "margin",
    ["weights", "margins"],
    String.raw`\prod_i |W_i|_2^2 / \gamma^2`,
    "checked",
    hasLayers((i) => overMargin(i, logProduct(i.layers, spectralOf))),
  ],
  [
    "sum-of-spec",
    "geometric mean of spectral norms, d times",
    "norms",
    ["weights"],
    String.raw`d (\prod_i |W_i|_2^2)^{1/d}`,
    "checked",
    hasLayers((i) => meanProduct(i, spectralOf)),
  ],
  [
    "sum-of-spec-over-margin",
    "geometric mean of spectral norms over margin, d times",
    "margin",
    ["weights", "margins"],
    String.raw`d (\prod_i |W_i|_2^2 / \gamma^2)^{1/d}`,
    "checked",
    hasLayers((i) => overMargin(i, logProduct(i.layers, spectralOf), i.layers.length, i.layers.length)),
  ],
  [
    "prod-of-fro",
    "product of Frobenius norms",
    "norms",
    ["weights"],
    String.raw`\prod_i |W_i|_F^2`,
    "checked",
    hasLayers((i) => ({ log: logProduct(i.layers, frobeniusOf) })),
  ],
  [
    "prod-of-fro-over-margin",
    "product of Frobenius norms over margin",
    "margin",
    ["weights", "margins"],
    String.raw`\prod_i |W_i|_F^2 / \gamma^2`,
    "checked",
    hasLayers((i) => overMargin(i, logProduct(i.layers, frobeniusOf))),
  ],
  [
    "sum-of-fro",
    "geometric mean of Frobenius norms, d times",
    "norms",
    ["weights"],
    String.raw`d (\prod_i |W_i|_F^2)^{1/d}`,
    "checked",
    hasLayers((i) => meanProduct(i, frobeniusOf)),
  ],
  [
    "sum-of-fro-over-margin",
    "geometric mean of Frobenius norms over margin, d times",
    "margin",
    ["weights", "margins"],
    String.raw`d (\prod_i |W_i|_F^2 / \gamma^2)^{1/d}`,
    "checked",
    hasLayers((i) => overMargin(i, logProduct(i.layers, frobeniusOf), i.layers.length, i.layers.length)),
  ],
  [
    "fro-over-spec",
    "sum of stable ranks, of convolutions as operators",
    "norms",
    ["weights"],
    String.raw`\sum_i |A_i|_F^2 / |A_i|_2^2`,
    "checked",
    hasLayers((i) =>
      amount(i.layers.reduce((s, l) => s + (operatorFrobenius(l) / l.spectral.value) ** 2, 0)),
    ),
  ],
  [
    "spec-init-main",
    "spectral complexity from the start",
    "distance",
    ["initial weights", "margins"],
    String.raw`\gamma^{-2} \prod_i |A_i|_2^2 \sum_j |A_j - A_j^0|_F^2 / |A_j|_2^2`,
    "checked",
    spectralComplexity(false),
  ],
  [
    "spec-orig-main",
    "spectral complexity",
    "margin",
    ["weights", "margins"],
    String.raw`\gamma^{-2} \prod_i |A_i|_2^2 \sum_j |A_j|_F^2 / |A_j|_2^2`,
    "checked",
    spectralComplexity(true),
  ],
  [
    "path-norm",
    "squared path norm, normalizations folded",
    "norms",
    ["weights"],
    String.raw`\sum_k \sum_{\text{paths to } k} \prod_e w_e^2`,
    "checked",
    (i) => orReason(i.pathSquare, (v) => v),
  ],
  [
    "path-norm-over-margin",
    "squared path norm over margin, normalizations folded",
    "margin",
    ["weights", "margins"],
    String.raw`\gamma^{-2} \sum_k \sum_{\text{paths to } k} \prod_e w_e^2`,
    "checked",
    (i) => ("reason" in i.pathSquare ? i.pathSquare : overMargin(i, Math.log(i.pathSquare.value))),
  ],
  [
    "inverse-margin",
    "inverse squared margin",
    "margin",
    ["margins"],
    String.raw`\gamma^{-2}`,
    "checked",
    (i) => overMargin(i, 0),
  ],
];
