// All critical points of a linear network with one hidden layer (Theorem 4.2): one class for each set J of eigenvectors of
// Sigma = Syx Sxx^-1 Sxy, up to the gauge C.
import { type Enclosure, exactEigenvalues } from "../../linear-algebra/exact-spectrum.ts";
import {
  doubles,
  type MatrixAlgebra,
  type MatrixOf,
  matrixAlgebra,
  rationals,
} from "../../linear-algebra/matrix-algebra.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { add, type Exact, sign, sub, toNumber } from "../../numbers/exact/rational.ts";
import { LandscapeError } from "../error.ts";
import { type Covariances, explained, regression } from "./covariances.ts";
import type { Chain } from "./linear-risk.ts";

export interface CriticalClass {
  /** Places of eigenvalues, from 0, the greatest first. */
  readonly chosen: readonly number[];
  /** Negative eigenvalues of the Hessian. */
  readonly index: number;
  /** Zero ones: the directions of the gauge, and those in which unused hidden units may move. */
  readonly nullity: number;
  readonly kind: "global minimum" | "strict saddle";
}

export interface Sizes {
  readonly inputs: number;
  readonly hidden: number;
  readonly outputs: number;
}

/** Subsets of 0, ..., n - 1 with so many elements, in lexicographic order. */
export function subsetsOf(n: number, size: number, from = 0): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return Array.from({ length: Math.max(0, n - from - size + 1) }, (_, k) => from + k).flatMap((first) =>
    subsetsOf(n, size - 1, first + 1).map((rest) => [first, ...rest]),
  );
}

/** Classes beyond which nobody reads a list. */
const mostClasses = 20_000;

/**
 * The classes of all ranks up to the width. Index: pairs (j in J, k not in J) with lambda_k > lambda_j, and for each unused
 * hidden unit one for each eigenvalue that is left.
 * @example criticalClasses({ inputs: 3, hidden: 1, outputs: 3 }).map((c) => c.index) // [0, 1, 2, 3]
 */
export function criticalClasses({ inputs, hidden, outputs }: Sizes): readonly CriticalClass[] {
  const most = Math.min(hidden, outputs);
  if (2 ** outputs > mostClasses && most > 2)
    throw new LandscapeError(`${outputs} outputs: the critical points are too many to list`);
  return Array.from({ length: most + 1 }, (_, k) => most - k).flatMap((rank) =>
    subsetsOf(outputs, rank).map((chosen) => {
      const left = Array.from({ length: outputs }, (_, k) => k).filter((k) => !chosen.includes(k));
      const inversions = chosen.reduce((sum, j) => sum + left.filter((k) => k < j).length, 0);
      const unused = hidden - rank;
      const index = inversions + unused * left.length;
      return {
        chosen,
        index,
        nullity: rank ** 2 + unused * (inputs + outputs - 2 * left.length),
        kind: index === 0 ? ("global minimum" as const) : ("strict saddle" as const),
      };
    }),
  );
}

/** The gauge C, and the eigenvectors of J as columns of Q_J. */
export interface ClassWeights<T> {
  readonly vectors: MatrixOf<T>;
  readonly gauge: MatrixOf<T>;
}

/**
 * U = [Q_J 0] C and V = Sxx^-1 Sxy [Q_J 0] C^-T as weights W_1 = V^T, W_2 = U. `vectors` has one eigenvector a row.
 * @example criticalWeights(matrixAlgebra(doubles), { xx: [[1]], yx: [[2]], yy: [[5]] }, { vectors: [[1]], gauge: [[2]] }) // [[[1]], [[2]]]
 */
export function criticalWeights<T>(
  algebra: MatrixAlgebra<T>,
  covariances: Covariances<T>,
  { vectors, gauge }: ClassWeights<T>,
): Chain<T> {
  const { product, transpose, inverse, scalars } = algebra;
  const outputs = covariances.yy.length;
  const padded = gauge.map((_, k) => vectors[k] ?? Array.from({ length: outputs }, () => scalars.of(0)));
  return [
    product(inverse(gauge), padded, regression(algebra, covariances)),
    product(transpose(padded), gauge),
  ];
}

/** What Theorem 4.2 asks for, decided exactly; each eigenvalue of Sigma and each risk between two rationals. */
export interface ExactLandscape {
  readonly eigenvalues: readonly Enclosure[];
  readonly classes: readonly (CriticalClass & { readonly risk: Enclosure })[];
}

/**
 * The critical points of integer or rational covariances. Order and signs of eigenvalues are decided in rational
 * arithmetic, so that index and kind are exact; a hypothesis that fails is an error that names it.
 * @example exactLandscape({ xx: [[1]], yx: [[3]], yy: [[10]] }, 1).classes.map((c) => c.risk.from) // [1, 10]
 */
export function exactLandscape(covariances: Covariances<Exact>, hidden: number): ExactLandscape {
  const algebra = matrixAlgebra(rationals);
  const sigma = explained(algebra, invertible(covariances));
  const eigenvalues = exactEigenvalues(sigma);
  if (!eigenvalues) throw new LandscapeError("Sigma = Syx Sxx^-1 Sxy has a repeated eigenvalue");
  if (eigenvalues.some((e) => sign(e.from) <= 0))
    throw new LandscapeError("Sigma = Syx Sxx^-1 Sxy is not of full rank");
  const total = algebra.trace(covariances.yy);
  const sizes = { inputs: covariances.xx.length, hidden, outputs: covariances.yy.length };
  const classes = criticalClasses(sizes).map((c) => ({
    ...c,
    risk: c.chosen.reduce<Enclosure>(
      ({ from, to }, j) => ({ from: sub(from, eigenvalues[j]!.to), to: sub(to, eigenvalues[j]!.from) }),
      { from: total, to: total },
    ),
  }));
  return { eigenvalues, classes };
}

function invertible(covariances: Covariances<Exact>): Covariances<Exact> {
  try {
    matrixAlgebra(rationals).inverse(covariances.xx);
  } catch {
    throw new LandscapeError("Sxx has no inverse");
  }
  return covariances;
}

/** The same in doubles, with how well the data determine it. */
export interface LinearLandscape {
  /** Descending. */
  readonly eigenvalues: readonly number[];
  /** One eigenvector a row, as the eigenvalues. */
  readonly vectors: MatrixOf<number>;
  readonly classes: readonly (CriticalClass & { readonly risk: number })[];
  /** Greatest eigenvalue of Sxx over the least. */
  readonly condition: number;
  /** The least distance of two eigenvalues of Sigma, or of one from 0, over the greatest: order is sure far above rounding. */
  readonly gap: number;
}

/**
 * The critical points of covariances in floating point, with the conditioning that their order rests on.
 * @example linearLandscape({ xx: [[1]], yx: [[3]], yy: [[10]] }, 1).classes.map((c) => c.risk) // [1, 10]
 */
export function linearLandscape(covariances: Covariances, hidden: number): LinearLandscape {
  const { xx, yy } = covariances;
  const spread = symmetricEigen(xx).values;
  if (!(spread[0]! > 0)) throw new LandscapeError("Sxx has no inverse");
  const { values, vectors } = symmetricEigen(symmetrized(explained(matrixAlgebra(doubles), covariances)));
  const eigenvalues = values.toReversed();
  const gaps = eigenvalues.map((v, k) => v - (eigenvalues[k + 1] ?? 0));
  const total = yy.reduce((sum, row, i) => sum + row[i]!, 0);
  return {
    eigenvalues,
    vectors: vectors.toReversed(),
    classes: criticalClasses({ inputs: xx.length, hidden, outputs: yy.length }).map((c) => ({
      ...c,
      risk: c.chosen.reduce((risk, j) => risk - eigenvalues[j]!, total),
    })),
    condition: spread.at(-1)! / spread[0]!,
    gap: Math.min(...gaps) / eigenvalues[0]!,
  };
}

const symmetrized = (a: MatrixOf<number>): MatrixOf<number> =>
  a.map((row, i) => row.map((x, j) => (x + a[j]![i]!) / 2));

/** The middle of an enclosure as a double. */
export const middleOf = ({ from, to }: Enclosure): number => toNumber(add(from, to)) / 2;
