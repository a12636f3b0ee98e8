// Pursuits as networks: iterations written one after the other, with the dictionaries as weights that are stored once.
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { type Tensor, view } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { Dictionary } from "./dictionary.ts";
import { type LayeredOptions, type MultilayerOptions, requireLayers, safeSteps } from "./multilayer.ts";

interface Matrices {
  /** Codes to signals, for codes that are rows. */
  readonly synthesis: Tensor;
  readonly analysis: Tensor;
}

function matricesOf({ size, count, atoms }: Dictionary): Matrices {
  const transposed = new Float64Array(atoms.length);
  for (let j = 0; j < count; j++)
    for (let i = 0; i < size; i++) transposed[i * count + j] = atoms[j * size + i]!;
  return {
    synthesis: view("float64", [count, size], atoms.slice()),
    analysis: view("float64", [size, count], transposed),
  };
}

const thresholdOf =
  (nonnegative: boolean) =>
  (v: Value, t: number): Value =>
    nonnegative ? v.sub(t).relu() : v.sub(t).relu().sub(v.neg().sub(t).relu());

const outputsOf = (codes: readonly Value[]): Record<string, Value> =>
  Object.fromEntries(codes.map((code, i) => [`x${i + 1}`, code]));

/** Layered thresholding of signals y (rows): for nonnegative codes a plain ReLU network with bias -thresholds. */
export function layeredGraph(
  layers: readonly Dictionary[],
  thresholds: readonly number[],
  { nonnegative = false }: LayeredOptions = {},
): Graph {
  requireLayers(layers, thresholds);
  const threshold = thresholdOf(nonnegative);
  return graph({ y: float64("N", layers[0]!.size) }, ({ y }) => {
    const codes: Value[] = [];
    for (const [i, layer] of layers.entries())
      codes.push(threshold((codes.at(-1) ?? y).matmul(matricesOf(layer).analysis), thresholds[i]!));
    return outputsOf(codes);
  });
}

/** So many iterations of ML-ISTA, or ML-FISTA, from 0, for signals y (rows). */
export function unrolledGraph(
  layers: readonly Dictionary[],
  lambdas: readonly number[],
  {
    iterations = 10,
    accelerated = false,
    nonnegative = false,
    steps = 1,
  }: Omit<MultilayerOptions, "start"> = {},
): Graph {
  requireLayers(layers, lambdas);
  const rho = typeof steps === "number" ? safeSteps(layers).map((r) => steps * r) : steps;
  const matrices = layers.map(matricesOf);
  const threshold = thresholdOf(nonnegative);
  return graph({ y: float64("N", layers[0]!.size) }, ({ y }) => {
    const codesFrom = (x: Value): Value[] => {
      const codes = [x];
      for (let i = layers.length - 1; i >= 1; i--) codes.unshift(codes[0]!.matmul(matrices[i]!.synthesis));
      return codes;
    };
    /** From 0 there is nothing to synthesize. */
    const update = (z: Value | undefined): Value => {
      const codes = z && codesFrom(z);
      let g = y;
      for (const [i, { synthesis, analysis }] of matrices.entries()) {
        const c = i === 0 ? rho[0]! : rho[i]! / rho[i - 1]!;
        const x = codes?.[i];
        const slope = (x ? g.sub(x.matmul(synthesis)) : g).matmul(analysis).mul(c);
        g = threshold(x ? x.add(slope) : slope, rho[i]! * lambdas[i]!);
      }
      return g;
    };
    let x: Value | undefined;
    let z: Value | undefined;
    let theta = 1;
    for (let k = 0; k < iterations; k++) {
      const next = update(z);
      const after = (1 + Math.sqrt(1 + 4 * theta ** 2)) / 2;
      const momentum = accelerated ? (theta - 1) / after : 0;
      z = momentum > 0 && x ? next.add(next.sub(x).mul(momentum)) : next;
      [x, theta] = [next, after];
    }
    return outputsOf(codesFrom(x!));
  });
}
