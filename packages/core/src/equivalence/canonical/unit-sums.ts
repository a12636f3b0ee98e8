// Numbers of each unit that do not depend on the order of other units, or only on orders that are settled.
import type { SymmetryGroup, UnitLeg, WeightAxis } from "../group.ts";
import { fibreWeights, stridedBlocks } from "../transform.ts";

export interface UnitSumOptions {
  readonly units: number;
  /** Which legs of the class count: those of a scale, say. */
  readonly takes?: (leg: UnitLeg) => boolean;
  /** 1: a sum of weights; 2: of their squares. */
  readonly power: 1 | 2;
  /** Whether the order of this other leg is settled, so that its index may choose a coefficient. */
  readonly isOrdered?: (leg: UnitLeg) => boolean;
  /** Chooses the coefficients; undefined: all are 1. */
  readonly salt?: number;
}

/** Coefficients between 1/2 and 3/2 that no weights are made for. */
const coefficient = (place: number, salt: number): number => {
  const u = (place + 1) * 0.618_033_988_749_895 + salt * 0.414_213_562_373_095;
  return 0.5 + (u - Math.floor(u));
};

/** sum_j c v or c v^2 along one line of the array. */
function rowSum(
  values: Float64Array,
  start: number,
  stride: number,
  count: number,
  coefficients: Float64Array,
  place: number,
  weight: number,
  power: 1 | 2,
): number {
  let sum = 0;
  for (let j = 0; j < count; j++) {
    const v = values[start + j * stride]!;
    const c = coefficients[place + j * weight]!;
    sum += power === 1 ? c * v : c * v * v;
  }
  return sum;
}

/** Adds, to each unit of the class (by fibre, then unit), a sum over the entries of one weight that belong to it. */
export function addUnitSums(
  group: SymmetryGroup,
  axes: readonly WeightAxis[],
  values: Float64Array,
  sums: Float64Array,
  { units, takes = () => true, power, isOrdered = () => false, salt }: UnitSumOptions,
): void {
  stridedBlocks(group, axes).forEach(({ start, legs }, block) => {
    const at = legs.findIndex((leg) => leg.units === units && takes(leg));
    if (at < 0) return;
    const fibre = fibreWeights(group, legs)[at]!;
    const others = legs.map((_, d) => d).filter((d) => d !== at);
    const radix = new Map<number, number>();
    let places = 1;
    for (const d of others) {
      const isCounted = salt !== undefined && legs[d]!.units !== units && isOrdered(legs[d]!);
      radix.set(d, isCounted ? places : 0);
      if (isCounted) places *= legs[d]!.size;
    }
    const coefficients = Float64Array.from({ length: places }, (_, place) =>
      salt === undefined ? 1 : coefficient(place + block, salt),
    );
    const index = new Int32Array(legs.length);
    const { size, step } = legs[at]!;
    const inner = others.at(-1);
    const [count, stride, weight] =
      inner === undefined ? [1, 0, 0] : [legs[inner]!.size, legs[inner]!.step, radix.get(inner)!];
    const isInnerBase = fibre.some(([leg]) => leg === inner);
    const fibreOf = (): number => {
      let f = 0;
      for (const [leg, w] of fibre) f += index[leg]! * w;
      return f;
    };
    const walk = (k: number, from: number, place: number): void => {
      if (k < others.length - 1) {
        const d = others[k]!;
        for (let i = 0; i < legs[d]!.size; i++) {
          index[d] = i;
          walk(k + 1, from + i * legs[d]!.step, place + i * radix.get(d)!);
        }
        return;
      }
      for (let i = 0; i < size; i++) {
        const row = from + i * step;
        if (!isInnerBase) {
          sums[fibreOf() * size + i]! += rowSum(
            values,
            row,
            stride,
            count,
            coefficients,
            place,
            weight,
            power,
          );
          continue;
        }
        for (let j = 0; j < count; j++) {
          index[inner!] = j;
          sums[fibreOf() * size + i]! += rowSum(
            values,
            row + j * stride,
            0,
            1,
            coefficients,
            place + j * weight,
            0,
            power,
          );
        }
      }
    };
    walk(0, start, 0);
  });
}
