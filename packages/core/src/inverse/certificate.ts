// What is known of how far a recovered signal is from the true one (book, chapter 9.3.2). If |A (x - x')| >= gamma |x - x'|
// - delta for all x, x' of a set, and the truth is in the set up to d, then
//   |x^ - x*| <= d + (|A x^ - y| + |e| + |A| d + delta) / gamma.
import { run } from "../engine/run.ts";
import { encode, numbers, view } from "../graph/tensor.ts";
import { singularDecomposition } from "../linear-algebra/svd.ts";
import { symmetricEigen } from "../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../numbers/random.ts";
import { boxSlice, planeRegions } from "../passes/regions/index.ts";
import type { Basis } from "./bases.ts";
import type { Generator } from "./generator.ts";
import { type LinearMap, lengthOf, matrixOfMap } from "./linear-map.ts";

export interface Certificate {
  /** What set gamma is about: all signals, the range of the generator, sparse codes; "none": nothing is known. */
  readonly kind: "all-signals" | "generator-range" | "sparse-codes" | "none";
  readonly gamma?: number;
  readonly delta?: number;
  /** checked: all cases, in doubles, less an allowance; estimated: the least of some, which the true one may be below. */
  readonly provenance?: "checked" | "estimated";
  /** Of |x^ - x*|, if the truth is in the set: only with a gamma above 0. */
  readonly bound?: number;
  /** What is added to the bound for each unit of the distance of the truth from the set. */
  readonly perDistance?: number;
  readonly assumes: readonly string[];
  /** Why what is assumed cannot all be true, as far as that was seen. */
  readonly doubt?: string;
}

export interface Isometry {
  readonly gamma: number;
  readonly delta: number;
  readonly provenance: "checked" | "estimated";
  /** Cases or pairs that were looked at. */
  readonly looked: number;
}

/** Eigenvalues are lowered by this part of |A|^2: far more than what rounding makes of them. */
const allowance = 1e-10;

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};

/** Directions shorter than this part of what is left of them count as dependent, and go to delta. */
const dependent = 1e-9;

interface Measured {
  readonly v: Float64Array;
  /** A v. */
  readonly seen: Float64Array;
  /** With what factor it can occur at most. */
  readonly most: number;
}

/** The least |A v| / |v| over a span, and the length of what was left out of it. */
function leastOnSpan(vectors: readonly Measured[], squaredNorm: number) {
  const basis: { v: Float64Array; seen: Float64Array }[] = [];
  let left = 0;
  for (const { v, seen, most } of vectors) {
    const [rest, restSeen] = [v.slice(), seen.slice()];
    const size = lengthOf(v);
    for (let twice = 0; twice < 2; twice++)
      for (const b of basis) {
        const share = dot(rest, b.v);
        for (let k = 0; k < rest.length; k++) rest[k]! -= share * b.v[k]!;
        for (let k = 0; k < restSeen.length; k++) restSeen[k]! -= share * b.seen[k]!;
      }
    const length = lengthOf(rest);
    if (length <= dependent * size) left += most * length;
    else basis.push({ v: rest.map((e) => e / length), seen: restSeen.map((e) => e / length) });
  }
  if (basis.length === 0) return { gamma: Number.POSITIVE_INFINITY, left };
  const [least] = symmetricEigen(basis.map((a) => basis.map((b) => dot(a.seen, b.seen)))).values;
  return { gamma: Math.sqrt(Math.max(0, least! - allowance * squaredNorm)), left };
}

/**
 * |A|^2 from above: the squares of all entries in sum.
 * @example Math.round(squaredNormAbove(identityOperator(3))) // 3
 */
export const squaredNormAbove = (map: LinearMap): number => lengthOf(matrixOfMap(map).entries) ** 2;

/** Pairs of pieces that are looked at, at most. */
const mostPairs = 50_000;

/**
 * S-REC of an operator on the range of a ReLU generator with one or two latent numbers in [-radius, radius], by all pairs of
 * its linear pieces: the least |A v| / |v| over what their differences span is at most gamma. Undefined where the generator
 * has more latent numbers, is not piecewise linear, or has too many pieces.
 * @example Math.round((await rangeIsometry(generatorOf(initialNetwork("1-4", { type: "float64" })), identityOperator(4), 1)).gamma) // 1
 */
export async function rangeIsometry(
  { graph, latent, latentShape }: Generator,
  map: LinearMap,
  radius: number,
): Promise<Isometry | undefined> {
  if (latent > 2 || latentShape.length !== 1) return undefined;
  const side = new Float64Array(latent).fill(radius);
  const slice = boxSlice(
    side.map((v) => -v),
    side,
  );
  const found = await planeRegions(graph, slice, { maxRegions: Math.sqrt(2 * mostPairs) }).catch(
    () => undefined,
  );
  if (!found) return undefined;
  const measured = (v: Float64Array, most: number): Measured => ({ v, seen: map.apply(v), most });
  const pieces = found.regions.map(({ map: { a, b, c } }) => ({
    slopes: [a, ...(latent === 2 ? [b] : [])].map((v) => measured(Float64Array.from(v), radius)),
    c: measured(Float64Array.from(c), 1),
  }));
  const squaredNorm = squaredNormAbove(map);
  let [gamma, left, looked] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const [i, p] of pieces.entries())
    for (const q of pieces.slice(0, i + 1)) {
      const offset: Measured = {
        v: p.c.v.map((e, k) => e - q.c.v[k]!),
        seen: p.c.seen.map((e, k) => e - q.c.seen[k]!),
        most: 1,
      };
      const others = p === q ? [] : [...q.slopes, offset];
      const here = leastOnSpan([...p.slopes, ...others], squaredNorm);
      [gamma, left, looked] = [Math.min(gamma, here.gamma), Math.max(left, here.left), looked + 1];
    }
  if (gamma === Number.POSITIVE_INFINITY) return undefined; // the generator is constant
  return { gamma, delta: (gamma + Math.sqrt(squaredNorm)) * left, provenance: "checked", looked };
}

/**
 * The least |A (G(z) - G(z'))| / |G(z) - G(z')| that is seen, on pairs far from each other and near one place.
 * @example (await sampledRangeIsometry(generatorOf(initialNetwork("1-4", { type: "float64" })), identityOperator(4), Float64Array.of(1), createRandom(1))).provenance // "estimated"
 */
export async function sampledRangeIsometry(
  { graph, type, input, output, latent, latentShape, size }: Generator,
  map: LinearMap,
  at: Float64Array,
  random: Random,
  pairs = 400,
): Promise<Isometry> {
  const z = random.normal(2 * pairs * latent);
  // A quarter of the pairs is anywhere, the others are the place found and one beside it.
  for (let p = Math.floor(pairs / 4); p < pairs; p++)
    for (let j = 0; j < latent; j++) {
      const [a, b] = [2 * p * latent + j, (2 * p + 1) * latent + j];
      z[a] = at[j]!;
      z[b] = at[j]! + 10 ** -(p % 4) * z[b]!;
    }
  const found = await run(graph, { [input]: view(type, [2 * pairs, ...latentShape], encode(z, type)) });
  const x = Float64Array.from(numbers(found[output]!));
  let [gamma, looked] = [Number.POSITIVE_INFINITY, 0];
  for (let p = 0; p < pairs; p++) {
    const [first, second] = [
      x.subarray(2 * p * size, (2 * p + 1) * size),
      x.subarray((2 * p + 1) * size, (2 * p + 2) * size),
    ];
    const difference = Float64Array.from(first, (v, k) => v - second[k]!);
    const length = lengthOf(difference);
    // In f32 what is nearer than this is rounding.
    if (length <= 1e-4 * lengthOf(Float64Array.from(first))) continue;
    [gamma, looked] = [Math.min(gamma, lengthOf(map.apply(difference)) / length), looked + 1];
  }
  return { gamma: looked > 0 ? gamma : 0, delta: 0, provenance: "estimated", looked };
}

/** Larger matrices are not decomposed for a certificate. */
const mostForMatrix = 1100;

/**
 * The least singular value, where there are as many measurements as numbers: then no prior is needed.
 * @example Math.round(await leastSingularValue(identityOperator(3))) // 1
 */
export async function leastSingularValue(map: LinearMap): Promise<number> {
  if (map.outputs < map.inputs || map.inputs > mostForMatrix) return 0;
  const { values } = await singularDecomposition(matrixOfMap(map));
  return Math.max(0, values.at(-1)! - 1e-12 * values[0]!);
}

/**
 * |A (x - x')| >= gamma |x - x'| for signals with at most s nonzeros each in a basis: checked by Gershgorin's circles where
 * they leave something, or the least over sets of 2 s elements around the support that was found.
 * @example Math.round(sparseIsometry(identityOperator(4), cosineBasis([4]), Float64Array.of(1, 0, 0, 0), createRandom(1)).gamma) // 1
 */
export function sparseIsometry(
  map: LinearMap,
  basis: Basis,
  code: Float64Array,
  random: Random,
  sets = 30,
): Isometry | undefined {
  const support = Array.from(code.keys()).filter((k) => code[k] !== 0);
  const count = 2 * support.length;
  if (support.length === 0 || basis.size > mostForMatrix) return undefined;
  const columns = Array.from({ length: basis.size }, (_, j) => {
    const unit = new Float64Array(basis.size);
    unit[j] = 1;
    return map.apply(basis.synthesis(unit));
  });
  const squares = columns.map((column) => dot(column, column));
  let least = Number.POSITIVE_INFINITY;
  for (const [i, column] of columns.entries()) {
    const alike = Float64Array.from(columns, (other, j) => (i === j ? 0 : Math.abs(dot(column, other))))
      .sort()
      .reverse()
      .subarray(0, count - 1);
    least = Math.min(least, squares[i]! - alike.reduce((a, b) => a + b, 0));
  }
  if (least > 1e-9)
    return { gamma: Math.sqrt(least - 1e-10), delta: 0, provenance: "checked", looked: basis.size };
  if (count > map.outputs || count > 120) return { gamma: 0, delta: 0, provenance: "estimated", looked: 0 };
  const others = Array.from({ length: basis.size }, (_, k) => k).filter((k) => code[k] === 0);
  let gamma = Number.POSITIVE_INFINITY;
  for (let k = 0; k < sets; k++) {
    const set = [...support, ...random.shuffle([...others]).slice(0, support.length)].map((j) => columns[j]!);
    const [value] = symmetricEigen(set.map((a) => set.map((b) => dot(a, b)))).values;
    gamma = Math.min(gamma, Math.sqrt(Math.max(0, value!)));
  }
  return { gamma, delta: 0, provenance: "estimated", looked: sets };
}

/**
 * A certificate from what is known of a set.
 * @example certificateOf("all-signals", { gamma: 0.5, delta: 0, provenance: "checked", looked: 1 }, { residual: 0.1, noise: 0, norm: 1 }, []).bound // 0.2
 */
export function certificateOf(
  kind: Exclude<Certificate["kind"], "none">,
  { gamma, delta, provenance }: Isometry,
  { residual, noise, norm }: { readonly residual: number; readonly noise: number; readonly norm: number },
  assumes: readonly string[],
): Certificate {
  const isUseful = gamma > 0;
  return {
    ...{ kind, gamma, delta, provenance, assumes },
    ...(isUseful && { bound: (residual + noise + delta) / gamma, perDistance: 1 + norm / gamma }),
  };
}

/**
 * A length that Gaussian noise of this deviation exceeds with probability at most `failure`: s (sqrt m + sqrt(2 ln(1/failure))).
 * @example Math.round(100 * noiseLength(1, 100, 0.01)) // 1303
 */
export const noiseLength = (deviation: number, m: number, failure = 0.01): number =>
  deviation * (Math.sqrt(m) + Math.sqrt(2 * Math.log(1 / failure)));

/**
 * Gaussian measurements with which a ReLU network without biases is within S-REC(gamma, 0) with probability 1 - failure: its
 * range lies in at most N = prod 2 sum_(j<k) C(n_l - 1, j) cones of dimension k, and differences of two of them in N^2
 * subspaces of dimension 2 k, on each of which |A v| >= gamma |v| by Davidson and Szarek.
 * @example enoughMeasurements(20, [500, 784], 0.8, 0.01) // 26141
 */
export function enoughMeasurements(
  latent: number,
  widths: readonly number[],
  gamma: number,
  failure: number,
): number {
  let logPieces = 0;
  for (const n of widths) {
    // log of 2 sum_(j < k) C(n - 1, j), by adding up in logarithms.
    let [term, sum] = [0, 0];
    for (let j = 1; j < latent && j < n; j++) {
      term += Math.log((n - j) / j);
      sum = Math.max(sum, term) + Math.log1p(Math.exp(-Math.abs(sum - term)));
    }
    logPieces += Math.log(2) + sum;
  }
  const root = Math.sqrt(2 * latent) + Math.sqrt(4 * logPieces + 2 * Math.log(1 / failure));
  return Math.ceil((root / (1 - gamma)) ** 2);
}
