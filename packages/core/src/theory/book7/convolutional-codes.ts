import { coherenceOf } from "../../sparse/layers/guarantees.ts";
import { acceleratedCode } from "../../sparse/pursuit/code-operator.ts";
import {
  convolutionalDictionary,
  densestStripe,
  explicitDictionary,
  filterCoherence,
} from "../../sparse/pursuit/convolutional.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { layeredThresholding } from "../../sparse/pursuit/multilayer.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C7-06",
  covers: ["C7-06", "C1b-44", "C1b-46"],
  kind: "measure",
  title:
    "Convolutional codes: sparse in every stripe, and found by a threshold where filters are unlike enough",
  source: "Book, chapter 7, (7.6); chapter 1, (1.63) to (1.65); Papyan, Sulam and Elad 2017",
  statement: String.raw`\|\phi\|_{0,\infty} < \tfrac12 \Bigl(1 + \frac{\phi_{\min}}{\mu \phi_{\max}}\Bigr) - \frac{\epsilon}{\mu \phi_{\max}} \;\Rightarrow\; \mu k \phi_{\max} + \epsilon \le b < \phi_{\min} - \mu (k - 1) \phi_{\max} - \epsilon \text{ finds the support}, \; \|\hat\phi - \phi\|_\infty \le \epsilon + \mu (k - 1) \phi_{\max} + b`,
  parameters: {
    length: integer({ min: 8, max: 40, default: 24, label: "numbers of a signal" }),
    taps: integer({ min: 2, max: 4, default: 3, label: "taps of a filter" }),
    filters: integer({ min: 1, max: 3, default: 2, label: "filters" }),
    nonzeros: integer({ min: 1, max: 8, default: 3, label: "nonzeros of the code" }),
    spread: real({ min: 0.5, max: 1, default: 0.8, label: "least entry over the greatest" }),
    noise: real({ min: 0, max: 0.05, default: 0.01, label: "size of the noise" }),
  },
  claims: {
    "<D x, y> - <x, Dᵀ y>": equals("0"),
    "coherence from the filters alone, less that of all atoms": equals("0"),
    "coherence of one filter and more, against the bound of Welch's kind": atLeast("1").looseBy(1.02),
    "a patch, less that of its stripe alone": equals("0"),
    "wrong entries of a threshold, where the stripes are sparse enough": equals("0"),
    "greatest error of its code": atMost(String.raw`\epsilon + \mu (k - 1) \phi_{\max} + b`),
    "stripes of one entry: densest": equals("1"),
    "basis pursuit by operator, less that of all atoms": equals("0"),
    "|D|² of the operator, against the norm that a code shows": atLeast("1"),
  },
  mutants: {
    "shifts of one sign only": {
      "coherence from the filters alone, less that of all atoms": () => 0.05,
    },
    "stripes of a filter's length": { "a patch, less that of its stripe alone": () => 0.1 },
    "no noise": { "greatest error of its code": (_, { theory }) => Number(theory) / 50 },
  },
  run({ length: asked, taps, filters: count, nonzeros, spread, noise }, { random }) {
    const length = Math.max(asked, 2 * taps);
    const entries = random.split("filters").normal(count * taps);
    for (let f = 0; f < count; f++) {
      const own = entries.subarray(f * taps, (f + 1) * taps);
      // One tap stands out, each filter's another one, so that thresholds have something to find.
      own.forEach((v, i) => {
        own[i] = (i === f % taps ? Math.sign(v) : 0.02 * v) * (f >= taps ? v : 1);
      });
      const size = Math.hypot(...own);
      for (let i = 0; i < taps; i++) own[i]! /= size;
    }
    const filters = { filters: count, channels: 1, height: 1, width: taps, entries };
    const rough = { ...filters, entries: random.split("rough").normal(count * taps) };
    const operator = convolutionalDictionary(filters, 1, length);
    const dictionary = explicitDictionary(operator);
    const roughOperator = convolutionalDictionary(rough, 1, length);
    const roughAtoms = explicitDictionary(roughOperator);
    const [x, r] = [random.split("x").normal(operator.count), random.split("r").normal(length)];
    const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, i) => sum + v * b[i]!, 0);
    const floor = count > 1 ? Math.sqrt((count - 1) / (count * (2 * taps - 1) - 1)) : 0;
    // Thresholds.
    const code = sparseCode(operator.count, nonzeros, spread, random.split("code"));
    const k = densestStripe(code, operator.codeShape, 1, taps);
    const mu = coherenceOf(dictionary);
    const v = random
      .split("noise")
      .normal(length)
      .map((e) => noise * e);
    const signal = operator.synthesize(code).map((e, i) => e + v[i]!);
    const epsilon = operator.analyze(v).reduce((m, e) => Math.max(m, Math.abs(e)), 0);
    const sizes = code.filter((e) => e !== 0).map(Math.abs);
    const [least, greatest] = [Math.min(...sizes), Math.max(...sizes)];
    const [above, below] = [mu * k * greatest + epsilon, least - mu * (k - 1) * greatest - epsilon];
    const b = (above + below) / 2;
    const [found] = layeredThresholding([dictionary], signal, [Math.max(b, 0)]);
    const at = random.split("patch").integer(0, length - 1);
    const lambda = 0.3 * roughOperator.analyze(r).reduce((m, e) => Math.max(m, Math.abs(e)), 0);
    const byOperator = acceleratedCode(roughOperator, r, lambda, { gap: 1e-12 });
    const byAtoms = lassoCode(roughAtoms, r, lambda, { gap: 1e-13 });
    const size = dot(r, r) / 2;
    const image = roughOperator.synthesize(x);
    return {
      claims: {
        "<D x, y> - <x, Dᵀ y>": checked(
          dot(roughOperator.synthesize(x), r) - dot(x, roughOperator.analyze(r)),
          0,
          {
            tolerance: 1e-12 * (1 + dot(x, x) + dot(r, r)),
          },
        ),
        "coherence from the filters alone, less that of all atoms": checked(
          filterCoherence(rough, 1, length) - coherenceOf(roughAtoms),
          0,
          { tolerance: 1e-14 },
        ),
        ...(floor > 0 && {
          "coherence of one filter and more, against the bound of Welch's kind": checked(
            coherenceOf(roughAtoms) / floor,
            1,
          ),
        }),
        "a patch, less that of its stripe alone": checked(
          patchAway(roughOperator, x, at, taps, count, length),
          0,
          { tolerance: 1e-14 * (1 + Math.hypot(...x)) },
        ),
        ...(above < below && {
          "wrong entries of a threshold, where the stripes are sparse enough": checked(
            code.reduce((wrong, e, j) => wrong + Number((e !== 0) !== (found![j] !== 0)), 0),
            0,
          ),
          "greatest error of its code": checked(
            code.reduce((m, e, j) => Math.max(m, Math.abs(e - found![j]!)), 0),
            epsilon + mu * (k - 1) * greatest + b,
            { tolerance: 1e-12 },
          ),
        }),
        "stripes of one entry: densest": checked(
          densestStripe(
            Float64Array.from({ length: operator.count }, (_, j) => Number(j === at)),
            operator.codeShape,
            1,
            taps,
          ),
          1,
        ),
        "basis pursuit by operator, less that of all atoms": checked(
          (byOperator.objective - byAtoms.objective) / size,
          0,
          { tolerance: 1e-10 },
        ),
        "|D|² of the operator, against the norm that a code shows": checked(
          (roughOperator.squaredNorm * dot(x, x)) / dot(image, image),
          1,
        ),
      },
    };
  },
});

function sparseCode(
  count: number,
  nonzeros: number,
  spread: number,
  random: { integer(a: number, b: number): number; uniform(): number },
): Float64Array {
  const x = new Float64Array(count);
  for (let k = 0; k < Math.min(nonzeros, count); k++)
    x[random.integer(0, count - 1)] =
      (random.uniform() < 0.5 ? -1 : 1) * (spread + (1 - spread) * random.uniform());
  return x;
}

/** A patch of the signal, less what the 2 n - 1 entries of each channel that touch it make. */
function patchAway(
  operator: ReturnType<typeof convolutionalDictionary>,
  x: Float64Array,
  at: number,
  taps: number,
  filters: number,
  length: number,
): number {
  const stripe = new Float64Array(x.length);
  for (let f = 0; f < filters; f++)
    for (let k = 1 - taps; k < taps; k++) {
      const j = f * length + ((at + k + length) % length);
      stripe[j] = x[j]!;
    }
  const [whole, part] = [operator.synthesize(x), operator.synthesize(stripe)];
  let away = 0;
  for (let i = 0; i < taps; i++)
    away = Math.max(away, Math.abs(whole[(at + i) % length]! - part[(at + i) % length]!));
  return away;
}
