// Products that sum over common axes: MatMul, Gemm, Einsum, and convolutions over channels.
import {
  type Axis,
  axisSize,
  contract,
  equate,
  forbidFibres,
  pin,
  pinnedAxis,
  pointwise,
  resolve,
  restrict,
} from "../axes/axis-class.ts";
import { joinAxes, splitAxis } from "./reshape.ts";
import { type Axes, type AxisContext, type AxisRule, type AxisRules, knownSize } from "./rule.ts";

/** A tensor with a letter for each of its axes. */
interface Operand {
  readonly axes: Axes;
  readonly letters: readonly string[];
}

/**
 * Einstein's sum: a letter that the result lacks is summed over, one that it has is met index by index.
 * Axes of size 1 against a larger one are broadcast.
 */
export function einstein(operands: readonly Operand[], result: readonly string[]): Axes {
  const found = new Map<string, Axis[]>();
  for (const { axes, letters } of operands)
    letters.forEach((letter, k) => {
      found.set(letter, [...(found.get(letter) ?? []), axes[k]!]);
    });
  const meetings = new Map([...found].map(([letter, axes]) => [letter, withoutBroadcast(axes)]));
  for (const [letter, axes] of meetings) if (!result.includes(letter)) sum(axes);
  for (const { axes, letters } of operands) {
    const summed = axes.filter((_, k) => !result.includes(letters[k]!));
    const kept = axes.filter((_, k) => result.includes(letters[k]!));
    forbidFibres(kept, summed);
  }
  return result.map((letter) => meetings.get(letter)!.reduce((a, b) => pointwise(a, b)));
}

function withoutBroadcast(axes: readonly Axis[]): readonly Axis[] {
  const single = axes.filter((axis) => axisSize(axis) === 1);
  if (single.length === 0 || single.length === axes.length) return axes;
  restrict(single, "unit");
  return axes.filter((axis) => !single.includes(axis));
}

function sum(axes: readonly Axis[]): void {
  const [a, b] = axes;
  if (axes.length === 1) restrict([a!], "unit");
  else if (axes.length === 2) contract(a!, b!);
  else for (const axis of axes) pin(axis);
}

const alphabet = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, k) => `${prefix}${k}`);

const matmul: AxisRule = ({ x: [a, b] }) => {
  if (!a || !b || a.length === 0 || b.length === 0) return undefined;
  const batch = Math.max(a.length, b.length, 2) - 2;
  const letters = alphabet("b", batch);
  const ofA = a.length === 1 ? ["k"] : [...letters.slice(batch - a.length + 2), "m", "k"];
  const ofB = b.length === 1 ? ["k"] : [...letters.slice(batch - b.length + 2), "k", "n"];
  const result = [...letters, ...(a.length > 1 ? ["m"] : []), ...(b.length > 1 ? ["n"] : [])];
  return [
    einstein(
      [
        { axes: a, letters: ofA },
        { axes: b, letters: ofB },
      ],
      result,
    ),
  ];
};

interface GemmAttributes {
  readonly transA: number;
  readonly transB: number;
}

const gemm: AxisRule<GemmAttributes> = ({ x: [a, b, c], attributes: { transA, transB }, node }) => {
  if (!a || !b || (node.inputs[2] && !c)) return undefined;
  const product = einstein(
    [
      { axes: a, letters: transA ? ["k", "m"] : ["m", "k"] },
      { axes: b, letters: transB ? ["n", "k"] : ["k", "n"] },
    ],
    ["m", "n"],
  );
  if (c) addBroadcast(product, c);
  return [product.map(resolve)];
};

/** product + c, where c may be constant along axes. */
function addBroadcast(product: Axes, c: Axes): void {
  product.forEach((axis, k) => {
    const own = c[k - product.length + c.length];
    if (own && (axisSize(own) !== 1 || axisSize(axis) === 1)) equate(axis, own);
    else {
      if (own) restrict([own], "unit");
      restrict([axis], "unit");
    }
  });
}

const einsum: AxisRule<{ readonly equation: string }> = ({ x, y: [shape], attributes: { equation } }) => {
  const [left = "", right] = equation.replaceAll(/\s/g, "").split("->");
  const terms = left.split(",");
  const isPlain =
    right !== undefined && !equation.includes("...") && terms.every((t) => new Set(t).size === t.length);
  if (!isPlain || !shape || x.some((axes) => !axes)) return undefined;
  return [
    einstein(
      terms.map((t, k) => ({ axes: x[k]!, letters: [...t] })),
      [...right],
    ),
  ];
};

interface ConvAttributes {
  readonly group: number;
}

/** Space keeps its order; channels are summed over within each group. */
const convolution =
  (transposed: boolean): AxisRule<ConvAttributes> =>
  ({ x: [x, W, b], y: [shape], attributes: { group }, node }: AxisContext<ConvAttributes>) => {
    if (!x || !W || !shape || x.length < 2 || W.length !== x.length || (node.inputs[2] && !b))
      return undefined;
    for (const axis of [...x.slice(2), ...W.slice(2)]) pin(axis);
    const channels =
      group === 1 ? plainChannels(x[1]!, W, transposed) : groupedChannels(x[1]!, W, group, transposed);
    if (!channels) return undefined;
    if (b) equate(channels, b[0]!);
    forbidFibres([x[0]!], [x[1]!]);
    // A place of the result sums over places of both.
    forbidFibres([x[0]!, x[1]!, W[0]!, W[1]!], [...x.slice(2), ...W.slice(2)]);
    return [
      [
        resolve(x[0]!),
        resolve(channels),
        ...shape.slice(2).map((_, k) => pinnedAxis(knownSize(shape, k + 2))),
      ],
    ];
  };

function plainChannels(x: Axis, W: Axes, transposed: boolean): Axis {
  const [into, out] = transposed ? [W[0]!, W[1]!] : [W[1]!, W[0]!];
  contract(x, into);
  forbidFibres([out], [into]);
  return out;
}

/** x [(g, i)], W [(g, o), i], or transposed [(g, i), o]: the groups are met one by one. */
function groupedChannels(x: Axis, W: Axes, groups: number, transposed: boolean): Axis | undefined {
  const [ofX, ofW] = [splitAxis(x, groups), splitAxis(W[0]!, groups)];
  if (!ofX || !ofW) return undefined;
  const out = transposed ? W[1]! : ofW.inner;
  contract(ofX.inner, transposed ? ofW.inner : W[1]!);
  forbidFibres([out], [ofX.inner]);
  return joinAxes([pointwise(ofX.outer, ofW.outer), out]);
}

export const contractionRules = {
  MatMul: matmul,
  Gemm: gemm,
  Einsum: einsum,
  Conv: convolution(false),
  ConvTranspose: convolution(true),
} satisfies AxisRules as AxisRules;
