// x^2 from ReLUs by the second step of Leshno's proof: the activation is smoothed by a bump z, and the integral
// (relu * z)(t) = int relu(t - y) z(y) dy is a sum of units.
import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { addUp, divUp, mulUp } from "../../numbers/rounding.ts";
import { splineBump } from "../shattering/spline-bump.ts";

export interface MollifiedSquare {
  readonly network: Graph;
  /** sup |network - x^2| on [-1, 1] is at most this, before rounding. */
  readonly error: number;
}

/** z: a B-spline with two continuous derivatives on [-1/2, 1/2], z(0) = 1. */
const bump = splineBump(3);

/**
 * (S(h x) - 2 S(0) + S(-h x)) / h^2 with S = relu * z, S'' = z, as a midpoint sum of `nodes` terms: 2 units each. The
 * difference errs by h^2/12 sup |z''|; a midpoint sum by (D^2/24)(sup |z''| + 2 sup |z'|), and D^2/8 at the kink, D = 1/nodes.
 * @example complexity(mollifiedSquare(0.25, 64).network).width // 128
 */
export function mollifiedSquare(h: number, nodes: number): MollifiedSquare {
  if (!(h > 0 && h <= 1 / 2)) throw new ConstructError(`a step of (relu * z) is from (0, 1/2], not ${h}`);
  if (!Number.isSafeInteger(nodes) || nodes < 2)
    throw new ConstructError(`a sum has at least 2 terms, not ${nodes}`);
  const ys = Array.from({ length: nodes }, (_, i) => (i + 1 / 2) / nodes - 1 / 2);
  const weights = ys.map((y) => bump.value(y) / (nodes * h * h));
  const atZero = ys.reduce((sum, y, i) => sum + weights[i]! * Math.max(0, -y), 0);
  const rows = ys.flatMap((y) => [
    { weight: h, bias: -y },
    { weight: -h, bias: -y },
  ]);
  const first = layer(
    rows.map(({ weight }) => [weight]),
    rows.map(({ bias }) => bias),
  );
  const [, slope, curvature] = bump.bounds as readonly [number, number, number];
  const difference = mulUp(mulUp(h, h), divUp(curvature, 12));
  const perValue = mulUp(divUp(1, nodes * nodes), addUp(divUp(addUp(curvature, 2 * slope), 24), 1 / 8));
  return {
    network: network([first, layer([weights.flatMap((w) => [w, w])], [-2 * atZero])], {
      name: "mollified_square",
    }),
    error: addUp(difference, mulUp(divUp(4, mulUp(h, h)), perValue)),
  };
}
