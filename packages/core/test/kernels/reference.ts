// The limit kernels once more, as slowly as the formulas are written: one pair of examples, all pairs of positions.
import { type Dual, expectations } from "../../src/functions/dual.ts";

/** An image: channel, row, column. */
export type Image = readonly (readonly (readonly number[])[])[];

/** K[y][x][v][u] of a pair, with the variances of both sides. */
type FourAxes = number[][][][];
export interface PairOfImages {
  readonly side: number;
  readonly nngp: readonly [FourAxes, FourAxes, FourAxes];
  readonly ntk: FourAxes;
}

const four = (side: number, of: (y: number, x: number, v: number, u: number) => number): FourAxes => {
  const each = Array.from({ length: side }, (_, k) => k);
  return each.map((y) => each.map((x) => each.map((v) => each.map((u) => of(y, x, v, u)))));
};

/** x x' / channels. The covariances are those of (first, first), (first, second), (second, second). */
export function imagePair(first: Image, second: Image): PairOfImages {
  const side = first[0]!.length;
  const between = (a: Image, b: Image): FourAxes =>
    four(
      side,
      (y, x, v, u) => a.reduce((sum, plane, c) => sum + plane[y]![x]! * b[c]![v]![u]!, 0) / a.length,
    );
  return {
    side,
    nngp: [between(first, first), between(first, second), between(second, second)],
    ntk: four(side, () => 0),
  };
}

export interface Deviations {
  readonly wStd: number;
  readonly bStd: number;
}

/** A convolution of odd size with zeros around, in the NTK parameterization. */
export function convolved(
  { side, nngp, ntk }: PairOfImages,
  size: number,
  { wStd, bStd }: Deviations,
): PairOfImages {
  const half = (size - 1) / 2;
  const mean = (k: FourAxes): FourAxes =>
    four(side, (y, x, v, u) => {
      let sum = 0;
      for (let dy = -half; dy <= half; dy++)
        for (let dx = -half; dx <= half; dx++) sum += k[y + dy]?.[x + dx]?.[v + dy]?.[u + dx] ?? 0;
      return sum / size ** 2;
    });
  const next = nngp.map((k) => {
    const m = mean(k);
    return four(side, (y, x, v, u) => wStd ** 2 * m[y]![x]![v]![u]! + bStd ** 2);
  }) as unknown as PairOfImages["nngp"];
  const before = mean(ntk);
  return {
    side,
    nngp: next,
    ntk: four(side, (y, x, v, u) => next[1][y]![x]![v]![u]! + wStd ** 2 * before[y]![x]![v]![u]!),
  };
}

export function activated({ side, nngp, ntk }: PairOfImages, dual: Dual): PairOfImages {
  const [a, k, b] = nngp;
  const at = (m: FourAxes, [p, l, r]: readonly [FourAxes, FourAxes, FourAxes]) =>
    four(side, (y, x, v, u) => {
      const found = expectations(dual, p[y]![x]![v]![u]!, l[y]![x]![y]![x]!, r[v]![u]![v]![u]!);
      return m === ntk ? found.slope * ntk[y]![x]![v]![u]! : found.value;
    });
  return { side, nngp: [at(a, [a, a, a]), at(k, [k, a, b]), at(b, [b, b, b])], ntk: at(ntk, [k, a, b]) };
}

/** The mean over squares of this side. */
export function pooled({ side, nngp, ntk }: PairOfImages, size: number): PairOfImages {
  const next = side / size;
  const offsets = Array.from({ length: size ** 2 }, (_, n) => [Math.floor(n / size), n % size] as const);
  const mean = (k: FourAxes): FourAxes =>
    four(next, (y, x, v, u) => {
      let sum = 0;
      for (const [p, q] of offsets)
        for (const [r, s] of offsets) sum += k[size * y + p]![size * x + q]![size * v + r]![size * u + s]!;
      return sum / size ** 4;
    });
  return { side: next, nngp: nngp.map(mean) as unknown as PairOfImages["nngp"], ntk: mean(ntk) };
}

/** The mean over p = q: what flattening makes of it; then a dense layer. */
export function flattened(
  { side, nngp, ntk }: PairOfImages,
  { wStd, bStd }: Deviations,
): { nngp: number; ntk: number } {
  const mean = (k: FourAxes): number => {
    let sum = 0;
    for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) sum += k[y]![x]![y]![x]!;
    return sum / side ** 2;
  };
  const found = wStd ** 2 * mean(nngp[1]) + bStd ** 2;
  return { nngp: found, ntk: found + wStd ** 2 * mean(ntk) };
}
