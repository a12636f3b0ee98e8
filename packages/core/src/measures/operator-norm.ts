// The true operator norm of a layer: of the map that it is on its inputs, convolutions with their padding and strides.

import { run } from "../engine/run.ts";
import { Builder } from "../graph/builder.ts";
import { finish } from "../graph/finish.ts";
import type { Graph } from "../graph/graph.ts";
import { prune } from "../graph/prune.ts";
import { elementCount, numbers, tensor } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import { lanczos } from "../linear-algebra/lanczos.ts";
import { createRandom, type Random } from "../numbers/random.ts";
import { gradient } from "../passes/gradient.ts";
import type { LinearLayer } from "./linear-layers.ts";
import { layerNormBound } from "./spectral-bound.ts";
import { circularNorm } from "./torus-norm.ts";

export interface OperatorNorm {
  /** |A v| of the best unit vector found: a lower bound, and the norm itself where `converged`. */
  readonly value: number;
  readonly converged: boolean;
  /** A sound upper bound. */
  readonly upper: number;
  /** Of a convolution: the norm with wrapping around instead of zeros, by Fourier analysis; an estimate. */
  readonly circular?: number;
  /** Of a convolution: the norm of the kernel as a matrix, which is not the operator's. */
  readonly kernel?: number;
}

export interface OperatorNormOptions {
  readonly random?: Random;
  readonly steps?: number;
  readonly signal?: AbortSignal;
}

/** A linear map by its products and those of its transpose. */
export interface LinearMap {
  readonly inputs: number;
  readonly outputs: number;
  readonly apply: (x: Float64Array) => Promise<Float64Array>;
  readonly adjoint: (y: Float64Array) => Promise<Float64Array>;
}

/** A layer as a map on one input, on ONNX Runtime in f64; the transpose is its gradient. */
export function layerMap(layer: LinearLayer): LinearMap {
  const { forward, inputDims, outputDims } = layer.convolution ? convolutionGraph(layer) : matrixGraph(layer);
  const slope = gradient(forward);
  const back = prune({ ...slope, outputs: slope.outputs.filter((o) => o.name === "grad_x") });
  const zeros = tensor(new Float64Array(elementCount(inputDims)), { dims: inputDims });
  const values = (found: Awaited<ReturnType<typeof run>>, name: string): Float64Array =>
    numbers(found[name]!) as Float64Array;
  return {
    inputs: elementCount(inputDims),
    outputs: elementCount(outputDims),
    apply: async (x) =>
      values(await run(forward, { x: tensor(x, { dims: inputDims }) }, { threads: 1 }), "y"),
    adjoint: async (y) =>
      values(
        await run(back, { x: zeros, seed_y: tensor(y, { dims: outputDims }) }, { threads: 1 }),
        "grad_x",
      ),
  };
}

interface MapGraph {
  readonly forward: Graph;
  readonly inputDims: readonly number[];
  readonly outputDims: readonly number[];
}

function matrixGraph({ rows, columns, entries }: LinearLayer): MapGraph {
  const [inputDims, outputDims] = [
    [columns, 1],
    [rows, 1],
  ];
  const weight = tensor(entries, { dims: [rows, columns] });
  const body = ({ x }: Record<string, Value>) => ({
    y: x!.builder.weight(weight, "W").matmul(x!),
  });
  const types = { x: { type: "float64" as const, shape: inputDims } };
  return {
    forward: finish(new Builder(), types, body, { name: "matrix", nested: false }),
    inputDims,
    outputDims,
  };
}

function convolutionGraph({ rows, columns, entries, convolution }: LinearLayer): MapGraph {
  const { input, kernel, strides, dilations, pads, groups, output } = convolution!;
  const inputDims = [1, ...input];
  const weight = tensor(entries, { dims: [rows, columns / elementCount(kernel), ...kernel] });
  const body = ({ x }: Record<string, Value>) => ({
    y: x!.op("Conv", [weight], { kernel_shape: kernel, strides, dilations, pads, group: groups }),
  });
  const types = { x: { type: "float64" as const, shape: inputDims } };
  const forward = finish(new Builder(), types, body, { name: "convolution", nested: false });
  return { forward, inputDims, outputDims: [1, rows, ...output] };
}

/**
 * The operator norm of a layer by Lanczos' iteration on A^T A (or A A^T), with a sound upper bound beside it.
 * @example (await layerNorm((await linearLayers(net)).layers[0])).value > 0 // true
 */
export async function layerNorm(
  layer: LinearLayer,
  { random = createRandom(0), steps = 300, signal }: OperatorNormOptions = {},
): Promise<OperatorNorm> {
  const upper = await layerNormBound(layer);
  if (layer.kind === "scale") return { value: upper, converged: true, upper };
  const found = await mapNorm(layerMap(layer), { random, steps, ...(signal ? { signal } : {}) });
  if (layer.kind === "dense") return { ...found, upper };
  const { convolution: _shape, ...matrix } = layer;
  const kernel = await mapNorm(layerMap({ ...matrix, kind: "dense" }), { random, steps });
  const circular = circularNorm(layer);
  return { ...found, upper, kernel: kernel.value, ...(circular === undefined ? {} : { circular }) };
}

/** The greatest singular value of a map. */
export async function mapNorm(
  { inputs, outputs, apply, adjoint }: LinearMap,
  { random = createRandom(0), steps = 300, signal }: OperatorNormOptions,
): Promise<{ readonly value: number; readonly converged: boolean }> {
  const isWide = inputs > outputs;
  const squared = isWide
    ? async (y: Float64Array) => apply(await adjoint(y))
    : async (x: Float64Array) => adjoint(await apply(x));
  const options = { random, steps, ...(signal ? { signal } : {}) };
  const { greatest, converged } = await lanczos(squared, isWide ? outputs : inputs, options);
  return { value: Math.sqrt(Math.max(0, greatest)), converged: converged.greatest };
}
