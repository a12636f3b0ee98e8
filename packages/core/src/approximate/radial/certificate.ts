// A proof of the error of a radial network, for the real function that its stored weights define.
import { layersOf } from "../../networks/layers/layers.ts";
import { abs, add, type Exact, max, mul, sub } from "../../numbers/exact/rational.ts";
import { distance } from "../../passes/distance.ts";
import { linearPieces, type PiecewiseLinear, slopes } from "../../passes/pieces.ts";
import type { RadialNetwork } from "./radial.ts";

export interface RadialCertificate {
  /** sup |network - g(|x|^2)| over the cube is at most this. */
  readonly error: Exact;
  /** sup |square - x^2|, of one coordinate. */
  readonly square: Exact;
  /** inf (square - x^2): about 0, since chords lie above a parabola. */
  readonly below: Exact;
  /** sup |profile - g| between 0 and d B^2. */
  readonly profile: Exact;
  /** The profile network's steepest slope. */
  readonly steepest: Exact;
  /** What the rounding of the second layer's biases costs. */
  readonly rounding: Exact;
}

/**
 * |P(sum S(x_i)) - g(|x|^2)| <= Lip(P) d sup|S - x^2| + sup|P - g|, and sum_l |v_l| times what the bias of unit l is
 * off by: exact, where g is piecewise linear.
 */
export function radialCertificate(
  { network, square, profile }: RadialNetwork,
  g: PiecewiseLinear,
  { dimension, bound }: { readonly dimension: number; readonly bound: number },
): RadialCertificate {
  const end = g.knots.at(-1)!;
  const gap = distance(linearPieces(square, -bound, bound), [0, 0, 1]);
  const outer = linearPieces(profile, 0, end);
  const steepest = slopes(outer).reduce<Exact>((most, s) => max(most, abs(s)), 0);
  const inner = layersOf(square).layers[1]!.bias[0]!;
  const knots = layersOf(profile).layers[0]!.bias;
  const [, second, last] = layersOf(network).layers;
  let rounding: Exact = 0;
  last!.weights.columnOf.forEach((l, k) => {
    const off = abs(sub(second!.bias[l]!, add(mul(dimension, inner), knots[l]!)));
    rounding = add(rounding, mul(abs(last!.weights.values[k]!), off));
  });
  const own = distance(outer, g).sup.upper;
  return {
    error: add(add(mul(mul(steepest, dimension), gap.sup.upper), own), rounding),
    square: gap.sup.upper,
    below: gap.least.lower,
    profile: own,
    steepest,
    rounding,
  };
}
