import type { Figure } from "../../figure/figure.ts";
import type { Certified } from "../../networks/circuit/certified.ts";
import { isGate } from "../../networks/circuit/circuit.ts";
import { boundsOf } from "../../networks/circuit/error-bounds.ts";
import { unitsOf } from "../../networks/circuit/levels.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { monomials } from "../../networks/monomial.ts";
import { reciprocalCircuit } from "../../networks/rational/reciprocal.ts";
import { add, div, type Exact, mul, sub } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { distance } from "../../passes/distance.ts";
import { linearPieces } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { greatestErrorExactly, type Point, valuesAt } from "../telgarsky/plane.ts";
import {
  chebyshevTarget,
  farTarget,
  monomialTarget,
  polynomialTarget,
  rationalTarget,
  reciprocalTarget,
  type Target,
  uniformUnits,
} from "./polynomial-targets.ts";

export default lemma({
  id: "C3-14",
  covers: ["C3-14", "T-33"],
  kind: "construction",
  title: "Monomials, polynomials, reciprocals, rational functions",
  source: "Mathematical Aspects of Deep Learning, Theorem 3.10, proof and footnote 9; Telgarsky, Section 4.3",
  statement: String.raw`\Big\|\Phi - \sum_\alpha c_\alpha x^\alpha\Big\|_\infty \le \sum_\alpha |c_\alpha| (|\alpha|-1)_+ 4^{-m-1}, \qquad \frac1x = \prod_{i<K} \left(1 + (1-x)^{2^i}\right) + \frac{(1-x)^{2^K}}{x}`,
  parameters: {
    target: choice(["polynomial", "monomial", "reciprocal", "rational", "far from 0", "Chebyshev"], {
      label: "function",
    }),
    degree: integer({ min: 2, max: 6, default: 5, label: "degree" }),
    variables: integer({ min: 1, max: 2, default: 1, label: "variables" }),
    from: real({ min: -4, max: 4, default: -1, label: "lower end of the box" }),
    width: real({ min: 0.25, max: 4, default: 3, label: "width of the box" }),
    delta: real({ min: 0.05, max: 0.5, default: 0.1, label: "least denominator, relative" }),
    digits: integer({ min: 1, max: 12, default: 4, label: "digits" }),
  },
  claims: {
    "certified error": atMost(String.raw`\varepsilon = 10^{-\text{digits}} \|f\|`),
    "certified error of a run in f64": atMost(String.raw`\varepsilon`),
    "error on ONNX Runtime": atMost(String.raw`\text{the certified error of a run in f64}`),
    "error by exact pieces": atMost(String.raw`\text{the certified error}`),
    "hidden units": equals(String.raw`\text{those that the allocation counted}`),
    "hidden units, levels allotted": atMost(String.raw`\text{those of equal levels with the same error}`),
    "monomial, certified error": equals(String.raw`(|\alpha| - 1) 4^{-m-1}`),
    "monomial, affine maps": atMost(String.raw`\lceil \log_2 |\alpha| \rceil (m + 2)`),
    "reciprocal, rest of the series": equals(String.raw`(1-x)^{2^K} / x \text{ at } x = \delta`),
    "reciprocal, error at equal levels": atMost(
      String.raw`\frac{(1-\delta)^{2^K}}{\delta} + (2^K - 1) D^2 4^{-m'-1} + \frac{K 2^{K-1}}{\delta} 4^{-m-1}, \; D = 2/\delta`,
    ).looseBy(1.1),
  },
  mutants: {
    "a product for every factor": {
      "monomial, certified error": ({ degree }, { theory }) => (theory * degree) / (degree - 1),
    },
    "K - 1 factors": {
      "reciprocal, rest of the series": ({ delta }, { theory }) => Math.sqrt(theory / delta),
    },
    "a digit lost": ({ digits }) => ({ digits: digits - 1 }),
  },
  async run(parameters, { budget, random, scale, progress }) {
    const { digits, degree, delta } = parameters;
    const target = targetOf(parameters, random);
    const eps = 10 ** -digits * target.size;
    const compiled = target.compile(eps);
    await progress(0.4);
    const { network, error, runError } = compiled;
    const points = pointsIn(target, random, scale(4000));
    const measured = await greatestErrorExactly(network, points, target.exact);
    await progress(0.7);
    const { hiddenUnits, depth } = sizes(network);
    const levels = Math.max(...compiled.levels);
    return {
      graph: network,
      figure: budget === "cheap" ? undefined : await figure(target, compiled),
      claims: {
        "certified error": proved(error, eps),
        "certified error of a run in f64": proved(runError, eps),
        "error on ONNX Runtime": sampled(measured, runError),
        "error by exact pieces": exactError(target, compiled) ?? exactError(...powerOf(degree))!,
        "hidden units": checked(hiddenUnits!, compiled.units),
        ...(parameters.target !== "monomial" && allotted(compiled)),
        ...(parameters.target === "monomial" && {
          "monomial, certified error": proved(error, (degree - 1) * 4 ** -(levels + 1)),
          "monomial, affine maps": checked(depth + 1, Math.ceil(Math.log2(degree)) * (levels + 2)),
        }),
        ...reciprocalClaims(delta, digits),
      },
    };
  },
});

function targetOf(
  given: Parameters<typeof polynomialTarget>[1] & { readonly target: string },
  random: Random,
): Target {
  if (given.target === "monomial") return monomialTarget(random, given);
  if (given.target === "polynomial") return polynomialTarget(random, given);
  if (given.target === "far from 0") return farTarget(random, given);
  if (given.target === "Chebyshev") return chebyshevTarget(given);
  if (given.target === "reciprocal") return reciprocalTarget(given);
  return rationalTarget(random, given);
}

/** The units of the gates against those that equal levels need for the same error, before rounding. */
function allotted({ circuit, levels }: Certified) {
  const { error } = boundsOf(circuit, levels)[circuit.outputs[0]!]!;
  const equal = uniformUnits(circuit, error);
  if (equal === undefined) return {};
  return { "hidden units, levels allotted": checked(unitsOf(circuit, levels), equal) };
}

/** Points of the box: at random, near its corners, and in the middles of dyadic cells. */
const pointsIn = ({ box }: Target, random: Random, count: number): Point[] =>
  Array.from({ length: count }, (_, k) =>
    box.map(([a, b]) => {
      const share = random.uniform();
      const cells = 2 ** (3 + (k % 7));
      const near = k % 3 === 0 ? (Math.floor(share * cells) + 0.5) / cells : k % 3 === 1 ? share ** 4 : share;
      return k % 2 ? a + near * (b - a) : b - near * (b - a);
    }),
  );

/** x^degree with two levels for each product, whose pieces are few. */
function powerOf(degree: number): [Pick<Target, "terms" | "box">, Certified] {
  const terms = [{ coefficient: 1, exponents: [degree] }];
  return [{ terms, box: [[-1, 1]] }, monomials([[degree]], { levels: 2 })];
}

/** sup |network - p| by exact pieces, where there are few. */
function exactError({ terms, box }: Pick<Target, "terms" | "box">, { network, error, levels }: Certified) {
  const squarings = levels.reduce((sum, m) => sum + m, 0);
  if (!terms || box.length > 1 || squarings > 12) return undefined;
  const coefficients: Exact[] = [];
  for (const { coefficient, exponents } of terms) coefficients[exponents[0]!] = coefficient;
  const { sup } = distance(
    linearPieces(network, ...box[0]!),
    Array.from(coefficients, (c) => c ?? 0),
  );
  return proved(sup.upper, error);
}

/** The series at x = delta, the bound with equal levels on [delta, 1], and what happens without a least denominator. */
function reciprocalClaims(delta: number, digits: number) {
  const accuracy = 10 ** -Math.min(digits, 4); // of 1/x on [delta, 1], with the bounds of the catalogue
  const K = Math.max(1, Math.ceil(Math.log2(Math.log((accuracy * delta) / 2) / Math.log(1 - delta))));
  const terms = [(2 ** K - 1) * (2 / delta) ** 2, (K * 2 ** (K - 1)) / delta];
  const [products, squares] = terms.map((c) => Math.ceil(Math.log(c / (accuracy / 4)) / Math.log(4)) - 1);
  const circuit = reciprocalCircuit([delta, 1], { factor: 1, stages: K });
  const levels = circuit.values.map((v) => (v.kind === "product" ? products! : isGate(v) ? squares! : 0));
  const bound =
    (1 - delta) ** (2 ** K) / delta + terms[0]! * 4 ** -(products! + 1) + terms[1]! * 4 ** -(squares! + 1);
  return {
    "reciprocal, rest of the series": proved(...restOfSeries(delta, Math.min(K, 6))),
    "reciprocal, error at equal levels": proved(boundsOf(circuit, levels)[circuit.outputs[0]!]!.error, bound),
  };
}

/** 1/x - prod_{i<K} (1 + (1-x)^(2^i)), and (1-x)^(2^K) / x, exactly. */
function restOfSeries(x: number, K: number): [Exact, Exact] {
  let [power, product]: [Exact, Exact] = [sub(1, x), 1];
  for (let i = 0; i < K; i++) {
    product = mul(product, add(1, power));
    power = mul(power, power);
  }
  return [sub(div(1, x), product), div(power, x)];
}

async function figure(target: Target, { network, runError }: Certified): Promise<Figure> {
  // On a line through the box, from corner to corner.
  const shares = Array.from({ length: 801 }, (_, k) => k / 800);
  const points = shares.map((s) => target.box.map(([a, b]) => a + s * (b - a)));
  const values = await valuesAt(network, points);
  const [xs, f] = [points.map((x) => x[0]!), points.map(target.f)];
  const accuracies = Array.from({ length: 6 }, (_, k) => 10 ** -(2 * k + 1) * target.size);
  const sizesAt = accuracies.map((eps) => {
    const { units, circuit } = target.compile(eps);
    return { eps, units, equal: uniformUnits(circuit, eps) };
  });
  const where = target.box.length > 1 ? "x = y" : "x";
  return {
    title: `${target.name} by ${complexity(network).neurons - target.box.length - 1} ReLUs: certified error ${runError.toExponential(2)}`,
    panels: [
      {
        title: "The function and the network",
        x: { label: where },
        y: { label: "value" },
        series: [
          { name: target.name, mark: "line", role: "theory", points: xs.map((x, k) => [x, f[k]!]) },
          { name: "network", mark: "line", points: xs.map((x, k) => [x, values[k]!]) },
        ],
      },
      {
        title: "Error",
        x: { label: where },
        y: { label: "(network - function) / certificate" },
        series: [
          { name: "error", mark: "line", points: xs.map((x, k) => [x, (values[k]! - f[k]!) / runError]) },
          ...[1, -1].map((s) => ({
            name: `${s < 0 ? "- " : ""}certificate`,
            mark: "line" as const,
            role: "theory" as const,
            points: [xs[0]!, xs.at(-1)!].map((x) => [x, s] as const),
          })),
        ],
      },
      {
        title: "Units against accuracy",
        x: { label: "error asked for", scale: "log" },
        y: { label: "hidden units" },
        series: [
          { name: "levels allotted to gates", mark: "line", points: sizesAt.map((s) => [s.eps, s.units]) },
          {
            name: "equal levels",
            mark: "line",
            points: sizesAt.flatMap((s) => (s.equal === undefined ? [] : [[s.eps, s.equal] as const])),
          },
        ],
      },
    ],
  };
}
