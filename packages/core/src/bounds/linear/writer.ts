// Collects the layers while a graph is read. Each stored weight is exact or off by one relative rounding (`rounding.ts`).

import type { Activation } from "../../functions/lines.ts";
import { GraphError } from "../../graph/error.ts";
import { mul } from "../../numbers/exact/rational.ts";
import { type Forms, isConstant, type RowWriter, reshape, slotForms } from "../../passes/affine/forms.ts";
import { AffineWriter, checkFinite } from "../../passes/affine/program.ts";
import type { Operated, Operator } from "../tensor/operator.ts";
import type { Bending, Surface } from "./activation.ts";

const none = new Float64Array(0);

export class RelaxationWriter extends AffineWriter {
  /** By the number of their stage. */
  readonly bendings = new Map<number, Bending>();
  /** By the number of their stage: those without written rows. */
  readonly operated = new Map<number, Operated>();
  /** A rule wrote a weight or a constant that it had rounded. */
  isRounded = false;
  readonly #sources = new WeakMap<Forms, { readonly curve: Activation; readonly x: Forms }>();

  /** Linear combinations with exact weights: where merging terms would round, the inputs get slots of their own. */
  override combine(
    inputs: readonly Forms[],
    dims: readonly number[],
    node: string,
    write: (rows: RowWriter, inputs: readonly Forms[]) => void,
  ): Forms {
    const attempts = [
      (x: Forms) => x,
      (x: Forms) => this.materialize(x, node),
      (x: Forms) => this.apart(x, node),
    ];
    for (const attempt of attempts) {
      const rows = this.newRows(node);
      write(rows, inputs.map(attempt));
      if (rows.exact) return rows.forms(dims);
      if (inputs.every(isConstant)) break;
    }
    throw new GraphError(`${node}: its constants cannot be combined without rounding`);
  }

  /** Constants are folded only where that needs no rounding, which a later difference would magnify. */
  override hinge(
    x: Forms,
    slope: (k: number) => readonly [below: number, above: number],
    node: string,
  ): Forms {
    const isRounded = (c: number, k: number) => typeof mul(c, slope(k)[c > 0 ? 1 : 0]) !== "number";
    if (isConstant(x) && x.constants.some(isRounded))
      throw new GraphError(`${node}: its constants cannot be combined without rounding`);
    return super.hinge(x, slope, node);
  }

  /** The same numbers in slots that nothing else reads: an activation of slope 1. */
  apart(x: Forms, node: string): Forms {
    return isConstant(x) ? x : this.hinge(x, () => [1, 1], node);
  }

  curve(x: Forms, curve: Activation, node: string): Forms {
    if (isConstant(x)) throw new GraphError(`${node}: its input is a constant; fold it first`);
    const result = this.hinge(x, () => [0, 1], node);
    this.bendings.set(this.stages.length - 1, { curve });
    this.#sources.set(result, { curve, x });
    return result;
  }

  /** A linear stage whose rows are not written: an operator reads all elements of x, as consecutive slots. */
  unwritten(
    x: Forms,
    operator: Operator,
    constants: Float64Array,
    constantSizes: Float64Array,
    dims: readonly number[],
    node: string,
  ): Forms {
    const own = isConsecutive(x) ? x : this.apart(x, node);
    const [units, firstSlot] = [constants.length, this.slots];
    this.slots += units;
    this.operated.set(this.stages.length, { operator, source: own.slots[0]!, constantSizes });
    const rows = { starts: new Int32Array(units + 1), slots: new Int32Array(0), weights: none, constants };
    const groups = new Int32Array(0);
    this.stages.push({ kind: "linear", node, rows, units, firstSlot, below: none, above: none, groups });
    return slotForms(
      dims,
      Int32Array.from({ length: units }, (_, k) => firstSlot + k),
    );
  }

  /** The last stage, if it is unwritten and x are its values; it can be taken back where nothing else reads them. */
  lastUnwritten(x: Forms) {
    const [stage, own] = [this.stages.at(-1), this.operated.get(this.stages.length - 1)];
    if (!stage || !own || !isConsecutive(x) || x.slots[0] !== stage.firstSlot) return undefined;
    if (x.slots.length !== stage.units) return undefined;
    return {
      ...own,
      constants: stage.rows.constants,
      takeBack: (): Forms => {
        this.undo(this.stages.length - 1, stage.firstSlot);
        const { inputs } = own.operator;
        return slotForms(
          [inputs],
          Int32Array.from({ length: inputs }, (_, k) => own.source + k),
        );
      },
    };
  }

  /** Takes back all stages after the first so many. */
  undo(stages: number, slots: number): void {
    for (let k = stages; k < this.stages.length; k++) {
      this.bendings.delete(k);
      this.operated.delete(k);
    }
    this.stages.length = stages;
    this.slots = slots;
  }

  /** Of which forms these are the curve, if they are. */
  sourceOf(y: Forms, curve: Activation): Forms | undefined {
    const source = this.#sources.get(y);
    return source?.curve === curve ? source.x : undefined;
  }

  /** A function of groups of elements of x; each group gives one element of the result. */
  surface(x: Forms, groups: Int32Array, surface: Surface, dims: readonly number[], node: string): Forms {
    return this.#bending(x, groups, dims, node, { surface });
  }

  /** Elements that are known by bounds only. */
  enclosed(
    x: Forms,
    dims: readonly number[],
    enclosure: NonNullable<Bending["enclosure"]>,
    node: string,
  ): Forms {
    const units = dims.reduce((n, d) => n * d, 1);
    return this.#bending(x, new Int32Array(units + 1), dims, node, { enclosure });
  }

  #bending(rows: Forms, groups: Int32Array, dims: readonly number[], node: string, bending: Bending): Forms {
    checkFinite(rows, node);
    const [units, firstSlot] = [groups.length - 1, this.slots];
    this.slots += units;
    this.bendings.set(this.stages.length, bending);
    this.stages.push({ kind: "max", node, rows, units, firstSlot, below: none, above: none, groups });
    const slots = Int32Array.from({ length: units }, (_, k) => firstSlot + k);
    return reshape(slotForms([units], slots), dims);
  }
}

/** Is each element the slot after that of the one before? */
function isConsecutive({ starts, slots, weights, constants }: Forms): boolean {
  for (let k = 0; k < constants.length; k++)
    if (starts[k] !== k || slots[k] !== slots[0]! + k || weights[k] !== 1 || constants[k] !== 0) return false;
  return slots.length === constants.length;
}
