// What the ways back have in common: a step of the walk with its attributes, and what a way gives.
import type { AttributesOf, OperatorName } from "../../graph/operators/index.ts";
import { isFloat } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, Operands, Shares, Step } from "../backward.ts";
import { rules as gradientRules } from "../gradient/rules.ts";
import { zerosLike } from "../gradient/shapes.ts";
import type { Account } from "./ledger.ts";

export type AnyRule = BackwardRule<OperatorName>;
export type Attributes = AttributesOf<OperatorName>;

/** What a node hands on, by which rule, and who took the rest. */
export interface Found {
  readonly rule: string;
  readonly shares: Shares;
  readonly taken?: Account["taken"];
}

const gradientRule = (step: Step): AnyRule =>
  (gradientRules[step.node.op as OperatorName] as AnyRule | undefined) ??
  step.fail("it has no gradient, and so no way back for relevance");

/** What the gradient's rule of a node sends back to its inputs. */
export function gradientShares(step: Step, attributes: Attributes): Shares {
  const shares = gradientRule(step)(step, attributes);
  return sharesFor(step, (k) => shares[k] ?? (() => zerosLike(step.x[k]!)));
}

/** What it sends back to input k of g at the only output, at the node's own values or at others. */
export function pullback(
  step: Step,
  attributes: Attributes,
  k: number,
  g: Value,
  x: Operands = step.x,
): Value {
  const share = gradientRule(step)({ ...step, g, back: [g], x, given: (i) => x[i] }, attributes)[k];
  return share ? share() : zerosLike(x[k]!);
}

/** A share for each input that leads to what is explained. */
export const sharesFor = ({ node, wants, x }: Step, share: (k: number) => () => Value): Shares =>
  node.inputs.map((name, k) =>
    name && wants(name) && isFloat(x[k]!.type.type as "float32") ? share(k) : undefined,
  );
