// Curves by enclosures, one unit an element.

import { bent } from "../../functions/bends.ts";
import { linesOfOperator } from "../../functions/by-operator.ts";
import { exponentialUnit } from "../../functions/library/elu.ts";
import { gelu, tanhGelu } from "../../functions/library/gelu.ts";
import { powerBend } from "../../functions/library/power.ts";
import { silu } from "../../functions/library/silu.ts";
import type { Activation } from "../../functions/lines.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import type { OperatorName } from "../../graph/operators/index.ts";
import { geluRate } from "../../graph/recognize.ts";
import { mul as exactProduct } from "../../numbers/exact/rational.ts";
import { mul, point } from "../../numbers/interval/index.ts";
import { numbersOf, scaled } from "../../passes/affine/affine-rules.ts";
import { constantForms, type Forms, isConstant, rowCount } from "../../passes/affine/forms.ts";
import type { Rules } from "../../passes/pass.ts";
import type { Context } from "./context.ts";

const [logistic, tangent, softRamp] = [
  operatorLines("Sigmoid"),
  operatorLines("Tanh"),
  operatorLines("Softplus"),
];
const [erfGelu, approximateGelu, swish] = [bent(gelu.bend), bent(tanhGelu.bend), bent(silu.bend)];
const squaring = bent(powerBend(2));
const [root, mish] = [operatorLines("Sqrt"), operatorLines("Mish")];
export const reciprocal = operatorLines("Reciprocal");

function operatorLines(op: OperatorName): Activation {
  return linesOfOperator.get(op)!;
}

/** x for x > 0, alpha (e^x - 1) before: two pieces for alpha > 1. */
export const eluBend = (alpha: number): Activation =>
  bent(exponentialUnit(`Elu ${alpha}`, point(alpha), 1, 1));

/** x times one of its curves, where that is a curve itself: x^2, x sigmoid(x), x tanh(softplus(x)). */
export function selfProduct({ program }: Context, x: Forms, y: Forms, node: Node): Forms | undefined {
  const inner = program.sourceOf(y, tangent);
  const curve =
    x === y
      ? squaring
      : program.sourceOf(y, logistic) === x
        ? swish
        : inner && program.sourceOf(inner, softRamp) === x
          ? mish
          : undefined;
  return curve && program.curve(x, curve, describe(node));
}

/** x^n for one integer n; negative ones of numbers of one sign. */
function integerPower({ program }: Context, [x, y]: readonly (Forms | undefined)[], node: Node): Forms {
  const [n, ...others] = numbersOf(y, node, "its exponent");
  if (others.length > 0 || n === undefined) throw new GraphError(`${describe(node)}: several exponents`);
  if (n === 0) return constantForms(x!.dims, new Float64Array(rowCount(x!)).fill(1));
  if (n === 0.5) return program.curve(x!, root, describe(node));
  if (!Number.isInteger(n) || Math.abs(n) > mostPower)
    throw new GraphError(`${describe(node)}: its exponent must be an integer`);
  const positive = Math.abs(n) === 1 ? x! : program.curve(x!, bent(powerBend(Math.abs(n))), describe(node));
  return n > 0 ? positive : program.curve(positive, reciprocal, describe(node));
}
const mostPower = 64;

/** Roots of numbers: each rounded once. */
function constantRoots({ program }: Context, { dims, constants }: Forms, node: Node): Forms {
  if (constants.some((c) => c < 0))
    throw new GraphError(`${describe(node)}: the square root of a number below 0`);
  const roots = Float64Array.from(constants, Math.sqrt);
  program.isRounded ||= roots.some((r, k) => exactProduct(r, r) !== constants[k]);
  return constantForms(dims, roots);
}

/** x (1 + erf(rate x)) / 2 = gelu(s x) / s with s = sqrt(2) rate. */
function writtenOutGelu(context: Context, x: Forms, rate: number, node: Node): Forms {
  const { program } = context;
  program.isRounded = true;
  const all = (factor: number) => new Float64Array(rowCount(x)).fill(factor);
  const name = describe(node);
  const inner = program.materialize(scaled(context, x, all(Math.SQRT2 * rate), node), name);
  const bent = program.materialize(program.curve(inner, erfGelu, name), name);
  return program.materialize(scaled(context, bent, all(1 / (Math.SQRT2 * rate)), node), name);
}

export function curvedRules(context: Context): Rules<Forms> {
  const { program } = context;
  const apply = (x: Forms, curve: Activation, node: Node): Forms => program.curve(x, curve, describe(node));
  const each = [...linesOfOperator].map(
    ([op, curve]) =>
      [op, ([x]: readonly (Forms | undefined)[], _: unknown, node: Node) => apply(x!, curve, node)] as const,
  );
  return {
    ...Object.fromEntries(each),
    Sqrt: ([x], _, node) => (isConstant(x!) ? constantRoots(context, x!, node) : apply(x!, root, node)),
    Gelu: ([x], { approximate }, node) => {
      const rate = node.attributes.get(geluRate);
      if (rate?.type === "float") return writtenOutGelu(context, x!, rate.value, node);
      return apply(x!, approximate === "tanh" ? approximateGelu : erfGelu, node);
    },
    Celu: ([x], { alpha }, node) => {
      if (!(alpha > 0)) throw new GraphError(`${describe(node)}: alpha must be above 0`);
      return apply(x!, bent(exponentialUnit(`Celu ${alpha}`, point(alpha), alpha, 1)), node);
    },
    Selu: ([x], { alpha, gamma }, node) => {
      if (!(alpha > 0 && gamma > 0)) throw new GraphError(`${describe(node)}: alpha must be above 0`);
      return apply(
        x!,
        bent(exponentialUnit(`Selu ${alpha} ${gamma}`, mul(point(alpha), point(gamma)), 1, gamma)),
        node,
      );
    },
    Pow: (inputs, _, node) => {
      if (isConstant(inputs[0]!)) throw new GraphError(`${describe(node)}: its base is a constant`);
      return integerPower(context, inputs, node);
    },
  };
}
