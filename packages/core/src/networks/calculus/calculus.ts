// The calculus of networks (Petersen and Voigtlaender 2018): each operation builds a network whose size is known
// exactly beforehand. Results are float64. Where two affine maps are merged, each new weight is a sum of products
// that is exact if it fits a double and rounded once if not: then `layersOf(result).exact` is false. compose, power,
// linearCombination, scaleInput and scaleOutput merge; the others only copy weights and never round.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import type { SparseMatrix } from "../../graph/sparse.ts";
import type { Layer } from "../layers/layered.ts";
import { graphOf, inputDimension, layer, layersOf, network, outputDimension } from "../layers/layers.ts";
import {
  above,
  affineImage,
  beside,
  blockDiagonal,
  combination,
  diagonal,
  fromDense,
  negate,
  product,
  type Rounded,
  unit,
} from "../layers/matrix.ts";
import {
  commonActivation,
  equalDepth,
  requireCount,
  requireRelu,
  requireSameInput,
  requireSameOutput,
} from "./conditions.ts";

/** The values passed on are known not to be negative: one neuron per coordinate carries them, not two. */
export interface Carrying {
  readonly nonnegative?: boolean;
}

/**
 * The affine map x -> W x + b: L = 1, M = ||W||_0 + ||b||_0.
 * @example affine([[1, 1]]) // (x, y) -> x + y
 */
export const affine = (rows: readonly (readonly number[])[], bias?: ArrayLike<number>): Graph =>
  network([layer(rows, bias)], { name: "affine" });

/**
 * outer after inner, the two affine maps that meet merged into one: L = L1 + L2 - 1.
 * The merged matrix may have more entries than both together, and may round.
 * @example compose(square(3), affine([[0.5, 0.5]])) // (x, y) -> about ((x + y) / 2)^2
 */
export function compose(outer: Graph, inner: Graph): Graph {
  const [f, g] = [layersOf(outer), layersOf(inner)];
  const activation = commonActivation("compose", [f, g]);
  const seam = merge("compose", f.layers[0]!, g.layers.at(-1)!);
  const layers = [...g.layers.slice(0, -1), seam.value, ...f.layers.slice(1)];
  return graphOf({ layers, activation, exact: f.exact && g.exact && seam.exact }, { name: "compose" });
}

/** W1 (W2 x + b2) + b1 as one affine map. */
function merge(operation: string, outer: Layer, inner: Layer): Rounded<Layer> {
  requireChain(operation, outer, inner);
  const weights = product(outer.weights, inner.weights);
  const bias = affineImage(outer.weights, inner.bias, outer.bias);
  return { value: { weights: weights.value, bias: bias.value }, exact: weights.exact && bias.exact };
}

function requireChain(operation: string, outer: Layer, inner: Layer): void {
  const [takes, gives] = [outer.weights.columns, inner.weights.rows];
  if (takes !== gives)
    throw new ConstructError(
      `${operation}: the outer network takes ${takes} numbers, the inner one gives ${gives}`,
    );
}

/**
 * outer after inner with a layer of pairs relu(z), relu(-z) between them, so that nothing is merged (relu only):
 * L = L1 + L2 and M = M(outer) + ||W_1(outer)||_0 + M(inner) + M_L(inner).
 * @example concatenate(square(3), square(3)) // about x^4, in 8 affine maps
 */
export function concatenate(outer: Graph, inner: Graph): Graph {
  const [f, g] = [layersOf(outer), layersOf(inner)];
  const activation = commonActivation("concatenate", [f, g]);
  requireRelu("concatenate", activation);
  const [first, last] = [f.layers[0]!, g.layers.at(-1)!];
  requireChain("concatenate", first, last);
  const layers = [...g.layers.slice(0, -1), pairs(last), differences(first), ...f.layers.slice(1)];
  return graphOf({ layers, activation, exact: f.exact && g.exact }, { name: "concatenate" });
}

/** x -> (z, -z) for z = W x + b. */
const pairs = ({ weights, bias }: Layer): Layer => ({
  weights: above([weights, negate(weights)]),
  bias: Float64Array.from([...bias, ...bias.map((b) => 0 - b)]),
});

/** (u, v) -> W (u - v) + b. */
const differences = ({ weights, bias }: Layer): Layer => ({
  weights: beside([weights, negate(weights)]),
  bias,
});

/**
 * The identity of R^dimension as a relu network: M = 2 dimension L for L >= 2, M = dimension for L = 1.
 * With `nonnegative` it is the identity on [0, inf)^dimension only, and M = dimension L.
 * @example identity(2, 3) // widths 4, 4
 */
export function identity(dimension: number, layers: number, options: Carrying = {}): Graph {
  requireCount("identity", "dimension", dimension, 1);
  requireCount("identity", "number of layers", layers, 1);
  return network(identityLayers(dimension, layers, options), { name: "identity" });
}

function identityLayers(dimension: number, layers: number, { nonnegative = false }: Carrying): Layer[] {
  const linear = (weights: SparseMatrix): Layer => ({ weights, bias: new Float64Array(weights.rows) });
  const one = linear(unit(dimension));
  if (layers === 1 || nonnegative) return Array.from({ length: layers }, () => one);
  const inner = Array.from({ length: layers - 2 }, () => linear(unit(2 * dimension)));
  return [pairs(one), ...inner, differences(one)];
}

export interface Padding extends Carrying {
  /** Where the new layers go; `nonnegative` is about the values there. */
  readonly side?: "output" | "input";
}

/**
 * The same function with `layers` affine maps (relu only). At the output M grows by M_L + 2 s per new layer, at the
 * input by ||W_1||_0 + 2 d per new layer; with `nonnegative` by just s or d per new layer.
 * @example complexity(deepen(square(3), 6, { nonnegative: true })).weights // 21 + 2
 */
export function deepen(source: Graph, layers: number, options: Padding = {}): Graph {
  const { layers: own, exact, activation } = layersOf(source);
  requireCount("deepen", "number of layers", layers, own.length);
  if (layers === own.length) return source;
  if (own.length > 1) requireRelu("deepen", activation);
  const padded = (options.side === "input" ? padInput : padOutput)(own, layers, options);
  return graphOf({ layers: padded, activation: "relu", exact }, { name: "deepen" });
}

function padOutput(own: readonly Layer[], total: number, options: Carrying): Layer[] {
  const last = own.at(-1)!;
  const carry = identityLayers(last.weights.rows, total - own.length + 1, options).slice(1);
  return [...own.slice(0, -1), options.nonnegative ? last : pairs(last), ...carry];
}

function padInput(own: readonly Layer[], total: number, options: Carrying): Layer[] {
  const first = own[0]!;
  const carry = identityLayers(first.weights.columns, total - own.length + 1, options).slice(0, -1);
  return [...carry, options.nonnegative ? first : differences(first), ...own.slice(1)];
}

/**
 * (x_1, x_2, ...) -> (f_1(x_1), f_2(x_2), ...), block-diagonal: M is the sum of the M_i, after `deepen` to the
 * greatest L. (Deepen a network yourself where its outputs are known to be nonnegative.)
 * @example parallel(square(2), square(3)) // (x, y) -> about (x^2, y^2)
 */
export const parallel = (...graphs: readonly Graph[]): Graph => stack("parallel", graphs, blockDiagonal);

/**
 * x -> (f_1(x), f_2(x), ...): the first layers on top of each other, the others block-diagonal. M as for `parallel`.
 * @example share(square(2), affine([[1]])) // x -> about (x^2, x)
 */
export function share(...graphs: readonly Graph[]): Graph {
  requireSameInput("share", graphs.map(layersOf));
  return stack("share", graphs, above);
}

function stack(
  operation: string,
  graphs: readonly Graph[],
  first: (matrices: readonly SparseMatrix[]) => SparseMatrix,
): Graph {
  const { parts, activation, exact } = equalDepth(operation, graphs, deepen);
  const layers = parts[0]!.map((_, l) => ({
    weights: (l === 0 ? first : blockDiagonal)(parts.map((part) => part[l]!.weights)),
    bias: Float64Array.from(parts.flatMap((part) => [...part[l]!.bias])),
  }));
  return graphOf({ layers, activation, exact }, { name: operation });
}

/**
 * x -> c_1 f_1(x) + c_2 f_2(x) + ...; f_i are deepened to the greatest L. For L >= 2 and coefficients that are not
 * zero, M is the sum of the M_i, save that the last biases are added up into one.
 * @example linearCombination([2, -1], [square(3), affine([[1]])]) // about 2 x^2 - x
 */
export function linearCombination(coefficients: readonly number[], graphs: readonly Graph[]): Graph {
  if (coefficients.length !== graphs.length)
    throw new ConstructError(
      `linearCombination: ${coefficients.length} coefficients for ${graphs.length} networks`,
    );
  requireSameOutput("linearCombination", graphs.map(layersOf));
  const { layers, activation, exact } = layersOf(share(...graphs));
  const last = equalDepth("linearCombination", graphs, deepen).parts.map((part) => part.at(-1)!);
  const shared = layers.length === 1; // without a hidden layer, all the matrices act on x itself
  const weights = shared
    ? combination(
        coefficients,
        last.map((l) => l.weights),
      )
    : scaledBeside(
        coefficients,
        last.map((l) => l.weights),
      );
  const [rows, count] = [last[0]!.bias.length, graphs.length];
  const biases = fromDense(
    rows,
    count,
    last.flatMap((l) => [...l.bias]),
    true,
  );
  const bias = affineImage(biases, coefficients, new Float64Array(rows));
  return graphOf(
    {
      layers: [...layers.slice(0, -1), { weights: weights.value, bias: bias.value }],
      activation,
      exact: exact && weights.exact && bias.exact,
    },
    { name: "linear_combination" },
  );
}

/** [c_1 A_1, c_2 A_2, ...]. */
function scaledBeside(
  coefficients: readonly number[],
  matrices: readonly SparseMatrix[],
): Rounded<SparseMatrix> {
  const scaled = matrices.map((a, i) => combination([coefficients[i]!], [a]));
  return { value: beside(scaled.map((s) => s.value)), exact: scaled.every((s) => s.exact) };
}

/** x -> f_1(x) + f_2(x) + ...; `sum([f, g])`. */
export const sum = (graphs: readonly Graph[]): Graph =>
  linearCombination(
    graphs.map(() => 1),
    graphs,
  );

/**
 * f after f after ... f: L = times (L_f - 1) + 1, merged as by `compose`; times = 0 gives the identity, L = 1.
 * @example power(triangle(), 8) // 2^8 linear pieces on [0, 1]
 */
export function power(source: Graph, times: number): Graph {
  requireCount("power", "number of times", times, 0);
  const { layers, activation, exact } = layersOf(source);
  if (times === 0) return identity(inputDimension(layersOf(source)), 1);
  if (layers.length === 1)
    return Array.from({ length: times - 1 }).reduce<Graph>((f) => compose(source, f), source);
  const seam = merge("power", layers[0]!, layers.at(-1)!);
  const inner = layers.slice(1, -1);
  const repeated = Array.from({ length: times - 1 }).flatMap(() => [seam.value, ...inner]);
  return graphOf(
    {
      layers: [layers[0]!, ...inner, ...repeated, layers.at(-1)!],
      activation,
      exact: exact && (times === 1 || seam.exact),
    },
    { name: "power" },
  );
}

/**
 * x -> f(scale x + shift), coordinate by coordinate; one number stands for all coordinates.
 * @example scaleInput(square(3), 0.5, 0.5) // about ((x + 1) / 2)^2 on [-1, 1]
 */
export function scaleInput(
  source: Graph,
  scale: number | readonly number[],
  shift: number | readonly number[] = 0,
): Graph {
  return compose(source, coordinatewise("scaleInput", inputDimension(layersOf(source)), scale, shift));
}

/**
 * x -> scale f(x) + shift, coordinate by coordinate; one number stands for all coordinates.
 * @example scaleOutput(square(3), 4) // about (2 x)^2 on [0, 1]
 */
export function scaleOutput(
  source: Graph,
  scale: number | readonly number[],
  shift: number | readonly number[] = 0,
): Graph {
  return compose(coordinatewise("scaleOutput", outputDimension(layersOf(source)), scale, shift), source);
}

function coordinatewise(
  operation: string,
  dimension: number,
  scale: number | readonly number[],
  shift: number | readonly number[],
): Graph {
  const [factors, offsets] = [scale, shift].map((given) => {
    const values = typeof given === "number" ? new Array<number>(dimension).fill(given) : given;
    if (values.length !== dimension)
      throw new ConstructError(`${operation}: ${values.length} numbers for ${dimension} coordinates`);
    return values;
  }) as [readonly number[], readonly number[]];
  return network([{ weights: diagonal(factors), bias: Float64Array.from(offsets) }], {
    name: "coordinatewise",
  });
}
