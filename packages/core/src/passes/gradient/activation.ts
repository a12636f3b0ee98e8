// Gradients of activation functions.
// Conventions at kinks: where one side is constant, the kink belongs to it (Relu, HardSigmoid, HardSwish,
// ThresholdedRelu and Shrink have the derivative of the flat side: ReLU'(0) = 0); LeakyRelu, PRelu, Elu and Selu take
// the left side. All others are smooth. On a flat side nothing comes back, not even from an infinite cotangent.
import type { Operand, Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules } from "../backward.ts";
import { chain, oneLess, where } from "./elementwise.ts";
import { scalarLike, unbroadcast } from "./shapes.ts";

/** One thing for positive x, another for the rest. */
function bySign(x: Value, positive: number, rest: Operand): Value {
  return x.op("Greater", [0]).op("Where", [scalarLike(x, positive), x.builder.lift(rest, x.type.type)]);
}

/** Phi(x) + x phi(x), with the normal distribution and its density. */
function geluSlope(x: Value): Value {
  const distribution = x.mul(Math.SQRT1_2).op("Erf").add(1).mul(0.5);
  const density = x
    .mul(x)
    .mul(-0.5)
    .exp()
    .mul(1 / Math.sqrt(2 * Math.PI));
  return distribution.add(x.mul(density));
}

/** y = x (1 + t) / 2 with t = tanh(u), u = sqrt(2 / pi) (x + 0.044715 x^3). */
function tanhGeluSlope(x: Value): Value {
  const scale = Math.sqrt(2 / Math.PI);
  const square = x.mul(x);
  const t = square
    .mul(0.044715 * scale)
    .add(scale)
    .mul(x)
    .tanh();
  const innerSlope = square.mul(3 * 0.044715 * scale).add(scale);
  const rise = oneLess(t.mul(t)).mul(innerSlope).mul(x);
  return t.add(1).add(rise).mul(0.5);
}

/** y = x tanh(s) with s = log(1 + e^x), whose derivative is the logistic function. */
function mishSlope(x: Value): Value {
  const t = x.op("Softplus").tanh();
  return t.add(oneLess(t.mul(t)).mul(x).mul(x.sigmoid()));
}

/** x h(x) with h(x) = clip(x / 6 + 1 / 2, 0, 1): h(x) + x h'(x), where it is not flat. */
function hardSwishSlope(x: Value): Value {
  const rising = x.div(3).add(0.5);
  return x.op("Less", [3]).op("Where", [rising, scalarLike(x, 1)]);
}

/** The slope's share is the negative part of x. */
const prelu: BackwardRule<"PRelu"> = ({ g, x: [x, slope] }) => [
  () => g.mul(bySign(x, 1, slope)),
  () => unbroadcast(where(x.op("Less", [0]), g).mul(x), slope),
];

/** The cotangent where x is positive: a choice, which costs about as much as a product with 0 or 1. */
const positivePart = (g: Value, x: Value): Value => where(x.op("Greater", [0]), g);

export const activation: BackwardRules = {
  // By a comparison: ONNX Runtime's Sign takes three times as long.
  Relu: ({ g, y: [y] }) => [() => positivePart(g, y)],
  LeakyRelu: ({ g, x: [x] }, { alpha }) => [
    () => (alpha === 0 ? positivePart(g, x) : g.mul(bySign(x, 1, alpha))),
  ],
  PRelu: prelu,
  // alpha e^x = y + alpha
  Elu: ({ g, x: [x], y: [y] }, { alpha }) => [() => g.mul(bySign(x, 1, y.add(alpha)))],
  Selu: ({ g, x: [x], y: [y] }, { alpha, gamma }) => [() => g.mul(bySign(x, gamma, y.add(alpha * gamma)))],
  // e^(x / alpha) = y / alpha + 1
  Celu: ({ g, x: [x], y: [y], fail }, { alpha }) => [
    () => (alpha === 0 ? fail("alpha = 0, by which it divides") : g.mul(bySign(x, 1, y.div(alpha).add(1)))),
  ],
  Gelu: ({ g, x: [x] }, { approximate }) => [
    () => g.mul(approximate === "tanh" ? tanhGeluSlope(x) : geluSlope(x)),
  ],
  // y (1 - y)
  Sigmoid: chain((_, y) => y.sub(y.mul(y))),
  Softplus: chain((x) => x.sigmoid()),
  Softsign: ({ g, x: [x] }) => [
    () => {
      const s = x.abs().add(1);
      return g.div(s.mul(s));
    },
  ],
  HardSigmoid: ({ g, y: [y] }, { alpha }) => [
    () => where(y.op("Greater", [0]).op("And", [y.op("Less", [1])]), g).mul(alpha),
  ],
  HardSwish: ({ g, x: [x] }) => [() => where(x.op("Greater", [-3]), g).mul(hardSwishSlope(x))],
  Mish: chain(mishSlope),
  ThresholdedRelu: ({ g, x: [x] }, { alpha }) => [() => where(x.op("Greater", [alpha]), g)],
  Shrink: ({ g, x: [x] }, { lambd }) => [() => where(x.abs().op("Greater", [lambd]), g)],
};
