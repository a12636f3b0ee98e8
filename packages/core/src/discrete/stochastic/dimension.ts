// The dimension of the set of kernels that an architecture gives: the rank of the derivatives by all weights and biases.
import type { Random } from "../../numbers/random.ts";
import { bitsOf } from "./kernel.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));

/** Of each layer, of each unit: the bias, then a weight for each unit before. */
export type DenseParameters = readonly (readonly Float64Array[])[];

export const randomParameters = (random: Random, widths: readonly number[]): DenseParameters =>
  widths.slice(1).map((width, l) => Array.from({ length: width }, () => random.normal(widths[l]! + 1)));

type Matrix = readonly Float64Array[];
const times = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) => Float64Array.from(b[0]!, (_, y) => row.reduce((sum, v, h) => sum + v * b[h]![y]!, 0)));

/** The chances of the units of a layer for each state before, and of its states. */
function transition(units: readonly Float64Array[], before: number) {
  const states = Array.from({ length: 2 ** before }, (_, h) => bitsOf(h, before));
  const on = states.map((bits) =>
    units.map(([bias, ...weights]) => sigma(weights.reduce((z, w, k) => z + w * bits[k]!, bias!))),
  );
  const T = on.map((chances) =>
    Float64Array.from({ length: 2 ** units.length }, (_, state) =>
      bitsOf(state, units.length).reduce((p, bit, k) => p * (bit ? chances[k]! : 1 - chances[k]!), 1),
    ),
  );
  return { states, on, T };
}

/** The kernel as a product of all transitions, row after row. */
export function denseKernel(parameters: DenseParameters, inputs: number): Matrix {
  return parameters
    .map((units, l) => transition(units, l === 0 ? inputs : parameters[l - 1]!.length).T as Matrix)
    .reduce(times);
}

/**
 * The derivatives of all entries of the kernel by each parameter, one row a parameter: d log T / d z_k = h'_k - sigma_k.
 */
export function kernelJacobian(parameters: DenseParameters, inputs: number): Float64Array[] {
  const layers = parameters.map((units, l) =>
    transition(units, l === 0 ? inputs : parameters[l - 1]!.length),
  );
  return layers.flatMap(({ states, on, T }, l) => {
    const before = layers.slice(0, l).map((layer) => layer.T as Matrix);
    const after = layers.slice(l + 1).map((layer) => layer.T as Matrix);
    const width = parameters[l]!.length;
    return parameters[l]!.flatMap((unit, k) =>
      Array.from(unit, (_, column) => {
        const changed = T.map((row, h) => {
          const input = column === 0 ? 1 : states[h]![column - 1]!;
          return row.map((p, state) => input * p * (bitsOf(state, width)[k]! - on[h]![k]!));
        });
        return Float64Array.from([...before, changed, ...after].reduce(times).flatMap((row) => [...row]));
      }),
    );
  });
}

/** Relative to the greatest entry: what elimination leaves of rows that depend on others is rounding. */
const negligible = 1e-10;

/**
 * The rank by elimination with the greatest pivot of all.
 * @example rankOf([Float64Array.of(1, 2), Float64Array.of(2, 4)]) // 1
 */
export function rankOf(rows: readonly Float64Array[]): number {
  const left = rows.map((row) => row.slice());
  const greatest = (m: readonly Float64Array[]) => {
    let best = { value: 0, r: -1, c: -1 };
    m.forEach((row, r) => {
      row.forEach((v, c) => {
        if (Math.abs(v) > best.value) best = { value: Math.abs(v), r, c };
      });
    });
    return best;
  };
  const first = greatest(left).value;
  for (let rank = 0; ; rank++) {
    const { value, r, c } = greatest(left);
    if (r < 0 || value <= negligible * first) return rank;
    const [pivot] = left.splice(r, 1);
    for (const row of left) {
      const factor = row[c]! / pivot![c]!;
      pivot!.forEach((v, k) => {
        row[k]! -= factor * v;
      });
      row[c] = 0;
    }
  }
}

/**
 * A unit on the closure (Proposition 6.20): prod_S omega^h / (prod_S omega^h + prod_{not S} gamma^h), each number in [0, 1];
 * NaN where it is 0 / 0.
 * @example closedUnit([{ value: 0.5, isNegative: true }], [1]) // 0.333333333333
 */
export function closedUnit(
  parameters: readonly { readonly value: number; readonly isNegative: boolean }[],
  h: readonly number[],
): number {
  const product = (isNegative: boolean): number =>
    parameters.reduce((p, u, k) => (u.isNegative === isNegative && h[k] === 1 ? p * u.value : p), 1);
  return product(true) / (product(true) + product(false));
}
