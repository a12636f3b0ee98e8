// A finite network of which the limit kernels are the limit: weights and biases drawn with their deviations, and the factors
// that stand before what is trained.
import type { Graph } from "../graph/graph.ts";
import { type Tensor, view } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import { initialNetwork } from "../train/network.ts";
import type { NetworkSpec } from "../train/spec/layer-spec.ts";
import { planLayers, weightLayers } from "../train/spec/plan.ts";
import { parseSpec } from "../train/spec/spec.ts";
import type { LimitKernelOptions } from "./limit-kernel.ts";

export interface DrawnNetwork {
  readonly graph: Graph;
  /** As `empiricalKernel` reads them: W_std and b_std, where what is trained has variance 1; 0 where nothing is trained. */
  readonly scales: ReadonlyMap<string, number>;
}

/**
 * A network at its start, in float64, whose tangent kernel tends to `limitKernel` with the same options as it becomes wide.
 * @example drawnNetwork("2-8-relu-1", { bStd: 0.5 }).scales.get("layer1.bias") // 0.5
 */
export function drawnNetwork(
  architecture: string | NetworkSpec,
  {
    parameterization = "ntk",
    wStd = 1,
    bStd = 0,
    seed = 0,
  }: LimitKernelOptions & { readonly seed?: number } = {},
): DrawnNetwork {
  const spec = typeof architecture === "string" ? parseSpec(architecture) : architecture;
  // Variances of 1 with 1 / sqrt(fan-in) outside, or of 1 / fan-in: W_std stands before both.
  const initialization = parameterization === "ntk" ? "ntk" : "lecun";
  const network = initialNetwork(spec, { initialization, seed, type: "float64" });
  const random = createRandom(seed).split("biases");
  const initializers = new Map(network.initializers);
  const scales = new Map<string, number>();
  const change = (name: string, entry: (value: number) => number, scale: number): void => {
    const { dims, data } = network.initializers.get(name) as Tensor;
    initializers.set(name, view("float64", dims, Float64Array.from(data as Float64Array, entry)));
    if (parameterization === "ntk") scales.set(name, scale);
  };
  for (const { name, bias, isScale } of weightLayers(planLayers(spec))) {
    if (isScale) {
      // Scale and shift of a normalization stay as they are: the limit has none, as neural-tangents has none.
      for (const part of ["weight", "bias"]) scales.set(`${name}.${part}`, 0);
      continue;
    }
    change(`${name}.weight`, (w) => wStd * w, wStd);
    const stream = random.split(name);
    if (bias > 0) change(`${name}.bias`, () => bStd * stream.normal(), bStd);
  }
  return { graph: { ...network, initializers }, scales };
}
