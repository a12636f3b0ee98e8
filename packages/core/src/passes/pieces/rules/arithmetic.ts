// Sums, differences, multiples: affine in each element.

import { isFloat } from "../../../graph/tensor.ts";
import { div, type Exact, reduce, sign } from "../../../numbers/exact/rational.ts";
import type { Rules } from "../../pass.ts";
import { product, scaled, weightedSum } from "../linear.ts";
import { firstDims } from "../shape.ts";
import { staircases, stairs } from "../stairs.ts";
import { constants, type Pieces } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";

const isInteger = ({ type }: Pieces): boolean => !isFloat(type) && type !== "bfloat16";

/** 1 / x for each element of a constant. */
export function reciprocal(x: Pieces): Pieces {
  const elements = constants(x, "its divisor").map((c) => {
    if (sign(c) === 0) throw new Unreadable("it divides by zero");
    return div(1, c);
  });
  return { ...x, elements };
}

/** x / y for a constant y; integers are divided towards zero. */
function quotient(x: Pieces, y: Pieces, dims: readonly number[]): Pieces {
  const exact = product(x, reciprocal(y), dims, x.type);
  return isInteger(x) ? stairs(exact, staircases.truncation) : exact;
}

const ones = (count: number, weight: Exact): Exact[] => new Array<Exact>(count).fill(weight);

export const arithmetic: Rules<Pieces> = {
  Add: ([x, y], _, node) => weightedSum([x!, y!], [1, 1], firstDims(node, [x, y])),
  Sub: ([x, y], _, node) => weightedSum([x!, y!], [1, -1], firstDims(node, [x, y])),
  Sum: (inputs, _, node) =>
    weightedSum(inputs as readonly Pieces[], ones(inputs.length, 1), firstDims(node, inputs)),
  Mean: (inputs, _, node) =>
    weightedSum(
      inputs as readonly Pieces[],
      ones(inputs.length, reduce(1n, BigInt(inputs.length))),
      firstDims(node, inputs),
    ),
  Neg: ([x]) => scaled(x!, -1),
  Mul: ([x, y], _, node) => product(x!, y!, firstDims(node, [x, y]), x!.type),
  Div: ([x, y], _, node) => quotient(x!, y!, firstDims(node, [x, y])),
  Reciprocal: ([x]) => reciprocal(x!),
  /** x - y q with the quotient q rounded down, or towards zero with fmod. */
  Mod: ([x, y], { fmod }, node) => {
    const dims = firstDims(node, [x, y]);
    const exact = product(x!, reciprocal(y!), dims, x!.type);
    const rounded = stairs(exact, fmod === 1 ? staircases.truncation : staircases.floor);
    return weightedSum([x!, product(rounded, y!, dims, x!.type)], [1, -1], dims);
  },
};
