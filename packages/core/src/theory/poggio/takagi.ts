import type { Figure } from "../../figure/figure.ts";
import { selfSimilarSum, takagi } from "../../networks/takagi.ts";
import { triangle, zigzag } from "../../networks/triangle/triangle.ts";
import { abs, add, div, type Exact, max, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import { distanceToQuadratic } from "../../passes/distance.ts";
import { evaluate, linearPieces } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError, grid, unitCurve } from "../line.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "P-04",
  covers: ["P-04"],
  kind: "construction",
  title: "The Takagi class: rough functions with exponential accuracy",
  source: "Poggio 2023, section 6.6",
  statement: String.raw`F = \sum_{k \ge 1} t^k \Delta^{k}, \qquad \sup_{[0,1]} |F - S_m| \le \frac{|t|^{m+1}}{1 - |t|}`,
  parameters: {
    m: integer({ min: 1, max: 8, default: 6, label: "terms" }),
    size: choice(["1/2", "1/16", "1/8", "1/4", "3/8", "5/8", "3/4", "7/8"], { label: "|t|" }),
    sign: choice(["+", "-"], { label: "sign of t" }),
  },
  claims: {
    "error at k / 2^10": atMost(String.raw`\frac{|t|^{m+1}}{1 - |t|}`),
    "error at k / 2^10, as printed": atMost(String.raw`C t^{m+1}, \; C = \frac{1}{1 - |t|}`).printed({
      where: "section 6.6, the rate after equation (1)",
      printed: String.raw`\sigma_{\ell(m+1)}(F,\underline{\Upsilon})_{C[0,1]} \le Ct^{m+1}, \quad |t| < 1`,
      corrected: String.raw`$\sigma_{\ell(m+1)}(F,\underline{\Upsilon})_{C[0,1]} \le C|t|^{m+1}$: for $t < 0$ and even $m$ no error is below a negative number`,
    }),
    "error at x = 1/3": equals(String.raw`\tfrac23 \frac{|t|^{m+1}}{1 - t}`),
    "error at k / 2^10 for Takagi's function, t = 1/2": atMost(String.raw`\tfrac23 2^{-m}`),
    "distance to x (1 - x), t = 1/4": equals("4^{-m-1}"),
    "refinement S_{m+1}(x) = t (D(x) + S_m(D(x))), defect at k / 2^7": equals("0"),
    "hidden units": equals("3m - 1"),
    "hidden layers": equals("m"),
    "error on ONNX Runtime": atMost(String.raw`\frac{|t|^{m+1}}{1 - |t|}`),
    "other maps: error of g = triangle, psi = three teeth": atMost(String.raw`\frac{|t|^{m+1}}{1 - |t|}`),
    "other maps: widths but the first two and the last": equals(String.raw`W_\psi + W_g + 2 = 7`),
    "other maps: hidden layers": equals("m + 1"),
  },
  mutants: {
    "the first term left out twice": {
      "error at k / 2^10": ({ size }, { theory }) => theory * numberOf(size),
    },
    "1 - |t| where the signs alternate": {
      "error at x = 1/3": ({ m, size }) => mul(div(2, 3), tail(numberOf(size), m)),
    },
    "three units in the first layer, too": { "hidden units": ({ m }) => 3 * m },
  },
  async run({ m, size, sign }, { budget }) {
    const t = (sign === "-" ? -1 : 1) * numberOf(size);
    const network = takagi(m, t);
    const partial = linearPieces(network, 0, 1);
    const sum = (x: number) => iteratedSum(t, x);
    const points = grid(2 ** levels);
    // x, t^k and D^k(x) are short dyadic numbers: these sums are exact, and at k / 2^10 all further terms are zero.
    const error = points.reduce<Exact>((worst, x) => max(worst, abs(sub(sum(x), evaluate(partial, x)))), 0);
    const bound = tail(Math.abs(t), m);
    const third: Exact = div(1, 3);
    const next = linearPieces(takagi(m + 1, t), 0, 1);
    const { hiddenUnits, depth } = sizes(network);
    const other = selfSimilarSum({ ratio: t, map: zigzag(3), profile: triangle() }, m);
    const widths = sizes(other).widths;
    return {
      graph: network,
      ...(budget !== "cheap" && { figure: figure(m, t) }),
      claims: {
        "error at k / 2^10": proved(error, bound),
        "error at k / 2^10, as printed": proved(error, div(t ** (m + 1), 1 - Math.abs(t))),
        // D(1/3) = 2/3 = D(2/3): the sum is (2/3) t / (1 - t) there.
        "error at x = 1/3": proved(
          abs(sub(mul(div(2, 3), div(t, 1 - t)), evaluate(partial, third))),
          mul(div(2, 3), abs(tail(t, m))),
        ),
        ...(t === 1 / 2 && {
          "error at k / 2^10 for Takagi's function, t = 1/2": proved(error, div(2, 3 * 2 ** m)),
        }),
        "distance to x (1 - x), t = 1/4": proved(
          distanceToQuadratic(linearPieces(takagi(m, 1 / 4), 0, 1), [0, 1, -1]).sup,
          4 ** -(m + 1),
        ),
        "refinement S_{m+1}(x) = t (D(x) + S_m(D(x))), defect at k / 2^7": proved(
          grid(2 ** 7).reduce<Exact>((worst, x) => {
            const refined = mul(t, add(fold(x), evaluate(partial, fold(x))));
            return max(worst, abs(sub(evaluate(next, x), refined)));
          }, 0),
          0,
        ),
        "hidden units": checked(hiddenUnits!, 3 * m - 1),
        "hidden layers": checked(depth, m),
        "error on ONNX Runtime": sampled(await greatestError(network, points, sum), bound),
        "other maps: error of g = triangle, psi = three teeth": sampled(
          await greatestError(other, grid(500), (x) => iteratedSum(t, x, teeth, fold, 240)),
          bound,
          { tolerance: 1e-12 }, // the points are rounded, and psi triples that error at each of the m terms
        ),
        ...(m > 2 && {
          "other maps: widths but the first two and the last": checked(
            widths.slice(2, -1).reduce<number>((a, w) => Math.max(a, w!), 0),
            7,
          ),
        }),
        "other maps: hidden layers": checked(sizes(other).depth, m + 1),
      },
    };
  },
});

const levels = 10;

const numberOf = (quotient: string): number => {
  const [top, bottom] = quotient.split("/").map(Number);
  return top! / bottom!;
};

/** t^{m+1} / (1 - t). */
const tail = (t: number, m: number): Exact => div(t ** (m + 1), 1 - t);

const fold = (x: number): number => 1 - Math.abs(2 * x - 1);
/** The zigzag with three teeth. */
const teeth = (x: number): number => {
  const z = 3 * x;
  return z <= 1 ? z : z <= 2 ? 2 - z : z - 2;
};

/** sum_{k>=1} t^k g(psi^k(x)), up to a number of terms that leaves nothing: psi^k(x) = 0, or t^k below rounding. */
function iteratedSum(t: number, x: number, psi = fold, g = (y: number) => y, terms = levels + 1): number {
  let [sum, point] = [0, x];
  for (let k = 1; k <= terms; k++) {
    point = psi(point);
    sum += t ** k * g(point);
  }
  return sum;
}

function figure(m: number, t: number): Figure {
  const terms = [1, 2, 3, 4, 5, 6, 7, 8];
  const errorOf = (n: number): number => {
    const partial = linearPieces(takagi(n, t), 0, 1);
    return Math.max(...grid(1024).map((x) => Math.abs(iteratedSum(t, x) - toNumber(evaluate(partial, x)))));
  };
  return {
    title: `A member of the Takagi class, t = ${t}: ${m} terms with ${3 * m - 1} units`,
    panels: [
      {
        title: "The function and its networks",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "F", mark: "line", role: "theory", points: grid(1024).map((x) => [x, iteratedSum(t, x)]) },
          { name: `S, m = ${m}`, mark: "line", points: unitCurve(takagi(m, t)) },
          { name: "S, m = 2", mark: "line", points: unitCurve(takagi(2, t)) },
        ],
      },
      {
        title: "Error against hidden units",
        x: { label: "hidden units" },
        y: { label: "sup error", scale: "log" },
        series: [
          { name: "measured at k / 1024", mark: "dots", points: terms.map((n) => [3 * n - 1, errorOf(n)]) },
          {
            name: "theory: |t|^(m+1) / (1 - |t|)",
            mark: "line",
            role: "theory",
            points: terms.map((n) => [3 * n - 1, Math.abs(t) ** (n + 1) / (1 - Math.abs(t))]),
          },
        ],
      },
    ],
  };
}
