// One step of each recurrent layer, as ONNX states it.
import { GraphError } from "../error.ts";
import { describe, type Node } from "../graph.ts";
import type { Value } from "../value.ts";
import { constant, integers } from "./expression.ts";

export type Activation = (x: Value) => Value;

/** What carries over from step to step; an LSTM has a cell too. */
export interface State {
  readonly hidden: Value;
  readonly cell?: Value;
}

/** The parameters of one direction. */
export interface Cell {
  readonly units: number;
  /** R transposed: [hidden, gates * hidden] */
  readonly recurrence: Value;
  /** What is added to hidden * R, if anything: [gates * hidden] */
  readonly recurrenceBias: Value | undefined;
  /** Weights from the cell to the gates input, output and forget: [3 hidden] */
  readonly peepholes: Value | undefined;
  readonly activations: readonly Activation[];
  readonly clip: number | undefined;
  readonly linearBeforeReset: boolean;
  readonly inputForget: boolean;
}

/** From x W^T + b at one step (all gates) and the state before it to the state after it. */
export type Step = (projected: Value, before: State, cell: Cell) => State;

type Parameters = readonly [alpha: number | undefined, beta: number | undefined];
const named: Readonly<Record<string, (x: Value, parameters: Parameters) => Value>> = {
  relu: (x) => x.relu(),
  tanh: (x) => x.tanh(),
  sigmoid: (x) => x.sigmoid(),
  softsign: (x) => x.op("Softsign"),
  softplus: (x) => x.op("Softplus"),
  affine: (x, [alpha, beta]) => x.mul(alpha!).add(beta!),
  leakyrelu: (x, [alpha = 0.01]) => x.op("LeakyRelu", [], { alpha }),
  thresholdedrelu: (x, [alpha]) => x.op("ThresholdedRelu", [], { alpha: alpha! }),
  scaledtanh: (x, [alpha, beta]) => x.mul(beta!).tanh().mul(alpha!),
  hardsigmoid: (x, [alpha = 0.2, beta = 0.5]) => x.op("HardSigmoid", [], { alpha, beta }),
  elu: (x, [alpha = 1]) => x.op("Elu", [], { alpha }),
};
const takesAlpha = new Set(["affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu"]);
const takesBeta = new Set(["affine", "scaledtanh", "hardsigmoid"]);
/** They are no operators of ONNX, which would have defaults; ONNX Runtime takes zeros. */
const hasNoDefault = new Set(["affine", "scaledtanh"]);

/** The activations by name; each that has parameters takes the next ones from the lists. */
export function activationsOf(
  names: readonly string[],
  alphas: readonly number[] = [],
  betas: readonly number[] = [],
  node: Node,
): readonly Activation[] {
  let [nextAlpha, nextBeta] = [0, 0];
  return names.map((name) => {
    const key = name.toLowerCase();
    const f = Object.hasOwn(named, key) ? named[key] : undefined;
    if (!f) throw new GraphError(`${describe(node)}: there is no activation "${name}"`);
    const parameters: Parameters = [
      takesAlpha.has(key) ? alphas[nextAlpha++] : undefined,
      takesBeta.has(key) ? betas[nextBeta++] : undefined,
    ];
    // The operator's default is 1; ONNX Runtime takes 0 here.
    if (key === "thresholdedrelu" && parameters[0] === undefined)
      throw new GraphError(`${describe(node)}: activation "${name}" needs an alpha`);
    if (hasNoDefault.has(key) && parameters.includes(undefined))
      throw new GraphError(`${describe(node)}: activation "${name}" needs an alpha and a beta`);
    return (x) => f(x, parameters);
  });
}

const clipped = (x: Value, { clip }: Cell): Value => (clip === undefined ? x : x.max(-clip).min(clip));

/** hidden * R^T + b for some gates. */
function recurrent(
  hidden: Value,
  { recurrence, recurrenceBias: bias, units }: Cell,
  from: number,
  to: number,
): Value {
  const product = hidden.matmul(recurrence.slice(1, from * units, to * units));
  return bias ? product.add(bias.slice(0, from * units, to * units)) : product;
}

/** The parts of the last axis, one a gate. */
const gatesOf = (x: Value, count: number, units: number): readonly Value[] =>
  x.builder.apply(
    "Split",
    [x, integers(new Array<number>(count).fill(units))],
    { axis: (x.type.shape?.length ?? 2) - 1 },
    count,
  );

/** H' = f(x W + H R + b) */
export const rnnStep: Step = (projected, { hidden }, cell) => ({
  hidden: cell.activations[0]!(clipped(projected.add(recurrent(hidden, cell, 0, 1)), cell)),
});

/** z, r = f(...); h = g(x W + (r H) R + b), or g(x W + r (H R + b)); H' = (1 - z) h + z H */
export const gruStep: Step = (projected, { hidden }, cell) => {
  const [f, g] = cell.activations as [Activation, Activation];
  const [xz, xr, xh] = gatesOf(projected, 3, cell.units) as [Value, Value, Value];
  const [hz, hr] = gatesOf(recurrent(hidden, cell, 0, 2), 2, cell.units) as [Value, Value];
  const z = f(clipped(xz.add(hz), cell));
  const r = f(clipped(xr.add(hr), cell));
  const fed = cell.linearBeforeReset
    ? r.mul(recurrent(hidden, cell, 2, 3))
    : recurrent(r.mul(hidden), cell, 2, 3);
  const candidate = g(clipped(xh.add(fed), cell));
  return { hidden: constant(z, 1).sub(z).mul(candidate).add(z.mul(hidden)) };
};

/** i, f, o = f(... + P C); c = g(...); C' = f C + i c; H' = o h(C') */
export const lstmStep: Step = (projected, { hidden, cell: before }, cell) => {
  const [f, g, h] = cell.activations as [Activation, Activation, Activation];
  const sums = projected.add(recurrent(hidden, cell, 0, 4));
  const [xi, xo, xf, xc] = gatesOf(sums, 4, cell.units) as [Value, Value, Value, Value];
  const [pi, po, pf] = cell.peepholes ? gatesOf(cell.peepholes, 3, cell.units) : [];
  const gate = (sum: Value, weights: Value | undefined, seen: Value) =>
    f(clipped(weights ? sum.add(weights.mul(seen)) : sum, cell));
  const input = gate(xi, pi, before!);
  const forget = cell.inputForget ? constant(input, 1).sub(input) : gate(xf, pf, before!);
  const after = forget.mul(before!).add(input.mul(g(clipped(xc, cell))));
  return { hidden: gate(xo, po, after).mul(h(after)), cell: after };
};
