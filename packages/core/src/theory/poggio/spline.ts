import { geometricSizes } from "../../approximate/rates/sizes.ts";
import { scaleOutput } from "../../networks/calculus/calculus.ts";
import { splineError } from "../../networks/spline/error.ts";
import { freeKnots, rootCurvature, uniformKnots } from "../../networks/spline/knots.ts";
import { splineRounding } from "../../networks/spline/rounding.ts";
import {
  interpolant,
  interpolationError,
  interpolationPieces,
  piecesOf,
  splineCertificate,
} from "../../networks/spline/spline.ts";
import {
  greatestSecond,
  isOneSided,
  leastSecond,
  type Segment,
  type Target,
  targets,
} from "../../networks/spline/target.ts";
import { distanceToQuadratic } from "../../passes/distance.ts";
import { linearPieces } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, atMost, checked, equals, fitted, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError } from "../line.ts";
import { choice, real } from "../parameter.ts";
import { splineFigure } from "./spline-figure.ts";

const on: Segment = [-1, 1];
/** Values of f, and the weights of the network, are rounded: some units in the last place of numbers of size M. */
const rounding = (second: number): number => 1e-14 * (1 + second);
const sizesOfFit = geometricSizes(64, 1024, 12);

export default lemma({
  id: "P-09",
  covers: ["P-09"],
  kind: "construction",
  title: "Splines with fixed and with free knots",
  source: "Poggio, section 6.8, splines viewpoint, and footnote 6",
  statement: String.raw`|f(x) - Sf(x)| \le \tfrac{1}{8} (\Delta x)^2 \max |f''|, \qquad \text{free knots: } \sup |f - Sf| \approx \frac{1}{8 n^2} \left(\int \sqrt{|f''|}\right)^2`,
  parameters: {
    f: choice(["runge", "exp", "wave", "square", "cube"], { label: "function" }),
    eps: real({ min: 0.01, max: 0.5, default: 0.02, label: "error ε" }),
  },
  claims: {
    "sup error, fixed knots": atMost(String.raw`\tfrac{1}{8} h^2 \max |f''|`),
    "sup error for ε": atMost(String.raw`\varepsilon`),
    units: equals(String.raw`\lceil \sqrt{M / 2\varepsilon} \rceil`),
    "units that suffice": atMost(String.raw`\lceil \sqrt{2M / \varepsilon} \rceil`).loose({
      where: "footnote 6",
      printed: String.raw`piecewise linear functions with inter-knot spacing h gives an accuracy of $(h^2/2)M$ [...] we need $\sqrt{2M/\epsilon}$ units to give an approximation of $\epsilon$`,
      corrected: String.raw`accuracy $(h^2/8) M$, as in section 6.8: $\sqrt{M / (2 \epsilon)}$ units suffice, half as many`,
    }),
    "error for quadratics": equals("h^2 / 4"),
    "sup error, level free (convex f)": equals("half of the sup error"),
    "sup error, free knots": atMost(String.raw`\max_j \tfrac{1}{8} h_j^2 \max_{[x_j, x_{j+1}]} |f''|`),
    "sup error, free knots, from below": atLeast(
      String.raw`\max_j \tfrac{1}{8} h_j^2 \min_{[x_j, x_{j+1}]} |f''|`,
    ),
    "free knots, integrals of √|f''|, greatest over mean": equals("1"),
    "free knots, 8 n² error / (∫√|f''|)²": atMost(
      String.raw`\max_j \max_{[x_j, x_{j+1}]} |f''| / \min_{[x_j, x_{j+1}]} |f''| \to 1, \; f'' \ne 0`,
    ),
    "the same with a knot at an inflection (cube)": equals(String.raw`2/\sqrt{3}`),
    "rate, fixed knots": equals("n^{-2}").rate(),
    "rate, free knots": equals("n^{-2}").rate(),
    "error on ONNX Runtime": equals("sup error"),
  },
  mutants: {
    "1/16 for 1/8, as if the level were free": { "sup error, fixed knots": (_, { theory }) => theory / 2 },
    "a unit too few": { units: (_, { theory }) => theory - 1 },
    "the rate of Lipschitz functions": { "rate, free knots": () => -1 },
  },
  async run({ f: name, eps }, { progress, budget }) {
    const f: Target = targets[name];
    const M = greatestSecond(f, on);
    const n = interpolationPieces({ second: M }, 2, eps);
    const [fixed, free] = [uniformKnots(on, n), freeKnots(f, on, n)];
    const networks = [fixed, free].map((knots) => interpolant(f.value, knots));
    const [ofFixed, ofFree] = networks.map((network) => splineError(linearPieces(network, -1, 1), f));
    await progress(0.5);
    const tolerance = rounding(M);
    const constant = constantOf(f, n, ofFree!.sup);
    return {
      graph: networks[1]!,
      ...(budget === "cheap" ? {} : { figure: splineFigure(f, on, fixed, free) }),
      claims: {
        "sup error, fixed knots": checked(ofFixed!.sup, interpolationError({ second: M }, 2 / n), {
          tolerance,
        }),
        "sup error for ε": checked(ofFixed!.sup, eps, { tolerance }),
        units: checked(sizes(networks[0]!).hiddenUnits!, Math.ceil(Math.sqrt(M / (2 * eps)))),
        "units that suffice": checked(n, Math.ceil(Math.sqrt((2 * M) / eps))),
        ...(name === "square" && Number.isInteger(Math.log2(n))
          ? {
              "error for quadratics": proved(
                distanceToQuadratic(linearPieces(networks[0]!, -1, 1), [0, 0, 1]).sup,
                (2 / n) ** 2 / 4,
              ),
            }
          : {}),
        ...(name === "square" || name === "exp"
          ? {
              "sup error, level free (convex f)": checked(
                splineError(linearPieces(scaleOutput(networks[0]!, 1, -ofFixed!.sup / 2), -1, 1), f).sup,
                ofFixed!.sup / 2,
                { tolerance },
              ),
            }
          : {}),
        "sup error, free knots": checked(ofFree!.sup, splineCertificate(f, free), { tolerance }),
        "sup error, free knots, from below": checked(ofFree!.sup, lowerBound(f, free), { tolerance }),
        "free knots, integrals of √|f''|, greatest over mean": checked(spread(f, free), 1, {
          tolerance: 1e-9,
        }), // quadrature
        ...(isOneSided(f, on)
          ? {
              "free knots, 8 n² error / (∫√|f''|)²": checked(constant, variationOfSecond(f, free), {
                tolerance,
              }),
            }
          : {}),
        ...(name === "cube" && n % 2 === 0
          ? {
              "the same with a knot at an inflection (cube)": checked(constant, 2 / Math.sqrt(3), {
                tolerance: 1e-9 * n, // knots by quadrature
              }),
            }
          : {}),
        "rate, fixed knots": fitted(
          sizesOfFit.map((k) => [k, errorWith(f, uniformKnots(on, k))]),
          -2,
        ),
        "rate, free knots": fitted(
          sizesOfFit.map((k) => [k, errorWith(f, freeKnots(f, on, k))]),
          -2,
        ),
        "error on ONNX Runtime": sampled(
          await greatestError(networks[1]!, ofFree!.points, f.value),
          ofFree!.sup,
          // Rounding of weights and of the run; f itself is rounded, too.
          { tolerance: splineRounding(free, free.map(f.value)) + tolerance },
        ),
      },
    };
  },
});

const errorWith = (f: Target, knots: readonly number[]): number =>
  splineError({ knots, values: knots.map((x) => f.value(x)) }, f).sup;

/** 8 n^2 error / (int sqrt|f''|)^2. */
const constantOf = (f: Target, n: number, error: number): number =>
  (8 * n ** 2 * error) / rootCurvature(f, on).total ** 2;

/** On a piece with f'' >= m > 0 the error is at least that of m x^2 / 2. */
const lowerBound = (f: Target, knots: readonly number[]): number =>
  Math.max(
    ...piecesOf(knots).map((piece) =>
      interpolationError({ second: leastSecond(f, piece) }, piece[1] - piece[0]),
    ),
  );

/** h_j^2 min|f''| <= (I/n)^2 <= h_j^2 max|f''| for the integral I, so 8 n^2 error / I^2 is at most this ratio. */
const variationOfSecond = (f: Target, knots: readonly number[]): number =>
  Math.max(...piecesOf(knots).map((piece) => greatestSecond(f, piece) / leastSecond(f, piece)));

function spread(f: Target, knots: readonly number[]): number {
  const integrals = piecesOf(knots).map((piece) => rootCurvature(f, piece).total);
  return (Math.max(...integrals) * integrals.length) / integrals.reduce((a, b) => a + b, 0);
}
