import {
  chebyshevTail,
  jacksonBound,
  lebesgueBound,
  powerCoefficients,
} from "../../approximate/rates/chebyshev-tail.ts";
import { geometricSizes } from "../../approximate/rates/sizes.ts";
import { formDimension } from "../../approximate/ridge/decomposition.ts";
import { differencePolynomial } from "../../approximate/smooth-activation/polynomial-network.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const degrees = geometricSizes(256, 8192, 11);
/** A network of differences of this degree is shown; rounding allows few more. */
const networkDegree = 4;

export default lemma({
  id: "P-13",
  covers: ["P-13"],
  kind: "bound",
  title: "The rate of polynomials, in degree and in parameters",
  source: "CBMM Memo 138, section 6.8, (7) and (9)",
  statement: String.raw`E(B^m_p; P_k; L_p) \le C k^{-m}, \qquad N \sim k^n: \; E \le C N^{-m/n}`,
  parameters: {
    m: integer({ min: 1, max: 4, default: 2, label: "kink: f = |x|^{2m-1}" }),
    n: integer({ min: 1, max: 4, default: 2, label: "variables n" }),
    k: integer({ min: 8, max: 400, default: 40, label: "degree k" }),
  },
  claims: {
    "sup |f - S_k|": atMost(
      String.raw`(1 + \Lambda_k) \left(\tfrac{\pi}{2}\right)^{m} \frac{\sup |f^{(m)}|}{(k+1) k \cdots (k-m+2)}`,
    ),
    "sup |f - S_k| at points, less that at 0": atMost("0"),
    "exponent of the error in k": equals("-m").rate(),
    "exponent of the error in N = dim P_k": equals("-m/n").rate(),
    "N n! / k^n": atMost("(1 + n/k)^n"),
    "network of differences, degree 4, less its polynomial": atMost("the certified error"),
  },
  async run({ m: index, n, k }, { budget }) {
    const m = 2 * index - 1; // derivatives that |x|^m has
    const f = (x: number): number => Math.abs(x) ** m;
    const coefficients = powerCoefficients(m, Math.floor(k / 2) + 1);
    const greatest = factorial(m);
    const tail = chebyshevTail(m, k);
    const away = Math.max(
      ...Array.from({ length: 400 }, (_, p) => Math.abs(chebyshevSum(coefficients, p / 400) - f(p / 400))),
    );
    const errors = degrees.map((degree) => [degree + 1, chebyshevTail(m, degree)] as const);
    const sizes = degrees.map((degree) => formDimension(n + 1, degree));
    const polynomial = inPowers(powerCoefficients(m, networkDegree / 2 + 1));
    const built = differencePolynomial("tanh", polynomial);
    const xs = Array.from({ length: 101 }, (_, p) => p / 50 - 1);
    const { y } = await run(built.network, { x: tensor(xs.map((x) => [x])) });
    const off = Float64Array.from(numbers(y!)).reduce(
      (most, v, p) => Math.max(most, Math.abs(v - polynomial.reduceRight((sum, c) => sum * xs[p]! + c, 0))),
      0,
    );
    return {
      graph: built.network,
      ...(budget === "cheap" ? {} : { figure: ratesFigure(n) }),
      claims: {
        "sup |f - S_k|": checked(tail, (1 + lebesgueBound(k)) * jacksonBound(m, k, greatest), {
          tolerance: 1e-14,
        }),
        "sup |f - S_k| at points, less that at 0": sampled(away - tail, 0, { tolerance: 1e-13 }), // sums of k terms
        "exponent of the error in k": fitted(errors, -m),
        "exponent of the error in N = dim P_k": fitted(
          errors.map(([, e], i) => [sizes[i]!, e] as const),
          -m / n,
        ),
        "N n! / k^n": checked(
          (formDimension(n + 1, k) * factorial(n)) / k ** n,
          (1 + n / k) ** n,
          { tolerance: 1e-12 }, // of the quotients
        ),
        "network of differences, degree 4, less its polynomial": sampled(off, built.error + built.rounding),
      },
    };
  },
});

const factorial = (m: number): number => (m <= 1 ? 1 : m * factorial(m - 1));

/** sum_i c_i T_2i(x) by T_2i(x) = T_i(2 x^2 - 1) (Clenshaw). */
function chebyshevSum(c: Float64Array, x: number): number {
  const t = 2 * x * x - 1;
  let [one, two] = [0, 0];
  for (let i = c.length - 1; i > 0; i--) [one, two] = [2 * t * one - two + c[i]!, one];
  return t * one - two + c[0]!;
}

/** c_0 + c_1 T_2 + c_2 T_4 in powers of x. */
const inPowers = ([c0, c1, c2]: Float64Array | readonly number[]): number[] => [
  c0! - c1! + c2!,
  0,
  2 * c1! - 8 * c2!,
  0,
  8 * c2!,
];

function ratesFigure(n: number): Figure {
  const kinks = [1, 3, 5] as const;
  const ks = Array.from({ length: 40 }, (_, i) => 2 * Math.round(2 * 2 ** (i / 4)));
  const drawn = (y: number): boolean => y > 1e-14;
  return {
    title: "Chebyshev sums of |x|^m",
    panels: [
      {
        title: "Error by degree",
        x: { label: "degree k", scale: "log" },
        y: { label: "sup error", scale: "log" },
        series: kinks.flatMap((m) => [
          {
            name: `|x|^${m}`,
            mark: "line" as const,
            points: ks.map((k) => [k, chebyshevTail(m, k)] as const).filter(([, y]) => drawn(y)),
          },
          {
            name: `Jackson, m = ${m}`,
            mark: "line" as const,
            role: "theory" as const,
            points: ks.map((k) => [k, jacksonBound(m, k, factorial(m))] as const).filter(([, y]) => drawn(y)),
          },
        ]),
      },
      {
        title: `Error by parameters, f = |x_1|^m in ${n} variable${n === 1 ? "" : "s"}`,
        x: { label: "N = dim P_k", scale: "log" },
        y: { label: "sup error", scale: "log" },
        series: kinks.map((m) => ({
          name: `|x_1|^${m}: N^(-${m}/${n})`,
          mark: "line",
          points: ks
            .map((k) => [formDimension(n + 1, k), chebyshevTail(m, k)] as const)
            .filter(([, y]) => drawn(y)),
        })),
      },
    ],
  };
}
