// Powers of a number by its binary digits (Liang and Srikant): steps cut off n digits one after the other, and a product of
// a digit with a number of [0, 2] is one ReLU, so that n digits times a number are n of them.
import { float64, graph as writeGraph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { DiscreteError } from "../error.ts";

/** The digits b_i = 1[r >= 2^-i], r the rest: one step a layer; [N, digits]. */
function cutDigits(x: Value, digits: number): Value {
  let rest = x;
  const found: Value[] = [];
  for (let i = 1; i <= digits; i++) {
    const digit = rest.op("GreaterOrEqual", [2 ** -i]).cast("float64");
    rest = rest.sub(digit.mul(2 ** -i));
    found.push(digit);
  }
  return found[0]!.concat(found.slice(1), 1);
}

/** sum_i 2^-i relu(2 (b_i - 1) + y) = (sum_i b_i 2^-i) y for y in [0, 2]. */
function timesDigits(digits: Value, y: Value, places: Float64Array): Value {
  return digits
    .sub(1)
    .mul(2)
    .add(y)
    .relu()
    .affine(tensor(places, { dims: [1, places.length] }));
}

/**
 * The network of steps and ReLUs from x in [0, 1] to c_0 + c_1 z + ... + c_p z^p, where z is x cut off after some digits.
 * @example numbers((await run(digitPolynomial([0, 0, 1], 3), { x: tensor([[0.7]]) })).y) // Float64Array [0.390625]
 */
export function digitPolynomial(coefficients: readonly number[], digits: number): Graph {
  if (coefficients.length < 2) throw new DiscreteError("a polynomial of digits has degree 1 at least");
  const places = Float64Array.from({ length: digits }, (_, i) => 2 ** -(i + 1));
  return writeGraph(
    { x: float64("N", 1) },
    ({ x }) => {
      const b = cutDigits(x, digits);
      let power = b.affine(tensor(places, { dims: [1, digits] }));
      let sum = power.mul(coefficients[1]!).add(coefficients[0]!);
      for (const c of coefficients.slice(2)) {
        power = timesDigits(b, power, places);
        sum = sum.add(power.mul(c));
      }
      return { y: sum };
    },
    { name: "digit_polynomial" },
  );
}

/** Steps, ReLUs and layers of both. */
export interface DigitSizes {
  readonly steps: number;
  readonly relus: number;
  readonly layers: number;
}

/**
 * What a network of digits has, counted in its graph: a step is a unit, a Relu node has one for each digit.
 * @example digitSizes(digitPolynomial([0, 0, 1], 3), 3) // { steps: 3, relus: 3, layers: 4 }
 */
export function digitSizes({ nodes }: Graph, digits: number): DigitSizes {
  const count = (op: string): number => nodes.filter((node) => node.op === op).length;
  const [steps, products] = [count("GreaterOrEqual"), count("Relu")];
  return { steps, relus: products * digits, layers: steps + products };
}
