// The calculus of networks (Petersen and Voigtlaender 2018): each operation builds a network whose size is known
// exactly beforehand. Results are float64. Sums of products of weights are exact where they fit a double; where a
// merge of two affine maps has to round, `layersOf(result).exact` is false. Only compose, power, linearCombination,
// scaleInput and scaleOutput merge; the others copy weights and cannot round.
import type { Graph } from "../graph/graph.ts";
import type { SparseMatrix } from "../graph/sparse.ts";
import type { ActivationName } from "./activation.ts";
import { ConstructError } from "./error.ts";
import {
  graphOf,
  inputDimension,
  type Layer,
  type Layered,
  layer,
  layersOf,
  network,
  outputDimension,
} from "./layers.ts";
import { above, affineImage, beside, blockDiagonal, combination, diagonal, negate, product, unit } from "./layers-matrix.ts";

/** The values passed on are known not to be negative: one neuron per coordinate carries them, not two. */
interface Carrying {
  readonly nonnegative?: boolean;
}

/**
 * The affine map x -> W x + b. L = 1, M = ||W||_0 + ||b||_0.
 * @example affine([[1, 1]]) // (x, y) -> x + y
 */
export const affine = (rows: readonly (readonly number[])[], bias?: ArrayLike<number>): Graph =>
  network([layer(rows, bias)], { name: "affine" });

/**
 * outer after inner, their neighbouring affine maps merged: L = L1 + L2 - 1. The merged matrix may have more
 * entries than both, and may round.
 * @example compose(square(3), affine([[0.5, 0.5]])) // (x, y) -> about ((x + y) / 2)^2
 */
export function compose(outer: Graph, inner: Graph): Graph {
  const [f, g] = [layersOf(outer), layersOf(inner)];
  const joined = join("compose", f, g);
  const seam = mergeLayers(f.layers[0]!, g.layers.at(-1)!);
  return graphOf(
    {
      layers: [...g.layers.slice(0, -1), seam.layer, ...f.layers.slice(1)],
      activation: joined,
      exact: f.exact && g.exact && seam.exact,
    },
    { name: "compose" },
  );
}

/**
 * outer after inner, with a layer of pairs relu(z), relu(-z) between them: nothing is merged.
 * L = L1 + L2, M = M(outer) + ||W_1(outer)||_0 + M(inner) + M_L(inner). For relu only.
 * @example concatenate(square(3), square(3)) // about x^4, 8 affine maps
 */
export function concatenate(outer: Graph, inner: Graph): Graph {
  const [f, g] = [layersOf(outer), layersOf(inner)];
  requireRelu("concatenate", join("concatenate", f, g));
  const [last, first] = [g.layers.at(-1)!, f.layers[0]!];
  const both = pairs(last);
  const difference = { weights: beside([first.weights, negate(first.weights)]), bias: first.bias };
  return graphOf(
    {
      layers: [...g.layers.slice(0, -1), both, difference, ...f.layers.slice(1)],
      activation: "relu",
      exact: f.exact && g.exact,
    },
    { name: "concatenate" },
  );
}

/** z -> (z, -z). */
const pairs = ({ weights, bias }: Layer): Layer => ({
  weights: above([weights, negate(weights)]),
  bias: Float64Array.from([...bias, ...bias.map((b) => 0 - b)]),
});

/**
 * The identity of R^dimension as a relu network: M = 2 dimension L for L >= 2, dimension for L = 1; with
 * `nonnegative`, which holds on [0, inf)^dimension only, M = dimension L.
 * @example identity(2, 3)
 */
export function identity(dimension: number, layers: number, options: Carrying = {}): Graph {
  requireCount("identity", "dimension", dimension, 1);
  requireCount("identity", "number of layers", layers, 1);
  return graphOf({ layers: identityLayers(dimension, layers, options), activation: "relu", exact: true }, {
    name: "identity",
  });
}

function identityLayers(dimension: number, layers: number, { nonnegative = false }: Carrying): Layer[] {
  const linear = (weights: SparseMatrix): Layer => ({ weights, bias: new Float64Array(weights.rows) });
  const one = unit(dimension);
  if (layers === 1 || nonnegative) return Array.from({ length: layers }, () => linear(one));
  const inner = Array.from({ length: layers - 2 }, () => linear(unit(2 * dimension)));
  return [linear(above([one, negate(one)])), ...inner, linear(beside([one, negate(one)]))];
}

interface Padding extends Carrying {
  /** Where the new layers go; `nonnegative` is about the values there. */
  readonly side?: "output" | "input";
}

/**
 * The same function with L = `layers` affine maps. At the output: M + M_L + 2 s (layers - L) for s outputs, or
 * M + s (layers - L) when they are known to be nonnegative; at the input: M + ||W_1||_0 + 2 d (layers - L) or
 * M + d (layers - L). Nothing is rounded. For relu only.
 * @example deepen(square(3), 6, { nonnegative: true })
 */
export function deepen(source: Graph, layers: number, { nonnegative = false, side = "output" }: Padding = {}): Graph {
  const { layers: own, exact, activation } = layersOf(source);
  requireCount("deepen", "number of layers", layers, own.length);
  if (layers === own.length) return source;
  requireRelu("deepen", activation);
  const padded = side === "output" ? padOutput(own, layers, nonnegative) : padInput(own, layers, nonnegative);
  return graphOf({ layers: padded, activation, exact }, { name: "deepen" });
}

function padOutput(own: readonly Layer[], total: number, nonnegative: boolean): Layer[] {
  const last = own.at(-1)!;
  const tail = identityLayers(last.weights.rows, total - own.length + 1, { nonnegative }).slice(1);
  return [...own.slice(0, -1), nonnegative ? last : pairs(last), ...tail];
}

function padInput(own: readonly Layer[], total: number, nonnegative: boolean): Layer[] {
  const [first, ...rest] = own as [Layer, ...Layer[]];
  const head = identityLayers(first.weights.columns, total - own.length + 1, { nonnegative }).slice(0, -1);
  const weights = nonnegative ? first.weights : beside([first.weights, negate(first.weights)]);
  return [...head, { weights, bias: first.bias }, ...rest];
}

/**
 * (x_1, x_2, ...) -> (f_1(x_1), f_2(x_2), ...): block-diagonal. M is the sum of the M_i, after `deepen` to the
 * greatest L (deepen a network yourself where its output is nonnegative).
 * @example parallel(square(2), square(3)) // (x, y) -> about (x^2, y^2)
 */
export const parallel = (...graphs: readonly Graph[]): Graph =>
  sideBySide("parallel", graphs, blockDiagonal);

/**
 * x -> (f_1(x), f_2(x), ...): the first layers are stacked, the others block-diagonal. M is the sum of the M_i,
 * after `deepen` to the greatest L.
 * @example share(square(2), affine([[1]])) // x -> about (x^2, x)
 */
export const share = (...graphs: readonly Graph[]): Graph => sideBySide("share", graphs, above);

function sideBySide(
  operation: string,
  graphs: readonly Graph[],
  first: (matrices: readonly SparseMatrix[]) => SparseMatrix,
): Graph {
  const parts = equalDepth(operation, graphs);
  if (first === above) requireSameInput(operation, parts);
  const layers = parts[0]!.layers.map((_, l) => ({
    weights: (l === 0 ? first : blockDiagonal)(parts.map((p) => p.layers[l]!.weights)),
    bias: Float64Array.from(parts.flatMap((p) => [...p.layers[l]!.bias])),
  }));
  return graphOf(
    { layers, activation: parts[0]!.activation, exact: parts.every((p) => p.exact) },
    { name: operation },
  );
}

/**
 * x -> c_1 f_1(x) + c_2 f_2(x) + ...: M is the sum of the M_i after `deepen` (for coefficients that are not zero and
 * L >= 2), save that the last biases become one.
 * @example linearCombination([2, -1], [square(3), affine([[1]])]) // about 2 x^2 - x
 */
export function linearCombination(coefficients: readonly number[], graphs: readonly Graph[]): Graph {
  if (coefficients.length !== graphs.length)
    throw new ConstructError(
      `linearCombination: ${coefficients.length} coefficients for ${graphs.length} networks`,
    );
  const parts = equalDepth("linearCombination", graphs);
  const outputs = parts.map(outputDimension);
  const odd = outputs.findIndex((s) => s !== outputs[0]);
  if (odd >= 0)
    throw new ConstructError(
      `linearCombination: network ${odd + 1} gives ${outputs[odd]} numbers, network 1 gives ${outputs[0]}`,
    );
  requireSameInput("linearCombination", parts);
  const last = parts.map((p) => p.layers.at(-1)!);
  const bias = combination(coefficients, last.map((l) => column(l.bias)));
  const scaled = last.map((l, i) => combination([coefficients[i]!], [l.weights]));
  const depth = parts[0]!.layers.length;
  const weights =
    depth === 1
      ? combination(coefficients, last.map((l) => l.weights))
      : { value: beside(scaled.map((s) => s.value)), exact: scaled.every((s) => s.exact) };
  const hidden = depth === 1 ? [] : layersOf(share(...parts.map((p) => graphOf(p)))).layers.slice(0, -1);
  const sum: Layer = { weights: weights.value, bias: fromColumn(bias.value) };
  return graphOf(
    {
      layers: [...hidden, sum],
      activation: parts[0]!.activation,
      exact: bias.exact && weights.exact && parts.every((p) => p.exact),
    },
    { name: "linear_combination" },
  );
}
