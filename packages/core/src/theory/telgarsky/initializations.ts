import { initialVariance } from "../../dynamics/initial-size.ts";
import { drawShallow, shallowValue } from "../../dynamics/shallow-network.ts";
import { varianceReport } from "../../dynamics/variance.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, type Tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { normalCdf } from "../../numbers/statistics.ts";
import type { Initialization } from "../../train/initialization.ts";
import { initialNetwork } from "../../train/network.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

/** How often Chebyshev's inequality may fail. */
const delta = 1e-3;
/** Few enough units to try all signs of their outer weights. */
const fewUnits = 8;

const conventions = ["chapter", "theory", "pytorch"] as const;
type Convention = (typeof conventions)[number];
const lawOf = (convention: Convention, rho: number): Initialization =>
  convention === "chapter" ? `t11-chapter(${rho})` : convention === "theory" ? "t11-theory" : "pytorch";

export default lemma({
  id: "T-11",
  covers: ["T-11"],
  kind: "measure",
  title: "Conventions for weights at initialization",
  source: "Telgarsky, Remark 3.2",
  statement: String.raw`\mathbb{E} F(x; w_0)^2 = \frac{\rho^2 \|x\|^2}{2} \;\; \left( \tfrac{\rho}{\sqrt m}, \; a_j = \pm 1, \; v_j \sim \mathcal N(0, I) \right), \qquad \frac{\|x\|^2}{2d} \;\; \left( a_j = \pm \tfrac{1}{\sqrt m}, \; v_j \sim \mathcal N(0, \tfrac{I}{d}) \right), \qquad \frac{\|x\|^2}{18 d} \;\; \left( a_j, v_{j,i} \text{ uniform on } \pm \tfrac{1}{\sqrt m}, \pm \tfrac{1}{\sqrt d} \right)`,
  parameters: {
    convention: choice(conventions, { label: "convention" }),
    d: integer({ min: 1, max: 12, default: 3, label: "inputs" }),
    m: integer({ min: 1000, max: 40000, default: 10000, label: "units" }),
    r: real({ min: 0.2, max: 4, default: 1, label: "length of x" }),
    rho: real({ min: 0.3, max: 3, default: 1.5, label: "temperature of the chapter" }),
  },
  claims: {
    "variance of the output over the outer weights, one network": equals(
      String.raw`\tfrac12 \rho^2 \|x\|^2, \; \tfrac{1}{2d} \|x\|^2, \; \tfrac{1}{18 d} \|x\|^2, \text{ each} \pm \sqrt{5 / (m \delta)} \text{ of it (Chebyshev)}`,
    ).probable(),
    "mean of F(x)² over all signs of 8 outer weights": equals(
      String.raw`\textstyle\sum_j a_j^2 \sigma(v_j^\top x)^2`,
    ),
    "mean square of the inner weights": equals(
      String.raw`1, \; \tfrac1d, \; \tfrac{1}{3d} \text{ (Chebyshev)}`,
    ).probable(),
    "mean square of the outer weights": equals(
      String.raw`1, \; \tfrac1m, \; \tfrac{1}{3m} \text{ (Chebyshev)}`,
    ).probable(),
    "variance of the output, the theory's over PyTorch's": equals("9"),
    "size of an outer weight of the theory": equals(String.raw`1 / \sqrt m`),
    "size of an outer weight of the theory, as printed": equals("1").printed({
      where: "Remark 3.2",
      printed: String.raw`$a_j \sim \text{Discrete}(\pm 1/\sqrt{m})$, a discrete uniform distribution on $-1$ and $+1$`,
      corrected: String.raw`a discrete uniform distribution on $-1/\sqrt m$ and $+1/\sqrt m$`,
    }),
  },
  mutants: {
    "the half of the ReLU forgotten": {
      "variance of the output over the outer weights, one network": (_, { theory }) => 2 * theory,
    },
    "half of an interval for a deviation": {
      "mean square of the inner weights": ({ convention }, { theory }) =>
        convention === "pytorch" ? 3 * theory : Number.NaN,
    },
    "ρ for ρ²": {
      "variance of the output over the outer weights, one network": ({ convention, rho }, { theory }) =>
        convention === "chapter" ? theory / rho : Number.NaN,
    },
  },
  run({ convention, d, m, r, rho }, { random, budget }) {
    const initialization = lawOf(convention, rho);
    const options = { initialization, seed: random.integer(0, 2 ** 30), type: "float64" } as const;
    const spec = `${d}-${m}nobias-relu-1nobias`;
    const net = initialNetwork(spec, options);
    const inner = numbers(net.initializers.get("layer1.weight") as Tensor);
    const outer = numbers(net.initializers.get("layer2.weight") as Tensor);
    const report = varianceReport(spec, options);
    const factor = report[1]!.factor;
    const x = random.sphere(d).map((v) => r * v);
    const units = unitsAt(inner, m, x);
    const squares = units.reduce((sum, u) => sum + u * u, 0);
    const theory = initialVariance(initialization, d, m, r);
    const few = units.slice(0, fewUnits).map((u, j) => u * outer[j]!);
    const byFew = few.reduce((sum, f) => sum + f * f, 0);
    const deviations = (k: number): number => report[k]!.standardError / Math.sqrt(delta);
    const size = Math.abs(
      (
        initialNetwork(spec, { ...options, initialization: "t11-theory" }).initializers.get(
          "layer2.weight",
        ) as Tensor
      ).data[0] as number,
    );
    return {
      graph: net,
      ...(budget !== "cheap" && { figure: figure(r, rho, random.split("figure")) }),
      claims: {
        // A square of a ReLU has the second moment 2 kurtosis(z) <= 6 times the square of its mean.
        "variance of the output over the outer weights, one network": sampled(
          factor ** 2 * report[1]!.theory * squares,
          theory,
          { delta, tolerance: theory * Math.sqrt(5 / (m * delta)) },
        ),
        "mean of F(x)² over all signs of 8 outer weights": checked(overAllSigns(few), byFew, {
          tolerance: 2 ** -44 * byFew,
        }),
        // All squares of signs are the same: what is left is their rounding.
        "mean square of the inner weights": sampled(report[0]!.measured, report[0]!.theory, {
          delta,
          tolerance: deviations(0) + 2 ** -40,
        }),
        "mean square of the outer weights": sampled(report[1]!.measured, report[1]!.theory, {
          delta,
          tolerance: deviations(1) + 2 ** -40,
        }),
        "variance of the output, the theory's over PyTorch's": checked(
          initialVariance("t11-theory", d, m, r) / initialVariance("pytorch", d, m, r),
          9,
          { tolerance: 2 ** -44 },
        ),
        "size of an outer weight of the theory": checked(size, 1 / Math.sqrt(m), { tolerance: 2 ** -50 }),
        "size of an outer weight of the theory, as printed": checked(size, 1),
      },
    };
  },
});

/** relu(<v_j, x>) of all units: v_j is a column of the stored matrix. */
const unitsAt = (V: ArrayLike<number>, m: number, x: Float64Array): readonly number[] =>
  Array.from({ length: m }, (_, j) =>
    Math.max(
      0,
      x.reduce((sum, value, k) => sum + value * V[k * m + j]!, 0),
    ),
  );

/** The mean of (sum +-f_j)^2. */
function overAllSigns(f: readonly number[]): number {
  const count = 2 ** f.length;
  let sum = 0;
  for (let mask = 0; mask < count; mask++)
    sum += f.reduce((value, each, j) => value + ((mask >> j) & 1 ? each : -each), 0) ** 2;
  return sum / count;
}

/** The variance of the output over the outer weights at x, given the inner ones. */
function drawnVariance(
  initialization: Initialization,
  d: number,
  m: number,
  r: number,
  random: Random,
): number {
  const options = { initialization, seed: random.integer(0, 2 ** 30), type: "float64" } as const;
  const spec = `${d}-${m}nobias-relu-1nobias`;
  const V = numbers(initialNetwork(spec, options).initializers.get("layer1.weight") as Tensor);
  const { factor, theory } = varianceReport(spec, options)[1]!;
  const squares = unitsAt(
    V,
    m,
    random.sphere(d).map((v) => r * v),
  ).reduce((sum, u) => sum + u * u, 0);
  return factor ** 2 * theory * squares;
}

const described: Readonly<Record<Convention, string>> = {
  chapter: "chapter: ±1, N(0, I), ρ/√m outside",
  theory: "theory: ±1/√m, N(0, I/d)",
  pytorch: "PyTorch: uniform on ±1/√m, ±1/√d",
};

function figure(r: number, rho: number, random: Random): Figure {
  const dimensions = [1, 2, 3, 4, 6, 8, 12, 16];
  const outputs = (m: number): readonly number[] =>
    Array.from({ length: 400 }, (_, n) => {
      const own = random.split(`${m}/${n}`);
      return (rho / Math.sqrt(m)) * shallowValue(drawShallow("relu", m, 2, own), own.sphere(2)) * r;
    }).sort((p, q) => p - q);
  const deviation = (rho * r) / Math.SQRT2;
  const line = Array.from({ length: 81 }, (_, k) => -3 * deviation + (6 * deviation * k) / 80);
  return {
    title: "The output of a network before training",
    panels: [
      {
        title: `Its variance, ‖x‖ = ${r}, ρ = ${rho}`,
        x: { label: "inputs d", scale: "log" },
        y: { label: "variance of F(x)", scale: "log" },
        series: conventions.flatMap((convention) => [
          {
            name: described[convention],
            mark: "line" as const,
            role: "theory" as const,
            points: dimensions.map((d) => [d, initialVariance(lawOf(convention, rho), d, 1, r)] as const),
          },
          {
            name: "one network of 2000 units",
            mark: "dots" as const,
            role: "measured" as const,
            like: described[convention],
            points: dimensions.map(
              (d) => [d, drawnVariance(lawOf(convention, rho), d, 2000, r, random)] as const,
            ),
          },
        ]),
      },
      {
        title: "Its distribution, the chapter's convention",
        x: { label: "F(x)" },
        y: { label: "part of 400 networks below" },
        series: [
          {
            name: "normal",
            mark: "line",
            role: "theory",
            points: line.map((t) => [t, normalCdf(t / deviation)] as const),
          },
          ...[1, 4, 64].map((m) => ({
            name: m === 1 ? "1 unit" : `${m} units`,
            mark: "step" as const,
            points: outputs(m).map((y, n) => [y, (n + 0.5) / 400] as const),
          })),
        ],
      },
    ],
  };
}
