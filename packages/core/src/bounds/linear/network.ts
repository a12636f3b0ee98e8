// A network as the relaxation reads it: layers of affine rows, each followed by an activation, over numbered slots.
import type { SparseRows } from "../../passes/affine/forms.ts";
import type { Stage } from "../../passes/affine/program.ts";
import type { Bending } from "./activation.ts";

/**
 * Rows z = W x + b over earlier slots, and one slot a unit that is a function of its row (a maximum: of its rows).
 * linear: slot = z; hinge: below * z up to 0 and above * z from there; curve: a function that is not piecewise linear,
 * of one row, of a group of rows or, known by bounds only, of all of them.
 */
export interface Layer extends Bending {
  readonly kind: "linear" | "hinge" | "max" | "curve";
  readonly node: string;
  readonly rows: number;
  readonly units: number;
  /** Rows and slots are numbered through the network. */
  readonly firstRow: number;
  readonly firstSlot: number;
  /** Dense: row k is weights[k * width ...] over the slots from `source`. Otherwise as in `SparseRows`. */
  readonly dense: boolean;
  readonly source: number;
  readonly width: number;
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly weights: Float64Array;
  readonly constants: Float64Array;
  readonly below: Float64Array;
  readonly above: Float64Array;
  /** The rows of unit k are those from groups[k] to groups[k + 1]; empty: each unit has its own row. */
  readonly groups: Int32Array;
}

export interface Network {
  /** All rows are written out: not so in a `TensorNetwork`, which nobody may read as this one. */
  readonly isWritten: true;
  readonly inputs: number;
  readonly slots: number;
  readonly rows: number;
  readonly layers: readonly Layer[];
  /** The last layer is linear: its slots are the outputs. */
  readonly firstOutput: number;
  readonly outputNames: readonly string[];
  /** Are all weights and constants those of the graph, none rounded? */
  readonly isExact: boolean;
}

/** Rows are stored densely when at least this share of the range of slots that they read is there. */
const denseShare = 0.5;

/** A stage of the lowering, with its rows packed for fast products. */
export function layerOf(
  stage: Omit<Stage, "kind">,
  kind: Layer["kind"],
  firstRow: number,
  bending: Bending = {},
): Layer {
  const { rows, units, firstSlot, node, below, above, groups } = stage;
  const count = rows.constants.length;
  let [first, end] = [Number.POSITIVE_INFINITY, 0];
  for (const slot of rows.slots) {
    if (slot < first) first = slot;
    if (slot >= end) end = slot + 1;
  }
  const width = Math.max(0, end - first);
  const dense = rows.slots.length >= denseShare * count * width;
  return {
    kind,
    node,
    rows: count,
    units,
    firstRow,
    firstSlot,
    dense,
    source: width === 0 ? 0 : first,
    width,
    starts: rows.starts,
    slots: rows.slots,
    weights: dense ? densely(rows, first, width) : rows.weights,
    constants: rows.constants,
    below,
    above,
    groups,
    ...bending,
  };
}

function densely({ starts, slots, weights, constants }: SparseRows, first: number, width: number) {
  const matrix = new Float64Array(constants.length * width);
  for (let row = 0; row < constants.length; row++)
    for (let k = starts[row]!; k < starts[row + 1]!; k++)
      matrix[row * width + slots[k]! - first] = weights[k]!;
  return matrix;
}

/** The values of a layer's rows, from those of the slots; plain floating point. */
export function rowValues(layer: Layer, values: Float64Array, into: Float64Array): void {
  const { dense, rows, width, source, weights, constants, starts, slots } = layer;
  for (let row = 0; row < rows; row++) {
    let sum = constants[row]!;
    if (dense) {
      const start = row * width;
      for (let k = 0; k < width; k++) sum += weights[start + k]! * values[source + k]!;
    } else for (let k = starts[row]!; k < starts[row + 1]!; k++) sum += weights[k]! * values[slots[k]!]!;
    into[row] = sum;
  }
}
