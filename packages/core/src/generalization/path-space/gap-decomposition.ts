// The generalization gap of a ReLU network under the square loss, exactly, as norms, eigenvalues and angles in the
// space of its paths (Theorem 2.7 of the book's chapter 2); the paths are never listed.
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { spectralDecomposition } from "../../linear-algebra/eigen.ts";
import { matrixOfRows } from "../../linear-algebra/rows.ts";
import { pathNorms } from "../../passes/path-norm.ts";
import { frozenGates } from "../../train/frozen-gates.ts";
import { pathKernel } from "./path-kernel.ts";

/** A law on finitely many points, and the sample: how often it has each, divided by its size. */
export interface SquareLossProblem {
  readonly points: readonly (readonly number[])[];
  readonly targets: readonly (readonly number[])[];
  readonly probabilities: readonly number[];
  readonly sample: readonly number[];
}

/** What one output adds to the gap. */
export interface OutputGap {
  /** |w_k|, the 2-norm over paths. */
  readonly pathNorm: number;
  /** |v_k|, v_k = (1/m) sum_i Y_k z_i - E Y_k z. */
  readonly labelNorm: number;
  /** Of the angle between v_k and w_k; 0 where one of them is 0. */
  readonly labelCosine: number;
  /** Eigenvalues of G = E z z' - (1/m) sum_i z_i z_i' that the points reach, ascending; all others are 0. */
  readonly eigenvalues: readonly number[];
  /** cos^2 of the angles between w_k and the eigenvectors. */
  readonly squaredCosines: readonly number[];
  /** lambda_max(G). */
  readonly greatest: number;
}

export interface GapDecomposition {
  readonly outputs: readonly OutputGap[];
  /** E |Y|^2 - (1/m) sum |Y_i|^2. */
  readonly labels: number;
  /** The right-hand side of the theorem's equality, and its bound. */
  readonly equality: number;
  readonly bound: number;
}

/** Eigenvalues of the kernel below this share of the greatest are rounding. */
const negligible = 1e-14;

/**
 * The decomposition of R - R_S - c_y for a ReLU network with these gates (default: its own).
 * @example (await gapDecomposition(network([layer([[3]])]), { points: [[1], [2]], targets: [[0], [0]], probabilities: [0.5, 0.5], sample: [1, 0] })).equality // 13.5
 */
export async function gapDecomposition(
  net: Graph,
  problem: SquareLossProblem,
  { gates = net }: { readonly gates?: Graph } = {},
): Promise<GapDecomposition> {
  const { targets, probabilities, sample } = problem;
  const n = problem.points.length;
  const excess = probabilities.map((p, i) => p - sample[i]!);
  const [outputs, norms] = [await valuesAt(net, gates, problem.points), await pathNorms(net)];
  const kernels = new Map<string, Promise<Spectrum>>();
  const parts: OutputGap[] = [];
  for (let k = 0; k < norms.norm2.length; k++) {
    const K = pathKernel(net, problem.points, { gates, output: k });
    const key = K.join();
    const spectrum = kernels.get(key) ?? spectrumOf(K, excess);
    kernels.set(key, spectrum);
    const d = targets.map((y, i) => -excess[i]! * y[k]!);
    const f = outputs.map((row) => row[k]!);
    parts.push(outputGap({ K, n, d, f, pathNorm: norms.norm2[k]!, paths: norms.count[k]! }, await spectrum));
  }
  const labels = targets.reduce((sum, y, i) => sum + excess[i]! * y.reduce((s, v) => s + v * v, 0), 0);
  return {
    outputs: parts,
    labels,
    equality: parts.reduce(
      (sum, o) =>
        sum +
        2 * o.labelNorm * o.pathNorm * o.labelCosine +
        o.pathNorm ** 2 * o.eigenvalues.reduce((s, lambda, j) => s + lambda * o.squaredCosines[j]!, 0),
      0,
    ),
    bound: parts.reduce((sum, o) => sum + 2 * o.labelNorm * o.pathNorm + o.greatest * o.pathNorm ** 2, 0),
  };
}

interface Spectrum {
  readonly eigenvalues: readonly number[];
  /** f -> the coordinates of w along the eigenvectors of G. */
  coordinates(f: readonly number[]): readonly number[];
}

/**
 * K = H H', so Z = H Q' with orthonormal columns of Q, G = Q (H' D H) Q', and f = Z w = H (Q' w): eigenvectors of the
 * small H' D H are those of G, and w's coordinates along them come from the values of the network alone.
 */
async function spectrumOf(K: Float64Array, excess: readonly number[]): Promise<Spectrum> {
  const n = excess.length;
  const { values, vectors } = await spectralDecomposition({ rows: n, columns: n, entries: K });
  const top = Math.max(...values);
  const kept = Array.from(values, (_, j) => j).filter((j) => values[j]! > negligible * n * top);
  if (kept.length === 0) return { eigenvalues: [], coordinates: () => [] };
  const column = (j: number, i: number): number => vectors.entries[j * n + i]!;
  const small = kept.map((a) =>
    kept.map((b) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += excess[i]! * column(a, i) * column(b, i);
      return sum * Math.sqrt(values[a]! * values[b]!);
    }),
  );
  const inner = await spectralDecomposition(matrixOfRows(small));
  const r = kept.length;
  return {
    eigenvalues: [...inner.values],
    coordinates(f) {
      const q = kept.map((j) => f.reduce((s, v, i) => s + v * column(j, i), 0) / Math.sqrt(values[j]!));
      return Array.from({ length: r }, (_, j) =>
        q.reduce((s, v, a) => s + v * inner.vectors.entries[j * r + a]!, 0),
      );
    },
  };
}

interface OutputFacts {
  readonly K: Float64Array;
  readonly n: number;
  readonly d: readonly number[];
  readonly f: readonly number[];
  readonly pathNorm: number;
  readonly paths: number;
}

function outputGap({ K, n, d, f, pathNorm, paths }: OutputFacts, spectrum: Spectrum): OutputGap {
  let square = 0;
  for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) square += d[i]! * d[k]! * K[i * n + k]!;
  const labelNorm = Math.sqrt(Math.max(0, square));
  const inner = d.reduce((s, v, i) => s + v * f[i]!, 0);
  const { eigenvalues } = spectrum;
  const greatest = Math.max(...eigenvalues, ...(paths > eigenvalues.length ? [0] : []));
  const product = labelNorm * pathNorm;
  return {
    ...{ pathNorm, labelNorm, eigenvalues, greatest },
    labelCosine: product > 0 ? inner / product : 0,
    squaredCosines:
      pathNorm > 0 ? spectrum.coordinates(f).map((c) => (c / pathNorm) ** 2) : eigenvalues.map(() => 0),
  };
}

/** The outputs at the points, row by row, with the gates of another network. */
async function valuesAt(
  net: Graph,
  gates: Graph,
  points: SquareLossProblem["points"],
): Promise<readonly (readonly number[])[]> {
  const model = gates === net ? net : frozenGates(net, { gates });
  const x = tensor(points.flat(), { dims: [points.length, points[0]!.length] });
  const found = await run(model, { [model.inputs[0]!.name]: x }, { threads: 1 });
  const values = numbers(found[model.outputs[0]!.name]!);
  const width = values.length / points.length;
  return points.map((_, i) => Array.from(values.subarray(i * width, (i + 1) * width)));
}
