// A polynomial in several variables as a shallow network of any smooth activation: ridges, and differences for each.
import { ConstructError } from "../../functions/error.ts";
import type { SmoothActivation } from "../../functions/smooth.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { PolynomialTerms } from "../../networks/polynomial/terms.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import { differenceUnits } from "../smooth-activation/polynomial-network.ts";
import { type RidgeTerm, ridgeDecomposition } from "./decomposition.ts";

export interface RidgePolynomialNetwork {
  readonly network: Graph;
  readonly ridges: readonly RidgeTerm[];
  /** sup on [-1, 1]^d, before rounding. */
  readonly error: number;
  /** What rounding may add in f64, if the activation is computed within 4 ulp. */
  readonly rounding: number;
}

/**
 * A polynomial on [-1, 1]^d with at most (2 k + 1) C(d-1+k, k) units of one smooth activation.
 * @example ridgePolynomialNetwork("exp", [{ coefficient: 1, exponents: [1, 1] }]).ridges.length // 3
 */
export function ridgePolynomialNetwork(
  name: SmoothActivation,
  polynomial: PolynomialTerms,
  directions?: readonly (readonly number[])[],
): RidgePolynomialNetwork {
  const ridges = ridgeDecomposition(polynomial, directions);
  const scaled = ridges.map(unitRidge);
  const degree = Math.max(0, ...scaled.map(({ coefficients }) => coefficients.length - 1));
  if (degree === 0) throw new ConstructError("a constant needs no network of ridges");
  // One step for all of them: the best for the sum of their coefficients, which bounds all errors, too.
  const total = Array.from({ length: degree + 1 }, (_, s) =>
    scaled.reduce((sum, { coefficients }) => sum + Math.abs(coefficients[s] ?? 0), 0),
  );
  const { h, at, error, rounding } = differenceUnits(name, total);
  const [rows, outer]: [number[][], number[]] = [[], []];
  let [bias, still] = [0, 0];
  for (const { direction, coefficients } of scaled) {
    const units = differenceUnits(name, coefficients, { h, at });
    bias += units.bias;
    for (const [j, inner] of units.inner.entries())
      if (inner === 0) still += units.outer[j]!;
      else {
        rows.push(direction.map((w) => w * inner));
        outer.push(units.outer[j]!);
      }
  }
  if (still !== 0) {
    rows.push(scaled[0]!.direction.map(() => 0)); // the unit at node 0 is the same for all ridges
    outer.push(still);
  }
  const biases = rows.map(() => at);
  return {
    network: network([layer(rows, biases), layer([outer], [bias])], { activation: name, name: "ridges" }),
    ridges,
    error,
    rounding,
  };
}

/** p(<w, x>) as q(<w, x> / 2^e) with |<w, x>| <= 2^e on [-1, 1]^d: whole directions stay exact. */
function unitRidge({ direction, coefficients }: RidgeTerm): {
  readonly direction: readonly number[];
  readonly coefficients: readonly number[];
} {
  const size = direction.reduce((sum, w) => sum + Math.abs(w), 0);
  const scale = 2 ** Math.ceil(Math.log2(Math.max(1, size)));
  return {
    direction: direction.map((w) => w / scale),
    coefficients: coefficients.map((c, s) => toNumber(c) * scale ** s),
  };
}
