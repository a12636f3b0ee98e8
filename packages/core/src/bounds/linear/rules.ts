// The operators that the relaxation reads: those of the regions pass, with rounded factors settled, and curves.

import { rising } from "../../functions/curves.ts";
import { clip } from "../../functions/library/clip.ts";
import { eluCurve } from "../../functions/library/elu.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { mul } from "../../numbers/exact/rational.ts";
import { affineRules, numbersOf, scaled } from "../../passes/affine/affine-rules.ts";
import { constantForms, type Forms, isConstant, rowCount } from "../../passes/affine/forms.ts";
import { kinkRules } from "../../passes/affine/kink-rules.ts";
import { moverRules } from "../../passes/affine/mover-rules.ts";
import type { Rules } from "../../passes/pass.ts";
import type { Context } from "./context.ts";
import { curvedRules, eluBend } from "./curved-rules.ts";
import { productRules, ratio } from "./product-rules.ts";

export type RuleOf<K extends keyof Rules<Forms>> = NonNullable<Rules<Forms>[K]>;

/** A rule whose weights are rounded once; its results get slots, so that no later cancellation magnifies the error. */
const settled =
  <Arguments extends readonly [...unknown[], Node]>(
    { program }: Context,
    rule: (...given: Arguments) => Forms | readonly Forms[],
  ) =>
  (...given: Arguments): Forms => {
    program.isRounded = true;
    return program.materialize(rule(...given) as Forms, describe(given.at(-1) as Node));
  };

/** scale (x - mean) / sqrt(variance + epsilon) + bias, so that only the factor is rounded. */
function normalized(
  context: Context,
  inputs: readonly (Forms | undefined)[],
  epsilon: number,
  node: Node,
): Forms {
  const x = inputs[0]!;
  const name = describe(node);
  const [scale, bias, mean, variance] = ["scale", "bias", "mean", "variance"].map((what, k) =>
    numbersOf(inputs[k + 1], node, `its ${what}`),
  );
  const step = x.dims.slice(2).reduce((n, d) => n * d, 1);
  const channel = (k: number): number => Math.floor(k / step) % x.dims[1]!;
  const shifted = (terms: Forms, by: (channel: number) => number) =>
    context.program.combine([terms], x.dims, name, (rows, [form]) => {
      for (let k = 0; k < rowCount(x); k++) {
        rows.add(form!, k, 1);
        rows.shift(by(channel(k)));
        rows.endRow();
      }
    });
  const factors = Float64Array.from({ length: rowCount(x) }, (_, k) => {
    const c = channel(k);
    return scale![c]! / Math.sqrt(variance![c]! + epsilon);
  });
  context.program.isRounded = true;
  const centred = shifted(x, (c) => -mean![c]!);
  const product = context.program.materialize(scaled(context, centred, factors, node), name);
  return shifted(product, (c) => bias![c]!);
}

function gemm(
  context: Context,
  affine: Rules<Forms>,
  ...[inputs, attributes, node]: Parameters<RuleOf<"Gemm">>
) {
  const [a, b, bias] = inputs;
  const { alpha, beta } = attributes;
  const name = describe(node);
  const factors = (x: Forms, factor: number) => new Float64Array(rowCount(x)).fill(factor);
  const plain = affine.Gemm!([a, b], { ...attributes, alpha: 1, beta: 1 }, node) as Forms;
  const product = alpha === 1 ? plain : scaled(context, plain, factors(plain, alpha), node);
  if (!bias || beta === 0) return product;
  if (beta === 1) return affine.Add!([product, bias], {}, node) as Forms;
  context.program.isRounded = true;
  const rounded = constantForms(
    bias.dims,
    numbersOf(bias, node, "its bias").map((c) => beta * c),
  );
  return context.program.materialize(
    affine.Add!([context.program.materialize(product, name), rounded], {}, node) as Forms,
    name,
  );
}

/** x / d by 1 / d, rounded; numbers by numbers only where the quotients are doubles. */
function quotient(
  context: Context,
  affine: Rules<Forms>,
  ...[[x, y], none, node]: Parameters<RuleOf<"Div">>
) {
  const divisors = numbersOf(y, node, "its divisor");
  if (divisors.some((d) => d === 0)) throw new GraphError(`${describe(node)}: division by 0`);
  if (!isConstant(x!)) {
    context.program.isRounded ||= divisors.some((d) => mul(d, 1 / d) !== 1);
    const product = affine.Mul!([x, { ...y!, constants: divisors.map((d) => 1 / d) }], none, node) as Forms;
    return context.program.materialize(product, describe(node));
  }
  if (divisors.some((d) => mul(d, 1 / d) !== 1))
    throw new GraphError(`${describe(node)}: its constants cannot be combined without rounding`);
  return affine.Div!([x, y], none, node) as Forms;
}

function clipped(context: Context, ...[[x, low, high], , node]: Parameters<RuleOf<"Clip">>): Forms {
  const least = low ? numbersOf(low, node, "its least value")[0]! : Number.NEGATIVE_INFINITY;
  const greatest = high ? numbersOf(high, node, "its greatest value")[0]! : Number.POSITIVE_INFINITY;
  if (isConstant(x!))
    return constantForms(
      x!.dims,
      x!.constants.map((c) => Math.min(greatest, Math.max(least, c))),
    );
  if (least > greatest) return constantForms(x!.dims, new Float64Array(rowCount(x!)).fill(greatest));
  if (least === Number.NEGATIVE_INFINITY && greatest === Number.POSITIVE_INFINITY) return x!;
  return context.program.curve(x!, rising(clip(least, greatest)), describe(node));
}

/** Curves with attributes, one for each row. */
function curveRules({ program }: Context): Rules<Forms> {
  return {
    Elu: ([x], { alpha }, node) => {
      if (!(alpha >= 0)) throw new GraphError(`${describe(node)}: alpha must not be negative`);
      const convex = alpha <= 1 ? rising(eluCurve(alpha)) : eluBend(alpha);
      return program.curve(x!, convex, describe(node));
    },
    HardSigmoid: ([x], { alpha, beta }, node) => {
      const line = program.combine([x!], x!.dims, describe(node), (rows, [terms]) => {
        for (let k = 0; k < rowCount(x!); k++) {
          rows.add(terms!, k, alpha);
          rows.shift(beta);
          rows.endRow();
        }
      });
      return program.curve(line, rising(clip(0, 1)), describe(node));
    },
  };
}

/** The rules of this pass. */
export function relaxationRules(context: Context): Rules<Forms> {
  const [affine, kinks] = [affineRules(context), kinkRules(context)];
  const sum = (inputs: readonly (Forms | undefined)[], node: Node): Forms =>
    inputs.reduce((total, x) => affine.Add!([total, x], {}, node) as Forms)!;
  return {
    ...affine,
    ...moverRules(context),
    ...kinks,
    ...curveRules(context),
    ...curvedRules(context),
    ...productRules(context, affine),
    Sum: (inputs, _, node) => sum(inputs, node),
    Mean: settled(context, (inputs, _, node) => {
      const total = sum(inputs, node);
      return scaled(context, total, new Float64Array(rowCount(total)).fill(1 / inputs.length), node);
    }) as RuleOf<"Mean">,
    Div: (inputs, none, node) =>
      isConstant(inputs[1]!)
        ? quotient(context, affine, inputs, none, node)
        : ratio(context, affine, inputs, node),
    Gemm: (inputs, attributes, node) => gemm(context, affine, inputs, attributes, node),
    BatchNormalization: (inputs, { epsilon, training_mode }, node) => {
      if (training_mode) throw new GraphError(`${describe(node)} is in training mode`);
      return normalized(context, inputs, epsilon, node);
    },
    ReduceMean: settled(context, affine.ReduceMean!),
    AveragePool: settled(context, kinks.AveragePool!),
    GlobalAveragePool: settled(context, kinks.GlobalAveragePool!),
    Clip: (...given) => clipped(context, ...given),
  };
}
