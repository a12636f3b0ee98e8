// The same on a grid of N x N points that closes in itself, where everything can be computed: a ball of frequencies, ridge
// functions along whole directions, a radial g with its frequencies on a ring.

import { leastSquares } from "../../linear-algebra/least-squares.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";

export interface TorusRidges {
  /** Points along a side. */
  readonly grid: number;
  /** Of the ball of frequencies. */
  readonly radius: number;
  /** Of the ring of g's frequencies. */
  readonly ring: number;
  readonly directions: readonly (readonly [number, number])[];
}

type Frequency = readonly [number, number];

function frequencies(grid: number, keeps: (length: number) => boolean): readonly Frequency[] {
  const side = Array.from({ length: grid - 1 }, (_, k) => k - grid / 2 + 1);
  return side.flatMap((a) => side.flatMap((b): Frequency[] => (keeps(Math.hypot(a, b)) ? [[a, b]] : [])));
}

const ballOf = ({ grid, radius }: TorusRidges) => frequencies(grid, (length) => length <= radius);
const ringOf = ({ grid, ring }: TorusRidges) => frequencies(grid, (length) => Math.abs(length - ring) <= 0.5);

/** Multiples of a direction whose tube does not reach the edge of the frequencies. */
const bandOf = ({ grid, radius }: TorusRidges, [a, b]: Frequency): number =>
  Math.floor((grid / 2 - 1 - radius) / Math.max(Math.abs(a), Math.abs(b)));

/** Values of a sum of cosines on the grid, with the phase of `wave`. */
function onGrid(grid: number, waves: readonly Frequency[], factor: number, wave = Math.cos): Float64Array {
  const values = new Float64Array(grid * grid);
  for (const [a, b] of waves)
    for (let k = 0; k < values.length; k++) {
      const turns = (a * Math.floor(k / grid) + b * (k % grid)) % grid;
      values[k]! += factor * wave((2 * Math.PI * turns) / grid);
    }
  return values;
}

/** phi with sum phi^2 = 1. */
const bump = (torus: TorusRidges): Float64Array => {
  const ball = ballOf(torus);
  return onGrid(torus.grid, ball, 1 / (torus.grid * Math.sqrt(ball.length)));
};

/** cos and sin along each direction, times phi: what sums of ridge functions times phi are made of. */
function ridges(torus: TorusRidges): readonly Float64Array[] {
  const phi = bump(torus);
  return torus.directions.flatMap((w) =>
    Array.from({ length: bandOf(torus, w) + 1 }, (_, k) => k).flatMap((k) =>
      (k === 0 ? [Math.cos] : [Math.cos, Math.sin]).map((wave) => {
        const along = onGrid(torus.grid, [[k * w[0], k * w[1]]], 1, wave);
        return along.map((v, p) => v * phi[p]!);
      }),
    ),
  );
}

/** A number for a frequency as its place in a table. */
const place = (grid: number, [a, b]: Frequency): number => (a + grid / 2) * grid + b + grid / 2;

/** 1 where a frequency is in a tube. */
export function tubes(torus: TorusRidges): Uint8Array {
  const covered = new Uint8Array(torus.grid ** 2);
  const ball = ballOf(torus);
  for (const w of torus.directions) {
    const band = bandOf(torus, w);
    for (let k = -band; k <= band; k++)
      for (const [a, b] of ball) covered[place(torus.grid, [a + k * w[0], b + k * w[1]])] = 1;
  }
  return covered;
}

/** The share of the energy of g phi at frequencies outside of all tubes: the convolution of a ring and a ball, counted. */
export function energyOutside(torus: TorusRidges): number {
  const [covered, ball] = [tubes(torus), ballOf(torus)];
  const hits = new Float64Array(torus.grid ** 2);
  for (const [a, b] of ringOf(torus)) for (const [c, d] of ball) hits[place(torus.grid, [a + c, b + d])]!++;
  const energy = (isIn: (k: number) => boolean) => hits.reduce((sum, h, k) => sum + (isIn(k) ? h * h : 0), 0);
  return energy((k) => covered[k] === 0) / energy(() => true);
}

/** The least |Phi phi - g phi|^2 over all sums Phi of ridge functions along the directions, over |g phi|^2: least squares on the grid. */
export async function ridgeDistance(torus: TorusRidges): Promise<number> {
  const phi = bump(torus);
  const target = onGrid(torus.grid, ringOf(torus), 1).map((v, p) => v * phi[p]!);
  const columns = ridges(torus);
  const rows = Array.from(target, (_, p) => columns.map((column) => column[p]!));
  const { residuals } = await leastSquares(
    matrixOfRows(rows),
    matrixOfRows(Array.from(target, (v) => [v])),
    1e-10,
  );
  return residuals[0]! ** 2 / target.reduce((sum, v) => sum + v * v, 0);
}

/** The share of the energy of a sum of ridges, with these weights, at frequencies outside of the tubes: by a plain Fourier sum. */
export function ridgeEnergyOutside(torus: TorusRidges, weights: ArrayLike<number>): number {
  const { grid } = torus;
  const columns = ridges(torus);
  const values = new Float64Array(grid * grid);
  for (const [j, column] of columns.entries())
    for (let p = 0; p < values.length; p++) values[p]! += weights[j % weights.length]! * column[p]!;
  const covered = tubes(torus);
  let [outside, total] = [0, 0];
  for (const waves of frequencies(grid, () => true)) {
    const [even, odd] = [Math.cos, Math.sin].map((wave) =>
      onGrid(grid, [waves], 1, wave).reduce((sum, v, p) => sum + v * values[p]!, 0),
    );
    const energy = even! ** 2 + odd! ** 2;
    total += energy;
    if (covered[place(grid, waves)] === 0) outside += energy;
  }
  return outside / total;
}
