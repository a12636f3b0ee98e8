// Activations with attributes or a kink: monotone ones by their ends, the others by the pieces on which they are.
import { itself, joinedAt, times } from "../../functions/enclosing.ts";
import { celuEnclosure, eluEnclosure } from "../../functions/library/elu.ts";
import { gelu, tanhGelu } from "../../functions/library/gelu.ts";
import {
  add,
  hull,
  type Interval,
  max,
  min,
  mul,
  point,
  type RealFunction,
  sub,
} from "../../numbers/interval/index.ts";
import type { Rules } from "../pass.ts";
import { combined } from "./elementwise.ts";
import { firstDims, type IntervalTensor, mapped } from "./tensor.ts";

const zero = point(0);
const one = point(1);

const ramp = (x: Interval): Interval => min(max(x, zero), one);
/** x above alpha, else 0. */
const thresholded =
  (alpha: number): RealFunction =>
  (x) => {
    if (x.lower > alpha) return x;
    return x.upper <= alpha ? zero : hull(zero, { lower: alpha, upper: x.upper });
  };

/** x + bias below -lambd, x - bias above lambd, else 0. */
const shrunk =
  (bias: number, lambd: number): RealFunction =>
  (x) => {
    const parts: Interval[] = [];
    if (x.lower < -lambd) parts.push(add({ lower: x.lower, upper: Math.min(x.upper, -lambd) }, point(bias)));
    if (x.upper > lambd) parts.push(sub({ lower: Math.max(x.lower, lambd), upper: x.upper }, point(bias)));
    if (x.upper >= -lambd && x.lower <= lambd) parts.push(zero);
    return parts.length > 0 ? parts.reduce(hull) : zero;
  };

export const activations: Rules<IntervalTensor> = {
  Relu: ([x]) => mapped(x!, (a) => max(a, zero)),
  LeakyRelu: ([x], { alpha }) => mapped(x!, joinedAt(0, times(alpha, itself), itself)),
  PRelu: ([x, slope], _, node) =>
    combined(x!, slope!, firstDims(node, [x, slope]), (a, s) =>
      joinedAt(0, (negative) => mul(s, negative), itself)(a),
    ),
  Elu: ([x], { alpha }) => mapped(x!, eluEnclosure(alpha)),
  Selu: ([x], { alpha, gamma }) => mapped(x!, times(gamma, eluEnclosure(alpha))),
  Celu: ([x], { alpha }) => mapped(x!, celuEnclosure(alpha)),
  Gelu: ([x], { approximate }) => mapped(x!, (approximate === "tanh" ? tanhGelu : gelu).enclosure),
  HardSigmoid: ([x], { alpha, beta }) => mapped(x!, (a) => ramp(add(mul(point(alpha), a), point(beta)))),
  ThresholdedRelu: ([x], { alpha }) => mapped(x!, thresholded(alpha)),
  Shrink: ([x], { bias, lambd }) => mapped(x!, shrunk(bias, lambd)),
};
