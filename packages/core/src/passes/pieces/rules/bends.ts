// Continuous operators that bend: activations and the greatest and least of several.

import { broadcastPositions } from "../../../graph/elements/positions.ts";
import type { Exact } from "../../../numbers/exact/rational.ts";
import type { Rules } from "../../pass.ts";
import { chosenBySign, maximum, minimum } from "../choice.ts";
import { product, scaled } from "../linear.ts";
import { firstDims } from "../shape.ts";
import { isConstant, type Pieces, scalar } from "../tensor.ts";

/** The same elements, repeated to fill a shape. */
export function broadcastTo(x: Pieces, dims: readonly number[]): Pieces {
  const elements = Array.from(broadcastPositions(x.dims, dims), (k) => x.elements[k]!);
  return { ...x, dims, elements };
}

/** a x where x is negative, b x where it is positive. */
export const bent = (x: Pieces, a: Exact, b: Exact): Pieces =>
  chosenBySign(x, { negative: scaled(x, a), positive: scaled(x, b) });

/** min(max(x, least), greatest); a bound that is infinite, as exporters write them, is none. */
export function clipped(x: Pieces, least: Pieces | undefined, greatest: Pieces | undefined): Pieces {
  const isBound = (b: Pieces | undefined): b is Pieces =>
    b !== undefined && !(isConstant(b) && Math.abs(b.elements[0] as number) === Number.POSITIVE_INFINITY);
  const above = isBound(least) ? maximum([x, broadcastTo(least, x.dims)]) : x;
  return isBound(greatest) ? minimum([above, broadcastTo(greatest, x.dims)]) : above;
}

export const bends: Rules<Pieces> = {
  Relu: ([x]) => chosenBySign(x!, { negative: scalar(0), positive: x! }),
  LeakyRelu: ([x], { alpha }) => bent(x!, alpha, 1),
  PRelu: ([x, slope], _, node) => {
    const dims = firstDims(node, [x, slope]);
    return chosenBySign(x!, { negative: product(x!, slope!, dims, x!.type), positive: x! });
  },
  Abs: ([x]) => bent(x!, -1, 1),
  Clip: ([x, least, greatest]) => clipped(x!, least, greatest),
  HardSigmoid: ([x], { alpha, beta }) => clipped(scaled(x!, alpha, beta), scalar(0), scalar(1)),
  Max: (inputs, _, node) => maximum(sameShape(inputs as readonly Pieces[], firstDims(node, inputs))),
  Min: (inputs, _, node) => minimum(sameShape(inputs as readonly Pieces[], firstDims(node, inputs))),
};

const sameShape = (inputs: readonly Pieces[], dims: readonly number[]): readonly Pieces[] =>
  inputs.map((x) => broadcastTo(x, dims));
