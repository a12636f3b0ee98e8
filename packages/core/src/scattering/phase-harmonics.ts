// Wavelet phase harmonics: covariances of [x * psi]^k = |z| e^(i k angle z) between wavelets (book 1, section 8.6; C8-53).
// k = 0 is the modulus, k = 1 the wavelet transform itself, k = 2 turns phases twice as fast, so that an octave and the
// next one can be compared: what edges and points have, and a Gaussian field with the same spectrum has not.
import { tensor } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import { chosenCut } from "./cut-choice.ts";
import type { Filter } from "./filter-bank.ts";
import { sources } from "./geometry.ts";
import { forward, padded, WeightStore, waves } from "./lowering.ts";
import type { ScatteringPlan } from "./plan.ts";

/** Which harmonics of two filters a statistic compares: mean of [z_a]^ka times the conjugate of [z_b]^kb. */
export interface HarmonicPair {
  readonly a: number;
  readonly b: number;
  readonly harmonics: readonly [0 | 1 | 2, 0 | 1];
  readonly part: "real" | "imaginary";
}

interface Band extends Filter {
  readonly j: number;
  readonly theta: number;
  readonly xi: number;
}

/** Wavelets of the first order, and the low-pass filter as the last one. */
const bandsOf = ({ banks: [bank] }: ScatteringPlan): readonly Band[] => [
  ...bank!.wavelets.map(({ re, j, theta = 0, xi }) => ({ re, j, theta, xi })),
  { re: bank!.lowPass.re, j: bank!.scale, theta: 0, xi: 0 },
];

/** Angles further apart are nearly uncorrelated; how far from one octave two centres may be, in octaves. */
const nearAngles = 2;
const nearOctave = 0.3;

/**
 * The covariances of a plan, in the order of its statistics; before them come the means of x and of each modulus.
 * @example harmonicPairs(scatteringPlan({ shape: [8], scale: 1 })).length // 17
 */
export function harmonicPairs(plan: ScatteringPlan): readonly HarmonicPair[] {
  const bands = bandsOf(plan);
  const all: HarmonicPair[] = [];
  const both = (pair: Omit<HarmonicPair, "part">, isReal = false): void => {
    all.push({ ...pair, part: "real" });
    if (!isReal) all.push({ ...pair, part: "imaginary" });
  };
  const areNear = (p: Band, q: Band): boolean => Math.abs(p.theta - q.theta) <= nearAngles;
  bands.forEach((p, a) => {
    bands.forEach((q, b) => {
      const isLow = q.xi === 0;
      if (a <= b) all.push({ a, b, harmonics: [0, 0], part: "real" });
      if (a <= b && Math.abs(p.j - q.j) <= 1 && areNear(p, q))
        both({ a, b, harmonics: [1, 1] }, a === b || isLow);
      if (p.j < q.j) both({ a, b, harmonics: [0, 1] }, isLow);
      const octaves = p.xi > 0 && q.xi > 0 ? Math.log2(q.xi / p.xi) : 0;
      if (Math.abs(octaves - 1) <= nearOctave && areNear(p, q)) both({ a, b, harmonics: [2, 1] });
    });
  });
  return all;
}

/** How many statistics there are. */
export const harmonicCount = (plan: ScatteringPlan): number =>
  1 + bandsOf(plan).length + harmonicPairs(plan).length;

/** [1, count, 1] of x [1, ...], as a part of another graph. */
export function harmonicStatistics(x: Value, plan: ScatteringPlan, type: "float32" | "float64"): Value {
  const bands = bandsOf(plan);
  const [count, places] = [bands.length, plan.geometry.shape.reduce((a, b) => a * b, 1)];
  const z = bandsOn(x, plan, bands, type);
  const along = (value: Value, axis: number): Value =>
    value.op("ReduceMean", [tensor([axis], { type: "int64" })], { keepdims: 1 });
  const modulus = z
    .op("ReduceL2", [tensor([0], { type: "int64" })], { keepdims: 1 })
    .reshape([places, count]);
  const means = along(modulus, 0);
  const [re, im] = [0, 1].map((k) => z.slice(0, k, k + 1).reshape([places, count])) as [Value, Value];
  // [z]^2 = z^2 / |z|, and 0 where there is nothing whose phase could turn.
  const size = modulus.add(1e-9);
  const twice = [re.mul(re).sub(im.mul(im)).div(size), re.mul(im).mul(2).div(size)] as const;
  const columns = modulus.sub(means).concat([re, im, ...twice], 1);
  const gram = columns
    .transpose([1, 0])
    .matmul(columns)
    .mul(1 / places);
  const terms = harmonicPairs(plan).map((pair) => termsOf(pair, count));
  const flat = gram.reshape([-1]);
  const first = flat.gather(
    tensor(
      terms.map(([at]) => at),
      { type: "int64" },
    ),
    0,
  );
  const second = flat.gather(
    tensor(
      terms.map(([, at]) => at),
      { type: "int64" },
    ),
    0,
  );
  const signs = tensor(
    terms.map(([, , sign]) => sign),
    { type, dims: [terms.length] },
  );
  const covariances = first.add(second.mul(signs));
  return along(x.reshape([1, -1]), 1)
    .reshape([1])
    .concat([means.reshape([count]), covariances], 0)
    .reshape([1, -1, 1]);
}

/** x * psi of all bands on the samples of the signal: [2, places, bands]. */
function bandsOn(
  x: Value,
  { geometry: { shape, grid, before, padding } }: ScatteringPlan,
  bands: readonly Band[],
  type: "float32" | "float64",
): Value {
  const store = new WeightStore(type);
  const shown = shape.map((length, axis) => ({
    from: sources(length, grid[axis]!, before[axis]!, padding),
    length,
  }));
  const signal = padded(x.transpose([...shape.map((_, axis) => axis + 1), 0]), shown);
  const cuts = grid.map((n) => chosenCut(n, [{ coarser: 0, wavelets: bands.length }]));
  const layer = { spectrum: forward(signal, cuts, store), cuts, k: 0 };
  const all = waves(layer, bands, 0, grid, store);
  return shape
    .reduce((value, n, axis) => value.slice(axis + 1, before[axis]!, before[axis]! + n), all)
    .reshape([2, -1, bands.length]);
}

/** Where the two products of a statistic are among those of all columns, and the sign of the second. */
function termsOf(
  { a, b, harmonics: [k, l], part }: HarmonicPair,
  count: number,
): readonly [number, number, number] {
  const at = (row: number, column: number): number => row * 5 * count + column;
  // Columns: moduli, real parts, imaginary parts, real and imaginary parts of the second harmonic.
  if (k === 0) return [at(a, l === 0 ? b : (part === "real" ? 1 : 2) * count + b), 0, 0];
  const [re, im] = k === 1 ? [1, 2] : [3, 4];
  return part === "real"
    ? [at(re * count + a, count + b), at(im * count + a, 2 * count + b), 1]
    : [at(im * count + a, count + b), at(re * count + a, 2 * count + b), -1];
}

/** What makes statistics of one size: 1 over the deviations of the two, by the wanted ones themselves. */
export function harmonicWeights(plan: ScatteringPlan, wanted: ArrayLike<number>): Float64Array {
  const [bands, pairs] = [bandsOf(plan), harmonicPairs(plan)];
  const start = 1 + bands.length;
  const powers = bands.map(() => 0);
  const variances = bands.map(() => 0);
  pairs.forEach(({ a, b, harmonics: [k, l] }, at) => {
    if (a !== b || k !== l) return;
    (k === 0 ? variances : powers)[a] = Math.max(0, wanted[start + at]!);
  });
  const inverse = (square: number): number => (square > 0 ? 1 / Math.sqrt(square) : 0);
  const total = powers.reduce((sum, power) => sum + power, 0);
  return Float64Array.from([
    inverse(total),
    ...powers.map(inverse),
    ...pairs.map(
      ({ a, b, harmonics: [k, l] }) =>
        inverse(k === 0 ? variances[a]! : powers[a]!) * inverse(l === 0 ? variances[b]! : powers[b]!),
    ),
  ]);
}
