// What many neurons tell apart in two coordinates, in the mean: E phi phi^T of the features phi of one normal neuron, and
// how much phi varies, which says how far a layer of so many neurons is from it.
import { activation } from "../../functions/activation.ts";
import { gaussianRule } from "../../functions/gaussian-rule.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { type Rows, symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Points } from "./features.ts";

export interface FeatureLaw {
  /** K = E phi phi^T. */
  readonly kernel: Rows;
  /** E |K^{-1/2} phi|^4. */
  readonly fourthMoment: number;
}

/** Points of Gauss' rule in each panel: more of them change the ninth digit. */
const order = 6;

/**
 * phi_i = tanh(<g, x_i>) with g ~ N(0, I) in the plane, by quadrature in both coordinates.
 * @example Math.abs(featureLaw([Float64Array.of(1, 0), Float64Array.of(0, 1)]).kernel[0][1]) < 1e-12 // true
 */
export function featureLaw(points: Points): FeatureLaw {
  const { value } = activation("tanh");
  const { nodes, weights } = gaussianRule([], order);
  // Both phi and -phi come with the same density: half of the plane is enough.
  const neurons: { readonly phi: number[]; readonly weight: number }[] = [];
  nodes.forEach((p, k) => {
    if (p < 0) return;
    nodes.forEach((q, l) => {
      const weight = 2 * weights[k]! * weights[l]!;
      if (weight > leastWeight)
        neurons.push({ phi: points.map((x) => value(p * x[0]! + q * x[1]!)), weight });
    });
  });
  const mean = (of: (phi: readonly number[]) => number): number =>
    neurons.reduce((sum, { phi, weight }) => sum + weight * of(phi), 0);
  const kernel = points.map((_, i) => points.map((__, l) => mean((phi) => phi[i]! * phi[l]!)));
  const { values, vectors } = symmetricEigen(kernel);
  const squaredLength = (phi: readonly number[]): number =>
    vectors.reduce((sum, u, k) => sum + dot(u, phi) ** 2 / values[k]!, 0);
  return { kernel, fourthMoment: mean((phi) => squaredLength(phi) ** 2) };
}

/** Nodes that weigh less change nothing in double precision. */
const leastWeight = 2 ** -70;
