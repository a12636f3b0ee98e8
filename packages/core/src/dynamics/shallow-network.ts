// Networks with one hidden layer of which the inner weights are trained, and their Taylor expansion at the start.
import { type ActivationName, activation } from "../functions/activation.ts";
import type { Graph } from "../graph/graph.ts";
import { dot } from "../linear-algebra/dot.ts";
import type { Random } from "../numbers/random.ts";
import { denseNetwork } from "../train/dense-network.ts";

type Vector = ArrayLike<number>;

/** F(x; V) = sum_j a_j sigma(<v_j, x>) */
export interface ShallowNetwork {
  readonly sigma: ActivationName;
  readonly a: readonly number[];
  readonly V: readonly Vector[];
}

/**
 * a_j = -1 or 1 and v_j ~ N(0, 1), as near-initialization theory draws them.
 * @example drawShallow("relu", 5, 2, createRandom(1)).V.length // 5
 */
export const drawShallow = (sigma: ActivationName, m: number, d: number, random: Random): ShallowNetwork => ({
  sigma,
  a: Array.from(random.split("signs").uniform(m), (u) => (u < 0.5 ? -1 : 1)),
  V: Array.from({ length: m }, (_, j) => random.split(j).normal(d)),
});

/**
 * F(x; V).
 * @example shallowValue({ sigma: "relu", a: [2, 1], V: [[1, 0], [0, -1]] }, [3, 4]) // 6
 */
export function shallowValue({ sigma, a, V }: ShallowNetwork, x: Vector): number {
  const { value } = activation(sigma);
  return V.reduce((sum: number, v, j) => sum + a[j]! * value(dot(v, x)), 0);
}

/**
 * F_0(x; V) = F(x; V_0) + sum_j a_j sigma'(<v_0j, x>) <v_j - v_0j, x>, with sigma'(0) = 1 for the ReLU as 1[z >= 0] has it.
 * @example shallowTaylor({ sigma: "relu", a: [1], V: [[1]] }, [[-5]], [1]) // -5
 */
export function shallowTaylor(start: ShallowNetwork, V: readonly Vector[], x: Vector): number {
  const { sigma, a } = start;
  const rho = activation(sigma);
  const slope = (z: number): number => (sigma === "relu" ? (z >= 0 ? 1 : 0) : rho.derivative(1, z));
  return start.V.reduce((sum: number, v, j) => {
    const z = dot(v, x);
    return sum + a[j]! * (rho.value(z) + slope(z) * (dot(V[j]!, x) - z));
  }, 0);
}

/**
 * The network as a graph, ready to be trained.
 * @example shallowGraph({ sigma: "tanh", a: [1], V: [[1, 2]] }).initializers.get("W1").dims // [1, 2]
 */
export const shallowGraph = ({ sigma, a, V }: ShallowNetwork): Graph =>
  denseNetwork([{ W: V.map((v) => Array.from(v)) }, { W: [[...a]] }], sigma);

/**
 * |V - W| as matrices.
 * @example frobeniusDistance([[3, 0]], [[0, 4]]) // 5
 */
export function frobeniusDistance(V: readonly Vector[], W: readonly Vector[]): number {
  let sum = 0; // in a loop: there may be more rows than a call has room for arguments
  V.forEach((v, j) => {
    for (let k = 0; k < v.length; k++) sum += (v[k]! - W[j]![k]!) ** 2;
  });
  return Math.sqrt(sum);
}
