// A network as the subdivision reads it: stages of units in topological order, each an affine form of earlier slots.

import { TimeOver } from "../../engine/time-over.ts";
import { GraphError } from "../../graph/error.ts";
import { greatest } from "../../numbers/extremes.ts";
import {
  constantForms,
  type Forms,
  isConstant,
  isPlain,
  RowWriter,
  reshape,
  rowCount,
  type SparseRows,
  slotForms,
} from "./forms.ts";
import type { Jumps } from "./jumps.ts";

/**
 * Units that are computed together.
 * hinge: slot = below * row where row <= 0, above * row where row > 0; a choice is 0 or 1.
 * max: slot = the greatest of the rows of its group; a choice is the position in the group.
 * linear: slot = row; there is nothing to choose.
 * jump: slot = the number that decisions on the rows of its group end in; a choice is the place of that number.
 */
export interface Stage {
  readonly kind: "hinge" | "max" | "linear" | "jump";
  /** The node that the units come from, for messages. */
  readonly node: string;
  readonly rows: SparseRows;
  readonly units: number;
  readonly firstSlot: number;
  readonly below: Float64Array;
  readonly above: Float64Array;
  /** The rows of unit k of a max or jump stage are those from groups[k] to groups[k + 1]. */
  readonly groups: Int32Array;
  /** Of a jump stage. */
  readonly jumps?: Jumps;
}

/** Has a unit of the stage several rows, and are these in its groups? */
export const isGrouped = ({ kind }: Stage): boolean => kind === "max" || kind === "jump";

export interface AffineProgram {
  /** Slots 0 to inputs - 1 are the network's inputs, flat. */
  readonly inputs: number;
  readonly slots: number;
  readonly stages: readonly Stage[];
  readonly outputs: SparseRows;
  readonly outputNames: readonly string[];
}

/** Beyond this a subdivision would not end anyway. */
const mostTerms = 2 ** 26;
const none = new Float64Array(0);

/** Collects the stages while a graph is read. */
export class AffineWriter {
  readonly stages: Stage[] = [];
  slots: number;
  #terms = 0;
  readonly #isOver: () => boolean;

  /** Writing ends with a `TimeOver` once `isOver`. */
  constructor(inputs: number, isOver: () => boolean = () => false) {
    this.slots = inputs;
    this.#isOver = isOver;
  }

  /** Rows that are watched while they are written: there may be too many, or no time for them. */
  protected newRows(node: string): RowWriter {
    return new RowWriter((terms) => {
      this.checkTerms(terms, node);
      if (this.#isOver()) throw new TimeOver();
    });
  }

  /** Refuses so many terms more, before they are written. */
  checkTerms(terms: number, node: string): void {
    if (this.#terms + terms > mostTerms)
      throw new GraphError(`${node}: more than ${mostTerms} weights once it is written out, too many`);
  }

  /** Forms as slots of their own, so that what is computed from them needs no rounded products of weights. */
  materialize(x: Forms, node: string): Forms {
    if (isConstant(x) || isPlain(x)) return x;
    return this.#stage("linear", node, x, rowCount(x), x.dims, {});
  }

  /** Linear combinations: `write` adds the terms of row after row. Weights are never rounded on the way. */
  combine(
    inputs: readonly Forms[],
    dims: readonly number[],
    node: string,
    write: (rows: RowWriter, inputs: readonly Forms[]) => void,
  ): Forms {
    const rows = this.newRows(node);
    write(rows, inputs);
    if (rows.exact || inputs.every(isConstant)) return rows.forms(dims);
    const again = this.newRows(node);
    write(
      again,
      inputs.map((x) => this.materialize(x, node)),
    );
    return again.forms(dims);
  }

  /** below * x where x <= 0, above * x where x > 0, element by element. */
  hinge(x: Forms, slope: (k: number) => readonly [below: number, above: number], node: string): Forms {
    if (isConstant(x))
      return constantForms(
        x.dims,
        x.constants.map((c, k) => c * slope(k)[c > 0 ? 1 : 0]),
      );
    const slopes = Array.from(x.constants, (_, k) => slope(k));
    const below = Float64Array.from(slopes, ([b]) => b);
    const above = Float64Array.from(slopes, ([, a]) => a);
    return this.#stage("hinge", node, x, rowCount(x), x.dims, { below, above });
  }

  /** The greatest (or, with sign -1, the least) of each group of elements of x. */
  extreme(
    x: Forms,
    groups: readonly (readonly number[])[],
    dims: readonly number[],
    sign: 1 | -1,
    node: string,
  ): Forms {
    const open = groups.map((_, k) => k).filter((k) => groups[k]!.length > 1 && !isFixed(x, groups[k]!));
    const starts = Int32Array.from([0, ...open.map((k) => groups[k]!.length)]);
    for (let k = 1; k < starts.length; k++) starts[k]! += starts[k - 1]!;
    const all = new RowWriter();
    for (const k of open)
      for (const position of groups[k]!) {
        all.add(x, position, sign);
        all.endRow();
      }
    const rows = all.forms([starts.at(-1)!]);
    const values =
      open.length > 0 ? this.#stage("max", node, rows, open.length, [open.length], { groups: starts }) : rows;
    const result = new RowWriter();
    let next = 0;
    groups.forEach((group, k) => {
      if (open[next] === k) result.add(values, next++, sign);
      else if (group.length === 1) result.add(x, group[0]!, 1);
      else result.shift(sign * greatest(group.map((p) => sign * x.constants[p]!)));
      result.endRow();
    });
    return result.forms(dims);
  }

  /** A piecewise constant function of each group of rows, as many as `sizes` says. */
  jump(x: Forms, sizes: readonly number[], dims: readonly number[], jumps: Jumps, node: string): Forms {
    const groups = Int32Array.from([0, ...sizes]);
    for (let k = 1; k < groups.length; k++) groups[k]! += groups[k - 1]!;
    return this.#stage("jump", node, x, sizes.length, dims, { groups, jumps });
  }

  #stage(
    kind: Stage["kind"],
    node: string,
    rows: Forms,
    units: number,
    dims: readonly number[],
    rest: Partial<Stage>,
  ): Forms {
    this.checkTerms(rows.slots.length, node);
    this.#terms += rows.slots.length;
    checkFinite(rows, node);
    const firstSlot = this.slots;
    this.slots += units;
    this.stages.push({
      kind,
      node,
      rows,
      units,
      firstSlot,
      below: none,
      above: none,
      groups: new Int32Array(0),
      ...rest,
    });
    return reshape(
      slotForms(
        [units],
        Int32Array.from({ length: units }, (_, k) => firstSlot + k),
      ),
      dims,
    );
  }
}

/** Weights that are no numbers have no regions. */
export function checkFinite({ weights, constants }: SparseRows, node: string): void {
  const bad = weights.find((w) => !Number.isFinite(w)) ?? constants.find((c) => !Number.isFinite(c));
  if (bad !== undefined) throw new GraphError(`${node}: a weight is ${bad}`);
}

const isFixed = (x: SparseRows, group: readonly number[]): boolean =>
  group.every((p) => x.starts[p + 1] === x.starts[p]);
