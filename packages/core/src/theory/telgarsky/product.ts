import { type Figure, type Panel, power } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { affine, compose, linearCombination } from "../../networks/calculus/calculus.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { distanceToProduct } from "../../networks/product/distance.ts";
import { multiplication, product, signedProduct } from "../../networks/product/product.ts";
import { antidiagonalGrid } from "../../networks/product/triangulation.ts";
import { square } from "../../networks/square/square.ts";
import { max } from "../../numbers/exact/rational.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { gapCurve, greatestError, lattice, productOfPoint, slice, supOf, valuesAt } from "./plane.ts";

/** Beyond this many levels the printed network's error is not proved over the square (it is only a counterexample). */
const printedLevels = 4;

export default lemma({
  id: "T-28",
  covers: ["T-28"],
  kind: "construction",
  title: "Products from three squares, exactly zero on the axes",
  source: "Telgarsky, Corollary 4.3",
  statement: String.raw`\mathrm{prod}_i(x,y) = 2\left[h_i\left(\tfrac{x+y}{2}\right) - h_i\left(\tfrac{x}{2}\right) - h_i\left(\tfrac{y}{2}\right)\right], \qquad -4^{-i} \le \mathrm{prod}_i(x,y) - xy \le 0`,
  parameters: {
    i: integer({ min: 1, max: 6, default: 4, label: "levels" }),
    B: integer({ min: 1, max: 5, default: 1, label: "bound of the factors" }),
    sign: choice(["unsigned", "signed"], { label: "factors" }),
  },
  claims: {
    "least error": equals("-B^2 4^{-i}"),
    "greatest error (one-sided)": equals("0"),
    "on the axes": equals("0"),
    "least value": equals(String.raw`0 \text{ or, signed, } -B^2`),
    "greatest value": equals("B^2"),
    "least slope (monotone)": atLeast("0"),
    "area of the proof": equals(String.raw`B^2 \text{ or, signed, } 4 B^2`),
    "hidden units": equals(String.raw`7i - 1 \text{ or, signed, } 7i + 5`),
    "hidden layers": equals(String.raw`i \text{ or, signed, } i + 1`),
    "error on ONNX Runtime": equals("B^2 4^{-i}"),
    "axes on ONNX Runtime": equals("0"),
    "printed network, nodes": atMost("16i").printed().looseBy(1.7),
    "printed network, layers": atMost("3i").printed().looseBy(1.4),
    "printed network on the axes": equals("0").printed({
      where:
        "proof of Corollary 4.3; again in the proof of Lemma 5.3, on which the local supports of Lemma 5.5 rest",
      printed: String.raw`$g_i(x, x') = \frac{1}{2} (4h_i((x + x')/2) - h_i(x) - h_i(x'))$ [...] since $h_i(x) = 0$ when $x = 0$ and $h_i(x') = 0$ when $x' = 0$, then $g_i(x, x') = 0$ when either $x = 0$ or $x' = 0$ (or both)`,
      corrected: String.raw`$g_i(x, 0) = \Delta^i(x) / (2 \cdot 4^i)$, since $4 h_i(x/2) = h_{i-1}(x)$; all squares on one scale, $2 (h_i((x + x')/2) - h_i(x/2) - h_i(x'/2))$, give 0 there`,
    }),
    "printed network on the axes, in truth": equals("4^{-i} / 2"),
    "printed network, least error": equals("-4^{-i} / 4"),
    "printed network, greatest error": equals("4^{-i} / 2"),
  },
  mutants: {
    "the error of one square": { "least error": ({ i, B }) => -(B ** 2) * 4 ** -(i + 1) },
    "a level lost": ({ i }) => ({ i: i - 1 }),
    "an accumulator for each square": {
      "hidden units": ({ i, sign }) => (sign === "signed" ? 9 * i + 3 : 9 * i - 3),
    },
  },
  async run({ i, B, sign }, { budget, random, scale, progress }) {
    const signed = sign === "signed";
    const network = signed ? signedProduct(i, { bound: B }) : product(i, { bound: B });
    const lowest = signed ? -B : 0;
    // The network bends on lines x, y, x + y = 2 B k / 2^i.
    const found = distanceToProduct(network, antidiagonalGrid(lowest, B, signed ? 2 ** i : 2 ** (i - 1)));
    await progress(0.5);
    const [onX, onY] = [slice(network, [1, 0], [0, 0], lowest, B), slice(network, [0, 1], [0, 0], lowest, B)];
    const { hiddenUnits, depth } = sizes(network);
    const corners = lattice(lowest, B, signed ? 2 ** (i + 1) : 2 ** i); // halves of the cells: where the error is greatest
    const axes = Array.from({ length: scale(200) }, (_, k) => {
      const t = lowest + (B - lowest) * random.uniform();
      return k % 2 ? [t, 0] : [0, t];
    });
    const printed = printedProduct(i);
    const printedSizes = sizes(printed);
    const printedError =
      i <= printedLevels ? distanceToProduct(printed, antidiagonalGrid(0, 1, 2 ** i)) : undefined;
    const printedOnAxis = supOf(slice(printed, [1, 0], [0, 0], 0, 1));
    return {
      graph: network,
      figure: budget === "cheap" ? undefined : figure(i),
      claims: {
        "least error": proved(found.least, -(B ** 2) * 4 ** -i),
        "greatest error (one-sided)": proved(found.greatest, 0),
        "on the axes": proved(max(supOf(onX), supOf(onY)), 0),
        "least value": proved(found.leastValue, signed ? -(B ** 2) : 0),
        "greatest value": proved(found.greatestValue, B ** 2),
        ...(signed ? {} : { "least slope (monotone)": proved(found.leastSlope, 0) }),
        "area of the proof": proved(found.area, (B - lowest) ** 2),
        "hidden units": checked(hiddenUnits!, signed ? 7 * i + 5 : 7 * i - 1),
        "hidden layers": checked(depth, signed ? i + 1 : i),
        // The points are dyadic with few digits, so that the runtime does not round.
        "error on ONNX Runtime": sampled(
          await greatestError(network, corners, productOfPoint),
          B ** 2 * 4 ** -i,
        ),
        "axes on ONNX Runtime": sampled(
          (await valuesAt(network, axes)).reduce((worst, y) => Math.max(worst, Math.abs(y)), 0),
          0,
          { tolerance: B ** 2 * (i + 1) * 2 ** -50 }, // each level rounds numbers up to B^2 a few times
        ),
        "printed network, nodes": checked(printedSizes.hiddenUnits!, 16 * i),
        "printed network, layers": checked(2 * printedSizes.depth, 3 * i),
        "printed network on the axes": proved(printedOnAxis, 0),
        "printed network on the axes, in truth": proved(printedOnAxis, 4 ** -i / 2),
        ...(printedError && {
          "printed network, least error": proved(printedError.least, -(4 ** -i) / 4),
          "printed network, greatest error": proved(printedError.greatest, 4 ** -i / 2),
        }),
      },
    };
  },
});

/** (4 h_i((x + y) / 2) - h_i(x) - h_i(y)) / 2. */
const printedProduct = (i: number): Graph =>
  linearCombination(
    [2, -1 / 2, -1 / 2],
    [[[1 / 2, 1 / 2]], [[1, 0]], [[0, 1]]].map((row) => compose(square(i), affine(row))),
  );

function figure(i: number): Figure {
  const shown = Math.min(i, 5);
  const [mended, printed] = [product(shown), printedProduct(shown)];
  const errors = (title: string, along: (f: Graph) => (readonly [number, number])[], x: string): Panel => ({
    title,
    x: { label: x },
    y: { label: "network - x y" },
    series: [
      { name: "all squares on one scale, prod", mark: "line", points: along(mended) },
      { name: "as printed, g", mark: "line", points: along(printed) },
    ],
  });
  const levels = Array.from({ length: 10 }, (_, k) => k + 1);
  const measured = levels.filter((j) => j <= 4);
  const unitsOf = (f: Graph): number => complexity(f).neurons - 3;
  return {
    title: `Products from squares, i = ${shown}: error in [-${power(4, -shown)}, 0]`,
    panels: [
      errors("On the axis, y = 0", (f) => gapCurve(slice(f, [1, 0], [0, 0], 0, 1), () => 0, 1), "x"),
      errors(
        "On the diagonal, y = x",
        (f) => gapCurve(slice(f, [1, 1], [0, 0], 0, 1), (t) => t * t),
        "x = y",
      ),
      {
        title: "Error against hidden units",
        x: { label: "hidden units" },
        y: { label: "sup error", scale: "log" },
        series: [
          {
            name: "prod on [0,1]², proved",
            mark: "dots",
            points: measured.map((j) => {
              const { sup } = distanceToProduct(product(j), antidiagonalGrid(0, 1, 2 ** (j - 1)));
              return [unitsOf(product(j)), Number(sup)];
            }),
          },
          {
            name: "theory: 4^-i with 7i - 1 units",
            mark: "line",
            role: "theory",
            points: levels.map((j) => [7 * j - 1, 4 ** -j]),
          },
          {
            name: "theory, signed: 4^-i with 7i + 5 units",
            mark: "line",
            role: "theory",
            points: levels.map((j) => [7 * j + 5, 4 ** -j]),
          },
          {
            name: "two squares, one accumulator: 4^(-m-1) with 5m + 3 units",
            mark: "line",
            role: "theory",
            points: levels.map((j) => [
              unitsOf(multiplication(j, { accumulators: "shared" })),
              4 ** -(j + 1),
            ]),
          },
        ],
      },
    ],
  };
}
