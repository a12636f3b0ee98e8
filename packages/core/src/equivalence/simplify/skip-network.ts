// A network whose units may read all units before them: what compiled formulas and residual networks are. Units are known
// by the number that their slot has in the source.

import { rowOf } from "../../bounds/difference/exact-row.ts";
import type { Network } from "../../bounds/linear/network.ts";
import type { Box } from "../../bounds/linear/row-bounds.ts";
import type { Precision } from "../../networks/layers/layers.ts";
import { add, mul, toNumber } from "../../numbers/exact/rational.ts";

/** constant + sum_s weights[s] * slot s. */
export interface SkipRow {
  readonly weights: Map<number, number>;
  constant: number;
}

export interface SkipUnit extends SkipRow {
  readonly slot: number;
  readonly isLinear: boolean;
  /** Layer of the source network, and place there. */
  readonly layer: number;
  readonly place: number;
  /** Proved bounds of the row on the box. */
  readonly lower: number;
  readonly upper: number;
}

/** Changed in place by the steps of the reduction. */
export interface SkipNetwork {
  readonly inputs: number;
  /** In the order of their slots: each reads only what comes before it. */
  units: SkipUnit[];
  readonly outputs: readonly SkipRow[];
  /** Of the weights that are written. */
  readonly precision: Precision;
  /** Has no weight been rounded since the source, and will none be? */
  exact: boolean;
}

/** Is every unit linear or a ReLU? */
export const isMadeOfRelus = ({ layers }: Network): boolean =>
  layers.every(
    ({ kind, below, above }) =>
      kind === "linear" || (kind === "hinge" && below.every((v) => v === 0) && above.every((v) => v === 1)),
  );

/** Undefined if a unit is neither linear nor a ReLU. */
export function skipNetwork(
  network: Network,
  bounds: { readonly rowLower: Float64Array; readonly rowUpper: Float64Array } | undefined,
  box: Box | undefined,
  precision: Precision,
): SkipNetwork | undefined {
  if (!isMadeOfRelus(network)) return undefined;
  const result: SkipNetwork = {
    inputs: network.inputs,
    units: [],
    outputs: [],
    exact: network.isExact,
    precision,
  };
  const outputs: SkipRow[] = [];
  network.layers.forEach((layer, l) => {
    for (let place = 0; place < layer.units; place++) {
      const { from, end, slot, weights, constant } = rowOf(layer, place);
      const row: SkipRow = { weights: new Map(), constant };
      addConstant(result, row, 0, 0);
      for (let k = from; k < end; k++) addTerm(result, row, slot(k), weights[k]!, 1);
      const at = layer.firstRow + place;
      if (l === network.layers.length - 1) outputs.push(row);
      else
        result.units.push({
          ...row,
          slot: layer.firstSlot + place,
          isLinear: layer.kind === "linear",
          layer: l,
          place,
          lower: bounds?.rowLower[at] ?? Number.NEGATIVE_INFINITY,
          upper: bounds?.rowUpper[at] ?? Number.POSITIVE_INFINITY,
        });
    }
  });
  const whole = { ...result, outputs };
  if (box) fixSlots(whole, box);
  return whole;
}

/** a + w v as a double; says if it had to be rounded. */
function plusProduct(network: SkipNetwork, a: number, w: number, v: number): number {
  const sum = add(a, mul(w, v));
  const value = toNumber(sum);
  const isStored = typeof sum === "number" && (network.precision === "float64" || Math.fround(sum) === sum);
  network.exact &&= isStored;
  return value;
}

/** Adds w * factor at a slot. */
export function addTerm(network: SkipNetwork, row: SkipRow, slot: number, w: number, factor: number): void {
  const sum = plusProduct(network, row.weights.get(slot) ?? 0, w, factor);
  if (sum === 0) row.weights.delete(slot);
  else row.weights.set(slot, sum);
}

export function addConstant(network: SkipNetwork, row: SkipRow, w: number, value: number): void {
  row.constant = plusProduct(network, row.constant, w, value);
}

export const allRows = ({ units, outputs }: SkipNetwork): readonly SkipRow[] => [...units, ...outputs];

/** Inputs that the box fixes are constants. */
function fixSlots(network: SkipNetwork, { lower, upper }: Box): void {
  for (const row of allRows(network))
    for (const [slot, w] of [...row.weights])
      if (slot < network.inputs && lower[slot] === upper[slot]) {
        row.weights.delete(slot);
        addConstant(network, row, w, lower[slot]!);
      }
}

/** A copy that can be changed by itself. */
export const copySkip = ({ units, outputs, ...rest }: SkipNetwork): SkipNetwork => ({
  ...rest,
  units: units.map((unit) => ({ ...unit, weights: new Map(unit.weights) })),
  outputs: outputs.map((row) => ({ ...row, weights: new Map(row.weights) })),
});

export const rowNonzeros = ({ weights, constant }: SkipRow): number =>
  weights.size + (constant === 0 ? 0 : 1);
