// The way back through a linear layer, by the rule that it was given.
import type { OperatorName } from "../../graph/operators/index.ts";
import type { Value } from "../../graph/value.ts";
import type { Operands, Step } from "../backward.ts";
import type { LinearLayer } from "./layers.ts";
import { handOn, type Runner } from "./messages.ts";
import { type Rule, ruleText } from "./rule.ts";
import { type Attributes, type Found, pullback } from "./step.ts";

/** A bias that is added behind the layer, and what the two give together. */
export interface Added {
  readonly bias: Value;
  readonly output: Value;
}

export interface Knowledge {
  /** No entry of the layer's input is negative. */
  readonly isPositive: boolean;
  /** No relevance arrives where the layer's output is not positive. */
  readonly isRectified: boolean;
}

/** A layer y = alpha x W + beta b as y = x W' + b': the signs of what it adds are those of W' and b'. */
function unscaled(layer: LinearLayer, step: Step, attributes: Attributes, added: Added | undefined) {
  const [weight, bias] = [step.x[layer.weight]!, added?.bias ?? step.given(2)];
  if (layer.node.op !== "Gemm")
    return { weight, bias: layer.node.op === "MatMul" ? added?.bias : bias, attributes };
  const { alpha, beta } = attributes as { readonly alpha: number; readonly beta: number };
  return {
    weight: alpha === 1 ? weight : weight.mul(alpha),
    bias: bias && beta !== 1 ? bias.mul(beta) : bias,
    attributes: { ...attributes, alpha: 1, beta: 1 } as Attributes,
  };
}

/** The layer as something that can be run again with other inputs and weights. */
function runnerOf(layer: LinearLayer, step: Step, attributes: Attributes, added?: Added): Runner {
  const { node, activation, kind } = layer;
  const arranged = (input: Value, weight: Value, bias?: Value): Operands => {
    const pair = activation === 0 ? [input, weight] : [weight, input];
    return [...pair, ...(bias && !added ? [bias] : [])] as unknown as Operands;
  };
  return {
    forward: (input, weight, bias) => {
      const y = step.builder.apply(
        node.op as OperatorName,
        [...arranged(input, weight, bias)],
        attributes,
      )[0]!;
      return bias && added ? y.add(bias) : y;
    },
    backward: (input, weight, s) =>
      pullback(step, attributes, activation, s, arranged(input, weight, step.given(2))),
    spread: (bias) => {
      if (kind === "dense") return bias;
      return bias.reshape([1, -1, ...step.y[0].type.shape!.slice(2).map(() => 1)]);
    },
  };
}

export function throughLayer(
  rule: Rule,
  layer: LinearLayer,
  step: Step,
  attributes: Attributes,
  knowledge: Knowledge,
  added?: Added,
): Found {
  const { activation } = layer;
  const place = (share: () => Value) => (activation === 0 ? [share] : [undefined, share]);
  if (layer.kind === "convolution" && !step.y[0].type.shape)
    return step.fail("the rank of its output is not known");
  const { weight, bias, attributes: plain } = unscaled(layer, step, attributes, added);
  const handed = handOn(
    rule,
    {
      input: step.x[activation]!,
      weight,
      bias,
      output: added?.output ?? step.y[0],
      ...knowledge,
    },
    step.g,
    runnerOf(layer, step, plain, added),
  );
  return {
    rule: ruleText(rule),
    shares: place(() => handed.relevance),
    taken: () => handed,
  };
}
