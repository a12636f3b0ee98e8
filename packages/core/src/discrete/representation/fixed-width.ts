// Networks of fixed width and any depth: strings of maxima and minima of affine functions in width d + 1 (Hanin and Sellke),
// and shallow networks evaluated unit by unit in width d + 2.
import type { Graph } from "../../graph/graph.ts";
import { constant, type Form, FormNetwork, minus, plus, times, unit } from "./forms.ts";

/** weights . x + bias. */
export interface AffineFunction {
  readonly weights: readonly number[];
  readonly bias: number;
}

/** y becomes max(y, of) or min(y, of). */
export interface StringStep {
  readonly kind: "max" | "min";
  readonly of: AffineFunction;
}

const formOf = ({ weights, bias }: AffineFunction, x: readonly Form[]): Form =>
  plus(constant(bias), ...weights.map((w, k) => times(x[k]!, w)));

/**
 * The string y = start, then one step after the other, plus an affine function at the end, where x is in [0, inf)^d: a hidden
 * layer of width d + 1 for each step, since max(y, l) = l + relu(y - l) and min(y, l) = l - relu(l - y).
 * @example numbers((await run(maxMinString({ weights: [1], bias: 0 }, [{ kind: "min", of: { weights: [0], bias: 0.5 } }]), { x: tensor([[0.75]]) })).y) // Float64Array [0.5]
 */
export function maxMinString(
  start: AffineFunction,
  steps: readonly StringStep[],
  end: AffineFunction = { weights: start.weights.map(() => 0), bias: 0 },
): Graph {
  const d = start.weights.length;
  const net = new FormNetwork(d);
  let x: readonly Form[] = start.weights.map((_, k) => unit(k));
  let y = formOf(start, x);
  for (const { kind, of } of steps) {
    const l = formOf(of, x);
    const units = net.relu([...x, kind === "max" ? minus(y, l) : minus(l, y)]);
    x = units.slice(0, d);
    y = kind === "max" ? plus(formOf(of, x), units[d]!) : minus(formOf(of, x), units[d]!);
  }
  return net.finish([plus(y, formOf(end, x))], "max_min_string");
}

/** Of the Lipschitz constant: a ramp is over after a quarter of a cell. */
const steepness = 8;

/**
 * The string of a function on [0, 1] of this Lipschitz constant: f + lipschitz x does not fall, and is followed by a
 * staircase of N steps; 2 N hidden layers of width 2, error 2 lipschitz / N.
 * @example sizes(staircaseString(Math.sin, 1, 4)).widths // [2, 2, 2, 2, 2, 2, 2, 2]
 */
export function staircaseString(f: (x: number) => number, lipschitz: number, N: number): Graph {
  const rising = (k: number): number => f(k / N) + (lipschitz * k) / N;
  const slope = steepness * lipschitz;
  const level = (bias: number): AffineFunction => ({ weights: [0], bias });
  const steps = Array.from({ length: N }, (_, k): StringStep[] => [
    { kind: "max", of: { weights: [slope], bias: rising(k) - (slope * (k + 1)) / N } },
    { kind: "min", of: level(rising(k + 1)) },
  ]).flat();
  return maxMinString(level(rising(0)), steps, { weights: [-lipschitz], bias: 0 });
}

/** sum of coefficient relu(of). */
export interface ShallowUnit {
  readonly coefficient: number;
  readonly of: AffineFunction;
}

/**
 * A shallow network on [0, 1]^d as one of width d + 2: the inputs, a sum that is kept positive, and the unit at hand.
 * @example sizes(registerMachine(0, [{ coefficient: 1, of: { weights: [1, 1], bias: 0 } }])).widths // [4]
 */
export function registerMachine(bias: number, units: readonly ShallowUnit[]): Graph {
  const d = units[0]!.of.weights.length;
  const most = ({ coefficient, of }: ShallowUnit): number =>
    Math.abs(coefficient) * of.weights.reduce((sum, w) => sum + Math.max(0, w), Math.max(0, of.bias));
  const shift = units.reduce((sum, u) => sum + most(u), 0);
  const net = new FormNetwork(d);
  let x: readonly Form[] = units[0]!.of.weights.map((_, k) => unit(k));
  let sum = constant(shift);
  for (const { coefficient, of } of units) {
    const next = net.relu([...x, sum, formOf(of, x)]);
    x = next.slice(0, d);
    sum = plus(next[d]!, times(next[d + 1]!, coefficient));
  }
  return net.finish([plus(sum, constant(bias - shift))], "register_machine");
}
