import { analyze, residualOf, squaredNormAbove } from "../../sparse/pursuit/dictionary.ts";
import { gradientMapping } from "../../sparse/pursuit/gradient-mapping.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { rectifiedThreshold, softThreshold } from "../../sparse/pursuit/thresholds.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { normalDictionary } from "./draws.ts";

export default lemma({
  id: "C7-17",
  covers: ["C7-17"],
  kind: "measure",
  title: "The gradient mapping: 0 at minimizers alone, and as good as a gradient",
  source: "Book, chapter 7, (7.25); Beck 2017",
  statement: String.raw`G(x) = L \bigl(x - \operatorname{prox}_{g/L}(x - \nabla f(x) / L)\bigr), \qquad \langle G(x) - G(x'), x - x' \rangle \ge \frac{3}{4 L} \|G(x) - G(x')\|^2`,
  parameters: {
    n: integer({ min: 1, max: 12, default: 6, label: "numbers of a signal" }),
    atoms: integer({ min: 1, max: 16, default: 8, label: "atoms" }),
    share: real({
      min: 0.02,
      max: 0.95,
      default: 0.3,
      label: "λ, as a share of the least one whose code is 0",
    }),
    sign: choice(["any", "nonnegative"], { label: "codes" }),
    far: real({ min: 0.01, max: 3, default: 1, label: "size of the points" }),
  },
  claims: {
    "G without a penalty, less the gradient": equals("0"),
    "|G| at the minimizer, of that at 0": equals("0"),
    "<G(x) - G(x'), x - x'> L / |G(x) - G(x')|²": atLeast("3/4"),
    "|G|, twice: by the step that it is": equals("0"),
    "one number, f = x² / 2 and g = |x| at x = 1/2": equals("1/2"),
    "the least of that quotient, over a grid of one number": equals("1"),
  },
  mutants: {
    "cocoercive with the constant of a gradient": {
      "<G(x) - G(x'), x - x'> L / |G(x) - G(x')|²": () => 2,
    },
    "no threshold": { "one number, f = x² / 2 and g = |x| at x = 1/2": () => 1 },
    "a step of twice the length": { "|G|, twice: by the step that it is": () => 0.1 },
  },
  run({ n, atoms, share, sign, far }, { random }) {
    const nonnegative = sign === "nonnegative";
    const dictionary = normalDictionary(n, atoms, random.split("D"));
    const y = random.split("y").normal(n);
    const correlations = analyze(dictionary, y);
    const greatest = correlations.reduce((m, v) => Math.max(m, nonnegative ? v : Math.abs(v)), 1e-3);
    const lambda = share * greatest;
    const L = squaredNormAbove(dictionary);
    const slope = (x: Float64Array): Float64Array =>
      analyze(dictionary, residualOf(dictionary, y, x)).map((v) => -v);
    const cut = nonnegative ? rectifiedThreshold : softThreshold;
    const mapping = (x: Float64Array): Float64Array =>
      gradientMapping(x, slope, (v, step) => v.map((e) => cut(e, step * lambda)), L);
    const points = Array.from({ length: 12 }, (_, k) =>
      random
        .split(`point ${k}`)
        .normal(atoms)
        .map((v) => far * (nonnegative ? Math.abs(v) : v)),
    );
    const [point] = points as [Float64Array];
    const minimizer = lassoCode(dictionary, y, lambda, { gap: 1e-15, nonnegative }).x;
    const step = slope(point);
    const next = point.map((v, j) => cut(v - step[j]! / L, lambda / L));
    const plain = gradientMapping(point, slope, (v) => v, L);
    const quotients = points.slice(1).map((other, k) => quotient(points[k]!, other, mapping, L));
    const shrink = (x: number): number =>
      gradientMapping(
        Float64Array.of(x),
        (v) => v,
        (v, t) => v.map((e) => softThreshold(e, t)),
        1,
      )[0]!;
    return {
      claims: {
        "G without a penalty, less the gradient": checked(farthest(plain, step), 0, {
          tolerance: 1e-12 * (1 + L * far),
        }),
        // The gap of the minimizer is 1e-15 of the signal's, and G at most the root of 2 L times it.
        "|G| at the minimizer, of that at 0": checked(
          lengthOf(mapping(minimizer)) / Math.max(lengthOf(mapping(new Float64Array(atoms))), 1e-9),
          0,
          { tolerance: 1e-5 },
        ),
        "<G(x) - G(x'), x - x'> L / |G(x) - G(x')|²": checked(Math.min(...quotients), 0.75),
        "|G|, twice: by the step that it is": checked(
          farthest(
            mapping(point),
            point.map((v, j) => L * (v - next[j]!)),
          ),
          0,
          { tolerance: 1e-12 * (1 + L * far) },
        ),
        "one number, f = x² / 2 and g = |x| at x = 1/2": checked(shrink(0.5), 0.5),
        "the least of that quotient, over a grid of one number": checked(leastOnGrid(shrink), 1),
      },
    };
  },
});

const lengthOf = (x: Float64Array): number => Math.hypot(...x);
const farthest = (a: Float64Array, b: Float64Array): number =>
  a.reduce((m, v, i) => Math.max(m, Math.abs(v - b[i]!)), 0);

function quotient(
  a: Float64Array,
  b: Float64Array,
  mapping: (x: Float64Array) => Float64Array,
  L: number,
): number {
  const [ga, gb] = [mapping(a), mapping(b)];
  const square = ga.reduce((sum, v, j) => sum + (v - gb[j]!) ** 2, 0);
  if (square === 0) return Number.POSITIVE_INFINITY;
  return (L * ga.reduce((sum, v, j) => sum + (v - gb[j]!) * (a[j]! - b[j]!), 0)) / square;
}

/** With f = x^2 / 2 the proximal step forgets x: G(x) = x, and the quotient is 1. */
function leastOnGrid(mapping: (x: number) => number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = -8; i <= 8; i++)
    for (let j = -8; j < i; j++) {
      const [a, b] = [mapping(i / 4), mapping(j / 4)];
      if (a !== b) least = Math.min(least, ((a - b) * (i - j)) / 4 / (a - b) ** 2);
    }
  return least;
}
