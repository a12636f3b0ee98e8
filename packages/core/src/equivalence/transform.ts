// A symmetry's action on the numbers of one weight.
import type { SymmetryElement } from "./element.ts";
import type { SymmetryGroup, UnitLeg, WeightAxis } from "./group.ts";
import { inverseTransposed } from "./matrix.ts";

/** A leg of a block, with its step in the array. */
interface Strided extends UnitLeg {
  readonly step: number;
}
interface Block {
  readonly start: number;
  /** Classes come after those over which they are fibred. */
  readonly legs: readonly Strided[];
}

/** The blocks of a weight: one segment of each axis. */
export function stridedBlocks({ classes }: SymmetryGroup, axes: readonly WeightAxis[]): readonly Block[] {
  const sizes = axes.map((axis) => axis.reduce((n, segment) => n + sizeOf(segment), 0));
  let blocks: readonly Block[] = [{ start: 0, legs: [] }];
  axes.forEach((axis, k) => {
    const stride = sizes.slice(k + 1).reduce((a, b) => a * b, 1);
    blocks = blocks.flatMap(({ start, legs }) => {
      let offset = 0;
      return axis.map((segment) => {
        const strided = segment.map((leg, l) => ({ ...leg, step: stride * sizeOf(segment.slice(l + 1)) }));
        const block = { start: start + offset * stride, legs: [...legs, ...strided] };
        offset += sizeOf(segment);
        return block;
      });
    });
  });
  const depth = (leg: UnitLeg) => classes[leg.units]!.bases.length;
  return blocks.map(({ start, legs }) => ({ start, legs: legs.toSorted((a, b) => depth(a) - depth(b)) }));
}

const sizeOf = (segment: readonly UnitLeg[]): number => segment.reduce((n, leg) => n * leg.size, 1);

/** For each leg, the places in the block of the legs that choose its fibre, with their weights in the fibre's number. */
export function fibreWeights(
  { classes }: SymmetryGroup,
  legs: readonly Strided[],
): readonly (readonly (readonly [number, number])[])[] {
  return legs.map((leg) => {
    let radix = 1;
    return classes[leg.units]!.bases.toReversed().map((base) => {
      const weight = radix;
      radix *= classes[base]!.size;
      return [legs.findIndex((l) => l.units === base), weight] as const;
    });
  });
}

/** The weight after a symmetry: first matrices of linear classes, then scales, then permutations. */
export function transformWeight(
  group: SymmetryGroup,
  axes: readonly WeightAxis[],
  values: Float64Array,
  element: SymmetryElement,
): Float64Array {
  let current = values;
  for (const block of stridedBlocks(group, axes)) {
    block.legs.forEach((leg, k) => {
      if (leg.matrix !== 0 && element.matrices.has(leg.units))
        current = multiplied(group, block, k, current, element);
    });
  }
  const result = current.slice();
  for (const block of stridedBlocks(group, axes)) moved(group, block, current, result, element);
  return result;
}

/** result[pi(i)] = s_i values[i] on one block. */
function moved(
  group: SymmetryGroup,
  { start, legs }: Block,
  values: Float64Array,
  result: Float64Array,
  element: SymmetryElement,
): void {
  const fibres = fibreWeights(group, legs);
  const tables = legs.map((leg) => {
    const permutation = element.permutations.get(leg.units);
    const count = leg.size * group.classes[leg.units]!.fibres;
    return {
      to: Int32Array.from(
        { length: count },
        (_, k) => (permutation ? permutation[k]! : k % leg.size) * leg.step,
      ),
      factor: legFactors(leg, count, element),
    };
  });
  const index = new Int32Array(legs.length);
  const last = legs.length - 1;
  if (last < 0) return;
  const walk = (d: number, from: number, into: number, scale: number): void => {
    const { size, step } = legs[d]!;
    const { to, factor } = tables[d]!;
    let fibre = 0;
    for (const [leg, weight] of fibres[d]!) fibre += index[leg]! * weight;
    const base = fibre * size;
    if (d === last) {
      for (let i = 0; i < size; i++)
        result[into + to[base + i]!] =
          values[from + i * step]! * (factor ? scale * factor[base + i]! : scale);
      return;
    }
    for (let i = 0; i < size; i++) {
      index[d] = i;
      walk(d + 1, from + i * step, into + to[base + i]!, factor ? scale * factor[base + i]! : scale);
    }
  };
  walk(0, start, start, 1);
}

/** What each unit of a leg is multiplied by; undefined: by 1. */
export function legFactors(
  leg: UnitLeg,
  count: number,
  { scales }: SymmetryElement,
): Float64Array | undefined {
  const own = leg.scale.filter(([s]) => scales.has(s));
  if (own.length === 0) return undefined;
  const factors = new Float64Array(count).fill(1);
  for (const [s, exponent] of own) {
    const values = scales.get(s)!;
    for (let k = 0; k < count; k++) {
      const v = values[k]!;
      factors[k]! *= exponent === 1 ? v : exponent === -1 ? 1 / v : v ** exponent;
    }
  }
  return factors;
}

/** The values with one leg of a block multiplied by its matrices. */
function multiplied(
  group: SymmetryGroup,
  { start, legs }: Block,
  at: number,
  values: Float64Array,
  element: SymmetryElement,
): Float64Array {
  const { units, size: n, step, matrix } = legs[at]!;
  const matrices = element.matrices.get(units)!;
  const fibres = fibreWeights(group, legs)[at]!;
  const used = Array.from({ length: group.classes[units]!.fibres }, (_, f) => {
    const A = matrices.subarray(f * n * n, (f + 1) * n * n);
    return matrix === 1 ? A : inverseTransposed(A, n);
  });
  const result = values.slice();
  const index = new Int32Array(legs.length);
  const walk = (d: number, from: number): void => {
    if (d === legs.length) {
      const A = used[fibres.reduce((sum, [leg, weight]) => sum + index[leg]! * weight, 0)]!;
      for (let r = 0; r < n; r++) {
        let sum = 0;
        for (let c = 0; c < n; c++) sum += A[r * n + c]! * values[from + c * step]!;
        result[from + r * step] = sum;
      }
      return;
    }
    const { size, step: own } = legs[d]!;
    for (let i = 0; i < (d === at ? 1 : size); i++) {
      index[d] = i;
      walk(d + 1, from + i * own);
    }
  };
  walk(0, start);
  return result;
}
