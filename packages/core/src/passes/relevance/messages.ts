// The rules of linear layers as one scheme. A rule says with which inputs and weights the layer is run again: z is the sum
// of what these parts give, s = R / z, and each input gets its part times what s sends back through the part's weights.
import { GraphError } from "../../graph/error.ts";
import type { Value } from "../../graph/value.ts";
import { fullLike, scalarLike } from "../gradient/shapes.ts";
import { sumOf } from "./ledger.ts";
import { defaultStabilizer, type Rule } from "./rule.ts";

/** The layer with other weights; all of them are linear in `input`. */
export interface Runner {
  forward(input: Value, weight: Value, bias: Value | undefined): Value;
  /** What comes back to the input of this weight. */
  backward(input: Value, weight: Value, s: Value): Value;
  /** A bias in a shape that spreads over the output as the layer spreads it. */
  spread(bias: Value): Value;
}

export interface LayerValues {
  readonly input: Value;
  readonly weight: Value;
  readonly bias: Value | undefined;
  /** What the layer gives, bias and all. */
  readonly output: Value;
  /** No entry of the input is negative; no relevance arrives where the output is not positive. */
  readonly isPositive: boolean;
  readonly isRectified: boolean;
}

interface Part {
  readonly input: Value;
  readonly weight: Value;
  readonly bias?: Value | undefined;
  /** -1: taken off. */
  readonly sign?: -1;
}

/** Parts that share one denominator, and how much of the relevance they hand on, and where. */
interface Group {
  readonly parts: readonly Part[];
  readonly factor: number;
  /** Only where the output has this sign. */
  readonly where?: "positive" | "negative";
}

export interface Handed {
  readonly relevance: Value;
  /** What the biases took, and what the stabilizer took; sums over everything. */
  readonly bias: Value | undefined;
  readonly absorbed: Value;
}

const positive = (x: Value): Value => x.relu();
const negative = (x: Value): Value => x.min(scalarLike(x, 0));

/** W + gamma max(W, 0), or min. */
const leaned = (x: Value, gamma: number, side: (x: Value) => Value): Value => x.add(side(x).mul(gamma));
const both = (x: Value | undefined, f: (x: Value) => Value): Value | undefined => x && f(x);

/** The numbers of a box, one for all or one for each channel, in the shape of the input. */
function corner(x: Value, bound: number | readonly number[]): Value {
  if (typeof bound === "number") return fullLike(x, bound);
  const rank = x.type.shape?.length ?? 2;
  const channels = x.type.shape?.[1];
  if (typeof channels === "number" && channels !== bound.length)
    throw new GraphError(`a box has ${bound.length} numbers for the ${channels} channels of "${x.name}"`);
  const dims = Array.from({ length: rank }, (_, k) => (k === 1 ? bound.length : 1));
  return fullLike(x, 0).add(x.builder.lift([...bound], x.type.type).reshape(dims));
}

function groupsOf(
  rule: Rule,
  { input, weight, bias, isPositive, isRectified }: LayerValues,
): readonly Group[] {
  const b = rule.bias === false ? undefined : bias;
  /** Contributions of one sign: inputs times weights of the same sign, or of the other. */
  const signed = (same: boolean): readonly Part[] => {
    const [p, n] = same ? [positive, negative] : [negative, positive];
    const above: Part = { input: isPositive ? input : positive(input), weight: p(weight), bias: both(b, p) };
    return isPositive ? [above] : [above, { input: negative(input), weight: n(weight) }];
  };
  const lean = (gamma: number, sign: 1 | -1): readonly Part[] => {
    const [p, n] = sign > 0 ? [positive, negative] : [negative, positive];
    const above: Part = {
      input: isPositive ? input : positive(input),
      weight: leaned(weight, gamma, p),
      bias: both(b, (v) => leaned(v, gamma, p)),
    };
    return isPositive ? [above] : [above, { input: negative(input), weight: leaned(weight, gamma, n) }];
  };
  switch (rule.kind) {
    case "zero":
    case "epsilon":
    case "norm":
      return [{ parts: [{ input, weight, bias: b }], factor: 1 }];
    case "gamma":
      return [
        { parts: lean(rule.gamma, 1), factor: 1, where: "positive" },
        ...(isRectified ? [] : [{ parts: lean(rule.gamma, -1), factor: 1, where: "negative" } as const]),
      ];
    case "z-plus":
      return [{ parts: signed(true), factor: 1 }];
    case "alpha-beta":
      return [
        { parts: signed(true), factor: rule.alpha },
        ...(rule.beta === 0 ? [] : [{ parts: signed(false), factor: -rule.beta }]),
      ];
    case "flat":
      return [{ parts: [{ input: fullLike(input, 1), weight: fullLike(weight, 1) }], factor: 1 }];
    case "w-square":
      return [{ parts: [{ input: fullLike(input, 1), weight: weight.mul(weight) }], factor: 1 }];
    case "z-box":
      return [
        {
          factor: 1,
          parts: [
            { input, weight },
            { input: corner(input, rule.low), weight: positive(weight), sign: -1 },
            { input: corner(input, rule.high), weight: negative(weight), sign: -1 },
          ],
        },
      ];
    default:
      throw new RangeError(`${rule.kind} is no rule of a linear layer`);
  }
}

const total = (values: readonly Value[]): Value => values.reduce((sum, v) => sum.add(v));

/** R / z with z moved off 0 by the stabilizer in its own direction, up where it is 0. */
export function stableQuotient(r: Value, z: Value, epsilon: Value | number): Value {
  const zero = scalarLike(z, 0);
  if (epsilon !== 0) {
    const direction = z.op("GreaterOrEqual", [zero]).op("Where", [scalarLike(z, 1), scalarLike(z, -1)]);
    return r.div(z.add(direction.mul(epsilon)));
  }
  const isZero = z.op("Equal", [zero]);
  const safe = isZero.op("Where", [scalarLike(z, 1), z]);
  return isZero.op("Where", [zero, r.div(safe)]);
}

/** The stabilizer of a rule: a number, or one for each example. */
export function stabilizerOf(rule: Rule, z: Value): Value | number {
  if (rule.kind === "zero") return 0;
  if (rule.kind !== "epsilon") return rule.stabilizer ?? defaultStabilizer;
  if (!rule.relative) return rule.epsilon;
  const axes = Array.from({ length: (z.type.shape?.length ?? 2) - 1 }, (_, k) => k + 1);
  return z.mul(z).mean(axes, 1).sqrt().mul(rule.epsilon).add(1e-9);
}

/** What a rule hands on to the input of a linear layer. */
export function handOn(
  rule: Rule,
  layer: LayerValues,
  relevance: Value,
  { forward, backward, spread }: Runner,
): Handed {
  const [shares, biases, handed]: [Value[], Value[], Value[]] = [[], [], []];
  const groups = groupsOf(rule, layer);
  const sums = groups.map(({ parts }) =>
    parts.length === 1 &&
    parts[0]!.input === layer.input &&
    parts[0]!.weight === layer.weight &&
    parts[0]!.bias === layer.bias
      ? layer.output
      : parts.reduce<Value | undefined>((sum, { input, weight, bias, sign }) => {
          const z = forward(input, weight, bias);
          return !sum ? z : sign === -1 ? sum.sub(z) : sum.add(z);
        }, undefined)!,
  );
  for (const [k, { parts, factor, where }] of groups.entries()) {
    const z = sums[k]!;
    const arriving = where ? onlyWhere(relevance, layer.output, where) : relevance;
    const given =
      rule.kind === "alpha-beta" && rule.balanced
        ? balanced(arriving, sums, k, rule.alpha, rule.beta)
        : factor === 1
          ? arriving
          : arriving.mul(factor);
    const s = stableQuotient(given, z, stabilizerOf(rule, z));
    for (const { input, weight, bias, sign } of parts) {
      const share = input.mul(backward(input, weight, s));
      shares.push(sign === -1 ? share.neg() : share);
      if (bias) biases.push(sumOf(s.mul(spread(bias))));
    }
    handed.push(sumOf(s.mul(z)));
  }
  return {
    relevance: total(shares),
    bias: biases.length > 0 ? total(biases) : undefined,
    absorbed: sumOf(relevance).sub(total(handed)),
  };
}

const onlyWhere = (r: Value, output: Value, side: "positive" | "negative"): Value =>
  output
    .op(side === "positive" ? "Greater" : "Less", [scalarLike(output, 0)])
    .op("Where", [r, scalarLike(r, 0)]);

/** Alpha and -beta, or all to one side where the other has no contribution. */
function balanced(r: Value, [above, below]: readonly Value[], k: number, alpha: number, beta: number): Value {
  if (!below) return r;
  const isNothing = (z: Value): Value => z.op("Equal", [z.builder.lift(0, z.type.type)]);
  const [mine, other] = k === 0 ? [above!, below] : [below, above!];
  const usual = r.mul(k === 0 ? alpha : -beta);
  const alone = isNothing(mine).op("Where", [scalarLike(r, 0), r]);
  return isNothing(other).op("Where", [alone, usual]);
}
