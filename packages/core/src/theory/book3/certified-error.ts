import { checkCertificate } from "../../check/check.ts";
import { compile } from "../../compile/compile.ts";
import { gridEnclosure } from "../../compile/error-enclosure.ts";
import { sampledError } from "../../compile/sample.ts";
import { variablesOf } from "../../formula/variables.ts";
import { square } from "../../networks/square/square.ts";
import { add, div, type Exact, mul, sub } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { distance } from "../../passes/distance.ts";
import { linearPieces, type PiecewiseLinear, slopes } from "../../passes/pieces.ts";
import { atLeast, atMost, equals, type Measurement, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { certifiedErrorFigure, type ErrorKinds } from "./certified-error-figure.ts";

const cellsIn: Readonly<Record<number, number>> = { 1: 2048, 2: 64, 3: 16 };

export default lemma({
  id: "C3-04",
  covers: ["C3-04"],
  kind: "measure",
  title: "The error between a network and its target: exact, bounded, seen",
  source: "Book, chapter 3, sect. 3.1.3 (norms)",
  statement: String.raw`\max_{\text{grid}} |f - \Phi| \;\le\; \|f - \Phi\|_\infty \;\le\; \max_{\text{grid}} |f - \Phi| + (\operatorname{Lip} f + \operatorname{Lip} \Phi)\, \tfrac{h \sqrt d}{2}, \qquad \|x^2 - f_m\|_\infty = 4^{-m-1}, \; \|(x^2 - f_m)'\|_\infty = 2^{-m}`,
  parameters: {
    target: choice(["exp(-x^2-y^2)", "x*y", "sin(3*x)", "sqrt(x+y)/(1+z)"], { label: "target on a box" }),
    eps: real({ min: 1e-5, max: 0.1, default: 0.001, label: "error ε" }),
    m: integer({ min: 1, max: 9, default: 4, label: "levels m of the squaring network" }),
    zeta: real({ min: 0.1, max: 1, default: 0.5, label: "Hölder exponent ζ" }),
  },
  claims: {
    "x², sup error": equals("4^{-m-1}"),
    "x², error of the slope": equals("2^{-m}"),
    "x², L1 error": equals("4^{-m} / 6"),
    "x², squared L2 error": equals("16^{-m} / 30"),
    "x², squared L2 error of the slope": equals("4^{-m} / 3"),
    "Hölder constant of |x|^ζ on [-1, 1]": equals("1"),
    "certified error": atMost(String.raw`\varepsilon`),
    "certified error, proved again by the checker": atMost("certified error"),
    "error seen": atMost("certified error"),
    "bound by a grid and Lipschitz constants": atLeast("error seen"),
  },
  mutants: {
    "L1 error of a chord: 1/8, not 1/6": { "x², L1 error": ({ m }) => 4 ** -m / 8 },
    "slope error at the middle of a piece": { "x², error of the slope": ({ m }) => 2 ** -m / 2 },
    "a level lost": ({ m }) => ({ m: m - 1 }),
  },
  async run({ target, eps, m, zeta }, { random, scale, progress, budget }) {
    const names = variablesOf(target);
    const box = names.map((name) => ({ name, lower: 0.25, upper: 1 }));
    const kinds = async (error: number): Promise<ErrorKinds & { readonly checked: number }> => {
      const { graph, bytes, certificate, sizes } = await compile({ formula: target, box, eps: error });
      const seed = random.integer(0, 1e9);
      const points = scale(10_000);
      const verdict = await checkCertificate(bytes, certificate);
      return {
        eps: error,
        certified: certificate.certifiedError,
        checked: verdict.ok ? verdict.error : Number.POSITIVE_INFINITY,
        seen: await sampledError(graph, target, box, sizes.hiddenUnits!, { points, seed }),
        grid: (await gridEnclosure(graph, target, box, cellsIn[names.length]!)).upper,
      };
    };
    const own = await kinds(eps);
    await progress(0.5);
    const sweep = budget === "cheap" ? [] : await Promise.all([0.1, 0.03, 0.01, 0.003, 0.001].map(kinds));
    return {
      graph: square(m),
      ...(budget === "cheap" ? {} : { figure: certifiedErrorFigure(target, sweep) }),
      claims: {
        ...squaringClaims(m),
        "Hölder constant of |x|^ζ on [-1, 1]": sampled(
          holderSeen(zeta, scale(4000), random.split("pairs")),
          1,
          {
            tolerance: 1e-11, // powers are rounded, and divided by at least 2^-10ζ
          },
        ),
        "certified error": proved(own.certified, eps),
        "certified error, proved again by the checker": proved(own.checked, own.certified),
        "error seen": sampled(own.seen, own.certified),
        "bound by a grid and Lipschitz constants": sampled(own.grid, own.seen),
      },
    };
  },
});

/** f_m and x^2 in all the norms, exactly. */
function squaringClaims(m: number): Readonly<Record<`x², ${string}`, Measurement>> {
  const pieces = linearPieces(square(m), 0, 1);
  const found = distance(pieces, [0, 0, 1]);
  const over = (n: number): Exact => div(1, n);
  return {
    "x², sup error": proved(found.sup.upper, 4 ** -(m + 1)),
    "x², error of the slope": proved(found.slope.upper, 2 ** -m),
    "x², L1 error": proved(found.l1.upper, over(6 * 4 ** m)),
    "x², squared L2 error": proved(found.squaredL2.upper, over(30 * 16 ** m)),
    "x², squared L2 error of the slope": proved(squaredSlopeError(pieces), over(3 * 4 ** m)),
  };
}

/** The integral of (2x - s)^2 = [(2x - s)^3 / 6] over the pieces with slope s. */
function squaredSlopeError(f: PiecewiseLinear): Exact {
  const cube = (x: Exact): Exact => mul(x, mul(x, x));
  return slopes(f).reduce<Exact>((sum, s, k) => {
    const [a, b] = [f.knots[k]!, f.knots[k + 1]!].map((x) => cube(sub(mul(2, x), s)));
    return add(sum, div(sub(b!, a!), 6));
  }, 0);
}

/** The greatest ||x|^ζ - |y|^ζ| / |x - y|^ζ over pairs that are not closer than 2^-10; every other y is 0. */
function holderSeen(zeta: number, pairs: number, random: Random): number {
  let most = 0;
  for (let k = 0; k < pairs; k++) {
    const x = 2 * random.uniform() - 1;
    const y = k % 2 === 0 ? 0 : 2 * random.uniform() - 1;
    if (Math.abs(x - y) < 2 ** -10) continue;
    most = Math.max(most, Math.abs(Math.abs(x) ** zeta - Math.abs(y) ** zeta) / Math.abs(x - y) ** zeta);
  }
  return most;
}
