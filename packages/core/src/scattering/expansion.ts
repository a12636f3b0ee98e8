// By how much a scattering transform expands distances as it is computed: with samples left out, padding, and a weight for
// each path. Layer by layer, |(u * psi)(2^d n)|^2 = 1/(M D) sum over f of |sum over aliases of psi^ u^|^2 is a quadratic form
// in |u^| with entries of one sign, and for such a form A any v > 0 has A <= max_i (A v)_i / v_i (Collatz and Wielandt).
import { ScatteringError } from "./error.ts";
import { opposite } from "./filter-bank.ts";
import { sources } from "./geometry.ts";
import type { Path } from "./paths.ts";
import type { ScatteringPlan } from "./plan.ts";
import { coarser } from "./resolution.ts";
import { keptSamples } from "./transform.ts";

export interface ExpansionOptions {
  /** A factor for the coefficients of each path; default: 1. */
  readonly weights?: ArrayLike<number>;
}

/** |h^| with its weight, on a grid of which 2^d samples an axis become one. */
interface Form {
  readonly size: Float64Array;
  readonly factor: number;
  readonly d: number;
}

/** Products that make v nearly the one that attains the bound, which holds for any. */
const products = 60;

/**
 * |S x - S y| <= expansion |x - y| for real signals, with the coefficients of each path times its weight.
 * @example expansion(scatteringPlan({ shape: [8], scale: 1, order: 0, bank: "spline", padding: "none" })).toFixed(6) // "0.707107"
 */
export function expansion(plan: ScatteringPlan, { weights }: ExpansionOptions = {}): number {
  const { paths, banks, order, geometry } = plan;
  if (weights && weights.length !== paths.length)
    throw new ScatteringError(`${weights.length} weights for ${paths.length} paths`);
  const children = new Map<string, number[]>();
  paths.forEach(({ wavelets }, p) => {
    if (wavelets.length === 0) return;
    const parent = wavelets.slice(0, -1).join();
    children.set(parent, [...(children.get(parent) ?? []), p]);
  });
  // Paths that differ in nothing that follows have one number: kept by what it depends on.
  const known = new Map<string, number>();
  const squareFrom = (p: number): number => {
    const path = paths[p]!;
    const k = resolutionOf(path, plan);
    const below = path.order < order ? (children.get(path.wavelets.join()) ?? []) : [];
    const parts = below.map((child) => ({ child, factor: squareFrom(child) }));
    const own = (weights?.[p] ?? 1) ** 2;
    const key = [k, own, ...parts.map(({ child, factor }) => `${paths[child]!.wavelets.at(-1)}:${factor}`)];
    const found = known.get(key.join());
    if (found !== undefined) return found;
    const size = (re: Float64Array): Float64Array => coarser(re, geometry.grid, k).map(Math.abs);
    const forms: Form[] = [
      { size: size(banks[0]!.lowPass.re), factor: own, d: geometry.stride - k },
      ...parts.map(({ child, factor }) => ({
        ...{ factor, d: resolutionOf(paths[child]!, plan) - k },
        size: size(banks[path.order]!.wavelets[paths[child]!.wavelets.at(-1)!]!.re),
      })),
    ];
    const grid = geometry.grid.map((n) => n / 2 ** k);
    const bound = largest(forms, grid);
    known.set(key.join(), bound);
    return bound;
  };
  return Math.sqrt(squareFrom(0)) * paddingFactor(plan);
}

/** How many octaves of samples |.. * psi| of a path has left out. */
const resolutionOf = ({ scales }: Path, plan: ScatteringPlan): number =>
  scales.length === 0 ? 0 : keptSamples(plan, scales.at(-1)!);

/** An upper bound of the form on |u^| of real u: |u^| is even. */
function largest(forms: readonly Form[], grid: readonly number[]): number {
  const mirror = opposite(grid);
  const folds = new Map([...new Set(forms.map(({ d }) => d))].map((d) => [d, aliases(grid, d)] as const));
  let v = new Float64Array(mirror.length).fill(1);
  let bound = Number.POSITIVE_INFINITY;
  for (let step = 0; step < products; step++) {
    const image = new Float64Array(v.length);
    for (const { size, factor, d } of forms) {
      const place = folds.get(d)!;
      const share = factor / 2 ** (d * grid.length);
      const sums = new Float64Array(v.length / 2 ** (d * grid.length));
      for (let f = 0; f < v.length; f++) sums[place[f]!]! += size[f]! * v[f]!;
      for (let f = 0; f < v.length; f++) image[f]! += share * size[f]! * sums[place[f]!]!;
    }
    const even = image.map((value, f) => (value + image[mirror[f]!]!) / 2);
    bound = Math.min(
      bound,
      even.reduce((most, value, f) => Math.max(most, value / v[f]!), 0),
    );
    const most = even.reduce((a, b) => Math.max(a, b), 0);
    if (most === 0) return 0;
    // Frequencies that nothing passes keep a little, so that no ratio is 0 / 0.
    v = even.map((value) => Math.max(value / most, 1e-30));
  }
  return bound;
}

/** Which frequency of the coarse grid each one becomes. */
function aliases(grid: readonly number[], d: number): Int32Array {
  const few = grid.map((n) => n / 2 ** d);
  const [columns, fewColumns] = [grid[1] ?? 1, few[1] ?? 1];
  return Int32Array.from(
    { length: grid.reduce((a, b) => a * b, 1) },
    (_, k) => (Math.floor(k / columns) % few[0]!) * fewColumns + ((k % columns) % fewColumns),
  );
}

/** Mirror images show a sample several times. */
function paddingFactor({ geometry: { shape, grid, before, padding } }: ScatteringPlan): number {
  const most = shape.map((length, axis) => {
    const counts = new Int32Array(length);
    for (const from of sources(length, grid[axis]!, before[axis]!, padding)) counts[from]!++;
    return counts.reduce((a, b) => Math.max(a, b), 0);
  });
  return Math.sqrt(most.reduce((a, b) => a * b, 1));
}
