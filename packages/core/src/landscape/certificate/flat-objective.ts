// loss + (decay / 2) |w|^2 of a two-layer ReLU network and its slope, at all weights in one vector, with tables that are used
// again and again: descent asks for them many thousand times.
import type { ConvexLoss } from "./convex-loss.ts";
import type { TwoLayer } from "./two-layer.ts";

export interface Penalized {
  readonly outputs: number;
  readonly decay: number;
}

/** For each neuron an orthonormal basis of what it may not turn towards. */
export type Held = readonly (readonly Float64Array[])[];

export const without = (v: Float64Array, basis: readonly Float64Array[]): Float64Array =>
  basis.reduce((rest, b) => {
    const share = dot(rest, b);
    return rest.map((x, c) => x - share * b[c]!);
  }, v);

/** The objective and its slope at vectors of weights, with tables that are used again and again. */
export class FlatObjective {
  readonly #like: TwoLayer;
  readonly #loss: ConvexLoss;
  readonly #outputs: number;
  readonly #decay: number;
  readonly #held: Held;
  /** Examples one after another. */
  readonly #x: Float64Array;
  readonly #width: number;
  readonly #count: number;
  /** <v_j, x_i>, neuron by neuron. */
  readonly #active: Float64Array;
  readonly #z: Float64Array[];

  constructor(
    like: TwoLayer,
    x: readonly Float64Array[],
    loss: ConvexLoss,
    { outputs, decay }: Penalized,
    held: Held,
  ) {
    [this.#like, this.#loss, this.#outputs, this.#decay, this.#held] = [like, loss, outputs, decay, held];
    [this.#width, this.#count] = [x[0]?.length ?? 0, x.length];
    this.#x = new Float64Array(this.#width * this.#count);
    for (const [i, row] of x.entries()) this.#x.set(row, i * this.#width);
    this.#active = new Float64Array(like.neurons.length * this.#count);
    this.#z = Array.from({ length: outputs }, () => new Float64Array(this.#count));
  }

  #forward(theta: Float64Array): void {
    const [width, count, outputs] = [this.#width, this.#count, this.#outputs];
    const [x, active] = [this.#x, this.#active];
    const size = width + outputs;
    const end = this.#like.neurons.length * size;
    for (const [k, row] of this.#z.entries()) row.fill(this.#like.offset ? theta[end + k]! : 0);
    for (let j = 0; j * size < end; j++)
      for (let i = 0; i < count; i++) {
        let sum = 0;
        for (let c = 0; c < width; c++) sum += theta[j * size + c]! * x[i * width + c]!;
        active[j * count + i] = sum;
        if (sum > 0) for (let k = 0; k < outputs; k++) this.#z[k]![i]! += theta[j * size + width + k]! * sum;
      }
  }

  value(theta: Float64Array): number {
    this.#forward(theta);
    return this.#loss.value(this.#z) + (this.#decay / 2) * dot(theta, theta);
  }

  slope(theta: Float64Array): Float64Array {
    this.#forward(theta);
    const [width, count, outputs] = [this.#width, this.#count, this.#outputs];
    const x = this.#x;
    const pull = this.#loss.pull(this.#z);
    const size = width + outputs;
    const slope = theta.map((w) => this.#decay * w);
    this.#like.neurons.forEach((_, j) => {
      const at = j * size;
      for (let i = 0; i < count; i++) {
        const z = this.#active[j * count + i]!;
        if (z <= 0) continue;
        let back = 0;
        for (let k = 0; k < outputs; k++) {
          slope[at + width + k]! -= pull[k]![i]! * z;
          back += pull[k]![i]! * theta[at + width + k]!;
        }
        for (let c = 0; c < width; c++) slope[at + c]! -= back * x[i * width + c]!;
      }
      if (this.#held[j]!.length > 0) slope.set(without(slope.slice(at, at + width), this.#held[j]!), at);
    });
    const end = this.#like.neurons.length * size;
    if (this.#like.offset)
      for (const [k, row] of pull.entries()) slope[end + k]! -= row.reduce((a, b) => a + b, 0);
    return slope;
  }
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}
