import {
  formulaBarronConstant,
  formulaFunction,
  formulaMoment,
} from "../../approximate/barron/formula-spectrum.ts";
import { drawPairs } from "../../approximate/barron/representation.ts";
import { ballPoints, meanSquaredGap, ridgeNetwork, ridgeValues } from "../../approximate/barron/ridge-sum.ts";
import { barronTarget } from "../../approximate/barron/targets.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const letters = ["x", "y", "z"];
const squares = (d: number): string =>
  letters
    .slice(0, d)
    .map((v) => `${v}^2`)
    .join(" + ");

/** Formulas in d variables of width s, and their constants, with angular frequencies. */
const formulas = {
  gaussian: {
    text: (d: number, s: number) => `exp(-(${squares(d)}) / ${2 * s * s})`,
    constant: (d: number, s: number) => barronTarget("gaussian", d, s).moment(1),
  },
  packet: {
    text: (d: number, s: number) => `exp(-(${squares(d)}) / ${2 * s * s}) * cos(${2 / s} * x)`,
    constant: (d: number, s: number) => barronTarget("packet", d, s).moment(1),
  },
  odd: {
    text: (d: number, s: number) => `x * exp(-(${squares(d)}) / ${2 * s * s})`,
    constant: (d: number, s: number) => barronTarget("odd", d, s).moment(1),
  },
} as const;

export default lemma({
  id: "C1b-03",
  covers: ["C1b-03"],
  kind: "measure",
  title: "Barron's constant of a formula",
  source: "Book, chapter 1, Theorem 1.27",
  statement: String.raw`C_g = \int \|\xi\|_2 |\hat g(\xi)| \, d\xi: \quad C_{g(\lambda \cdot)} = \lambda C_g, \quad C_{g(\cdot - h)} = C_g, \quad C_{f+g} \le C_f + C_g, \quad C_{fg} \le \|\hat f\|_1 C_g + \|\hat g\|_1 C_f`,
  parameters: {
    g: choice(["gaussian", "packet", "odd"], { label: "formula" }),
    d: integer({ min: 1, max: 3, default: 2, label: "variables d" }),
    s: real({ min: 0.5, max: 0.8, default: 0.6, label: "width s" }),
    scale: real({ min: 1, max: 1.5, default: 1.2, label: "scale λ" }),
    shift: integer({ min: 0, max: 2, default: 2, label: "shift, in steps of the grid" }),
  },
  claims: {
    "constant from samples": equals(
      String.raw`\text{the closed form, within its own estimate: the change at half as many samples, plus that in half the box or twice that in } \tfrac34 \text{ of it}`,
    ),
    "C of the interpolant of period L, g scaled by λ": equals(
      String.raw`\lambda C, \text{ period } L / \lambda`,
    ),
    "C after a shift": equals("C"),
    "C of a sum": atMost("C_f + C_g"),
    "C of a product": atMost(String.raw`\|\hat f\|_1 C_g + \|\hat g\|_1 C_f`).looseBy(1.2),
    "interpolant at points of the ball, off the formula": equals("0"),
    "squared error of networks drawn from the samples' spectrum, mean":
      atMost(String.raw`(2 \pi C_g)^2 / n`).looseBy(2.5),
  },
  mutants: {
    "√d / s for the mean length of a normal vector": {
      "constant from samples": ({ g, d, s }) =>
        g === "gaussian" ? Math.sqrt(d) / s / (2 * Math.PI) : Number.NaN,
    },
    "λ² for λ": {
      "C of the interpolant of period L, g scaled by λ": ({ scale }, { theory }) => scale * theory,
    },
    "the factor 2π forgotten": {
      "squared error of networks drawn from the samples' spectrum, mean": (_, { theory }) =>
        theory / (2 * Math.PI) ** 2,
    },
  },
  run({ g: name, d, s, scale: lambda, shift }, { random, budget, scale }) {
    const { text, constant } = formulas[name];
    const variables = letters.slice(0, d);
    const grid = { variables, period: [16, 12, 8][d - 1]!, samples: [256, 64, 32][d - 1]! };
    const step = grid.period / grid.samples;
    const formula = text(d, s);
    const numeric = formulaBarronConstant(formula, grid);
    const moved = formula.replace(/\bx\b/g, `(x - ${shift * step})`);
    const scaledFormula = formula.replace(/\b[xyz]\b/g, (v) => `(${lambda} * ${v})`);
    const other = text(d, 0.8).replace(/\bx\b/g, "(x + 0.3)");
    const mass = (of: string): number => formulaMoment(of, 0, grid);
    const first = (of: string): number => formulaMoment(of, 1, grid);
    const function_ = formulaFunction(formula, grid);
    const points = ballPoints(d, scale(200), random.split("points"));
    const truth = Float64Array.from(points, (x) => barronTarget(name, d, s).value(x));
    const n = 32;
    const stream = random.split("pairs");
    const drawn = Array.from({ length: 20 }, () => drawPairs(function_, "threshold", n, stream));
    const C = numeric.constant;
    const nyquist = (Math.PI * grid.samples) / grid.period;
    // The function at the edge of the box, after the shift. What is cut there changes coefficients by that in the mean
    // square, and the constant by so much times the root of the sum of |omega|^2 (Cauchy and Schwarz).
    const reach = grid.period / 2 - shift * step;
    const edge = (name === "odd" ? reach : 1) * Math.exp(-(reach ** 2) / (2 * s * s));
    // Rounding of a transform of some thousand samples.
    const rounding = { tolerance: 1e-9 * (1 + C) };
    return {
      graph: ridgeNetwork(drawn[0]!),
      ...(budget === "cheap" ? {} : { figure: figure(name, s) }),
      claims: {
        "constant from samples": checked(C / (2 * Math.PI), constant(d, s) / (2 * Math.PI), {
          tolerance: (numeric.spacingChange + numeric.boxChange) / (2 * Math.PI) + rounding.tolerance,
        }),
        "C of the interpolant of period L, g scaled by λ": checked(
          formulaMoment(scaledFormula, 1, { ...grid, period: grid.period / lambda }),
          lambda * C,
          rounding,
        ),
        "C after a shift": checked(first(moved), C, {
          tolerance: rounding.tolerance + edge * Math.sqrt(d * grid.samples ** d) * nyquist,
        }),
        "C of a sum": checked(first(`${formula} + ${other}`), C + first(other), rounding),
        "C of a product": checked(
          first(`(${formula}) * (${other})`),
          mass(formula) * first(other) + mass(other) * C,
          rounding,
        ),
        "interpolant at points of the ball, off the formula": sampled(
          Math.max(...points.slice(0, 10).map((x, i) => Math.abs(function_.value(x) - truth[i]!))),
          0,
          // Frequencies beyond the grid's, those of the packet around 2/s, and what is cut at the edge.
          { tolerance: 1e-9 + 8 * d * (Math.exp(-((nyquist * s - 2) ** 2) / 2) + edge) },
        ),
        "squared error of networks drawn from the samples' spectrum, mean": sampled(
          drawn.reduce((sum, pairs) => sum + meanSquaredGap(truth, ridgeValues(pairs, points)), 0) /
            drawn.length,
          C ** 2 / n,
        ),
      },
    };
  },
});

function figure(name: keyof typeof formulas, s: number): Figure {
  const { text, constant } = formulas[name];
  const periods = [4, 6, 8, 12, 16, 24, 32, 48];
  const at = (period: number): number =>
    formulaBarronConstant(text(1, s), { variables: ["x"], period, samples: 1024 }).constant;
  const windows = Array.from({ length: 16 }, (_, k) => 1.25 + 0.25 * k);
  const windowed = (formula: string) =>
    windows.map((window) => {
      const { constant: C } = formulaBarronConstant(formula, {
        variables: ["x"],
        period: 16,
        samples: 1024,
        window,
      });
      return [window, C / (2 * Math.PI)] as const;
    });
  return {
    title: `Barron's constant from samples: ${text(1, Number(s.toPrecision(3)))}`,
    panels: [
      {
        title: "The box: period L of the interpolant",
        x: { label: "period L", scale: "log" },
        y: { label: "C" },
        series: [
          { name: "from 1024 samples", mark: "dots", points: periods.map((L) => [L, at(L) / (2 * Math.PI)]) },
          {
            name: "theory: on the whole line",
            mark: "line",
            role: "theory",
            points: periods.map((L) => [L, constant(1, s) / (2 * Math.PI)]),
          },
        ],
      },
      {
        title: "The extension: cut off smoothly between 1 and R",
        x: { label: "radius R of the window" },
        y: { label: "C", scale: "log" },
        series: [
          { name: "the formula", mark: "line", points: windowed(text(1, s)) },
          { name: "x^2", mark: "line", points: windowed("x^2") },
          { name: "sin(3 x)", mark: "line", points: windowed("sin(3 * x)") },
        ],
      },
    ],
  };
}
