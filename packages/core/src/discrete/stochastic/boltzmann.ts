// Restricted Boltzmann machines and deep belief networks as exact distributions, and the training of small ones.
import { DiscreteError } from "../error.ts";
import type { BeliefNetwork } from "./belief-network.ts";
import { exactKernel } from "./exact-kernel.ts";
import { bitsOf } from "./kernel.ts";

/** p(x) is proportional to sum_h exp(x^T W h + x^T b + h^T c) (6.8). */
export interface BoltzmannMachine {
  /** A row for each visible unit. */
  readonly W: readonly Float64Array[];
  readonly b: Float64Array;
  readonly c: Float64Array;
}

const mostVisible = 16;
const sigma = (z: number): number => 1 / (1 + Math.exp(-z));
const softplus = (z: number): number => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));

/** c + W^T x. */
const drives = ({ W, c }: BoltzmannMachine, x: readonly number[]): Float64Array =>
  c.map((bias, k) => x.reduce((sum, v, i) => sum + v * W[i]![k]!, bias));

/**
 * The distribution of the visible units, the first bit the highest: p(x) = exp(b.x) prod_k (1 + exp(c_k + W_k.x)) / Z.
 * @example boltzmannLaw({ W: [new Float64Array(0)], b: new Float64Array(1), c: new Float64Array(0) }) // Float64Array [0.5, 0.5]
 */
export function boltzmannLaw(machine: BoltzmannMachine): Float64Array {
  const d = machine.b.length;
  if (d > mostVisible)
    throw new DiscreteError(`${d} visible units have too many states: ${mostVisible} at most`);
  const logs = Float64Array.from({ length: 2 ** d }, (_, state) => {
    const x = bitsOf(state, d);
    return drives(machine, x).reduce(
      (sum, z) => sum + softplus(z),
      x.reduce((sum, v, i) => sum + v * machine.b[i]!, 0),
    );
  });
  const most = logs.reduce((a, b) => Math.max(a, b));
  const weights = logs.map((z) => Math.exp(z - most));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((w) => w / total);
}

/**
 * The distribution of a deep belief network: a Boltzmann machine on top, whose visible units are the inputs of a sigmoid belief
 * network: p(y) = sum_x P(y | x) p(x) (6.9).
 */
export function beliefLaw(top: BoltzmannMachine, below: BeliefNetwork): Float64Array {
  const { rows, outputs } = exactKernel(below);
  const law = new Float64Array(2 ** outputs);
  boltzmannLaw(top).forEach((p, x) => {
    rows[x]!.forEach((q, y) => {
      law[y]! += p * q;
    });
  });
  return law;
}

/**
 * sum p log(p / q), in nats.
 * @example divergence([1, 0], [0.5, 0.5]) // 0.69314718056
 */
export const divergence = (p: ArrayLike<number>, q: ArrayLike<number>): number =>
  Array.from(p).reduce((sum, v, k) => sum + (v > 0 ? v * Math.log(v / q[k]!) : 0), 0);

/** The derivatives of the divergence of a distribution from the machine's: what the machine expects minus what the data have. */
export function divergenceGradient(machine: BoltzmannMachine, data: ArrayLike<number>): BoltzmannMachine {
  const d = machine.b.length;
  const [b, c] = [new Float64Array(d), new Float64Array(machine.c.length)];
  const W = machine.W.map((row) => new Float64Array(row.length));
  boltzmannLaw(machine).forEach((p, state) => {
    const x = bitsOf(state, d);
    const excess = p - data[state]!;
    const on = drives(machine, x).map(sigma);
    x.forEach((v, i) => {
      b[i]! += excess * v;
      on.forEach((h, k) => {
        W[i]![k]! += excess * v * h;
      });
    });
    on.forEach((h, k) => {
      c[k]! += excess * h;
    });
  });
  return { W, b, c };
}

const moved = (machine: BoltzmannMachine, by: BoltzmannMachine, step: number): BoltzmannMachine => ({
  W: machine.W.map((row, i) => row.map((v, k) => v - step * by.W[i]![k]!)),
  b: machine.b.map((v, i) => v - step * by.b[i]!),
  c: machine.c.map((v, k) => v - step * by.c[k]!),
});

/**
 * Gradient descent of the divergence, exactly; a step that does not lower it is halved, one that does is lengthened.
 * Returns the divergence after each step, the first before all.
 */
export function trainBoltzmann(start: BoltzmannMachine, data: ArrayLike<number>, steps: number) {
  let machine = start;
  let step = 1;
  const divergences = [divergence(data, boltzmannLaw(start))];
  for (let t = 0; t < steps; t++) {
    const gradient = divergenceGradient(machine, data);
    for (let tries = 0; tries < 30; tries++) {
      const next = moved(machine, gradient, step);
      const value = divergence(data, boltzmannLaw(next));
      if (value <= divergences.at(-1)!) {
        machine = next;
        divergences.push(value);
        step *= 1.3;
        break;
      }
      step /= 2;
    }
  }
  return { machine, divergences };
}
