import {
  ballMoment,
  ballProduct,
  minusBallOperator,
  monomialsUpTo,
  nearestPolynomial,
  powerDistance,
  residualOnBall,
} from "../../approximate/rates/ball-polynomials.ts";
import { chebyshevTail, jacksonBound, powerCoefficients } from "../../approximate/rates/chebyshev-tail.ts";
import { geometricSizes } from "../../approximate/rates/sizes.ts";
import { exponentsOf, formDimension } from "../../approximate/ridge/decomposition.ts";
import { ridgePolynomialNetwork } from "../../approximate/ridge/network.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { PolynomialTerms } from "../../networks/polynomial/terms.ts";
import { div, type Exact, mul, sub } from "../../numbers/exact/rational.ts";
import { factorial } from "../../numbers/factorial.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, fitted, type Measurement, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const degrees = geometricSizes(128, 4096, 11).map((half) => 2 * half);
/** Ridges of this degree become a network; rounding allows few more. */
const networkDegree = 4;

export default lemma({
  id: "P-13",
  covers: ["P-13"],
  kind: "bound",
  title: "The rate of polynomials, in degree and in parameters",
  source: "CBMM Memo 138, section 6.8, (7) and (9)",
  statement: String.raw`E(B^m_p; P_k; L_p) \le C k^{-m} \text{ on the unit ball of } \mathbb{R}^n, \qquad N \sim k^n: \; E \le C N^{-m/n}`,
  parameters: {
    m: integer({ min: 1, max: 4, default: 2, label: "order m; the kink |x|^{2m-1}" }),
    n: integer({ min: 1, max: 3, default: 2, label: "variables n" }),
    k: integer({ min: 8, max: 400, default: 40, label: "degree k of Chebyshev sums" }),
    low: integer({ min: 0, max: 4, default: 3, label: "degree of projections on all monomials" }),
    beyond: integer({ min: 1, max: 2, default: 1, label: "further degrees of the f that is projected" }),
    power: integer({ min: 1, max: 8, default: 3, label: "q: the power (2q - 1)/4 of |x|" }),
  },
  claims: {
    "‖f - P_low‖² λ^m over ⟨(-D)^m (f - P_low), f - P_low⟩, λ = (low + 1)(low + n + 1)": atMost(
      String.raw`1: \; E(B^m_2; P_k; L_2) = ((k+1)(k+n+1))^{-m/2}, \; B^m_2 = \{\|(-D)^{m/2} f\| \le 1\}, \; D = \Delta - (x \cdot \nabla)^2 - n \, x \cdot \nabla`,
    ),
    "squared L2 distance of |x|^a from all monomials, over its norm": equals(
      String.raw`\prod_{j \le \mathrm{low}/2} \bigl(\tfrac{a - 2j}{a + 2j + n}\bigr)^2`,
    ),
    "L2 error of |x|^a, exponent in k": equals("-(a + n/2)").rate(),
    "L2 error of |x|^a, exponent in N = dim P_k": equals("-(a + n/2)/n").rate(),
    "sup error of |x|^{2m-1}, exponent in k": equals("-(2m - 1)").rate(),
    "sup error of |x|^{2m-1} in n variables, at points": equals(
      String.raw`\text{that at } 0: \; \bigl(\tfrac{j}{2m-1} + \tfrac12\bigr) |c_j|, \; j = \lfloor k/2 \rfloor + 1`,
    ),
    "N n! / k^n": atMost("(1 + n/k)^n"),
    "sup error of a network of ridges, degree 4": atMost("that of its polynomial, and the certified error"),
  },
  mutants: {
    "smoothness without the half for L2": {
      "L2 error of |x|^a, exponent in k": ({ n, power }) => -((2 * power - 1) / 4 + n),
    },
    "odd degrees counted": {
      "squared L2 distance of |x|^a from all monomials, over its norm": ({ n, low, power }) =>
        powerDistance((2 * power - 1) / 4, n, low + 1),
    },
    "eigenvalue (k + 1)(k + n + 2)": {
      "‖f - P_low‖² λ^m over ⟨(-D)^m (f - P_low), f - P_low⟩, λ = (low + 1)(low + n + 1)": ({ m, n, low }) =>
        ((low + n + 1) / (low + n + 2)) ** m,
    },
  },
  async run({ m, n, k, low, beyond, power }, { random, scale, progress, budget }) {
    const [a, kink] = [(2 * power - 1) / 4, 2 * m - 1];
    const errors = degrees.map((degree) => Math.exp(logDistance(a, n, degree)));
    const tail = chebyshevTail(kink, k);
    const points = ballPoints(n, scale(1000), random);
    const built = await ridgesOfKink(n, Math.min(kink, networkDegree + 1), points);
    await progress(0.5);
    return {
      graph: built.network,
      ...(budget === "cheap" ? {} : { figure: ratesFigure(n) }),
      claims: {
        "‖f - P_low‖² λ^m over ⟨(-D)^m (f - P_low), f - P_low⟩, λ = (low + 1)(low + n + 1)": proved(
          ofTheClass(m, n, low, beyond, random.split("f")),
          1,
        ),
        "squared L2 distance of |x|^a from all monomials, over its norm": proved(
          projectedDistance(a, n, low),
          powerDistance(a, n, low),
        ),
        "L2 error of |x|^a, exponent in k": fitted(
          degrees.map((degree, i) => [degree + 1 + n / 2, errors[i]!] as const), // further terms: its square
          -(a + n / 2),
        ),
        "L2 error of |x|^a, exponent in N = dim P_k": fitted(
          degrees.map((degree, i) => [formDimension(n + 1, degree), errors[i]!] as const),
          -(a + n / 2) / n,
          (a + n / 2) / n / (2 * degrees[0]!), // N n! is near (k + (n+1)/2)^n, half a degree away
        ),
        "sup error of |x|^{2m-1}, exponent in k": fitted(
          degrees.map((degree) => [degree + 1, chebyshevTail(kink, degree)] as const),
          -kink,
        ),
        "sup error of |x|^{2m-1} in n variables, at points": sampled(
          kinkError(kink, k, points),
          tail,
          { tolerance: 1e-13 }, // sums of up to 200 terms
        ),
        "N n! / k^n": checked(
          (formDimension(n + 1, k) * factorial(n)) / k ** n,
          (1 + n / k) ** n,
          { tolerance: 1e-12 }, // of the quotients
        ),
        "sup error of a network of ridges, degree 4": built.error,
      },
    };
  },
});

/** For f of degree low + beyond; 1 if there is one degree beyond: f - P is then an eigenfunction of -D. */
function ofTheClass(m: number, n: number, low: number, beyond: number, random: Random): Exact {
  const f: PolynomialTerms = monomialsUpTo(n, low + beyond).map((exponents) => ({
    coefficient: random.integer(-8, 8) || 1,
    exponents,
  }));
  const rest = residualOnBall(f, n, low);
  let derived = rest;
  for (let i = 0; i < m; i++) derived = minusBallOperator(derived);
  const eigenvalue = ((low + 1) * (low + n + 1)) ** m;
  return div(mul(eigenvalue, ballProduct(rest, rest)), ballProduct(derived, rest));
}

/** By the Gram matrix of all monomials of degree at most k: 1 - <P f, f> / <f, f>. */
function projectedDistance(a: number, n: number, k: number): Exact {
  const nearest = nearestPolynomial(n, k, (alpha) => ballMoment(alpha, a));
  const origin = new Array<number>(n).fill(0);
  return nearest.reduce(
    (rest: Exact, { coefficient, exponents }) =>
      sub(rest, div(mul(coefficient, ballMoment(exponents, a)), ballMoment(origin, 2 * a))),
    1,
  );
}

/** Half the logarithm of powerDistance. */
function logDistance(a: number, n: number, k: number): number {
  let sum = 0;
  for (let j = 0; 2 * j <= k; j++) sum += Math.log(Math.abs(a - 2 * j) / (a + 2 * j + n));
  return sum;
}

/** Points of the ball, the origin first. */
const ballPoints = (n: number, count: number, random: Random): readonly (readonly number[])[] => [
  new Array<number>(n).fill(0),
  ...Array.from({ length: count }, () => {
    const length = random.uniform();
    return [...random.sphere(n)].map((v) => v * length);
  }),
];

/** The greatest error of the Chebyshev sum of |x|^m, degree k, in T_2i(|x|) = T_i(2 |x|^2 - 1) (Clenshaw). */
function kinkError(m: number, k: number, points: readonly (readonly number[])[]): number {
  const c = powerCoefficients(m, Math.floor(k / 2) + 1);
  return points.reduce((most, x) => {
    const square = x.reduce((s, v) => s + v * v, 0);
    const t = 2 * square - 1;
    let [one, two] = [0, 0];
    for (let i = c.length - 1; i > 0; i--) [one, two] = [2 * t * one - two + c[i]!, one];
    return Math.max(most, Math.abs(t * one - two + c[0]! - Math.sqrt(square) ** m));
  }, 0);
}

/** The Chebyshev sum of |x|^m, degree 4, in powers of x_1 ... x_n, as a sum of ridges, as a network. */
async function ridgesOfKink(
  n: number,
  m: number,
  points: readonly (readonly number[])[],
): Promise<{
  readonly network: ReturnType<typeof ridgePolynomialNetwork>["network"];
  readonly error: Measurement;
}> {
  const [c0, c1, c2] = powerCoefficients(m, networkDegree / 2 + 1);
  const squares = [c0! - c1! + c2!, 2 * c1! - 8 * c2!, 8 * c2!]; // of |x|^0, |x|^2, |x|^4
  const polynomial = squares.flatMap((c, s) =>
    exponentsOf(n, s).map((alpha) => ({
      coefficient: (c * factorial(s)) / alpha.reduce((product, e) => product * factorial(e), 1),
      exponents: alpha.map((e) => 2 * e),
    })),
  );
  const { network, error, rounding } = ridgePolynomialNetwork("tanh", polynomial);
  const { y } = await run(network, { x: tensor(points.flat(), { dims: [points.length, n] }) });
  const values = numbers(y!);
  const off = points.reduce((most, x, p) => Math.max(most, Math.abs(values[p]! - Math.hypot(...x) ** m)), 0);
  return { network, error: sampled(off, chebyshevTail(m, networkDegree) + error + rounding) };
}

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
