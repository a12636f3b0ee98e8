// Measured variances of weights at initialization, against the laws that they were drawn from.
import { numbers, type Tensor } from "../graph/tensor.ts";
import { kurtosis, type Law } from "../train/initialization.ts";
import {
  defaultInitialization,
  type InitialNetworkOptions,
  initialNetwork,
  lawsOf,
} from "../train/network.ts";
import type { NetworkSpec } from "../train/spec/layer-spec.ts";
import { planLayers } from "../train/spec/plan.ts";
import { parseSpec } from "../train/spec/spec.ts";

export interface VarianceRow {
  /** `layer1.weight`. */
  readonly name: string;
  readonly shape: Law["shape"];
  readonly count: number;
  /** The law's variance. */
  readonly theory: number;
  /** The mean square of the drawn numbers. */
  readonly measured: number;
  /** Of `measured`, if the law holds: theory * sqrt((kurtosis - 1) / count). */
  readonly standardError: number;
  /** What the layer's product is multiplied with, outside of the weight. */
  readonly factor: number;
}

function meanSquare(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k]! * values[k]!;
  return sum / values.length;
}

/**
 * For each weight and bias of the network at initialization: the variance of its law and of the numbers drawn.
 * @example varianceReport("64-32-relu-10", { initialization: "lecun" })[0].theory // 0.015625
 */
export function varianceReport(
  spec: string | NetworkSpec,
  options: InitialNetworkOptions = {},
): readonly VarianceRow[] {
  const network = typeof spec === "string" ? parseSpec(spec) : spec;
  const { initializers } = initialNetwork(network, options);
  return lawsOf(planLayers(network), options.initialization ?? defaultInitialization).flatMap(
    ({ weights, law }) =>
      (["weight", "bias"] as const).flatMap((part): VarianceRow[] => {
        const name = `${weights.name}.${part}`;
        const values = initializers.get(name) as Tensor | undefined;
        if (!values) return []; // a layer without a bias
        const { shape, variance: theory } = law[part];
        const count = values.data.length;
        const standardError = theory * Math.sqrt((kurtosis[shape] - 1) / count);
        const measured = meanSquare(numbers(values));
        return [{ name, shape, count, theory, measured, standardError, factor: law.factor }];
      }),
  );
}
