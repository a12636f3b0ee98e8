// Two hidden units do not give even parity of two bits for one input and odd parity for the other (against Theorem 6.4), proved:
// no network of them comes nearer than sqrt(3) - 3/2 in total variation, and some come as near as 1/4.
//
// States h of the hidden units have product laws p (for one input) and p' (for the other), and output laws of two independent
// bits with chances u_h, v_h, whose logits are affine in h. Say that h makes (u_h >= 1/2, v_h >= 1/2); r_h = u + v - 2 u v is its
// chance of odd parity. The distance from even parity is max(P(odd), 1/2 - P(11), 1/2 - P(00)).
// 1. If no state makes 00, then (1 - u)(1 - v) <= r for all of them, so P(00) <= P(odd) and the distance is 1/4 at least. So it is
//    for 11, and for 01 and 10 with the other input. Below 1/4 the four states make the four outputs, each unit sees an edge of
//    the square, and up to names u_h >= 1/2 where h_1 = 1, v_h >= 1/2 where h_2 = 1.
// 2. If u and v go the same ways along both coordinates, or opposite ways along both, Harris's inequality gives their covariance one
//    sign for both inputs. With the wrong sign P(11) P(00) <= P(10) P(01), so that (1/2 - D) / 2 <= D^2 / 4: D >= sqrt(2) - 1.
// 3. Else, up to names, u_00 <= u_01 <= 1/2 <= u_10 <= u_11 and v_10 <= v_00 <= 1/2 <= v_11 <= v_01. With p = (a, b), r_01 and r_10
//    are 1/2 at least, so P(odd) >= (a + b - 2ab) / 2, which is 1/4 unless a, b < 1/2 (or both above it: then all bits are turned).
//    With o = r_00 >= v_00 >= v_10 >= u_10 v_10, and u_00 v_00 <= o / 2,
//      P(odd) >= (a (1 - b) + (1 - a) b) / 2 + (1 - a)(1 - b) o   and   P(11) <= (b + (1 - b) o)(1 + a) / 2.
//    The greater of P(odd) and 1/2 - P(11) is least at o = 0, b = (1 - a) / (2 - a), a = 2 - sqrt(3), and is sqrt(3) - 3/2 there.
import type { BeliefNetwork } from "./belief-network.ts";
import { type Kernel, kernelOf } from "./kernel.ts";
import { gammaOf } from "./unit.ts";

/** Even parity for input 0, odd parity for input 1. */
export const parities: Kernel = kernelOf([
  [0.5, 0, 0, 0.5],
  [0, 0.5, 0.5, 0],
]);

/** What no network of two hidden units falls below. */
export const leastDistance = Math.sqrt(3) - 3 / 2;

/**
 * The network that comes within 1/4: one state makes 11, one makes 01, the one between them 10 or 00.
 * @example twoUnitNetwork(0.01).layers.map((l) => l.length) // [2, 2]
 */
export function twoUnitNetwork(eps: number): BeliefNetwork {
  const gamma = gammaOf(eps);
  return {
    inputs: 1,
    layers: [
      // (h_1, h_2) is (1/2, 0) for input 0 and (0, 1/2) for input 1.
      [
        { bias: 0, reads: [[0, -gamma]] },
        { bias: -gamma, reads: [[0, gamma]] },
      ],
      [
        {
          bias: 0,
          reads: [
            [0, gamma],
            [1, -gamma],
          ],
        },
        {
          bias: -gamma,
          reads: [
            [0, 2 * gamma],
            [1, 2 * gamma],
          ],
        },
      ],
    ],
  };
}

/** The third case of the proof: chances of the hidden units, and of the outputs for states 00, 01, 10, 11. */
export interface MixedCase {
  readonly a: number;
  readonly b: number;
  readonly u: readonly [number, number, number, number];
  readonly v: readonly [number, number, number, number];
}

/**
 * How far even parity is, in total variation.
 * @example evenDistance({ a: 0, b: 0, u: [0, 0, 1, 1], v: [0, 1, 0, 1] }) // 0.5
 */
export function evenDistance({ a, b, u, v }: MixedCase): number {
  const p = [(1 - a) * (1 - b), (1 - a) * b, a * (1 - b), a * b];
  const mean = (of: (u: number, v: number) => number): number =>
    p.reduce((sum, chance, h) => sum + chance * of(u[h]!, v[h]!), 0);
  const both = mean((s, t) => s * t);
  const none = mean((s, t) => (1 - s) * (1 - t));
  return Math.max(1 - both - none, 1 / 2 - both, 1 / 2 - none);
}

/**
 * Where the third case is nearest to even parity.
 * @example evenDistance(nearestMixedCase) // 0.232050807569
 */
export const nearestMixedCase: MixedCase = {
  a: 2 - Math.sqrt(3),
  b: (Math.sqrt(3) - 1) / Math.sqrt(3),
  u: [0, 1 / 2, 1 / 2, 1],
  v: [0, 1, 0, 1],
};
