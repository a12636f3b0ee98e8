// What the theory says of the number of regions of a given network, next to what was counted.

import type { AffineProgram } from "../affine/program.ts";
import { type PieceBounds, pieceBounds } from "../piece-bounds.ts";
import {
  binomial,
  montufarLowerBound,
  productBound,
  serraLowerBound,
  serraUpperBound,
} from "../region-bounds.ts";

export interface RegionBounds {
  /** The least upper bound that holds for this network. */
  readonly upper: bigint;
  /** One arrangement in each region of the layers before; holds for every network. */
  readonly product: bigint;
  /** Serra et al.; only for layers of ReLUs without skips, like the rest. */
  readonly serra?: bigint;
  /** Lower bounds on the most regions that some weights of these widths have. */
  readonly montufarLower?: bigint;
  readonly serraLower?: bigint;
  /** One variable: bounds on linear pieces. */
  readonly pieces?: PieceBounds;
}

/** The widths of a chain of ReLU layers, or undefined when the network is something else. */
export function reluWidths({ inputs, slots, stages }: AffineProgram): readonly number[] | undefined {
  // Which kinked stage each slot depends on directly, linear ones seen through; -1: the inputs.
  const origin = new Int32Array(slots).fill(-1);
  const widths: number[] = [];
  for (const { kind, rows, firstSlot, units, below, above } of stages) {
    const sources = new Set(Array.from(rows.slots, (slot) => (slot < inputs ? -1 : origin[slot]!)));
    if (sources.size > 1) return undefined;
    const [source = widths.length - 1] = sources;
    if (kind === "linear") origin.fill(source, firstSlot, firstSlot + units);
    else {
      const rectified = kind === "hinge" && below.every((s) => s === 0) && above.every((s) => s !== 0);
      if (!rectified || source !== widths.length - 1) return undefined;
      origin.fill(widths.length, firstSlot, firstSlot + units);
      widths.push(units);
    }
  }
  return widths;
}

/** Lines that a stage can draw in a region: one a hinge, one a threshold, one for each pair of rows of a maximum. */
function lineCounts({ stages }: AffineProgram): number[] {
  return stages.flatMap(({ kind, units, groups, jumps }) => {
    if (kind === "linear") return [];
    if (kind === "hinge") return [units];
    if (jumps) return [jumps.thresholds.reduce((n, t) => n + t, 0)];
    let pairs = 0;
    for (let k = 0; k < units; k++) pairs += Number(binomial(groups[k + 1]! - groups[k]!, 2));
    return [pairs];
  });
}

/**
 * The bounds that apply to a network on a segment (dimension 1) or in a plane (2).
 * @example regionBounds(affineProgram(square(3)), 1).upper // 48n
 */
export function regionBounds(program: AffineProgram, dimension: 1 | 2): RegionBounds {
  const widths = reluWidths(program);
  const simple = productBound(lineCounts(program), dimension);
  if (!widths) return { upper: simple, product: simple };
  const serra = serraUpperBound(widths, dimension);
  return {
    upper: serra < simple ? serra : simple,
    product: simple,
    serra,
    montufarLower: montufarLowerBound(widths, dimension),
    serraLower: serraLowerBound(widths, dimension),
    ...(dimension === 1 ? { pieces: pieceBounds(widths) } : {}),
  };
}
