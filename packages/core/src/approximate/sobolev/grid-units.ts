// The first two layers that both layouts share: bumps of every axis, and local coordinates of every node.
import type { Form } from "../../networks/circuit/form.ts";
import { axisUnits, type GridAxis } from "./axis.ts";
import { LayerWriter, type Locality, type UnitRow } from "./layer-writer.ts";

export interface AxisForms {
  readonly bumps: readonly Form[];
  /** The two halves of the local coordinate; empty where none is needed. */
  readonly positive: readonly Form[];
  readonly negative: readonly Form[];
}

export interface GridUnits {
  readonly writer: LayerWriter;
  readonly axes: readonly AxisForms[];
}

/** Of the bumps of an axis two are positive at once and one at its edge; so it is with the halves of coordinates. */
export const ofOneAxis: Locality = { count: 3, total: 1 };

/** Both layers, for all axes. */
export function gridUnits(axes: readonly GridAxis[], withCoordinates: boolean): GridUnits {
  const writer = new LayerWriter(axes);
  const first = axes.map((axis, k) => axisUnits(axis, k, withCoordinates));
  const units = writer.push(first.flatMap((a) => a.rows));
  let from = 0;
  const second = first.map((a) => {
    const own = units.slice(from, from + a.rows.length);
    from += a.rows.length;
    return a.second(own);
  });
  const rows: UnitRow[] = second.flatMap((s) => [...s.bumps, ...s.positive, ...s.negative]);
  const made = writer.push(rows, { count: 9 * axes.length, total: 3 * axes.length });
  let next = 0;
  const take = (count: number): Form[] => {
    next += count;
    return made.slice(next - count, next);
  };
  return {
    writer,
    axes: second.map((s) => ({
      bumps: take(s.bumps.length),
      positive: take(s.positive.length),
      negative: take(s.negative.length),
    })),
  };
}
