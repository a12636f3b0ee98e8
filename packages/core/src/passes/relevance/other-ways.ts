// The ways back through everything that is no linear layer: sums, movers, activations, products.
import { isFloat } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { Step } from "../backward.ts";
import { fullLike, scalarLike, unbroadcast } from "../gradient/shapes.ts";
import type { Gateness } from "./gates.ts";
import { sumOf } from "./ledger.ts";
import { stabilizerOf, stableQuotient } from "./messages.ts";
import { defaultStabilizer, type Rule, ruleText } from "./rule.ts";
import { type Attributes, type Found, gradientShares, pullback, sharesFor } from "./step.ts";

/** How a product of a gate and a signal shares: all to the signal, in proportion to both, or half and half. */
export type ProductRule = "all" | "prop" | "half";

/** As gradients go, through anything. */
export const byGradient = (step: Step, attributes: Attributes): Found => ({
  rule: "gradient",
  shares: gradientShares(step, attributes),
});

/** What arrives at all outputs of a node. */
export const arrivedAt = ({ back, g }: Step): Value => {
  const parts = back.filter((part) => part !== undefined).map(sumOf);
  return parts.length === 0 ? sumOf(g) : parts.reduce((sum, part) => sum.add(part));
};

/** Movers that write zeros of their own beside what they move: these are constants too. */
const writing = new Set(["Pad", "Trilu"]);

/** Each number goes back to where it came from, a maximum to the one that attains it; constants keep what is theirs. */
export function route(step: Step, attributes: Attributes): Found {
  const handed: Value[] = [];
  const shares = gradientShares(step, attributes).map(
    (share) =>
      share &&
      (() => {
        const value = share();
        handed.push(sumOf(value));
        return value;
      }),
  );
  const hasConstant =
    writing.has(step.node.op) ||
    step.node.inputs.some(
      (name, k) => name && !step.wants(name) && isFloat(step.x[k]!.type.type as "float32"),
    );
  const rest = () => handed.reduce((left, v) => left.sub(v), arrivedAt(step));
  return { rule: "route", shares, taken: () => (hasConstant ? { bias: rest() } : {}) };
}

const isFloating = (x: Value | undefined): boolean => x !== undefined && isFloat(x.type.type as "float32");

/** A sum of one value's numbers, all to that value: as normalization that is no layer of its own. */
function throughOne(step: Step): Found {
  const [shape, own] = [step.y[0].type.shape, step.x[0].type.shape];
  if (
    !step.wants(step.node.inputs[0]!) ||
    step.node.inputs.filter(step.wants).length > 1 ||
    `${shape}` !== `${own}`
  )
    return step.fail('"pass" is for what gives one number for each that it takes');
  return { rule: "pass", shares: [() => step.g] };
}

/** A sum of one value's numbers, to all of them alike. */
function evenly(step: Step, attributes: Attributes): Found {
  const { g, x } = step;
  if (x.filter(isFloating).length !== 1) return step.fail('"flat" is for sums of the numbers of one value');
  const ones = fullLike(x[0], 1);
  const counts = step.builder.apply(
    step.node.op as "AveragePool",
    [ones, ...x.slice(1)] as never,
    attributes as never,
  )[0]!;
  const s = stableQuotient(g, counts, defaultStabilizer);
  return {
    rule: "flat",
    shares: [() => pullback(step, attributes, 0, s)],
    taken: () => ({ absorbed: sumOf(g).sub(sumOf(s.mul(counts))) }),
  };
}

/** Each input gets what it adds to the sum, in proportion; constants take the share of a bias. */
export function throughSum(rule: Rule, step: Step, attributes: Attributes): Found {
  const { g, x, y } = step;
  if (rule.kind === "pass") return throughOne(step);
  if (rule.kind === "flat") return evenly(step, attributes);
  const s = stableQuotient(g, y[0], stabilizerOf(rule, y[0]));
  const handed: Value[] = [];
  const shares = sharesFor(step, (k) => () => {
    const share = x[k]!.mul(pullback(step, attributes, k, s));
    handed.push(sumOf(share));
    return share;
  });
  const whole = sumOf(s.mul(y[0]));
  const isWhole = shares.length === step.node.inputs.length && shares.every((share) => share);
  return {
    rule: ruleText(rule),
    shares,
    taken: () => ({
      absorbed: sumOf(g).sub(whole),
      bias: isWhole ? undefined : handed.reduce((rest, v) => rest.sub(v), whole),
    }),
  };
}

/** A function of one number: its input takes all; or as gradients are shown. */
export function throughActivation(rule: Rule, step: Step): Found {
  const { g, x } = step;
  const zero = scalarLike(g, 0);
  const all = (): Value => {
    if (rule.kind === "deconvolution") return g.relu();
    if (rule.kind === "guided")
      return x[0].op("Greater", [scalarLike(x[0], 0)]).op("Where", [g.relu(), zero]);
    return g;
  };
  // A slope or a bound that depends on the inputs too says how much, not what.
  const shares = sharesFor(step, () => all).slice(0, 1);
  return { rule: rule.kind === "guided" || rule.kind === "deconvolution" ? rule.kind : "pass", shares };
}

/** The factor that is the gate, if one is. */
function gateOf(step: Step, gateness: (name: string) => Gateness): 0 | 1 | undefined {
  const [a, b] = [gateness(step.node.inputs[0]!), gateness(step.node.inputs[1]!)];
  return a === b ? undefined : a > b ? 0 : 1;
}

/** Several numbers that depend on no input: a signal, such as the state before the first step. One number only scales. */
const isSignal = ({ type: { shape } }: Value): boolean => !shape?.every((size) => size === 1);

/** A product of two values: between gate and signal, or half to each; a constant scale takes nothing. */
export function throughProduct(
  step: Step,
  product: ProductRule,
  gateness: (name: string) => Gateness,
): Found {
  const { g, x, node, wants } = step;
  const [a, b] = x;
  const constant = node.inputs.findIndex((name) => !wants(name));
  const isGated = constant >= 0 && gateness(node.inputs[1 - constant]!) === 2 && isSignal(x[constant]!);
  if (constant >= 0 && !isGated)
    return { rule: "pass", shares: sharesFor(step, (k) => () => unbroadcast(g, x[k]!)) };
  const gate = gateOf(step, gateness);
  const rule = gate === undefined ? "half" : product;
  const s = stableQuotient(g, a.add(b), defaultStabilizer);
  /** What input k gets of each number, before positions that share it are summed. */
  const part = (k: number): Value | undefined => {
    if (rule === "half") return g.mul(0.5);
    if (rule === "prop") return x[k]!.mul(s);
    return k === gate ? undefined : g;
  };
  const shares = sharesFor(step, (k) => () => unbroadcast(part(k)!, x[k]!));
  const constantPart = isGated ? part(constant) : undefined;
  return {
    rule,
    shares: shares.map((share, k) => (rule === "all" && k === gate ? undefined : share)),
    taken: () => ({
      ...(rule === "prop" && { absorbed: sumOf(g).sub(sumOf(s.mul(a.add(b)))) }),
      ...(constantPart && { bias: sumOf(constantPart) }),
    }),
  };
}

/** A matrix product of two values, as in attention: weights that a softmax made count as constants. */
export function throughBilinear(
  step: Step,
  attributes: Attributes,
  product: ProductRule,
  gateness: (name: string) => Gateness,
): Found {
  const { g, x, y } = step;
  const gate = product === "all" ? gateOf(step, gateness) : undefined;
  const s = stableQuotient(g, y[0], defaultStabilizer);
  const half = gate === undefined ? s.mul(0.5) : s;
  const shares = sharesFor(step, (k) => () => x[k]!.mul(pullback(step, attributes, k, half)));
  return {
    rule: gate === undefined ? "half" : "all",
    shares: shares.map((share, k) => (k === gate ? undefined : share)),
    taken: () => ({ absorbed: sumOf(g).sub(sumOf(s.mul(y[0]))) }),
  };
}

/** All to the numerator or base; where that is constant, to the other. */
export function throughFirst(step: Step): Found {
  const shares = sharesFor(step, (k) => () => unbroadcast(step.g, step.x[k]!));
  return { rule: "pass", shares: shares[0] ? shares.slice(0, 1) : shares };
}

/** Its result counts as a constant: nothing goes further. */
export const stop = (step: Step): Found => ({
  rule: "constant",
  shares: [],
  taken: () => ({ absorbed: sumOf(step.g) }),
});
