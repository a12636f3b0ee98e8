// Queries whose truth is known exactly. A network of blocks, each a piecewise-linear function of one sum of inputs that no
// other block reads: on a box the sum takes all values between two numbers, and so do the outputs, one independent of the
// other. Whether a query holds somewhere is then a question about intervals, answered here in rational arithmetic.

import { float32, float64, graph } from "../../../src/graph/builder.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import type { Value } from "../../../src/graph/value.ts";
import type { Random } from "../../../src/numbers/random.ts";
import {
  decimalText,
  greatest,
  least,
  minus,
  ofDecimal,
  ofDouble,
  order,
  over,
  plus,
  type Rational,
  rational,
  times,
  zero,
} from "./rational.ts";

type Activation = "relu" | "abs" | "leaky";

interface Layer {
  readonly weights: readonly (readonly number[])[];
  readonly biases: readonly number[];
  readonly activation: Activation;
}

interface Block {
  /** The weights of its inputs, which follow those of the block before. */
  readonly inputs: readonly number[];
  readonly layers: readonly Layer[];
  readonly output: readonly number[];
}

export interface Forged {
  readonly graph: Graph;
  readonly blocks: readonly Block[];
  readonly type: "float32" | "float64";
}

/** An input's bounds as the query writes them. */
export interface Side {
  readonly lower: string;
  readonly upper: string;
}

const slopes: Readonly<Record<Activation, readonly [below: number, above: number]>> = {
  relu: [0, 1],
  abs: [-1, 1],
  leaky: [0.25, 1],
};

const below = (random: Random, n: number): number => random.integer(0, n - 1);

/** Weights are multiples of 1/8, so that their products with decimals have finitely many digits. */
const eighth = (random: Random): number => (below(random, 33) - 16) / 8;
const list = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
export const pick = <T>(random: Random, from: readonly T[]): T => from[below(random, from.length)]!;

function forgedBlock(random: Random): Block {
  const nonzero = (): number => eighth(random) || 0.5;
  const layers: Layer[] = [];
  let width = 1;
  for (let l = 0; l < 1 + below(random, 2); l++) {
    const units = 1 + below(random, 4);
    layers.push({
      weights: list(units, () => list(width, nonzero)),
      biases: list(units, () => eighth(random)),
      activation: pick(random, ["relu", "relu", "abs", "leaky"] as const),
    });
    width = units;
  }
  return { inputs: list(1 + below(random, 2), nonzero), layers, output: list(width, nonzero) };
}

const activated = (x: Value, activation: Activation): Value =>
  activation === "relu" ? x.relu() : activation === "abs" ? x.abs() : x.op("LeakyRelu", [], { alpha: 0.25 });

/** Rows of a matrix as its columns. */
const columns = (rows: readonly (readonly number[])[]): number[][] =>
  rows[0]!.map((_, k) => rows.map((row) => row[k]!));

export function forgedNetwork(random: Random): Forged {
  const blocks = list(1 + below(random, 2), () => forgedBlock(random));
  const type = below(random, 3) === 0 ? "float64" : "float32";
  const count = blocks.reduce((n, { inputs }) => n + inputs.length, 0);
  const net = graph({ X: (type === "float32" ? float32 : float64)(1, count) }, ({ X }) => {
    let first = 0;
    const outputs = blocks.map(({ inputs, layers, output }) => {
      const own = list(inputs.length, () => first++);
      let x = X.gather(own, 1).matmul(columns([inputs]));
      for (const { weights, biases, activation } of layers)
        x = activated(x.matmul(columns(weights)).add([biases]), activation);
      return x.matmul(columns([output]));
    });
    return {
      Y: outputs.length === 1 ? outputs[0]! : outputs[0]!.op("Concat", outputs.slice(1), { axis: 1 }),
    };
  });
  return { graph: net, blocks, type };
}

interface Affine {
  readonly slope: Rational;
  readonly constant: Rational;
}

const valueAt = ({ slope, constant }: Affine, t: Rational): Rational => plus(times(slope, t), constant);
const scaledBy = ({ slope, constant }: Affine, w: number): Affine => ({
  slope: times(slope, ofDouble(w)),
  constant: times(constant, ofDouble(w)),
});
const summed = (terms: readonly Affine[], bias: number): Affine =>
  terms.reduce((a, b) => ({ slope: plus(a.slope, b.slope), constant: plus(a.constant, b.constant) }), {
    slope: zero,
    constant: ofDouble(bias),
  });

/** The least and the greatest value of a block for sums from a to b: pieces are followed from bend to bend. */
function rangeOnPiece(
  block: Block,
  l: number,
  forms: readonly Affine[],
  a: Rational,
  b: Rational,
): readonly [Rational, Rational] {
  const layer = block.layers[l];
  if (!layer) {
    const y = summed(
      forms.map((form, k) => scaledBy(form, block.output[k]!)),
      0,
    );
    const ends = [valueAt(y, a), valueAt(y, b)];
    return [least(...ends), greatest(...ends)];
  }
  const rows = layer.weights.map((weights, k) =>
    summed(
      forms.map((form, i) => scaledBy(form, weights[i]!)),
      layer.biases[k]!,
    ),
  );
  for (const row of rows) {
    const [p, q] = [order(valueAt(row, a), zero), order(valueAt(row, b), zero)];
    if (p * q >= 0) continue;
    const bend = over(minus(zero, row.constant), row.slope);
    const [low, high] = [rangeOnPiece(block, l, forms, a, bend), rangeOnPiece(block, l, forms, bend, b)];
    return [least(low[0], high[0]), greatest(low[1], high[1])];
  }
  const middle = over(plus(a, b), rational(2n));
  const next = rows.map((row) =>
    scaledBy(row, slopes[layer.activation][order(valueAt(row, middle), zero) > 0 ? 1 : 0]),
  );
  return rangeOnPiece(block, l + 1, next, a, b);
}

const identity: Affine = { slope: rational(1n), constant: zero };

/** All values that a block's output takes, its inputs between these bounds. */
export function exactRange(block: Block, sides: readonly Side[]): readonly [Rational, Rational] {
  let [a, b] = [zero, zero];
  block.inputs.forEach((w, i) => {
    const ends = [sides[i]!.lower, sides[i]!.upper].map((text) => times(ofDouble(w), ofDecimal(text)));
    a = plus(a, least(...ends));
    b = plus(b, greatest(...ends));
  });
  return rangeOnPiece(block, 0, [identity], a, b);
}

/** The value of a block at a point, exactly. */
export const exactValue = (block: Block, x: readonly number[]): Rational => {
  const t = x.reduce((sum, v, i) => plus(sum, times(ofDouble(block.inputs[i]!), ofDouble(v))), zero);
  return rangeOnPiece(block, 0, [identity], t, t)[0];
};

/** A comparison of one output with a decimal. */
export interface Comparison {
  readonly output: number;
  readonly relation: "<=" | "<" | ">=" | ">";
  readonly text: string;
}

/** One way to satisfy a query: bounds of all inputs, and comparisons that all hold. */
export interface Alternative {
  readonly sides: readonly Side[];
  readonly comparisons: readonly Comparison[];
}

/** A decimal of up to 17 digits near zero, or a short one. */
const decimal = (random: Random): string =>
  below(random, 2) === 0
    ? ((below(random, 41) - 20) / 10).toString()
    : (2 * random.uniform() - 1).toPrecision(1 + below(random, 17)).replace(/e.*/, "");

function forgedSides(random: Random, count: number, around?: readonly Side[]): readonly Side[] {
  return list(count, () => 0).map((_, i) => {
    if (around && below(random, 2) === 0) return around[i]!;
    const ends = [decimal(random), decimal(random)].sort((p, q) => order(ofDecimal(p), ofDecimal(q)));
    // Some inputs are fixed, at numbers that float32 may or may not have.
    return below(random, 5) === 0
      ? { lower: ends[0]!, upper: ends[0]! }
      : { lower: ends[0]!, upper: ends[1]! };
  });
}

/** Thresholds at an extreme, a hair to one of its sides, well inside, or well outside. */
function threshold(random: Random, [low, high]: readonly [Rational, Rational]): string {
  const extreme = pick(random, [low, high]);
  const hair = rational(BigInt(below(random, 19) - 9), 10n ** BigInt(3 + below(random, 17)));
  const kinds: readonly (() => Rational)[] = [
    () => extreme,
    () => plus(extreme, hair),
    () => plus(extreme, hair),
    () => ofDecimal(cut(extreme, random)),
    () => plus(low, times(minus(high, low), rational(BigInt(below(random, 9) - 2), 4n))),
  ];
  return decimalText(pick(random, kinds)());
}

/** An extreme as a program would print it, with 17 digits. */
const cut = (x: Rational, random: Random): string => {
  const text = (Number(x.n) / Number(x.d)).toPrecision(below(random, 2) === 0 ? 17 : 9);
  return text.includes("e") ? Number(text).toFixed(20) : text;
};

export function forgedAlternative(random: Random, { blocks }: Forged, around?: readonly Side[]): Alternative {
  const count = blocks.reduce((n, { inputs }) => n + inputs.length, 0);
  const sides = forgedSides(random, count, around);
  const ranges = rangesOf(blocks, sides);
  const comparisons = list(1 + below(random, 2), () => below(random, blocks.length)).flatMap((output) => {
    const relation = pick(random, ["<=", "<", ">=", ">"] as const);
    const text = threshold(random, ranges[output]!);
    // An equation is two comparisons.
    return below(random, 6) === 0
      ? (["<=", ">="] as const).map((r) => ({ output, relation: r, text }))
      : [{ output, relation, text }];
  });
  return { sides, comparisons };
}

function rangesOf(blocks: readonly Block[], sides: readonly Side[]) {
  let first = 0;
  return blocks.map((block) => {
    const own = sides.slice(first, first + block.inputs.length);
    first += block.inputs.length;
    return exactRange(block, own);
  });
}

/** How far an alternative is from being impossible: the least room that an output has; below 0: it holds nowhere. */
export interface Truth {
  readonly holds: boolean;
  /** The gap between what is asked and what there is, where it does not hold. */
  readonly gap: Rational;
}

export function truthOf({ sides, comparisons }: Alternative, { blocks }: Forged): Truth {
  const ranges = rangesOf(blocks, sides);
  let [holds, gap] = [true, zero];
  ranges.forEach(([low, high], output) => {
    let [from, to, isFromOpen, isToOpen] = [low, high, false, false];
    for (const { relation, text } of comparisons.filter((c) => c.output === output)) {
      const at = ofDecimal(text);
      const strict = relation === "<" || relation === ">";
      if (relation.startsWith(">")) {
        const side = order(at, from);
        if (side > 0 || (side === 0 && strict)) [from, isFromOpen] = [at, strict];
      } else {
        const side = order(at, to);
        if (side < 0 || (side === 0 && strict)) [to, isToOpen] = [at, strict];
      }
    }
    const side = order(from, to);
    if (side > 0 || (side === 0 && (isFromOpen || isToOpen))) {
      holds = false;
      gap = greatest(gap, minus(from, to));
    }
  });
  return { holds, gap };
}

/** The query as VNN-LIB writes it: one alternative as assertions, several joined by or. */
export function queryText(alternatives: readonly Alternative[], { blocks }: Forged): string {
  const count = blocks.reduce((n, { inputs }) => n + inputs.length, 0);
  const declared = [...list(count, () => 0).map((_, i) => `X_${i}`), ...blocks.map((_, k) => `Y_${k}`)].map(
    (name) => `(declare-const ${name} Real)`,
  );
  const parts = ({ sides, comparisons }: Alternative): string[] => [
    ...sides.flatMap(({ lower, upper }, i) =>
      lower === upper && i % 2 === 0
        ? [`(= X_${i} ${lower})`]
        : [`(>= X_${i} ${lower})`, `(<= X_${i} ${upper})`],
    ),
    ...comparisons.map(({ output, relation, text }, n) =>
      n % 2 === 0 ? `(${relation} Y_${output} ${text})` : `(${mirrored[relation]} ${text} Y_${output})`,
    ),
  ];
  if (alternatives.length === 1)
    return [...declared, ...parts(alternatives[0]!).map((p) => `(assert ${p})`)].join("\n");
  return [
    ...declared,
    `(assert (or ${alternatives.map((a) => `(and ${parts(a).join(" ")})`).join(" ")}))`,
  ].join("\n");
}

const mirrored = { "<=": ">=", "<": ">", ">=": "<=", ">": "<" } as const;
