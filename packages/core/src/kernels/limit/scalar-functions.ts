// The functions of one number that operators apply to each unit: values, slopes, kinks, and closed forms of the library.
import { linesOfOperator } from "../../functions/by-operator.ts";
import { monomialDual, pointwise, twoSlopes } from "../../functions/dual.ts";
import { library } from "../../functions/library.ts";
import type { OperatorName } from "../../graph/operators/index.ts";
import type { UnitFunction } from "./unit-function.ts";

/** A plain function of the library by its operator, with the closed form if it has one. */
const byLines = (op: OperatorName, kinks: readonly number[] = []): UnitFunction => {
  const { value, slope } = linesOfOperator.get(op)!;
  return { value: (x) => value(x), slope: (x) => slope(x), kinks };
};

const twoSided = (left: number, right: number): UnitFunction => ({
  value: (x) => (x < 0 ? left : right) * x,
  slope: (x) => (x < 0 ? left : right),
  kinks: [0],
  dual: twoSlopes(left, right),
});

const normal = (x: number): number => (1 + library.erf.formula.value(x * Math.SQRT1_2)) / 2;
const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/** alpha (e^(x / width) - 1) below 0, gamma x above. */
export const exponentialUnit = (alpha: number, width: number, gamma: number): UnitFunction => ({
  value: (x) => (x < 0 ? alpha * Math.expm1(x / width) : gamma * x),
  slope: (x) => (x < 0 ? (alpha / width) * Math.exp(x / width) : gamma),
  kinks: [0],
});

/** min(high, max(low, slope x + shift)). */
export const clipped = (low: number, high: number, steep = 1, shift = 0): UnitFunction => ({
  value: (x) => Math.min(high, Math.max(low, steep * x + shift)),
  slope: (x) => (steep * x + shift > low && steep * x + shift < high ? steep : 0),
  kinks: [low, high].filter(Number.isFinite).map((y) => (y - shift) / steep),
});

export const leaky = (alpha: number): UnitFunction => twoSided(alpha, 1);

const tanhInner = (x: number): number => Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3);
export const tanhGelu: UnitFunction = {
  value: (x) => 0.5 * x * (1 + Math.tanh(tanhInner(x))),
  slope: (x) => {
    const t = Math.tanh(tanhInner(x));
    const inner = Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x);
    return 0.5 * (1 + t + x * (1 - t * t) * inner);
  },
  kinks: [],
};

export const gelu: UnitFunction = {
  value: (x) => x * normal(x),
  slope: (x) => normal(x) + x * density(x),
  kinks: [],
  dual: library.gelu.dual(),
};

/** x^n, in closed form for whole n >= 0. */
export const monomial = (n: number): UnitFunction => ({
  value: (x) => x ** n,
  slope: (x) => (n === 0 ? 0 : n * x ** (n - 1)),
  kinks: [],
  ...(Number.isInteger(n) && n >= 0 && n <= 20 ? { dual: monomialDual(n) } : {}),
});

const sign: UnitFunction = {
  value: Math.sign,
  slope: () => 0,
  kinks: [0],
  dual: pointwise(
    (k, a, b) => (2 / Math.PI) * Math.atan2(k, Math.sqrt(Math.max(0, a * b - k * k))),
    () => 0,
  ),
};

/** Operators without attributes. */
export const plainFunctions = {
  Relu: twoSided(0, 1),
  Abs: twoSided(-1, 1),
  Sign: sign,
  Erf: { ...byLines("Erf"), value: library.erf.formula.value, dual: library.erf.dual() },
  Sin: { value: Math.sin, slope: Math.cos, kinks: [], dual: library.sin.dual() },
  Cos: { value: Math.cos, slope: (x) => -Math.sin(x), kinks: [], dual: library.cos.dual() },
  Exp: { value: Math.exp, slope: Math.exp, kinks: [], dual: library.exp.dual() },
  Tanh: { value: Math.tanh, slope: (x) => 1 / Math.cosh(x) ** 2, kinks: [] },
  Atan: { value: Math.atan, slope: (x) => 1 / (1 + x * x), kinks: [] },
  Asinh: { value: Math.asinh, slope: (x) => 1 / Math.sqrt(1 + x * x), kinks: [] },
  Sinh: { value: Math.sinh, slope: Math.cosh, kinks: [] },
  Cosh: { value: Math.cosh, slope: Math.sinh, kinks: [] },
  Softsign: { value: (x) => x / (1 + Math.abs(x)), slope: (x) => (1 + Math.abs(x)) ** -2, kinks: [0] },
  Sqrt: { value: Math.sqrt, slope: (x) => 0.5 / Math.sqrt(x), kinks: [] },
  Reciprocal: { value: (x) => 1 / x, slope: (x) => -1 / (x * x), kinks: [] },
  Log: { value: Math.log, slope: (x) => 1 / x, kinks: [] },
  Sigmoid: byLines("Sigmoid"),
  Softplus: byLines("Softplus"),
  Mish: mish(),
  HardSwish: {
    value: (x) => (x * Math.min(6, Math.max(0, x + 3))) / 6,
    slope: (x) => (x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) / 6),
    kinks: [-3, 3],
  },
} satisfies Readonly<Partial<Record<OperatorName, UnitFunction>>>;

/** x tanh(ln(1 + e^x)). */
function mish(): UnitFunction {
  const { value: softplus, slope: logistic } = byLines("Softplus");
  return {
    value: (x) => x * Math.tanh(softplus(x)),
    slope: (x) => {
      const t = Math.tanh(softplus(x));
      return t + x * (1 - t * t) * logistic(x);
    },
    kinks: [],
  };
}
