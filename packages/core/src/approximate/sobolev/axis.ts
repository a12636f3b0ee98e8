// One axis of the grid: nodes, bumps psi_m that sum to 1 and vanish off their supports, and local coordinates.

import { type Form, form } from "../../networks/circuit/form.ts";
import { add, mul } from "../../numbers/exact/rational.ts";
import type { Interval } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { SobolevError } from "./error.ts";
import type { UnitRow } from "./layer-writer.ts";

/** One side of a box. */
export interface GridSide {
  readonly lower: number;
  readonly upper: number;
}

/**
 * psi_m(x) = relu(1 - relu(w x - c_m) - relu(c_{m-1} + 1 - w x)), c_m = c_0 + 3 m: a trapezoid that is 1 in the middle
 * third around node m. Neighbours add up to 1, since they share a ramp; the first and the last have one ramp only.
 */
export interface GridAxis extends GridSide {
  /** Cells: nodes 0..cells. */
  readonly cells: number;
  readonly nodes: readonly number[];
  /** psi_m vanishes outside of this part of the side. */
  readonly supports: readonly Interval[];
  readonly slope: number;
  readonly firstRamp: number;
  /** The local coordinate of node m is scale (x - node): in [-1, 1] on the support. */
  readonly scale: number;
}

const bitsOfScale = 7;
const floorTo = (x: number, bits: number): number => {
  const unit = 2 ** (Math.floor(Math.log2(x)) - bits);
  return Math.floor(x / unit) * unit;
};
const roundTo = (x: number, unit: number): number => Math.round(x / unit) * unit;

/** The axis with so many cells. All positions are read off the stored weights, with outward rounding. */
export function axisOf({ lower, upper }: GridSide, cells: number): GridAxis {
  const spacing = (upper - lower) / cells;
  const size = Math.max(Math.abs(lower), Math.abs(upper));
  const unit = 2 ** (Math.ceil(Math.log2(size)) - 40);
  if (!(spacing > unit * 2 ** 10))
    // then ramps start at multiples of 2^-20 below 2^32: their sums are exact
    throw new SobolevError(
      `the side [${lower}, ${upper}] is too narrow for ${cells} cells, so far from 0, in double precision`,
    );
  const slope = 3 / spacing;
  const firstRamp = roundTo(slope * lower + 1, 2 ** -20);
  const nodes = Array.from({ length: cells + 1 }, (_, m) => {
    const near = roundTo(lower + m * spacing, unit);
    return near < lower ? near + unit : near > upper ? near - unit : near;
  });
  const at = (rampEnd: number): Interval => I.div(I.point(rampEnd), I.point(slope));
  const supports = nodes.map((node, m) => ({
    lower: m === 0 ? lower : Math.min(node, Math.max(lower, at(firstRamp + 3 * (m - 1)).lower)),
    upper: m === cells ? upper : Math.max(node, Math.min(upper, at(firstRamp + 3 * m + 1).upper)),
  }));
  const radius = supports.reduce(
    (most, s, m) => Math.max(most, I.addUp(s.upper, -nodes[m]!), I.addUp(nodes[m]!, -s.lower)),
    0,
  );
  const scale = floorTo(I.divDown(1, radius), bitsOfScale);
  const reaches = supports.some(
    (s, m) => (m > 0 && s.lower < nodes[m - 1]!) || (m < cells && s.upper > nodes[m + 1]!),
  );
  if (reaches)
    throw new SobolevError(`${cells} cells on [${lower}, ${upper}] are too many for double precision`);
  return { lower, upper, cells, nodes, supports, slope, firstRamp, scale };
}

/** Units of an axis in the first layer, all of one input coordinate; where they start, by node. */
export interface AxisUnits {
  readonly rows: readonly UnitRow[];
  /** Bumps and the two halves of the local coordinate in the second layer, over the units of the first. */
  second(units: readonly Form[]): {
    readonly bumps: readonly UnitRow[];
    readonly positive: readonly UnitRow[];
    readonly negative: readonly UnitRow[];
  };
}

/**
 * The local coordinate s = scale (x - node) as relu(relu(s) - 4 relu(s - 1)) - relu(relu(-s) - 4 relu(-s - 1)): it is s
 * on [-1, 1] and 0 beyond 4/3, before the support of the next node but one begins.
 */
export function axisUnits(axis: GridAxis, coordinate: number, withCoordinates = true): AxisUnits {
  const { cells, nodes, slope, firstRamp, scale, lower, upper } = axis;
  const rows: UnitRow[] = [];
  const size = Math.max(Math.abs(lower), Math.abs(upper));
  const place = (weight: number, constant: number): number => {
    const most = Math.abs(weight) * size + Math.abs(constant) + 1;
    return rows.push({ of: form([[coordinate, weight]], constant), most }) - 1;
  };
  const places = nodes.map((node, m) => {
    const offset = mul(-scale, node);
    if (
      typeof offset !== "number" ||
      typeof add(offset, 1) !== "number" ||
      typeof add(offset, -1) !== "number"
    )
      throw new SobolevError(`the local coordinate of node ${node} is not exact in doubles`);
    return {
      right: m < cells ? place(slope, -(firstRamp + 3 * m)) : undefined,
      left: m > 0 ? place(-slope, firstRamp + 3 * (m - 1) + 1) : undefined,
      halves: withCoordinates
        ? ([
            [place(scale, offset), place(scale, offset - 1)],
            [place(-scale, -offset), place(-scale, -offset - 1)],
          ] as const)
        : undefined,
    };
  });
  return {
    rows,
    second(units) {
      const read = (k: number): number => [...units[k]!.terms.keys()][0]!;
      const half = ([whole, beyond]: readonly [number, number]): UnitRow => ({
        of: form([
          [read(whole), 1],
          [read(beyond), -4],
        ]),
        most: 1,
        local: true,
      });
      return {
        bumps: places.map(({ right, left }) => ({
          of: form(
            [right, left].flatMap((k) => (k === undefined ? [] : [[read(k), -1] as const])),
            1,
          ),
          most: 1,
          local: true,
        })),
        positive: places.flatMap(({ halves }) => (halves ? [half(halves[0])] : [])),
        negative: places.flatMap(({ halves }) => (halves ? [half(halves[1])] : [])),
      };
    },
  };
}
