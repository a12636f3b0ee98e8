// Each channel of a picture times a factor, as an operator.
import { type Field, type Floats, floatsOf, type Operator } from "./operator.ts";

const still = { stride: 1, before: 0, reach: 0 } as const;

export class Scaling implements Operator {
  readonly inputs: number;
  readonly outputs: number;
  readonly field: Field;
  readonly reading = [still, still] as const;
  readonly terms = 1;
  readonly termsBack = 1;
  readonly products: number;
  readonly #factors: Float64Array;

  constructor(field: Field, factors: Float64Array) {
    this.field = field;
    this.outputs = field.channels * field.height * field.width;
    this.inputs = this.outputs;
    this.products = this.outputs;
    this.#factors = factors;
  }

  async forward(x: Float64Array, count: number, isMagnitude: boolean): Promise<Float64Array> {
    return this.#times(x, count, isMagnitude ? this.#factors.map(Math.abs) : this.#factors) as Float64Array;
  }

  async back(g: Floats, count: number): Promise<Floats> {
    return this.#times(g, count, this.#factors);
  }

  #times(x: Floats, count: number, factors: Float64Array): Floats {
    const area = this.field.height * this.field.width;
    const result = floatsOf(x instanceof Float32Array ? "float32" : "float64", x.length);
    let at = 0;
    for (let n = 0; n < count; n++)
      for (const factor of factors) for (let k = 0; k < area; k++, at++) result[at] = factor * x[at]!;
    return result;
  }
}
