import {
  addExponentials,
  bernsteinExponentials,
  type ExponentialSum,
  exponentialNetwork,
  exponentialValue,
  multiplyExponentials,
} from "../../approximate/smooth-activation/exponential-algebra.ts";
import { fitExponential, reducedNetwork } from "../../approximate/smooth-activation/exponential-fit.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

type Point = readonly number[];

/** Targets with their Lipschitz constants in each coordinate. */
const continuousTargets = {
  ridge: { value: (x: Point) => Math.abs(x.reduce((s, t) => s + t, 0) / x.length - 1 / 2), slope: 1 },
  wave: { value: (x: Point) => Math.sin(3 * x.reduce((s, t) => s + t, 0)) / 3, slope: 1 },
  bump: { value: (x: Point) => x.reduce((p, t) => p * (1 - Math.abs(2 * t - 1)), 1), slope: 2 },
} as const;

export default lemma({
  id: "T-06",
  covers: ["T-06"],
  kind: "construction",
  title: "The algebra of exponential networks, and universal approximation by it",
  source: "Telgarsky, Theorem 2.5 and Lemma 2.7",
  statement: String.raw`\Bigl(\sum_j a_j e^{v_j^\top x}\Bigr)\Bigl(\sum_i u_i e^{w_i^\top x}\Bigr) = \sum_{i,j} a_j u_i e^{(v_j + w_i)^\top x}, \qquad |f - g| \le |h - g| + \sum_j |a_j| \sup |p - \exp|`,
  parameters: {
    target: choice(["wave", "ridge", "bump"], { label: "function g" }),
    d: integer({ min: 1, max: 2, default: 1, label: "dimension d" }),
    k: integer({ min: 1, max: 8, default: 6, label: "degree of Bernstein's polynomial" }),
    activation: choice(["tanh", "logistic", "softplus", "gaussian", "relu", "arctan"], {
      label: "activation σ",
    }),
    n: integer({ min: 4, max: 24, default: 16, label: "units of p" }),
  },
  claims: {
    "product of two networks, relative error": equals("0"),
    "units of the product": atMost("m n"),
    "sum of two networks, relative error": equals("0"),
    "separating function at x'": equals("1"),
    "separating function at x, as printed": equals("1").printed({
      where: "proof of Lemma 2.7, item 3",
      printed: String.raw`$f(z) := \exp(\langle z - x', x - x' \rangle)$ [...] satisfies $f(x) = 1 \neq \exp(\|x - x'\|^2) = f(x')$`,
      corrected: String.raw`$f(x') = 1 \neq \exp(\|x - x'\|^2) = f(x)$`,
    }),
    "sup |h - g|": atMost(
      String.raw`\sum_j \mathrm{Lip}_j(g) \, \frac{e-1}{2 \sqrt k}, \text{ Bernstein in } u = (e^x - 1)/(e-1)`,
    ).looseBy(1.4),
    "units of h": atMost("(k+1)^d"),
    "sup |f - h|": atMost(String.raw`\sum_j |a_j| \, \sup_{|r| \le \max \|v_j\|_1} |p(r) - e^r|`).looseBy(
      1.1,
    ),
    "sup |f - g|": atMost("both together").looseBy(1.2),
    "units of f": atMost("m n"),
  },
  mutants: {
    "Bernstein at the rate 1/k": {
      "sup |h - g|": ({ d, k }, { theory }) => theory / Math.sqrt(d === 1 ? k : Math.min(k, 4)),
    },
    "no unit for the exponent 0": { "units of h": ({ d, k }) => (d === 1 ? k : Math.min(k, 4)) ** d },
  },
  async run({ target, d, k: asked, activation, n }, { random, scale, progress, budget }) {
    const k = d === 1 ? asked : Math.min(asked, 4); // (k+1)^d terms, and their coefficients grow like 4^(k d)
    const { value: g, slope } = continuousTargets[target];
    const h = bernsteinExponentials(g, d, k);
    const reach = Math.max(...h.map(({ exponents }) => exponents.reduce((s, v) => s + v, 0)));
    const p = fitExponential(activation, Math.max(1, reach), n);
    const network = reducedNetwork(h, p);
    await progress(0.4);
    const points = Array.from({ length: scale(300) }, () => Array.from(random.uniform(d)));
    const values = await valuesOf(network, points);
    const off = { h: 0, f: 0, whole: 0 };
    points.forEach((x, at) => {
      const [exact, between] = [g(x), exponentialValue(h, x)];
      off.h = Math.max(off.h, Math.abs(between - exact));
      off.f = Math.max(off.f, Math.abs(values[at]! - between));
      off.whole = Math.max(off.whole, Math.abs(values[at]! - exact));
    });
    const mass = h.reduce((sum, t) => sum + Math.abs(t.coefficient), 0);
    // x is (e - 1) e^-x <= e - 1 times as steep in u; the binomial mean of |i/k - u| is at most 1 / (2 sqrt k).
    const bernstein = (d * slope * (Math.E - 1)) / (2 * Math.sqrt(k));
    // Terms of size up to mass e^reach (or those of p) cancel in doubles.
    const size = mass * (Math.exp(reach) + p.outer.reduce((s, u) => s + Math.abs(u), Math.abs(p.bias)));
    const tolerance = size * 2 ** -48;
    const reduction = mass * p.error * (1 + 1e-3); // p.error is over a fine grid: between its points exp and p bend little
    const algebra = closure(random, d, points.slice(0, 20));
    const [x, other] = [points[0]!, points.at(-1)!.map((t) => t / 2)];
    const separating = (z: Point): number =>
      Math.exp(z.reduce((s, t, j) => s + (t - other[j]!) * (x[j]! - other[j]!), 0));
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: exponentialFigure(target, activation) }),
      claims: {
        "product of two networks, relative error": checked(algebra.product, 0, { tolerance: 1e-13 }), // doubles
        "units of the product": checked(algebra.units, algebra.most),
        "sum of two networks, relative error": checked(algebra.sum, 0, { tolerance: 1e-13 }),
        "separating function at x'": checked(separating(other), 1),
        "separating function at x, as printed": checked(separating(x), 1),
        "sup |h - g|": sampled(off.h, bernstein, { tolerance }),
        "units of h": checked(complexity(exponentialNetwork(h)).width, (k + 1) ** d),
        ...(mass > 0 && { "sup |f - h|": sampled(off.f, reduction, { tolerance }) }), // else both are 0
        "sup |f - g|": sampled(off.whole, bernstein + reduction, { tolerance }),
        "units of f": checked(complexity(network).width, h.length * n),
      },
    };
  },
});

async function valuesOf(network: Graph, points: readonly Point[]): Promise<Float64Array> {
  const { y } = await run(network, { x: tensor(points) });
  return Float64Array.from(numbers(y!));
}

/** Sum and product of two random exponential networks, against those of their values. */
function closure(random: Random, d: number, points: readonly Point[]) {
  const draw = (): ExponentialSum =>
    Array.from({ length: random.integer(1, 5) }, () => ({
      coefficient: random.normal(),
      exponents: Array.from({ length: d }, () => random.integer(-3, 3)),
    }));
  const [f, g] = [draw(), draw()];
  const [product, sum] = [multiplyExponentials(f, g), addExponentials([2, f], [-3, g])];
  const size = (h: ExponentialSum, x: Point): number =>
    exponentialValue(
      h.map((t) => ({ ...t, coefficient: Math.abs(t.coefficient) })),
      x,
    );
  const worst = (of: (x: Point) => number): number => Math.max(...points.map(of));
  return {
    units: product.length,
    most: f.length * g.length,
    product: worst(
      (x) =>
        Math.abs(exponentialValue(product, x) - exponentialValue(f, x) * exponentialValue(g, x)) /
        (size(f, x) * size(g, x)),
    ),
    sum: worst(
      (x) =>
        Math.abs(exponentialValue(sum, x) - 2 * exponentialValue(f, x) + 3 * exponentialValue(g, x)) /
        (2 * size(f, x) + 3 * size(g, x)),
    ),
  };
}

function exponentialFigure(
  target: keyof typeof continuousTargets,
  name: Parameters<typeof fitExponential>[0],
): Figure {
  const { value } = continuousTargets[target];
  const xs = Array.from({ length: 201 }, (_, k) => k / 200);
  const degrees = [2, 4, 8] as const;
  return {
    title: `Exponential networks near "${target}" in one variable`,
    panels: [
      {
        title: "Bernstein's polynomials in e^x",
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "g", mark: "line", points: xs.map((x) => [x, value([x])]) },
          ...degrees.map((k) => {
            const h = bernsteinExponentials(value, 1, k);
            return {
              name: `${k + 1} units`,
              mark: "line" as const,
              points: xs.map((x) => [x, exponentialValue(h, [x])] as const),
            };
          }),
        ],
      },
      {
        title: `exp on [0, 4] by units of ${name}`,
        x: { label: "units" },
        y: { label: "sup |p - exp|", scale: "log" },
        series: [
          {
            name: "least squares",
            mark: "line",
            points: [4, 6, 8, 10, 12, 16, 20, 24].map((n) => [n, fitExponential(name, 4, n).error]),
          },
        ],
      },
    ],
  };
}
