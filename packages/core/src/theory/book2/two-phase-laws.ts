// Laws of path inputs and labels whose constants (Assumption 2.8 of the book's chapter 2) are known.
import type { FiniteLaw } from "../../generalization/bounds/chernoff.ts";
import type { TwoPhaseConstants } from "../../generalization/path-space/two-phase-bound.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { drawSample } from "../../measures/finite-population.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { decomposePaths } from "../../networks/path-decomposition.ts";
import type { Random } from "../../numbers/random.ts";

export interface Law {
  /** E z z'. */
  readonly moments: readonly (readonly number[])[];
  /** E Y z and E Y^2. */
  readonly labels: readonly number[];
  readonly square: number;
  readonly constants: TwoPhaseConstants;
  readonly weights: readonly number[];
  /** -|w z - Y|^2, for weights that do not depend on the sample, and -|Y|^2. */
  readonly negativeLoss: FiniteLaw;
  readonly negativeSquare: FiniteLaw;
  sample(count: number): { readonly z: readonly ArrayLike<number>[]; readonly y: readonly number[] };
}

interface Wanted {
  readonly paths: number;
  readonly t: number;
  readonly random: Random;
}

const constant: FiniteLaw = { values: [0], probabilities: [1] };

const coin = (random: Random): number => (random.uniform() < 0.5 ? -1 : 1);

export const laws: Readonly<Record<"network" | "coins" | "one path", (wanted: Wanted) => Law>> = {
  /** Path inputs and label are independent coins: E z z' = I, and (I - z z')^2 has the mean (d - 1) I. */
  coins: ({ paths: d, random }) => ({
    moments: Array.from({ length: d }, (_, i) => Array.from({ length: d }, (__, k) => Number(i === k))),
    labels: new Array(d).fill(0),
    square: 1,
    constants: { ...{ Czz: d > 1 ? 1 : 0, squareZz: d - 1 }, ...{ Cyz: 1, squareYz: 1, Cy: 0, squareY: 0 } },
    weights: [],
    ...{ negativeLoss: constant, negativeSquare: constant },
    sample: (count) => ({
      z: Array.from({ length: count }, () => Float64Array.from({ length: d }, () => coin(random))),
      y: Array.from({ length: count }, () => coin(random)),
    }),
  }),
  /** x in {0, 1}, fair, label 0: the gap is t^2 (1/2 - the average of x). */
  "one path": ({ t, random }) => ({
    moments: [[0.5]],
    labels: [0],
    square: 0,
    constants: { ...{ Czz: 0.5, squareZz: 0.25 }, ...{ Cyz: 0, squareYz: 0, Cy: 0, squareY: 0 } },
    weights: [t],
    ...{ negativeLoss: { values: [0, -t * t], probabilities: [0.5, 0.5] }, negativeSquare: constant },
    sample: (count) => ({
      z: Array.from({ length: count }, () => [random.integer(0, 1)]),
      y: new Array(count).fill(0),
    }),
  }),
  network: networkLaw,
};

/** Ten points; gates of one drawn network 2-3-1, path weights of another. The constants are maxima and means over them. */
function networkLaw({ t, random }: Wanted): Law {
  const drawn = () =>
    network([layer([0, 1, 2].map(() => [...random.normal(2)])), layer([[...random.normal(3)]])]);
  const [gates, value] = [drawn(), drawn()];
  const points = Array.from({ length: 10 }, () => random.normal(2));
  const z = points.map((x) => decomposePaths(gates, x).gated);
  const y = points.map(() => random.normal());
  const mean = (of: (i: number) => number): number =>
    points.reduce((s, _, i) => s + of(i) / points.length, 0);
  const moments = Array.from(z[0]!, (_, a) =>
    Array.from(z[0]!, (__, b) => mean((i) => z[i]![a]! * z[i]![b]!)),
  );
  const labels = Array.from(z[0]!, (_, a) => mean((i) => y[i]! * z[i]![a]!));
  const square = mean((i) => y[i]! ** 2);
  const G = z.map((at) => moments.map((row, a) => row.map((v, b) => v - at[a]! * at[b]!)));
  const squares = moments.map((row, a) =>
    row.map((_, b) => mean((i) => G[i]![a]!.reduce((s, v, k) => s + v * G[i]![k]![b]!, 0))),
  );
  const entries = labels.map((v, a) => z.map((at, i) => y[i]! * at[a]! - v));
  const weights = decomposePaths(value, points[0]!).paths.map((p) => p.weight);
  const length = Math.hypot(...weights);
  const scaled = weights.map((v) => (t * v) / length);
  const lawOf = (value: (i: number) => number): FiniteLaw => ({
    values: points.map((_, i) => value(i)),
    probabilities: points.map(() => 0.1),
  });
  return {
    ...{ moments, labels, square },
    negativeLoss: lawOf((i) => -((scaled.reduce((sum, v, a) => sum + v * z[i]![a]!, 0) - y[i]!) ** 2)),
    negativeSquare: lawOf((i) => -(y[i]! ** 2)),
    constants: {
      Czz: Math.max(...G.map((A) => Math.max(...symmetricEigen(A).values))),
      squareZz: Math.max(...symmetricEigen(squares).values),
      Cyz: Math.max(...entries.flat().map(Math.abs)),
      squareYz: Math.max(...entries.map((row) => mean((i) => row[i]! ** 2))),
      Cy: Math.max(...y.map((v) => Math.abs(square - v * v))),
      squareY: mean((i) => (square - y[i]! ** 2) ** 2),
    },
    weights: scaled,
    sample(count) {
      const chosen = [
        ...drawSample(
          points.map(() => 0.1),
          count,
          random,
        ),
      ];
      return { z: chosen.map((i) => z[i]!), y: chosen.map((i) => y[i]!) };
    },
  };
}
