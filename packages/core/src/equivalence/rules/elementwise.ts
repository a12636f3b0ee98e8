// Functions of each element: what they leave of a scale is what they are: homogeneous, odd, even, or neither.
import type { Shape } from "../../graph/graph.ts";
import {
  type Axis,
  axisSize,
  constantAxis,
  equate,
  pin,
  pointwise,
  powerAxis,
  representative,
  resolve,
  restrict,
  withoutScale,
} from "../axes/axis-class.ts";
import { type Axes, type AxisRule, type AxisRules, constantNumber, each, knownSize } from "./rule.ts";

const unary =
  (restriction?: "positive" | "sign" | "unit"): AxisRule =>
  ({ x: [x] }) => {
    if (!x) return undefined;
    if (restriction) restrict(x, restriction);
    return [x];
  };

/** f(-z) = f(z): what goes in may be negated, and nothing comes out. */
const even: AxisRule = ({ x: [x] }) => {
  if (!x) return undefined;
  restrict(x, "sign");
  return [x.map(withoutScale)];
};

/** f(-z) = 1 - f(z): the driver lets the next bias take the 1, or forbids it. */
const complementing = unary("sign");

type Combine = (
  present: readonly { readonly axis: Axis; readonly input: number }[],
  isBroadcast: boolean,
) => Axis;

/** Combines inputs that are broadcast together, axis by axis, counted from the last. */
function broadcastWith(
  x: readonly (Axes | undefined)[],
  shape: Shape | undefined,
  combine: Combine,
): Axes | undefined {
  if (!shape || x.some((axes) => !axes)) return undefined;
  return shape.map((_, k) => {
    const own = x.map((axes) => axes![k - shape.length + axes!.length]);
    const size = knownSize(shape, k);
    const stretched = own.filter((axis) => axis && axisSize(axis) === 1 && size !== 1) as Axis[];
    restrict(stretched, "unit");
    const present = own.flatMap((axis, input) =>
      axis && !stretched.includes(axis) ? [{ axis, input }] : [],
    );
    return present.length === 0 ? constantAxis(size) : combine(present, present.length < own.length);
  });
}

/** All inputs have one scale, as summands do; one that is constant along an axis forbids a scale there. */
const together =
  (restriction?: "positive" | "unit"): AxisRule =>
  ({ x, y: [shape] }) => {
    const axes = broadcastWith(x, shape, (present, isBroadcast) => {
      const [first, ...others] = present.map((p) => p.axis);
      for (const other of others) equate(first!, other);
      if (isBroadcast) restrict([first!], "unit");
      return resolve(first!);
    });
    if (axes && restriction) restrict(axes, restriction);
    return axes && [axes];
  };

/** Scales are multiplied, or divided. */
const multiplied =
  (power: 1 | -1): AxisRule =>
  ({ x, y: [shape] }) => {
    const axes = broadcastWith(x, shape, (present) => {
      const [a, b] = present;
      if (b) return pointwise(a!.axis, b.axis, power);
      return a!.input === 0 || power === 1 ? resolve(a!.axis) : nonlinear(powerAxis(a!.axis, -1));
    });
    return axes && [axes];
  };

function nonlinear(axis: Axis): Axis {
  for (const leg of axis.flat()) representative(leg.units).linear = false;
  return axis;
}

/** A comparison or a function of several numbers: the same order, and no scales. */
const unscaled = together("unit");

/** The numbers of these inputs decide what the operator is: they stay. */
function pinParameters(parameters: readonly (Axes | undefined)[]): void {
  for (const axes of parameters) axes?.forEach(pin);
}

/** x^p for a whole p; any other exponent forbids scales. */
const powers: AxisRule = (context) => {
  const p = constantNumber(context.types[1]);
  const [x] = context.x;
  if (p === undefined || !x || !Number.isInteger(p) || p === 0 || context.y[0]?.length !== x.length)
    return unscaled(context);
  pinParameters(context.x.slice(1));
  return [x.map((axis) => nonlinear(powerAxis(axis, p)))];
};

/** Clip to [0, inf) is the ReLU, clip to [-a, a] is odd. */
const clip: AxisRule = ({ x: [x, ...bounds], types: [, low, high], node }) => {
  if (!x) return undefined;
  pinParameters(bounds);
  const bound = (k: number, type: typeof low | undefined, otherwise: number) =>
    node.inputs[k] ? constantNumber(type) : otherwise;
  const [a, b] = [bound(1, low, Number.NEGATIVE_INFINITY), bound(2, high, Number.POSITIVE_INFINITY)];
  const isCone = (bound: number | undefined) =>
    bound === 0 || Math.abs(bound ?? 1) === Number.POSITIVE_INFINITY;
  restrict(
    x,
    isCone(a) && isCone(b) ? "positive" : a !== undefined && b !== undefined && a === -b ? "sign" : "unit",
  );
  return [x];
};

/** max(0, x) + slope min(0, x): the slope has the order of x and no scale. */
const prelu: AxisRule = ({ x: [x, slope], y: [shape] }) => {
  if (!x || !slope) return undefined;
  restrict(slope, "unit");
  restrict(x, "positive");
  const axes = broadcastWith([x, slope], shape, (present) => {
    const [a, b] = present;
    return b ? pointwise(a!.axis, b.axis) : resolve(a!.axis);
  });
  return axes && [axes];
};

/** The condition has the order of the values, which have one scale. */
const where: AxisRule = (context) => {
  const [condition, ...values] = context.x;
  if (!condition || values.some((v) => !v)) return undefined;
  const chosen = together()({ ...context, x: values })?.[0];
  return chosen && unscaledCondition(condition, chosen, context.y[0]);
};

function unscaledCondition(
  condition: Axes,
  chosen: Axes,
  shape: Shape | undefined,
): readonly Axes[] | undefined {
  restrict(condition, "unit");
  const axes = broadcastWith([chosen, condition], shape, (present) => {
    const [a, b] = present;
    return b ? pointwise(a!.axis, b.axis) : resolve(a!.axis);
  });
  return axes && [axes];
}

/** What a value is multiplied by in another type is another number: no scales. */
const cast: AxisRule<{ readonly to: number }> = ({ x: [x], attributes: { to } }) => {
  const isReal = [1, 10, 11, 16].includes(to);
  if (x && !isReal) restrict(x, "unit");
  return x && [x];
};

export const elementwiseRules = {
  ...each("Identity Neg", unary()),
  ...each("Relu LeakyRelu Abs", unary("positive")),
  ...each("Tanh Sin Tan Asin Atan Sinh Asinh Atanh Erf Softsign Sign Round", unary("sign")),
  ...each("Cos Cosh", even),
  ...each(
    `Elu Selu Celu Gelu Softplus HardSwish Mish ThresholdedRelu Shrink Reciprocal Floor Ceil Sqrt Exp Log Acos Acosh
     IsNaN IsInf Not BitwiseNot`,
    unary("unit"),
  ),
  Sigmoid: complementing,
  HardSigmoid: (context) => unary(context.attributes.beta === 0.5 ? "sign" : "unit")(context),
  ...each("Add Sub Sum Mean", together()),
  ...each("Max Min", together("positive")),
  Mul: multiplied(1),
  Div: multiplied(-1),
  ...each(
    `Mod Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor BitwiseAnd BitwiseOr BitwiseXor BitShift`,
    unscaled,
  ),
  Pow: powers,
  Clip: clip,
  PRelu: prelu,
  Where: where,
  Cast: cast,
  CastLike: unary("unit"),
  Dropout: ({ x: [x, ...parameters], types, node }) => {
    pinParameters(parameters);
    // In training a mask is drawn: then nothing is a symmetry.
    const isTraining = node.inputs[2] ? constantNumber(types[2]) !== 0 : false;
    return !x || isTraining ? undefined : [x, x.map(withoutScale)];
  },
} satisfies AxisRules as AxisRules;

/** Operators with f(-z) = 1 - f(z). */
export const isComplementing = (op: string): boolean => op === "Sigmoid" || op === "HardSigmoid";
