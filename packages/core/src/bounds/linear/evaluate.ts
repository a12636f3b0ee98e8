// What a network computes at a point, and the slope of a target there; in plain floating point, for searches only.
import type { Target } from "./back-substitution.ts";
import { type Layer, type Network, rowValues } from "./network.ts";

/** Values of rows and slots at a point; holds the memory for them. */
export class Evaluation {
  readonly network: Network;
  readonly slots: Float64Array;
  readonly #rows: Float64Array;
  readonly #chosen: Int32Array;
  readonly #adjoint: Float64Array;
  readonly #buffers: readonly Float64Array[];

  constructor(network: Network) {
    this.network = network;
    this.slots = new Float64Array(network.slots);
    this.#rows = new Float64Array(network.rows);
    this.#chosen = new Int32Array(network.slots);
    this.#adjoint = new Float64Array(network.slots);
    this.#buffers = network.layers.map(({ firstRow, rows }) =>
      this.#rows.subarray(firstRow, firstRow + rows),
    );
  }

  at(x: ArrayLike<number>): void {
    const { slots, network } = this;
    for (let i = 0; i < network.inputs; i++) slots[i] = x[i]!;
    network.layers.forEach((layer, l) => {
      rowValues(layer, slots, this.#buffers[l]!);
      this.#activate(layer, this.#buffers[l]!);
    });
  }

  #activate(layer: Layer, rows: Float64Array): void {
    const { kind, units, firstSlot, below, above, groups, curve, surface, enclosure } = layer;
    const { slots } = this;
    if (enclosure) {
      const { lower, upper } = enclosure(rows, rows);
      for (let k = 0; k < units; k++) slots[firstSlot + k] = lower[k]! / 2 + upper[k]! / 2;
      return;
    }
    for (let k = 0; k < units; k++) {
      const z = rows[k]!;
      if (kind === "hinge") slots[firstSlot + k] = z * (z > 0 ? above[k]! : below[k]!);
      else if (kind === "linear") slots[firstSlot + k] = z;
      else if (curve) slots[firstSlot + k] = curve.value(z);
      else if (surface) slots[firstSlot + k] = surface.value(rows, groups[k]!, groups[k + 1]!);
      else {
        let best = groups[k]!;
        for (let row = best + 1; row < groups[k + 1]!; row++) if (rows[row]! > rows[best]!) best = row;
        this.#chosen[firstSlot + k] = best;
        slots[firstSlot + k] = rows[best]!;
      }
    }
  }

  value({ slots, weights, constant }: Target): number {
    let sum = constant;
    for (let k = 0; k < slots.length; k++) sum += weights[k]! * this.slots[slots[k]!]!;
    return sum;
  }

  /** The gradient by the inputs of a target, at the point of the last `at`. */
  gradient({ slots, weights }: Target): Float64Array {
    const { network } = this;
    const adjoint = this.#adjoint.fill(0);
    for (let k = 0; k < slots.length; k++) adjoint[slots[k]!]! += weights[k]!;
    for (let l = network.layers.length - 1; l >= 0; l--) {
      const layer = network.layers[l]!;
      for (let k = 0; k < layer.units; k++) {
        const a = adjoint[layer.firstSlot + k]!;
        if (a === 0 || layer.enclosure) continue;
        if (layer.surface) {
          addSurface(layer, k, a, this.#buffers[l]!, adjoint);
          continue;
        }
        const row = layer.kind === "max" ? this.#chosen[layer.firstSlot + k]! : k;
        addRow(layer, row, a * slopeAt(layer, k, this.#buffers[l]![row]!), adjoint);
      }
    }
    return adjoint.slice(0, network.inputs);
  }
}

/** The share of a surface's rows in its unit's derivative. */
function addSurface(layer: Layer, unit: number, a: number, rows: Float64Array, into: Float64Array): void {
  const [first, end] = [layer.groups[unit]!, layer.groups[unit + 1]!];
  for (let row = first; row < end; row++)
    addRow(layer, row, a * layer.surface!.slope(rows, first, end, row), into);
}

const slopeAt = ({ kind, below, above, curve }: Layer, k: number, z: number): number => {
  if (kind === "hinge") return z > 0 ? above[k]! : below[k]!;
  return kind === "curve" ? curve!.slope(z) : 1;
};

function addRow(
  { dense, width, source, weights, starts, slots }: Layer,
  row: number,
  g: number,
  into: Float64Array,
): void {
  if (g === 0) return;
  if (dense) for (let k = 0; k < width; k++) into[source + k]! += g * weights[row * width + k]!;
  else for (let k = starts[row]!; k < starts[row + 1]!; k++) into[slots[k]!]! += g * weights[k]!;
}
