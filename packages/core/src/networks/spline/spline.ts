// Piecewise-linear splines as networks with one hidden ReLU layer, and the certificates of their errors.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../layers/layers.ts";
import { greatestSecond, type Segment, type Target } from "./target.ts";

/**
 * The continuous piecewise-linear function with these values at these knots, one unit a piece:
 * S(x) = v_0 + sum_{j<n} (s_j - s_{j-1}) relu(x - x_j), s_j = (v_{j+1} - v_j) / (x_{j+1} - x_j), s_{-1} = 0.
 * Left of the first knot it is constant, right of the last it goes on with slope s_{n-1}.
 * @example spline([0, 0.5, 1], [0, 1, 0]) // a tent, with 2 units
 */
export function spline(knots: readonly number[], values: readonly number[]): Graph {
  if (knots.length < 2 || values.length !== knots.length)
    throw new ConstructError(
      `a spline needs a value at each of two or more knots, not ${values.length} at ${knots.length}`,
    );
  const slopes = knots.slice(1).map((to, j) => {
    if (!(to > knots[j]!))
      throw new ConstructError(`knot ${j + 1} of a spline is ${to}, not above ${knots[j]}`);
    return (values[j + 1]! - values[j]!) / (to - knots[j]!);
  });
  const changes = slopes.map((s, j) => (j === 0 ? s : s - slopes[j - 1]!));
  const starts = knots.slice(0, -1);
  return network(
    [
      layer(
        starts.map(() => [1]),
        starts.map((x) => 0 - x),
      ),
      layer([changes], [values[0]!]),
    ],
    { name: `spline_${slopes.length}` },
  );
}

/**
 * The interpolant of a function at knots.
 * @example interpolant(Math.exp, [0, 1]) // 1 + (e - 1) x on [0, 1]
 */
export const interpolant = (f: (x: number) => number, knots: readonly number[]): Graph =>
  spline(knots, knots.map(f));

/** What is known about a function when its interpolant is certified. */
export type Smoothness = { readonly lipschitz: number } | { readonly second: number };

/**
 * The sup error of interpolation with greatest spacing h: C h / 2 for a C-Lipschitz function, M h^2 / 8 for |f''| <= M.
 * @example interpolationError({ second: 2 }, 0.5) // 0.0625
 */
export const interpolationError = (known: Smoothness, spacing: number): number =>
  "second" in known ? (known.second * spacing ** 2) / 8 : (known.lipschitz * spacing) / 2;

/**
 * The least number of uniform pieces whose certificate is at most eps:
 * n = ceil(C length / (2 eps)), or ceil(length sqrt(M / (8 eps))).
 * @example interpolationPieces({ second: 2 }, 1, 0.0625) // 2
 */
export function interpolationPieces(known: Smoothness, length: number, eps: number): number {
  if (!(eps > 0)) throw new ConstructError(`an error must be positive to be reached, not ${eps}`);
  const pieces =
    "second" in known ? length * Math.sqrt(known.second / (8 * eps)) : (known.lipschitz * length) / (2 * eps);
  return Math.max(1, Math.ceil(pieces));
}

/**
 * max_j h_j^2 max_{piece j} |f''| / 8: a certificate for any knots, sharper than the one by the greatest spacing.
 * @example splineCertificate(targets.square, [0, 0.5, 1]) // 0.0625
 */
export const splineCertificate = (f: Target, knots: readonly number[]): number =>
  Math.max(
    ...piecesOf(knots).map((on) => interpolationError({ second: greatestSecond(f, on) }, on[1] - on[0])),
  );

/** The segments between neighbouring knots. */
export const piecesOf = (knots: readonly number[]): readonly Segment[] =>
  knots.slice(1).map((to, j): Segment => [knots[j]!, to]);
