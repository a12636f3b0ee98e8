// Barron's constant of a formula in at most three variables, from samples on a grid.
// What is computed is exact for another function: the trigonometric interpolant of period L. It agrees with the formula
// inside the box up to interpolation error, so its constant bounds the least one of all extensions from a ball; and it
// tends to the formula's own constant on R^d as the spacing goes to 0 and L to infinity, where that is finite.
import { evaluateFormula } from "../../formula/evaluate.ts";
import { parseFormula } from "../../formula/formula.ts";
import { variablesOf } from "../../formula/variables.ts";
import { waveSum } from "./combinations.ts";
import { BarronError, requirePositive } from "./error.ts";
import { type ComplexGrid, discreteFourier } from "./fourier-grid.ts";
import type { MomentOrder, SpectralFunction, WeightedWave } from "./spectral-function.ts";

export interface FormulaSpectrumOptions {
  /** The order of the variables; default: as in the formula. */
  readonly variables?: readonly string[];
  /** The side L of the box [-L/2, L/2]^d. */
  readonly period?: number;
  /** A side's samples, a power of 2; default 2048, 256, 64 in 1, 2, 3 variables. */
  readonly samples?: number;
  /** Multiplies by a smooth function that is 1 for |x| <= 1 and 0 for |x| >= window, a radius up to L / 2. */
  readonly window?: number;
}

/** A constant and how much it moved: its digits beyond the changes are worth nothing. */
export interface NumericConstant {
  readonly constant: number;
  /** The change from half as many samples in the same box: aliasing. */
  readonly spacingChange: number;
  /** Whether that change is well below the one before it; else the constant may be infinite (a kink has none). */
  readonly converges: boolean;
  /** The change from a box half as wide, or twice that from three quarters; in a window there is none to see. */
  readonly boxChange: number;
}

/** A step from 0 to 1 on [0, 1], with all derivatives 0 at both ends. */
function smoothStep(t: number): number {
  if (t <= 0 || t >= 1) return t <= 0 ? 0 : 1;
  const [a, b] = [Math.exp(-1 / t), Math.exp(-1 / (1 - t))];
  return a / (a + b);
}

/** The points of the grid, one column a variable; 0 comes first, so that phases are those at the origin. */
function gridColumns(d: number, n: number, period: number): readonly Float64Array[] {
  return Array.from({ length: d }, (_, axis) => {
    const [column, stride] = [new Float64Array(n ** d), n ** axis];
    for (let j = 0; j < column.length; j++) {
      const k = Math.floor(j / stride) % n;
      column[j] = ((k < n / 2 ? k : k - n) * period) / n;
    }
    return column;
  });
}

function rowLength(columns: readonly Float64Array[], j: number): number {
  let sum = 0;
  for (const column of columns) sum += column[j]! ** 2;
  return Math.sqrt(sum);
}

/** Fourier coefficients of the interpolant, with the phase 0 at the origin. */
interface Coefficients extends ComplexGrid {
  readonly count: number;
  /** The frequency of coefficient j, and its length. */
  frequency(j: number): Float64Array;
  frequencyLength(j: number): number;
}

function coefficients(formula: string, options: FormulaSpectrumOptions): Coefficients {
  const variables = options.variables ?? variablesOf(formula);
  const d = variables.length;
  if (d < 1 || d > 3) throw new BarronError(`the transform of a formula needs 1 to 3 variables, not ${d}`);
  const { period = 16, samples: n = usualSamples[d - 1]!, window } = options;
  requirePositive("the period", period);
  if (window !== undefined && !(window > 1 && window <= period / 2))
    throw new BarronError(`a window ends between 1 and half the period ${period}, not at ${window}`);
  const columns = gridColumns(d, n, period);
  const named = new Map(variables.map((name, i) => [name, columns[i]!]));
  const values = evaluateFormula(parseFormula(formula), named).map((value, j) => {
    if (window === undefined) return value;
    const factor = 1 - smoothStep((rowLength(columns, j) - 1) / (window - 1));
    return factor === 0 ? 0 : factor * value;
  });
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) {
    const where = variables.map((name, i) => `${name} = ${columns[i]![bad]}`).join(", ");
    throw new BarronError(`the formula is ${values[bad]} at ${where}`);
  }
  // The grid of points and that of frequencies have the same order: frequency j is point j times 2 pi n / L^2.
  const factor = (2 * Math.PI * n) / period ** 2;
  return {
    ...discreteFourier(values, n, d),
    count: values.length,
    frequency: (j) => Float64Array.from(columns, (column) => factor * column[j]!),
    frequencyLength: (j) => factor * rowLength(columns, j),
  };
}

const usualSamples = [2048, 256, 64];

/** The waves of the trigonometric interpolant, those below 1e-13 of the sum left out. */
export function formulaWaves(formula: string, options: FormulaSpectrumOptions = {}): readonly WeightedWave[] {
  const { re, im, count, frequency } = coefficients(formula, options);
  const sizes = re.map((r, j) => Math.hypot(r, im[j]!) / count);
  const least = 1e-13 * sizes.reduce((sum, size) => sum + size, 0);
  const found: WeightedWave[] = [];
  sizes.forEach((weight, j) => {
    if (weight > least) found.push({ omega: frequency(j), phase: Math.atan2(im[j]!, re[j]!), weight });
  });
  return found.length > 0 ? found : [{ omega: frequency(0), phase: 0, weight: 0 }];
}

/** sum_k |omega_k|^order |c_k| of the trigonometric interpolant; order 1 is its Barron constant. */
export function formulaMoment(
  formula: string,
  order: MomentOrder,
  options: FormulaSpectrumOptions = {},
): number {
  const { re, im, count, frequencyLength } = coefficients(formula, options);
  let sum = 0;
  for (let j = 0; j < count; j++)
    sum += (Math.sqrt(re[j]! ** 2 + im[j]! ** 2) / count) * frequencyLength(j) ** order;
  return sum;
}

/**
 * The interpolant as a function with a spectrum: networks can be drawn from it.
 * @example formulaFunction("cos(pi * x)").moment(1) // 3.14159265359
 */
export const formulaFunction = (formula: string, options?: FormulaSpectrumOptions): SpectralFunction =>
  waveSum(formulaWaves(formula, options), formula);

/** Barron's constant of a formula (angular frequencies), with what a coarser grid and smaller boxes change. */
export function formulaBarronConstant(
  formula: string,
  options: FormulaSpectrumOptions = {},
): NumericConstant {
  const variables = options.variables ?? variablesOf(formula);
  const { period = 16, samples = usualSamples[variables.length - 1]! } = options;
  const at = (change: FormulaSpectrumOptions): number =>
    formulaMoment(formula, 1, { ...options, variables, ...change });
  const constant = at({ period, samples });
  const coarse = at({ period, samples: samples / 2 });
  const coarser = at({ period, samples: samples / 4 });
  const [last, before] = [Math.abs(constant - coarse), Math.abs(coarse - coarser)];
  // At a kink the sum grows by as much with every halving of the spacing.
  const spacing = { spacingChange: last, converges: last <= before / 2 || last <= 1e-6 * Math.abs(constant) };
  if (options.window) return { constant, ...spacing, boxChange: 0 };
  // |omega| |f^| has kinks, so that the error is of order L^-2: the change from three quarters of L is 7/9 of it. Half of
  // the box alone may cut off so much that its error has the other sign.
  const half = at({ period: period / 2, samples: samples / 2 });
  const most = at({ period: (3 / 4) * period, samples });
  return {
    constant,
    ...spacing,
    boxChange: Math.max(Math.abs(constant - half), 2 * Math.abs(constant - most)),
  };
}
