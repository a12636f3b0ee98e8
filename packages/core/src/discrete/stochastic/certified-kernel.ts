// A table of probabilities as a network whose error is bounded beforehand: all N units coupled with units that never err,
// both agree but for probability 1 - (1 - eps)^N, for every kernel and every input.
import { sha256 } from "../../check/certificate.ts";
import type { KernelCertificate } from "../../check/kernel-certificate.ts";
import { writeModel } from "../../graph/onnx/write.ts";
import { type BeliefNetwork, greatestParameter, samplingGraph, unitsOf } from "./belief-network.ts";
import { deepNetwork, deepUnits } from "./deep.ts";
import { freeOutputNetwork, freeOutputUnits, hasFreeOutputs } from "./generative.ts";
import type { Kernel } from "./kernel.ts";
import { mostShallowOutputs, shallowNetwork, shallowUnits } from "./shallow.ts";

/** One hidden layer and a fixed output layer, one hidden layer and a free output layer, or the shape of a deep network. */
export type KernelDepth = "shallow" | "free" | number;

export interface KernelNetwork {
  readonly network: BeliefNetwork;
  /** With which each unit errs at most. */
  readonly unitError: number;
  /** Bounds the total variation between the network's rows and the table's. */
  readonly certifiedError: number;
}

/**
 * 1 - (1 - eps)^N.
 * @example couplingBound(0.5, 2) // 0.75
 */
export const couplingBound = (eps: number, units: number): number => -Math.expm1(units * Math.log1p(-eps));

/** eps with 1 - (1 - eps)^N = error. */
const unitErrorFor = (error: number, units: number): number => -Math.expm1(Math.log1p(-error) / units);

/** Units that will be there, and the network itself once it is known how much each may err. */
function constructionOf(
  kernel: Kernel,
  depth: KernelDepth,
): { readonly units: number; readonly made: (eps: number) => BeliefNetwork } {
  if (depth === "shallow") return { units: shallowUnits(kernel), made: (eps) => shallowNetwork(kernel, eps) };
  if (depth === "free")
    return { units: freeOutputUnits(kernel), made: (eps) => freeOutputNetwork(kernel, eps) };
  return { units: deepUnits(kernel, depth), made: (eps) => deepNetwork(kernel, depth, eps) };
}

/**
 * The network of a kernel, shallow or of shape j, with total variation at most `error`.
 * @example compileKernel(kernelOf([[0.5, 0.5], [1, 0]]), 0.01, "shallow").certifiedError <= 0.01 // true
 */
export function compileKernel(kernel: Kernel, error: number, depth: KernelDepth): KernelNetwork {
  const { units, made } = constructionOf(kernel, depth);
  const unitError = Math.min(unitErrorFor(error * (1 - 2 ** -40), units), 0.25);
  const network = made(unitError);
  return { network, unitError, certifiedError: couplingBound(unitError, unitsOf(network)) };
}

/** What a network of one shape would take. */
export interface KernelShape {
  readonly depth: KernelDepth;
  readonly layers: number;
  readonly width: number;
  readonly units: number;
  /** Weights and biases that are stored, and the greatest of them. */
  readonly parameters: number;
  readonly greatestParameter: number;
}

/**
 * All shapes of networks for a kernel at one error, the shallow one first where its weights can be added up exactly.
 * @example kernelShapes(kernelOf([[0.5, 0.5], [1, 0]]), 0.01).map((s) => s.depth) // ["shallow", "free", 0, 1]
 */
export function kernelShapes(kernel: Kernel, error: number): readonly KernelShape[] {
  const depths = [
    ...(kernel.inputs >= 1 && kernel.outputs <= mostShallowOutputs ? (["shallow"] as const) : []),
    ...(hasFreeOutputs(kernel) ? (["free"] as const) : []),
    ...Array.from({ length: kernel.inputs + 1 }, (_, j) => j),
  ];
  return depths.map((depth) => {
    const { network } = compileKernel(kernel, error, depth);
    const { layers } = network;
    return {
      ...{ depth, layers: layers.length, units: unitsOf(network) },
      width: layers.reduce((most, { length }) => Math.max(most, length), 0),
      parameters: layers.reduce((sum, l) => l.reduce((s, { reads }) => s + reads.length + 1, sum), 0),
      greatestParameter: greatestParameter(network),
    };
  });
}

/**
 * The bytes of the sampling graph, and its certificate.
 * @example (await certifiedKernel(kernelOf([[0.5, 0.5], [1, 0]]), compileKernel(kernelOf([[0.5, 0.5], [1, 0]]), 0.01, 0))).certificate.kind // "kernel"
 */
export async function certifiedKernel(
  { rows }: Kernel,
  { network, certifiedError }: KernelNetwork,
): Promise<{ readonly bytes: Uint8Array; readonly certificate: KernelCertificate }> {
  const bytes = writeModel(samplingGraph(network));
  return {
    bytes,
    certificate: {
      ...{ version: 1, kind: "kernel", table: rows.map((row) => [...row]), certifiedError },
      network: {
        sha256: await sha256(bytes),
        ...{ input: "x", output: "y", uniforms: network.layers.map((_, l) => `u${l + 1}`) },
      },
    },
  };
}
