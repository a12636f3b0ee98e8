// Strata of a signed measure over ridge units: k cells of one sign each, of small diameter in (direction, offset).
import { BarronError, requireCount } from "./error.ts";
import type { RidgeUnit } from "./ridge-sum.ts";

/** A unit and how much of its mass belongs here: a unit on the border of two cells is shared. */
export interface Member {
  readonly unit: number;
  readonly share: number;
}

export interface Stratum {
  readonly mass: number;
  readonly members: readonly Member[];
}

const massOf = (members: readonly Member[]): number => members.reduce((sum, m) => sum + m.share, 0);

/**
 * k cells of one sign each. Each cut is across the widest coordinate and halves the mass: cells of a set of dimension d have
 * diameters of order k^{-1/d}. In one variable the two directions are parts of their own: a cell across them would be wide.
 */
export function strata(units: readonly RidgeUnit[], k: number): readonly Stratum[] {
  requireCount("the number of strata", k);
  const parts = new Map<string, Member[]>();
  units.forEach(({ weight, direction }, unit) => {
    if (weight === 0) return;
    const key = `${Math.sign(weight)} ${direction.length === 1 ? Math.sign(direction[0]!) : ""}`;
    const part = parts.get(key);
    const member = { unit, share: Math.abs(weight) };
    if (part) part.push(member);
    else parts.set(key, [member]);
  });
  const pieces = [...parts.values()];
  if (k < pieces.length)
    throw new BarronError(`units of ${pieces.length} kinds (sign, direction) need as many strata, not ${k}`);
  const counts = apportioned(pieces.map(massOf), k);
  return pieces.flatMap((members, p) => cells(units, members, counts[p]!));
}

/** k seats by mass, at least one for each: the next seat goes where the mass of a seat is greatest. */
function apportioned(masses: readonly number[], k: number): readonly number[] {
  const seats = masses.map(() => 1);
  for (let given = masses.length; given < k; given++) {
    const loads = masses.map((mass, p) => mass / seats[p]!);
    seats[loads.indexOf(Math.max(...loads))]! += 1;
  }
  return seats;
}

function cells(units: readonly RidgeUnit[], members: readonly Member[], k: number): readonly Stratum[] {
  if (k === 1) return [{ mass: massOf(members), members }];
  const half = k >> 1;
  const [left, right] = cut(units, members, half / k);
  return [...cells(units, left, half), ...cells(units, right, k - half)];
}

/** The members in two parts, the first with this part of the mass, across the coordinate with the greatest spread. */
function cut(
  units: readonly RidgeUnit[],
  members: readonly Member[],
  part: number,
): readonly [readonly Member[], readonly Member[]] {
  const d = units[members[0]!.unit]!.direction.length;
  const coordinate = (m: Member, axis: number): number => {
    const { direction, offset } = units[m.unit]!;
    return axis < d ? direction[axis]! : offset;
  };
  const spreads = Array.from({ length: d + 1 }, (_, axis) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const m of members) {
      const value = coordinate(m, axis);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return high - low;
  });
  const axis = spreads.indexOf(Math.max(...spreads));
  const sorted = members.toSorted((a, b) => coordinate(a, axis) - coordinate(b, axis));
  let left = part * massOf(members);
  const first: Member[] = [];
  const second: Member[] = [];
  for (const m of sorted) {
    const taken = Math.min(m.share, Math.max(0, left));
    left -= m.share;
    if (taken > 0) first.push({ ...m, share: taken });
    if (taken < m.share) second.push({ ...m, share: m.share - taken });
  }
  return [first, second];
}
