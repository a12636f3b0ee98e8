import {
  expandRidges,
  exponentsOf,
  formDimension,
  latticeDirections,
  ridgeRank,
} from "../../approximate/ridge/decomposition.ts";
import { ridgePolynomialNetwork } from "../../approximate/ridge/network.ts";
import { run } from "../../engine/run.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import type { PolynomialTerms } from "../../networks/polynomial/terms.ts";
import { abs, type Exact, max, sub, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { ridgeFigure } from "./ridge-figure.ts";

export default lemma({
  id: "P-11",
  covers: ["P-11"],
  kind: "construction",
  title: "Polynomials as sums of powers of linear forms",
  source: "CBMM Memo 138, section 6.8, (4) and (5)",
  statement: String.raw`P(x) = \sum_{i=1}^r p_i(\langle w_i, x \rangle), \quad \deg p_i \le k, \quad r = \binom{n-1+k}{k}`,
  parameters: {
    n: integer({ min: 1, max: 4, default: 2, label: "variables n" }),
    k: integer({ min: 1, max: 4, default: 3, label: "degree k" }),
    directions: choice(["lattice", "random"], { label: "directions" }),
    activation: choice(["tanh", "logistic", "exp", "softplus", "gaussian", "arctan", "sin"], {
      label: "activation",
    }),
  },
  claims: {
    "greatest coefficient of P less its ridges": equals("0"),
    ridges: atMost(String.raw`r = \binom{n-1+k}{k}`),
    "dimension of span (w_i, x)^s, s = 0..k": equals(String.raw`\dim P_k = \binom{n+k}{k}`),
    "dimension of span (w_i, x)^s, s = 1..k": equals(String.raw`\dim P_k`).printed({
      where: "(4)",
      printed: String.raw`$P_k(x) = span(((w^i, x))^s : i = 1, \cdots, r, \ s = 1, \cdots, k$`,
      corrected: String.raw`$s = 0, \dots, k$: without $s = 0$ the constants are missing, and $P_k$ is the direct sum of the $\mathcal{H}_s$, not their union`,
    }),
    "exponent of r in k": equals("n - 1"),
    "exponent of r in k, as printed": equals("n").printed({
      where: "after (5), and before (9)",
      printed: String.raw`the theoretical r which is of the order $r \approx k^n$`,
      corrected: String.raw`$r = \binom{n-1+k}{k} \approx k^{n-1} / (n-1)!$; it is the $r (k+1)$ coefficients that grow like $k^n$, and give (9)`,
    }),
    "sup |network - P|": atMost(
      String.raw`\sum_{i,s} |c_{i,s}| \tfrac{s}{24} h^2 \frac{\sup |\sigma^{(s+2)}|}{|\sigma^{(s)}(b)|} + \text{rounding}`,
    ).looseBy(1.1),
    units: atMost(String.raw`(2k+1) \, r`),
  },
  mutants: {
    "forms of degree k - 1": ({ k }) => ({ k: k - 1 }),
    "directions for forms of n - 1 variables": { ridges: ({ n, k }) => formDimension(Math.max(1, n - 1), k) },
    "dim H_k for dim P_k": { "dimension of span (w_i, x)^s, s = 0..k": ({ n, k }) => formDimension(n, k) },
  },
  async run({ n, k, directions, activation }, { random, scale, progress, budget }) {
    const polynomial = randomPolynomial(random, n, k);
    const ws = directions === "lattice" ? latticeDirections(n, k) : randomDirections(random, n, k);
    const built = ridgePolynomialNetwork(activation, polynomial, ws);
    const { ridges } = built;
    await progress(0.4);
    // Every other point is a corner of the cube: differences err most where |<w, x>| is large.
    const points = random.uniform(scale(500) * n).map((u, i) => {
      const x = 2 * u - 1;
      return Math.floor(i / n) % 2 === 0 ? Math.sign(x) : x;
    });
    const { y } = await run(built.network, { x: tensor(points, { dims: [points.length / n, n] }) });
    const off = Float64Array.from(numbers(y!)).reduce(
      (most, v, at) =>
        Math.max(most, Math.abs(v - polynomialAt(polynomial, points.subarray(at * n, (at + 1) * n)))),
      0,
    );
    const r = formDimension(n, k);
    const whole = Array.from({ length: k + 1 }, (_, s) => ridgeRank(s, ws)).reduce((a, b) => a + b, 0);
    const far = 2 ** 30;
    const exponent = Math.log2(growth(n, 2 * far) / growth(n, far));
    // Doubles sum up to dim P_k terms of P, each with some 2 k roundings.
    const tolerance =
      2 ** -48 * polynomial.reduce((sum, { coefficient }) => sum + Math.abs(toNumber(coefficient)), 0);
    return {
      graph: built.network,
      ...(budget === "cheap" ? {} : { figure: ridgeFigure(n) }),
      claims: {
        "greatest coefficient of P less its ridges": proved(difference(polynomial, expandRidges(ridges)), 0),
        ridges: checked(ridges.length, r),
        "dimension of span (w_i, x)^s, s = 0..k": checked(whole, formDimension(n + 1, k)),
        "dimension of span (w_i, x)^s, s = 1..k": checked(whole - ridgeRank(0, ws), formDimension(n + 1, k)),
        "exponent of r in k": checked(exponent, n - 1, { tolerance: 1e-6 }),
        "exponent of r in k, as printed": checked(exponent, n, { tolerance: 1e-6 }),
        "sup |network - P|": sampled(off, built.error + built.rounding, { tolerance }),
        units: checked(complexity(built.network).width, (2 * k + 1) * r),
      },
    };
  },
});

function randomPolynomial(random: Random, n: number, k: number): PolynomialTerms {
  return Array.from({ length: k + 1 }, (_, s) => exponentsOf(n, s))
    .flat()
    .map((exponents) => ({ coefficient: random.integer(-8, 8) / 4 || 0.25, exponents }));
}

/** Generic whole directions: drawn again in the rare case that a form vanishes on them. */
function randomDirections(random: Random, n: number, k: number): number[][] {
  const count = formDimension(n, k);
  for (let spread = 9; ; spread += 4) {
    const ws = Array.from({ length: count }, () =>
      Array.from({ length: n }, () => random.integer(-spread, spread)),
    );
    if (ridgeRank(k, ws) === count) return ws;
  }
}

/** C(n-1+k, k) as a polynomial in k, for large k. */
const growth = (n: number, k: number): number =>
  Array.from({ length: n - 1 }, (_, i) => (k + i + 1) / (i + 1)).reduce((a, b) => a * b, 1);

function difference(p: PolynomialTerms, q: PolynomialTerms): Exact {
  const left = new Map(p.map((t) => [String(t.exponents), t.coefficient]));
  const right = new Map(q.map((t) => [String(t.exponents), t.coefficient]));
  return [...new Set([...left.keys(), ...right.keys()])].reduce(
    (most: Exact, key) => max(most, abs(sub(left.get(key) ?? 0, right.get(key) ?? 0))),
    0,
  );
}

const polynomialAt = (polynomial: PolynomialTerms, x: Float64Array): number =>
  polynomial.reduce(
    (sum, { coefficient, exponents }) =>
      sum + exponents.reduce((product, a, j) => product * x[j]! ** a, toNumber(coefficient)),
    0,
  );
