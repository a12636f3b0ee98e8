import type { Figure } from "../../figure/figure.ts";
import { certified } from "../../networks/circuit/certified.ts";
import { uniformLevels } from "../../networks/circuit/levels.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { type Layout, monomial, productOf } from "../../networks/monomial.ts";
import { polynomial, polynomialCircuit } from "../../networks/polynomial/polynomial.ts";
import { univariate, valueAt } from "../../networks/polynomial/terms.ts";
import { distanceToProduct, valueExactly } from "../../networks/product/distance.ts";
import { multiplication, polarizedMultiplication } from "../../networks/product/product.ts";
import { antidiagonalGrid, diamondGrid } from "../../networks/product/triangulation.ts";
import { abs, div, max } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { distance } from "../../passes/distance.ts";
import { linearPieces } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { exactProductOfPoint, greatestErrorExactly, type Point, valuesAt } from "../telgarsky/plane.ts";

export default lemma({
  id: "C1a-52",
  covers: ["C1a-52"],
  kind: "construction",
  title: "Products of many factors, monomials and polynomials",
  source: "Mathematical Aspects of Deep Learning, Section 1.5.2 (Theorem 1.25)",
  statement: String.raw`\tilde\times(x,y) = B^2\left[\mathrm{sq}_n\left(\tfrac{|x+y|}{2B}\right) - \mathrm{sq}_n\left(\tfrac{|x-y|}{2B}\right)\right], \qquad \left|x_1 \tilde\times \cdots \tilde\times x_q - x_1 \cdots x_q\right| \le (q-1) 4^{-n-1}`,
  parameters: {
    n: integer({ min: 1, max: 5, default: 4, label: "levels" }),
    q: integer({ min: 2, max: 8, default: 5, label: "factors" }),
    layout: choice(["tree", "chain"], { label: "order of the products" }),
    B: integer({ min: 1, max: 4, default: 2, label: "bound of two factors" }),
    digits: integer({ min: 1, max: 12, default: 6, label: "digits of the polynomial" }),
  },
  claims: {
    "two factors, error": equals("B^2 4^{-n-1}"),
    "two factors, hidden layers": equals("n + 1"),
    "two factors, greatest width": equals(String.raw`6 \; (n \ge 2), \; 4 \; (n = 1)`),
    "three-term form, times worse": equals("4"),
    "q factors, certified error": equals("(q-1) 4^{-n-1}"),
    "q factors, error on ONNX Runtime": atMost(
      String.raw`(q-1) 4^{-n-1} \text{ and the certified rounding of the run}`,
    ),
    "q factors, greatest size": atMost("1"),
    "q factors, one of them zero": equals("0"),
    "q factors, hidden layers": equals(
      String.raw`\lceil \log_2 q \rceil (n+1) \text{ (tree)}, \; (q-1)(n+1) \text{ (chain)}`,
    ),
    "units of the tree": atMost(String.raw`\text{those of the chain}`),
    "x^q, greatest error": atMost("(q-1) 4^{-n-1}"),
    "polynomial, certified error at n levels": atMost(String.raw`\sum_k |c_k| (k-1)_+ 4^{-n-1}`),
    "polynomial, certified error": atMost(String.raw`\varepsilon = 10^{-\text{digits}}`),
    "polynomial, certified error of a run in f64": atMost(String.raw`\varepsilon`),
    "polynomial, error on ONNX Runtime": atMost(String.raw`\text{the certified error of a run in f64}`),
  },
  mutants: {
    "B for its square": { "two factors, error": ({ n, B }) => B * 4 ** -(Math.min(n, exactLevels) + 1) },
    "only the last product's error counted": { "x^q, greatest error": ({ n }) => 4 ** -(n + 1) },
    "q for q - 1": { "q factors, certified error": ({ n, q }) => q * 4 ** -(n + 1) },
  },
  async run({ n, q, layout, B, digits }, { budget, random, scale, progress }) {
    const two = distanceOfTwo(Math.min(n, exactLevels), B);
    const pair = sizes(multiplication(n, { bound: B }));
    const made = { tree: productOf(q, { levels: n }), chain: productOf(q, { levels: n, layout: "chain" }) };
    const { network, error, runError } = made[layout];
    const bound = (q - 1) * 4 ** -(n + 1);
    await progress(0.3);
    const points = adversaries(random, q, n, scale(2000));
    const values = await valuesAt(network, points);
    const coefficients = Array.from({ length: q + 1 }, () => (2 * random.uniform() - 1) / (q + 1));
    const terms = univariate(coefficients);
    const eps = 10 ** -digits;
    const compiled = polynomial(terms, { eps });
    await progress(0.6);
    const atN = polynomialCircuit(terms, 0, { normalization: "centre" });
    const weights = coefficients.reduce((sum, c, k) => sum + Math.abs(c) * Math.max(0, k - 1), 0);
    const line = points.map(([x]) => [x!]);
    return {
      graph: network,
      figure: budget === "cheap" ? undefined : await figure(q, n),
      claims: {
        "two factors, error": proved(two.sup, B ** 2 * 4 ** -(Math.min(n, exactLevels) + 1)),
        "two factors, hidden layers": checked(pair.depth, n + 1),
        "two factors, greatest width": checked(Math.max(...pair.widths.map((w) => w!)), n === 1 ? 4 : 6),
        "three-term form, times worse": proved(two.ratio, 4),
        "q factors, certified error": proved(error, bound),
        "q factors, error on ONNX Runtime": sampled(
          await greatestErrorExactly(network, points, exactProductOfPoint),
          runError,
        ),
        // Tolerance: what rounding adds to the network's values at most.
        "q factors, greatest size": sampled(
          values.reduce((most, y) => Math.max(most, Math.abs(y)), 0),
          1,
          { tolerance: runError - error },
        ),
        "q factors, one of them zero": sampled(
          greatestAtZero(network, points.slice(0, scale(60)), random),
          0,
        ),
        "q factors, hidden layers": checked(sizes(network).depth, stagesOf(q, layout) * (n + 1)),
        "units of the tree": checked(made.tree.units, made.chain.units),
        ...powerError(q, n),
        // Tolerance: the certificate is rounded outward, and includes the rounding of the output's constant.
        "polynomial, certified error at n levels": checked(
          certified(atN, uniformLevels(atN, n)).error,
          weights * 4 ** -(n + 1),
          { tolerance: 2 ** -48 },
        ),
        "polynomial, certified error": proved(compiled.error, eps),
        "polynomial, certified error of a run in f64": proved(compiled.runError, eps),
        "polynomial, error on ONNX Runtime": sampled(
          await greatestErrorExactly(compiled.network, line, (x) => valueAt(terms, x)),
          compiled.runError,
        ),
      },
    };
  },
});

/** The exact distance in the plane has 4^levels cells to look at. */
const exactLevels = 3;

const stagesOf = (q: number, layout: Layout): number =>
  layout === "chain" ? q - 1 : Math.ceil(Math.log2(q));

/** The exact error of two factors, and how many times greater that of the three-term form is. */
function distanceOfTwo(levels: number, bound: number) {
  const { sup } = distanceToProduct(multiplication(levels, { bound }), diamondGrid(bound, 2 ** levels));
  const three = polarizedMultiplication(levels, { bound });
  const worse = distanceToProduct(three, antidiagonalGrid(-bound, bound, 2 ** levels));
  return { sup, ratio: div(worse.sup, sup) };
}

/** Points near the corners, where errors add up, with many middles of the squares' pieces among them. */
const adversaries = (random: Random, q: number, n: number, count: number): Point[] =>
  Array.from({ length: count }, (_, k) =>
    Array.from({ length: q }, () => {
      const sign = random.uniform() < 0.5 ? -1 : 1;
      const size = k % 2 ? 1 - random.uniform() ** 3 / 4 : random.uniform();
      return sign * (k % 4 < 2 ? Math.round(size * 2 ** (n + 1)) / 2 ** (n + 1) : size);
    }),
  );

/** The greatest size of the network, in exact arithmetic, where one factor is zero. */
function greatestAtZero(
  network: Parameters<typeof valueExactly>[0],
  points: readonly Point[],
  random: Random,
) {
  return points
    .map((x) => {
      const zero = Math.floor(random.uniform() * x.length);
      const rounded = x.map((c, k) => (k === zero ? 0 : Math.round(c * 256) / 256)); // short, to be quick
      return abs(valueExactly(network, rounded));
    })
    .reduce(max, 0);
}

/** sup |network - x^q| on [-1, 1] by exact pieces, where these are few. */
function powerError(q: number, n: number) {
  if (stagesOf(q, "tree") * n > 6) return {};
  const pieces = linearPieces(monomial([q], { levels: n }).network, -1, 1);
  const target = Array.from({ length: q + 1 }, (_, k) => (k === q ? 1 : 0));
  const { sup } = distance(pieces, target);
  return { "x^q, greatest error": proved(sup.upper, (q - 1) * 4 ** -(n + 1)) };
}

async function figure(q: number, n: number): Promise<Figure> {
  const counts = Array.from({ length: 7 }, (_, k) => k + 2);
  const grid = Array.from({ length: 401 }, (_, k) => -1 + k / 200);
  const { network, error } = monomial([q], { levels: n });
  const values = await valuesAt(
    network,
    grid.map((x) => [x]),
  );
  const layersOf = (k: number, layout: Layout): number =>
    complexity(productOf(k, { levels: n, layout }).network).layers - 1;
  const unitsOf = (k: number, layout: Layout): number => productOf(k, { levels: n, layout }).units;
  return {
    title: `Products of many factors, ${n} levels a product`,
    panels: [
      {
        title: `Error of the network for x^${q}`,
        x: { label: "x" },
        y: { label: `network - x^${q}` },
        series: [
          { name: "error", mark: "line", points: grid.map((x, k) => [x, values[k]! - x ** q]) },
          ...[1, -1].map((s) => ({
            name: `theory: ${s < 0 ? "-" : ""}(q-1) 4^(-n-1)`,
            mark: "line" as const,
            role: "theory" as const,
            points: [-1, 1].map((x) => [x, s * error] as const),
          })),
        ],
      },
      {
        title: "Depth: chain or tree",
        x: { label: "factors" },
        y: { label: "hidden layers" },
        series: (["chain", "tree"] as const).map((layout) => ({
          name: layout,
          mark: "line",
          points: counts.map((k) => [k, layersOf(k, layout)] as const),
        })),
      },
      {
        title: "Units: chain or tree",
        x: { label: "factors" },
        y: { label: "hidden units" },
        series: (["chain", "tree"] as const).map((layout) => ({
          name: layout,
          mark: "line",
          points: counts.map((k) => [k, unitsOf(k, layout)] as const),
        })),
      },
    ],
  };
}
