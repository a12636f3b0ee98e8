// The mean square risk of a small smooth network of one hidden layer, x -> A rho(W x), with all its second derivatives by hand.
import type { Activation } from "../../functions/activation.ts";

/** A function of weights with derivatives; the Hessian as rows. */
export interface SmoothRisk {
  readonly size: number;
  value(theta: Float64Array): number;
  gradient(theta: Float64Array): Float64Array;
  hessian(theta: Float64Array): readonly Float64Array[];
}

export interface SmallTask {
  readonly inputs: readonly Float64Array[];
  /** One row an example. */
  readonly targets: readonly Float64Array[];
}

/**
 * r = 1/m sum_i |A rho(W x_i) - y_i|^2; theta holds for each hidden unit its row of W, then its column of A.
 * @example smallNetworkRisk({ inputs: [Float64Array.of(1)], targets: [Float64Array.of(2)] }, { value: (z) => z }, 1).value(Float64Array.of(3, 1)) // 1
 */
export function smallNetworkRisk(
  { inputs, targets }: SmallTask,
  rho: Activation,
  hidden: number,
): SmoothRisk {
  const [m, d, outputs] = [inputs.length, inputs[0]!.length, targets[0]!.length];
  const per = d + outputs;
  const size = hidden * per;
  /** z_j = <w_j, x>, and what the outputs are above the targets. */
  const forward = (theta: Float64Array, i: number) => {
    const x = inputs[i]!;
    const z = new Float64Array(hidden);
    const rest = targets[i]!.map((y) => -y);
    for (let j = 0; j < hidden; j++) {
      for (let c = 0; c < d; c++) z[j]! += theta[j * per + c]! * x[c]!;
      const active = rho.value(z[j]!);
      for (let k = 0; k < outputs; k++) rest[k]! += theta[j * per + d + k]! * active;
    }
    return { x, z, rest };
  };
  /** The gradient of output k on an example. */
  const slopeOf = (theta: Float64Array, x: Float64Array, z: Float64Array, k: number): Float64Array => {
    const slope = new Float64Array(size);
    for (let j = 0; j < hidden; j++) {
      const steep = theta[j * per + d + k]! * rho.derivative(1, z[j]!);
      for (let c = 0; c < d; c++) slope[j * per + c] = steep * x[c]!;
      slope[j * per + d + k] = rho.value(z[j]!);
    }
    return slope;
  };
  return {
    size,
    value(theta) {
      let sum = 0;
      for (let i = 0; i < m; i++) for (const r of forward(theta, i).rest) sum += r * r;
      return sum / m;
    },
    gradient(theta) {
      const sum = new Float64Array(size);
      for (let i = 0; i < m; i++) {
        const { x, z, rest } = forward(theta, i);
        for (let k = 0; k < outputs; k++)
          slopeOf(theta, x, z, k).forEach((v, a) => {
            sum[a]! += (2 / m) * rest[k]! * v;
          });
      }
      return sum;
    },
    hessian(theta) {
      const rows = Array.from({ length: size }, () => new Float64Array(size));
      for (let i = 0; i < m; i++) {
        const { x, z, rest } = forward(theta, i);
        for (let k = 0; k < outputs; k++) {
          const slope = slopeOf(theta, x, z, k);
          for (let a = 0; a < size; a++)
            for (let b = 0; b < size; b++) rows[a]![b]! += (2 / m) * slope[a]! * slope[b]!;
          for (let j = 0; j < hidden; j++) {
            const out = j * per + d + k;
            const bend = theta[out]! * rho.derivative(2, z[j]!);
            const steep = rho.derivative(1, z[j]!);
            for (let c = 0; c < d; c++) {
              const share = (2 / m) * rest[k]! * x[c]!;
              for (let e = 0; e < d; e++) rows[j * per + c]![j * per + e]! += share * bend * x[e]!;
              rows[j * per + c]![out]! += share * steep;
              rows[out]![j * per + c]! += share * steep;
            }
          }
        }
      }
      return rows;
    },
  };
}
