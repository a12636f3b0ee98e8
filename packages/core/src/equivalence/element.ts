// Elements of a network's symmetry group.
import type { Random } from "../numbers/random.ts";
import { absorbedScales, type SymmetryGroup, type UnitClass } from "./group.ts";
import { randomOrthogonal } from "./matrix.ts";

/** What is done to the units; what is left out stays. Entries are ordered by fibre, then by unit. */
export interface SymmetryElement {
  /** By class: where each unit goes. */
  readonly permutations: ReadonlyMap<number, Int32Array>;
  /** By scale: what each unit, at its old place, is multiplied by. */
  readonly scales: ReadonlyMap<number, Float64Array>;
  /** By linear class: a matrix for each fibre, row by row. */
  readonly matrices: ReadonlyMap<number, Float64Array>;
}

export interface RandomSymmetryOptions {
  /** Only permutations, signs and powers of two: floating-point numbers are not rounded by them. */
  readonly exact?: boolean;
  /** The standard deviation of the logarithms of scales. */
  readonly spread?: number;
}

export const identitySymmetry: SymmetryElement = {
  permutations: new Map(),
  scales: new Map(),
  matrices: new Map(),
};

/**
 * A random symmetry: uniform permutations and signs, log-normal scales, rotations with log-normal stretches.
 * @example applySymmetry(net, randomSymmetry(symmetryGroup(net), createRandom(1)))
 */
export function randomSymmetry(
  group: SymmetryGroup,
  random: Random,
  { exact = false, spread = 0.5 }: RandomSymmetryOptions = {},
): SymmetryElement {
  const permutations = new Map<number, Int32Array>();
  const matrices = new Map<number, Float64Array>();
  const scales = new Map<number, Float64Array>();
  const positive = () => (exact ? 2 ** random.integer(-3, 3) : Math.exp(spread * random.normal()));
  const sign = () => (random.uniform() < 0.5 ? -1 : 1);
  group.classes.forEach((units, k) => {
    if (units.permutes)
      permutations.set(k, concatenated(units, () => random.permutation(units.size)) as Int32Array);
    if (units.linear)
      matrices.set(
        k,
        Float64Array.from(
          eachFibre(units, () => randomMatrix(random, units.size, exact, positive)).flatMap((m) => [...m]),
        ),
      );
  });
  const absorbed = new Set(group.absorbers.flatMap((a) => absorbedScales(group, a)));
  group.scales.forEach(({ units, ...allowed }, k) => {
    // To take the 1 of 1 - f(z), a bias is rounded.
    if (exact && absorbed.has(k)) return;
    const { size, fibres } = group.classes[units]!;
    scales.set(
      k,
      Float64Array.from(
        { length: size * fibres },
        () => (allowed.magnitude ? positive() : 1) * (allowed.sign ? sign() : 1),
      ),
    );
  });
  return { permutations, scales, matrices };
}

const eachFibre = <T>({ fibres }: UnitClass, make: () => T): T[] => Array.from({ length: fibres }, make);
const concatenated = (units: UnitClass, make: () => Int32Array): Int32Array =>
  Int32Array.from(eachFibre(units, make).flatMap((p) => [...p]));

function randomMatrix(random: Random, n: number, exact: boolean, positive: () => number): Float64Array {
  if (!exact) {
    const Q = randomOrthogonal(random, n);
    const stretch = Array.from({ length: n }, positive);
    return Q.map((q, k) => q * stretch[Math.floor(k / n)]!);
  }
  const A = new Float64Array(n * n);
  random.permutation(n).forEach((to, i) => {
    A[to * n + i] = positive() * (random.uniform() < 0.5 ? -1 : 1);
  });
  return A;
}
