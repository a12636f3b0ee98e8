// Measures from the outputs on examples, from sharpness, from PAC-Bayes bounds with noise as wide as possible, and from gradients.
import {
  type Amount,
  amount,
  type MeasureInput,
  missing,
  noData,
  noHistory,
  noInitial,
  noMargins,
  noSharpness,
  orReason,
  type Row,
} from "./measure-row.ts";
import { type MeasuredValue, magnitudeFloor, type Sharpness } from "./sharpness.ts";

/** Of sharpness: a radius, then a formula of it. */
const ofRadius =
  (pick: (s: Sharpness) => MeasuredValue, use: (radius: number, input: MeasureInput) => number | string) =>
  (input: MeasureInput): Amount => {
    if (input.examples === undefined) return missing(noData);
    if (!input.sharpness) return missing(noSharpness);
    const found = pick(input.sharpness);
    if ("reason" in found) return found;
    const result = use(found.value, input);
    return typeof result === "string" ? missing(result) : amount(result);
  };

/** ln(m / delta) + 10 with the delta = 0.05 that all of them share. */
const confidence = ({ examples = 1 }: MeasureInput): number => Math.log(examples / 0.05) + 10;

const gaussian =
  (fromZero: boolean) =>
  (sigma: number, input: MeasureInput): number | string => {
    const square = fromZero ? input.weightSquare : numberOf(input.distanceSquare);
    return square === undefined ? noInitial : square / (4 * sigma ** 2) + confidence(input);
  };
const boxed =
  (fromZero: boolean) =>
  (alpha: number, input: MeasureInput): number | string => {
    const square = fromZero ? input.weightSquare : numberOf(input.distanceSquare);
    if (square === undefined) return noInitial;
    return (square * Math.log(2 * input.parameters)) / (4 * alpha ** 2) + confidence(input);
  };

const numberOf = (found: MeasuredValue): number | undefined => ("value" in found ? found.value : undefined);

/** (1/4) sum_i ln((eps^2 + (r^2 + extra) |v|^2 / omega) / (eps^2 + r^2 v_i^2)) + ln(m / delta) + 10. */
const byMagnitude =
  (fromZero: boolean, extra: (input: MeasureInput) => number) =>
  (radius: number, input: MeasureInput): number | string => {
    const v = fromZero ? input.weights : input.gone;
    if (!v) return noInitial;
    const mean = v.reduce((s, w) => s + w * w, 0) / v.length;
    const top = magnitudeFloor ** 2 + (radius ** 2 + extra(input)) * mean;
    const sum = v.reduce((s, w) => s + Math.log(top / (magnitudeFloor ** 2 + (radius * w) ** 2)), 0);
    return sum / 4 + confidence(input);
  };

const one = (): number => 1;
const union = (input: MeasureInput): number => 4 * Math.log((2 * input.parameters) / 0.05);

const flatness = (radius: number): number => 1 / radius ** 2;

const given = (v: number | undefined): Amount => (v === undefined ? missing(noData) : amount(v));

/** Steps from the first loss up to `from` to the first one up to `to`. */
function stepsBetween({ history }: MeasureInput, from: number, to: number): Amount {
  const losses = history?.losses;
  if (!losses) return missing(noHistory);
  const [start, end] = [from, to].map((level) => losses.findIndex((loss) => loss <= level)) as [
    number,
    number,
  ];
  return end < 0 ? missing(`the loss never came down to ${to}`) : amount(end - start);
}

/** One row a measure. */
export const sharpnessMeasures: readonly Row[] = [
  [
    "cross-entropy",
    "loss on the examples",
    "function",
    ["data"],
    String.raw`\hat L(w)`,
    "checked",
    (i) => given(i.trainLoss),
  ],
  [
    "neg-entropy",
    "negative entropy of the outputs",
    "function",
    ["data"],
    String.raw`\frac1m \sum_i \sum_k p_k(x_i) \ln p_k(x_i)`,
    "checked",
    (i) =>
      i.examples === undefined
        ? missing(noData)
        : i.entropy === undefined
          ? missing(noMargins)
          : amount(-i.entropy),
  ],
  [
    "fisher-rao",
    "Fisher-Rao norm",
    "function",
    ["data", "sharpness"],
    String.raw`\frac{(d+1)^2}{m} \sum_i \langle w, \nabla_w \ell_i \rangle^2`,
    "checked",
    (i) => {
      if (i.examples === undefined) return missing(noData);
      if (!i.radialSquare) return missing(noSharpness);
      return orReason(i.radialSquare.found, (v) => (i.layers.length + 1) ** 2 * v);
    },
  ],
  [
    "hessian",
    "greatest eigenvalue of the Hessian",
    "sharpness",
    ["data", "sharpness"],
    String.raw`\lambda_{\max}(\nabla^2 \hat L)`,
    "sampled",
    ofRadius(
      (s) => ("reason" in s.hessian ? s.hessian : { value: s.hessian.greatest }),
      (v) => v,
    ),
  ],
  [
    "random-rise",
    "rise of the loss under noise",
    "sharpness",
    ["data", "sharpness"],
    String.raw`E \hat L(w + \sigma z) - \hat L(w)`,
    "sampled",
    ofRadius(
      (s) => ({ value: s.randomRise.rise }),
      (v) => v,
    ),
  ],
  [
    "sharpness-flatness",
    "sharpness",
    "sharpness",
    ["data", "sharpness"],
    String.raw`1 / \alpha^2, \quad \max_{|u_i| \le \alpha} \hat R(w + u) \le \hat R(w) + 0.1`,
    "sampled",
    ofRadius((s) => s.alpha, flatness),
  ],
  [
    "sharpness-orig",
    "sharpness bound from 0",
    "sharpness",
    ["data", "sharpness"],
    String.raw`|w|^2 \ln(2\omega) / (4\alpha^2) + \ln(m/\delta) + 10`,
    "sampled",
    ofRadius((s) => s.alpha, boxed(true)),
  ],
  [
    "sharpness-init",
    "sharpness bound from the start",
    "sharpness",
    ["data", "sharpness", "initial weights"],
    String.raw`|w - w^0|^2 \ln(2\omega) / (4\alpha^2) + \ln(m/\delta) + 10`,
    "sampled",
    ofRadius((s) => s.alpha, boxed(false)),
  ],
  [
    "sharpness-mag-flatness",
    "sharpness by magnitude",
    "sharpness",
    ["data", "sharpness"],
    String.raw`1 / \alpha'^2, \quad |u_i| \le \alpha' |w_i| + 10^{-3}`,
    "sampled",
    ofRadius((s) => s.alphaMagnitude, flatness),
  ],
  [
    "sharpness-mag-orig",
    "sharpness bound by magnitude from 0",
    "sharpness",
    ["data", "sharpness"],
    String.raw`\frac14 \sum_i \ln \frac{\epsilon^2 + (\alpha'^2 + 4 \ln(2\omega/\delta)) |w|^2 / \omega}{\epsilon^2 + \alpha'^2 w_i^2} + \ln(m/\delta) + 10`,
    "sampled",
    ofRadius((s) => s.alphaMagnitude, byMagnitude(true, union)),
  ],
  [
    "sharpness-mag-init",
    "sharpness bound by magnitude from the start",
    "sharpness",
    ["data", "sharpness", "initial weights"],
    String.raw`\text{the same with } w - w^0`,
    "sampled",
    ofRadius((s) => s.alphaMagnitude, byMagnitude(false, union)),
  ],
  [
    "pacbayes-flatness",
    "flatness under noise",
    "PAC-Bayes",
    ["data", "sharpness"],
    String.raw`1 / \sigma^2, \quad E \hat R(w + \sigma z) \le \hat R(w) + 0.1`,
    "sampled",
    ofRadius((s) => s.sigma, flatness),
  ],
  [
    "pacbayes-orig",
    "PAC-Bayes bound from 0",
    "PAC-Bayes",
    ["data", "sharpness"],
    String.raw`|w|^2 / (4\sigma^2) + \ln(m/\delta) + 10`,
    "sampled",
    ofRadius((s) => s.sigma, gaussian(true)),
  ],
  [
    "pacbayes-init",
    "PAC-Bayes bound from the start",
    "PAC-Bayes",
    ["data", "sharpness", "initial weights"],
    String.raw`|w - w^0|^2 / (4\sigma^2) + \ln(m/\delta) + 10`,
    "sampled",
    ofRadius((s) => s.sigma, gaussian(false)),
  ],
  [
    "pacbayes-mag-flatness",
    "flatness under noise by magnitude",
    "PAC-Bayes",
    ["data", "sharpness"],
    String.raw`1 / \sigma'^2, \quad u_i \sim N(0, \sigma'^2 w_i^2 + 10^{-6})`,
    "sampled",
    ofRadius((s) => s.sigmaMagnitude, flatness),
  ],
  [
    "pacbayes-mag-orig",
    "PAC-Bayes bound by magnitude from 0",
    "PAC-Bayes",
    ["data", "sharpness"],
    String.raw`\frac14 \sum_i \ln \frac{\epsilon^2 + (\sigma'^2 + 1) |w|^2 / \omega}{\epsilon^2 + \sigma'^2 w_i^2} + \ln(m/\delta) + 10`,
    "sampled",
    ofRadius((s) => s.sigmaMagnitude, byMagnitude(true, one)),
  ],
  [
    "pacbayes-mag-init",
    "PAC-Bayes bound by magnitude from the start",
    "PAC-Bayes",
    ["data", "sharpness", "initial weights"],
    String.raw`\text{the same with } w - w^0`,
    "sampled",
    ofRadius((s) => s.sigmaMagnitude, byMagnitude(false, one)),
  ],
  [
    "grad-noise-final",
    "variance of the gradients at the end",
    "optimization",
    ["data", "sharpness"],
    String.raw`E |\nabla \ell_i - \nabla \hat L|^2`,
    "sampled",
    ofRadius(
      (s) => s.gradientNoise,
      (v) => v,
    ),
  ],
  [
    "grad-noise-epoch-1",
    "variance of the gradients after an epoch",
    "optimization",
    ["training history"],
    String.raw`E |\nabla \ell_i - \nabla \hat L|^2`,
    "sampled",
    (i) => i.history?.noiseAfterEpoch ?? missing(noHistory),
  ],
  [
    "num-step-0.1",
    "steps to a loss of 0.1",
    "optimization",
    ["training history"],
    String.raw`\min\{t : \hat L(w_t) \le 0.1\}`,
    "checked",
    (i) => stepsBetween(i, Number.POSITIVE_INFINITY, 0.1),
  ],
  [
    "num-step-0.1-to-0.01",
    "steps from 0.1 to 0.01",
    "optimization",
    ["training history"],
    String.raw`\min\{t : \hat L(w_t) \le 0.01\} - \min\{t : \hat L(w_t) \le 0.1\}`,
    "checked",
    (i) => stepsBetween(i, 0.1, 0.01),
  ],
];
