// Functions of each unit, sums of branches, and multiples.

import type { Node } from "../../graph/graph.ts";
import { ownEntry } from "../../graph/own-entry.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { Rule, Rules } from "../../passes/pass.ts";
import { resolve } from "./activation.ts";
import { type Combination, combined, composed, multiplied, rooted, shareField } from "./compose.ts";
import { type Context, pairsOfTile } from "./context.ts";
import { withBias } from "./linear-rules.ts";
import {
  type Applied,
  type Field,
  type Meaning,
  positionsOf,
  randomOperand,
  refuse,
  samePositions,
  scalarOf,
} from "./meaning.ts";
import {
  clipped,
  exponentialUnit,
  gelu,
  leaky,
  monomial,
  plainFunctions,
  tanhGelu,
} from "./scalar-functions.ts";
import type { UnitFunction } from "./unit-function.ts";

const notGaussian =
  "its operand is not Gaussian in the limit; a layer with random weights must come before an activation";

/** f of a Gaussian field, or of a function of one. */
function apply(f: UnitFunction, value: Meaning | undefined, node: Node, context: Context): Meaning {
  const operand = randomOperand(value, node);
  const key = node.outputs[0]!;
  if (operand.kind === "field") {
    if (!operand.gaussian) refuse(node, notGaussian);
    return { kind: "applied", key, field: operand, f, factor: 1 };
  }
  const whole = context.once(`function ${key}`, () => composed(f, multiplied(operand.f, operand.factor)));
  return { kind: "applied", key, field: operand.field, f: whole, factor: 1 };
}

/** c x. */
function multiple(value: Field | Applied, factor: number, node: Node, { array }: Context): Meaning {
  const key = node.outputs[0]!;
  if (value.kind === "applied") return { ...value, key, factor: value.factor * factor };
  const times = (entries: Float64Array): Float64Array => {
    const [result, square] = [array(entries.length), factor * factor];
    for (let n = 0; n < result.length; n++) result[n] = square * entries[n]!;
    return result;
  };
  const of = value.multiple?.of ?? value;
  const total = factor * (value.multiple?.factor ?? 1);
  const ntk = value.ntk && times(value.ntk);
  return { ...value, key, nngp: times(value.nngp), ntk, multiple: { of, factor: total } };
}

/** Two functions of one field, or of a field and a constant, made one. */
function combine(
  combination: Combination,
  [a, b]: readonly (Meaning | undefined)[],
  node: Node,
  context: Context,
  step = 0,
): Meaning {
  const key = step === 0 ? node.outputs[0]! : `${node.outputs[0]} ${step}`;
  const constant = (c: number): UnitFunction => ({ value: () => c, slope: () => 0, kinks: [] });
  const random = randomOperand(a?.kind === "weight" ? b : a, node);
  const { field } = rooted(random);
  if (!field.gaussian) refuse(node, notGaussian);
  const partOf = (value: Meaning | undefined): UnitFunction => {
    if (value?.kind !== "weight") return rooted(value!).f;
    const c = scalarOf(value);
    return c === undefined ? refuse(node, "it combines the data with a tensor of constants") : constant(c);
  };
  if (a?.kind !== "weight" && b?.kind !== "weight" && !shareField(a, b))
    refuse(node, "it combines two different random fields");
  const f = context.once(`function ${key}`, () => combined(combination, partOf(a), partOf(b)));
  return { kind: "applied", key, field, f, factor: 1 };
}

const sum: Combination = { value: (f, g) => f + g, slope: (_f, _g, df, dg) => df + dg };
const difference: Combination = { value: (f, g) => f - g, slope: (_f, _g, df, dg) => df - dg };
const product: Combination = { value: (f, g) => f * g, slope: (f, g, df, dg) => df * g + f * dg };
const quotient: Combination = {
  value: (f, g) => f / g,
  slope: (f, g, df, dg) => (df * g - f * dg) / (g * g),
};
const greatest: Combination = {
  value: Math.max,
  slope: (f, g, df, dg) => (f > g ? df : dg),
  isKinked: true,
};
const least: Combination = { value: Math.min, slope: (f, g, df, dg) => (f < g ? df : dg), isKinked: true };

/** Independent: one of the two is a sum of terms, each linear in weights on which the other does not depend. */
function isIndependent(a: Field, b: Field): boolean {
  const apart = (x: Field, y: Field): boolean =>
    x.terms !== undefined && x.terms.size > 0 && [...x.terms].every((term) => !y.depends.has(term));
  return apart(a, b) || apart(b, a);
}

/** The sum of two branches of which one has fresh weights: covariances and tangent kernels add. */
function addBranches(left: Field, right: Field, node: Node, context: Context): Field {
  if (positionsOf(left) !== positionsOf(right) || left.features !== right.features)
    refuse(node, "it adds values of different shapes");
  if (!isIndependent(left, right))
    refuse(node, "its two operands are correlated; each branch but one must end with weights of its own");
  const length = pairsOfTile(context.tile);
  const [a, b] = left.all === right.all ? [left, right] : [left, right].map((x) => samePositions(x, length));
  const plus = (x: Float64Array, y: Float64Array): Float64Array => {
    const result = context.array(x.length);
    for (let n = 0; n < result.length; n++) result[n] = x[n]! + y[n]!;
    return result;
  };
  const [p, q] = [a!, b!];
  return {
    ...p,
    key: node.outputs[0]!,
    nngp: plus(p.nngp, q.nngp),
    ntk: p.ntk && q.ntk ? plus(p.ntk, q.ntk) : (p.ntk ?? q.ntk),
    gaussian: p.gaussian && q.gaussian,
    terms: p.terms && q.terms && new Set([...p.terms, ...q.terms]),
    depends: new Set([...p.depends, ...q.depends]),
    multiple: undefined,
  };
}

/** One number a unit, behind a layer. */
const isBias = (value: Meaning | undefined, to: Field): boolean =>
  value?.kind === "weight" && value.dims.length > 0 && elementCount(value.dims) === to.features;

function add(inputs: readonly (Meaning | undefined)[], node: Node, context: Context, step = 0): Meaning {
  const [a, b] = inputs;
  const [random, other] = a?.kind === "weight" ? [b, a] : [a, b];
  const operand = randomOperand(random, node);
  if (operand.kind === "field" && isBias(other, operand)) {
    if (!operand.gaussian || !operand.terms) refuse(node, "it adds weights to what is not a layer's output");
    return withBias(operand, node, context);
  }
  if (other?.kind === "weight" || shareField(a, b)) return combine(sum, inputs, node, context, step);
  return addBranches(resolve(operand, context), resolve(randomOperand(other, node), context), node, context);
}

/** A factor that is a number is taken along; everything else is a function of the same field. */
function multiply(inputs: readonly (Meaning | undefined)[], node: Node, context: Context): Meaning {
  const [a, b] = inputs;
  const [random, factor] = a?.kind === "weight" ? [b, scalarOf(a)] : [a, scalarOf(b)];
  if (factor !== undefined) return multiple(randomOperand(random, node), factor, node, context);
  if (shareField(a, b) && a!.kind === "field" && b!.kind === "field" && a!.key === b!.key)
    return apply(monomial(2), a, node, context);
  return combine(product, inputs, node, context);
}

function power(inputs: readonly (Meaning | undefined)[], node: Node, context: Context): Meaning {
  const exponent = scalarOf(inputs[1]);
  if (exponent === undefined) return refuse(node, "its exponent is not a constant");
  if (exponent === 1) return randomOperand(inputs[0], node);
  return apply(
    context.once(`power ${exponent}`, () => monomial(exponent)),
    inputs[0],
    node,
    context,
  );
}

const folded =
  (combination: Combination, context: Context) =>
  (inputs: readonly (Meaning | undefined)[], _: unknown, node: Node): Meaning =>
    inputs.length === 1
      ? randomOperand(inputs[0], node)
      : (inputs as Meaning[]).reduce((x, y, k) => combine(combination, [x, y], node, context, k));

/** Functions with attributes, by name, made once. */
const withAttributes = (context: Context): Rules<Meaning> => {
  const made = (node: Node, make: () => UnitFunction): UnitFunction =>
    context.once(`attributes ${node.outputs[0]}`, make);
  const clip = (low: Meaning | undefined, high: Meaning | undefined): UnitFunction =>
    clipped(scalarOf(low) ?? Number.NEGATIVE_INFINITY, scalarOf(high) ?? Number.POSITIVE_INFINITY);
  return {
    LeakyRelu: ([x], { alpha }, node) =>
      apply(
        made(node, () => leaky(alpha)),
        x,
        node,
        context,
      ),
    PRelu: ([x, slope], _, node) => {
      const alpha = scalarOf(slope);
      if (alpha === undefined) return refuse(node, "it has a slope for each unit");
      return apply(
        made(node, () => leaky(alpha)),
        x,
        node,
        context,
      );
    },
    Elu: ([x], { alpha }, node) =>
      apply(
        made(node, () => exponentialUnit(alpha, 1, 1)),
        x,
        node,
        context,
      ),
    Celu: ([x], { alpha }, node) =>
      apply(
        made(node, () => exponentialUnit(alpha, alpha, 1)),
        x,
        node,
        context,
      ),
    Selu: ([x], { alpha, gamma }, node) =>
      apply(
        made(node, () => exponentialUnit(alpha * gamma, 1, gamma)),
        x,
        node,
        context,
      ),
    Gelu: ([x], { approximate }, node) => apply(approximate === "tanh" ? tanhGelu : gelu, x, node, context),
    HardSigmoid: ([x], { alpha, beta }, node) =>
      apply(
        made(node, () => clipped(0, 1, alpha, beta)),
        x,
        node,
        context,
      ),
    Clip: ([x, low, high], _, node) =>
      apply(
        made(node, () => clip(low, high)),
        x,
        node,
        context,
      ),
  };
};

export const elementwiseRules = (context: Context): Rules<Meaning> => ({
  ...(Object.fromEntries(
    Object.keys(plainFunctions).map((op) => [
      op,
      (([x], _, node) => apply(ownEntry(plainFunctions, op)!, x, node, context)) satisfies Rule<
        Meaning,
        "Relu"
      >,
    ]),
  ) as Rules<Meaning>),
  ...withAttributes(context),
  Add: (inputs, _, node) => add(inputs, node, context),
  Sum: (inputs, _, node) => (inputs as Meaning[]).reduce((x, y, k) => add([x, y], node, context, k)),
  Sub: (inputs, _, node) =>
    shareField(...(inputs as [Meaning, Meaning])) || inputs.some((x) => x?.kind === "weight")
      ? combine(difference, inputs, node, context)
      : add(inputs, node, context),
  Mul: (inputs, _, node) => multiply(inputs, node, context),
  Div: (inputs, _, node) => {
    const divisor = scalarOf(inputs[1]);
    return divisor === undefined
      ? combine(quotient, inputs, node, context)
      : multiple(randomOperand(inputs[0], node), 1 / divisor, node, context);
  },
  Neg: ([x], _, node) => multiple(randomOperand(x, node), -1, node, context),
  Pow: (inputs, _, node) => power(inputs, node, context),
  Max: folded(greatest, context),
  Min: folded(least, context),
  Identity: ([x]) => x!,
  Dropout: ([x]) => x!,
  Cast: ([x]) => x!,
});
