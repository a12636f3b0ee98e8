import { exponentsOf, formDimension } from "../../approximate/ridge/decomposition.ts";
import { ridgePolynomialNetwork } from "../../approximate/ridge/network.ts";
import { mollifiedSquare } from "../../approximate/smooth-activation/mollified.ts";
import { differencePolynomial } from "../../approximate/smooth-activation/polynomial-network.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { smoothPolynomialsFigure } from "./smooth-polynomials-figure.ts";
import { chebyshevInterpolant, smoothTargets } from "./smooth-polynomials-targets.ts";

export default lemma({
  id: "C3-07",
  covers: ["C3-07"],
  kind: "construction",
  title: "Polynomials, and by them every function, from any smooth activation",
  source: "Book, Theorem 3.5 (Leshno et al. 1993) and Theorem 3.8 (Mhaskar 1996)",
  statement: String.raw`p(x) = \sum_{k \le K} c_k x^k \approx c_0 + \sum_{|j| \le K} a_j \, \sigma(\tfrac{j h}{2} x + b), \qquad |\text{error}| \le \sum_k |c_k| \frac{k h^2}{24} \frac{\sup |\sigma^{(k+2)}|}{|\sigma^{(k)}(b)|}`,
  parameters: {
    activation: choice(["logistic", "tanh", "softplus", "gaussian", "arctan", "exp", "sin", "cos"], {
      label: "activation σ",
    }),
    target: choice(["sin 2x", "exp x", "1 / (1 + 4x²)", "|x|"], { label: "function" }),
    K: integer({ min: 2, max: 6, default: 4, label: "degree K" }),
    h: real({ min: 0.05, max: 0.5, default: 0.1, label: "step h of the mollified ReLU" }),
  },
  claims: {
    "sup |network - p|": atMost(
      String.raw`\sum_k |c_k| \frac{k h^2}{24} \frac{\sup |\sigma^{(k+2)}|}{|\sigma^{(k)}(b)|} + \text{rounding}`,
    ).looseBy(1.04),
    "sup |network - f|": atMost(String.raw`\|f - p\|_\infty + \text{this}`),
    units: atMost("2K + 1"),
    "units in two variables": atMost(String.raw`(2K+1) \binom{d-1+K}{K}, \; d = 2`).looseBy(1.1),
    "sup |network - P| in two variables": atMost("its certified error").looseBy(2),
    "polynomial activation of degree K, sup |network - x^{K+1}|": atLeast(
      String.raw`2^{-K}: \text{ no polynomial will do}`,
    ),
    "ReLU, mollified: sup |network - x²|": atMost(
      String.raw`\tfrac{h^2}{12} \sup |z''| + \tfrac{4}{h^2 q^2} \bigl(\tfrac{\sup |z''| + 2 \sup |z'|}{24} + \tfrac18\bigr), \; q = \lceil 4/h^2 \rceil`,
    ).looseBy(1.1),
  },
  mutants: {
    "k h²/48 for k h²/24": { "sup |network - p|": (_, { theory }) => theory / 2 },
    "nodes of one parity for all degrees": { units: ({ K }) => K + 1 },
    "|T_{K+1}| = 1 led by 2^{K-1}": {
      "polynomial activation of degree K, sup |network - x^{K+1}|": ({ K }) => 2 ** (1 - K),
    },
  },
  async run({ activation, target, K, h }, { random, scale, progress, budget }) {
    const f = smoothTargets[target];
    const coefficients = chebyshevInterpolant(f, K);
    const points = 2 * scale(200) + 1;
    const xs = Array.from({ length: points }, (_, p) => (2 * p) / (points - 1) - 1);
    const p = (x: number): number => coefficients.reduceRight((sum, c) => sum * x + c, 0);
    const built = differencePolynomial(activation, coefficients);
    const values = await valuesOf(
      built.network,
      xs.map((x) => [x]),
    );
    const sup = (g: (x: number, k: number) => number): number =>
      Math.max(...xs.map((x, k) => Math.abs(g(x, k))));
    const certified = built.error + built.rounding;
    await progress(0.4);
    const plane = await planeError(random, activation, Math.min(K, 4), scale(300));
    const relu = mollifiedSquare(h, Math.ceil(4 / (h * h)));
    const squares = await valuesOf(
      relu.network,
      xs.map((x) => [x]),
    );
    return {
      graph: built.network,
      ...(budget === "cheap" ? {} : { figure: smoothPolynomialsFigure(f, target, K, xs, values) }),
      claims: {
        "sup |network - p|": sampled(
          sup((x, k) => values[k]! - p(x)),
          certified,
        ),
        "sup |network - f|": sampled(
          sup((x, k) => values[k]! - f(x)),
          sup((x) => f(x) - p(x)) + certified,
        ),
        units: checked(complexity(built.network).width, 2 * K + 1),
        "units in two variables": checked(
          plane.units,
          (2 * plane.degree + 1) * formDimension(2, plane.degree),
        ),
        "sup |network - P| in two variables": sampled(plane.off, plane.certified),
        "polynomial activation of degree K, sup |network - x^{K+1}|": sampled(
          floorOfPolynomials(random, K),
          2 ** -K,
          { tolerance: 2 ** -46 }, // the best one attains it, and is computed in doubles
        ),
        "ReLU, mollified: sup |network - x²|": sampled(
          sup((x, k) => squares[k]! - x * x),
          relu.error,
          {
            tolerance: 2 ** -46 / (h * h), // doubles, divided by h^2
          },
        ),
      },
    };
  },
});

async function valuesOf(network: Graph, points: readonly (readonly number[])[]): Promise<Float64Array> {
  const { y } = await run(network, { x: tensor(points) });
  return Float64Array.from(numbers(y!));
}

/** A polynomial in the plane with random coefficients, by ridges. */
async function planeError(
  random: Random,
  activation: Parameters<typeof ridgePolynomialNetwork>[0],
  degree: number,
  count: number,
) {
  const terms = Array.from({ length: degree + 1 }, (_, s) => exponentsOf(2, s))
    .flat()
    .map((exponents) => ({ coefficient: random.integer(-4, 4) / 4 || 0.5, exponents }));
  const { network, error, rounding } = ridgePolynomialNetwork(activation, terms);
  const points = Array.from({ length: count }, () => Array.from(random.uniform(2), (u) => 2 * u - 1));
  const values = await valuesOf(network, points);
  const off = points.reduce((most, [x, y], k) => {
    const exact = terms.reduce(
      (sum, { coefficient, exponents: [a, b] }) => sum + coefficient * x! ** a! * y! ** b!,
      0,
    );
    return Math.max(most, Math.abs(values[k]! - exact));
  }, 0);
  return {
    degree,
    off,
    certified: error + rounding + 2 ** -46 * terms.length,
    units: complexity(network).width,
  };
}

/** The least sup |x^{K+1} - net| over random networks of the activation t^K, and the best of all polynomials. */
function floorOfPolynomials(random: Random, K: number): number {
  const extrema = Array.from({ length: K + 2 }, (_, i) => Math.cos((i * Math.PI) / (K + 1)));
  const errorOf = (g: (x: number) => number): number =>
    Math.max(...extrema.map((x) => Math.abs(x ** (K + 1) - g(x))));
  const drawn = Array.from({ length: 20 }, () => {
    const units = Array.from({ length: K + 2 }, () => random.normal(3));
    return errorOf((x) => units.reduce((sum, [a, w, b]) => sum + (a! / K) * (w! * x + b!) ** K, 0));
  });
  return Math.min(
    ...drawn,
    errorOf((x) => x ** (K + 1) - Math.cos((K + 1) * Math.acos(x)) / 2 ** K),
  );
}
