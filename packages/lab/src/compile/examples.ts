// Formulas to start from, each with a box on which it makes sense.
import { type Problem, parseBox } from "./problem.ts";

export interface Example extends Problem {
  readonly label: string;
}

/** The price of a call option with strike 1, rate 5 % and volatility 20 %: s the share's price, t the years left. */
const normal = (drift: string): string => `(1 + erf((log(s) + ${drift}*t) / (0.2*sqrt(2t)))) / 2`;
const blackScholes = `s * ${normal("0.07")} - exp(-0.05t) * ${normal("0.03")}`;

const example = (label: string, formula: string, box: string, eps: number): Example => ({
  ...{ label, formula, eps, box: parseBox(box), dtype: "f64" },
});

export const examples: readonly Example[] = [
  example("x²", "x^2", "x=-1..1", 1e-2),
  example("sin x", "sin(x)", "x=0..6.3", 5e-2),
  example("e⁻ˣ", "exp(-x)", "x=0..4", 1e-3),
  example("√x", "sqrt(x)", "x=0..1", 1e-2),
  example("tanh 3x", "tanh(3x)", "x=-2..2", 1e-3),
  example("1/(1 + x)", "1/(1 + x)", "x=0..3", 1e-4),
  example("x y", "x*y", "x=-1..1, y=-1..1", 1e-2),
  example("max(x, y)²", "max(x, y)^2", "x=-1..1, y=-1..1", 1e-3),
  example("sin x · e⁻ʸ", "sin(x) * exp(-y)", "x=-3..3, y=0..2", 1e-2),
  example("Black–Scholes", blackScholes, "s=0.8..1.2, t=0.25..1", 1e-3),
  example("Gaussian in ℝ⁴", "exp(-sum(i, 1, 4, x[i]^2))", "x1=-1..1, x2=-1..1, x3=-1..1, x4=-1..1", 1e-2),
];
