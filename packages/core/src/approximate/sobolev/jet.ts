// Jets: enclosures of all Taylor coefficients D^alpha f / alpha!, |alpha| <= order, of a formula on a box at once.
import { CompileError } from "../../formula/error.ts";
import type { FunctionGraph, FunctionNode } from "../../formula/nodes.ts";
import { expressionOf } from "../../formula/range.ts";
import { univariateFunction } from "../../functions/univariate.ts";
import type { Interval } from "../../numbers/interval/index.ts";
import * as I from "../../numbers/interval/index.ts";
import { type MultiIndices, multiIndices } from "./multi-index.ts";

/** One enclosure for each multi-index, in the order of `multiIndices`. */
export type IntervalJet = readonly Interval[];

const zero = I.point(0);
const isZero = ({ lower, upper }: Interval): boolean => lower === 0 && upper === 0;

const constant = (value: Interval, count: number): Interval[] => [
  value,
  ...new Array<Interval>(count - 1).fill(zero),
];

const plus = (a: IntervalJet, b: IntervalJet): Interval[] =>
  a.map((x, k) => (isZero(b[k]!) ? x : isZero(x) ? b[k]! : I.add(x, b[k]!)));

const times = (c: Interval, a: IntervalJet): Interval[] => a.map((x) => (isZero(x) ? zero : I.mul(c, x)));

/** (a b)_k = sum_{i+j=k} a_i b_j. */
function product(a: IntervalJet, b: IntervalJet, { pairs }: MultiIndices): Interval[] {
  const found = new Array<Interval>(a.length).fill(zero);
  const addTo = (k: number, x: Interval, y: Interval): void => {
    if (isZero(x) || isZero(y)) return;
    const term = I.mul(x, y);
    found[k] = isZero(found[k]!) ? term : I.add(found[k]!, term);
  };
  for (let t = 0; t < pairs.length; t += 3) {
    const [i, j, k] = [pairs[t]!, pairs[t + 1]!, pairs[t + 2]!];
    addTo(k, a[i]!, b[j]!);
    if (i !== j) addTo(k, a[j]!, b[i]!);
  }
  return found;
}

/** (a^2)_k: every mixed product once, every square as a square. */
function squareOf(a: IntervalJet, { pairs }: MultiIndices): Interval[] {
  const found = new Array<Interval>(a.length).fill(zero);
  for (let t = 0; t < pairs.length; t += 3) {
    const [i, j, k] = [pairs[t]!, pairs[t + 1]!, pairs[t + 2]!];
    if (isZero(a[i]!) || isZero(a[j]!)) continue;
    const term = i === j ? I.squared(a[i]!) : I.mul(I.point(2), I.mul(a[i]!, a[j]!));
    found[k] = isZero(found[k]!) ? term : I.add(found[k]!, term);
  }
  return found;
}

/** sum_k g_k (u - u_0)^k, by Horner's rule. */
function composed(g: readonly Interval[], u: IntervalJet, indices: MultiIndices): Interval[] {
  const rest = [zero, ...u.slice(1)];
  let found = constant(g.at(-1)!, u.length);
  for (let k = g.length - 2; k >= 0; k--) {
    found = product(found, rest, indices);
    found[0] = I.add(found[0]!, g[k]!);
  }
  return found;
}

/** The corner of max, min or abs is on the box, at its border too: there are no second derivatives. */
class Kink extends CompileError {}

const hull = (a: Interval, b: Interval): Interval => ({
  lower: Math.min(a.lower, b.lower),
  upper: Math.max(a.upper, b.upper),
});

/** The value, and the slopes of both branches: a function with a corner is between them by the mean value theorem. */
function corner(value: Interval, a: IntervalJet, b: IntervalJet, order: number): IntervalJet {
  if (order > 1) throw new Kink("");
  return a.map((x, k) => (k === 0 ? value : hull(x, b[k]!)));
}

function jetOf(
  node: FunctionNode,
  args: readonly IntervalJet[],
  variable: IntervalJet | undefined,
  indices: MultiIndices,
): IntervalJet {
  const [a, b] = args as readonly [IntervalJet, IntervalJet];
  switch (node.op) {
    case "variable":
      return variable!;
    case "affine":
      return node.coefficients.reduce<IntervalJet>(
        (sum, c, k) => plus(sum, times(c, args[k]!)),
        constant(node.constant, indices.all.length),
      );
    case "product":
      return product(a, b, indices);
    case "square":
      return squareOf(a, indices);
    // Strictly: where a branch only touches the other one, a Taylor polynomial of one would be taken for both sides.
    case "abs": {
      const turned = a.map(I.neg);
      if (a[0]!.lower > 0) return a;
      if (a[0]!.upper < 0) return turned;
      const size = Math.max(-a[0]!.lower, a[0]!.upper);
      return corner({ lower: 0, upper: size }, a, turned, indices.order);
    }
    case "max":
    case "min": {
      const [small, large] = node.op === "max" ? [a, b] : [b, a];
      if (a[0]!.lower > b[0]!.upper) return small;
      if (b[0]!.lower > a[0]!.upper) return large;
      const pick = node.op === "max" ? Math.max : Math.min;
      const value = {
        lower: pick(a[0]!.lower, b[0]!.lower),
        upper: pick(a[0]!.upper, b[0]!.upper),
      };
      return corner(value, a, b, indices.order);
    }
    default: {
      const { enclosure, taylor } = univariateFunction(node.op, node.exponent);
      enclosure(a[0]!); // throws where the function is not defined
      return composed(taylor(a[0]!, indices.order), a, indices);
    }
  }
}

const sideText = ({ lower, upper }: Interval): string =>
  lower === upper ? `${lower}` : `[${Number(lower.toPrecision(6))}, ${Number(upper.toPrecision(6))}]`;

/**
 * Enclosures of D^alpha f(x) / alpha! for all x of the box and |alpha| <= order: on a point, the Taylor coefficients.
 * A formula that is not smooth on the whole box is refused, with the part that is not.
 * @example jetOnBox(functionGraph("x*y", ["x", "y"]), [{ lower: 0, upper: 1 }, { lower: 2, upper: 2 }], 1)[1].upper // 2
 */
export function jetOnBox(graph: FunctionGraph, box: readonly Interval[], order: number): IntervalJet {
  const indices = multiIndices(box.length, order);
  const count = indices.all.length;
  const jets: IntervalJet[] = [];
  let seen = 0;
  for (const [id, node] of graph.nodes.entries()) {
    let variable: Interval[] | undefined;
    if (node.op === "variable") {
      variable = constant(box[seen]!, count);
      if (order > 0) variable[1 + seen] = I.point(1);
      seen++;
    }
    const place = (): string => box.map(sideText).join(" x ");
    let jet: IntervalJet;
    try {
      jet = jetOf(
        node,
        (node.args as readonly number[]).map((k) => jets[k]!),
        variable,
        indices,
      );
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof Kink)) throw error;
      const why = error instanceof Kink ? "has a kink" : "is not defined everywhere";
      throw new CompileError(`${expressionOf(graph, id)} ${why} on ${place()}`);
    }
    if (!jet.every(({ lower, upper }) => Number.isFinite(lower) && Number.isFinite(upper)))
      throw new CompileError(
        `${expressionOf(graph, id)} has no bounded derivatives up to order ${order} on ${place()}`,
      );
    jets.push(jet);
  }
  return jets[graph.output]!;
}
