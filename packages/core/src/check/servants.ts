// What a weighted sum of servants is as a function of the argument: folds |u - c|, then z goes through weighted sums,
// squares, products, max and min. Its Taylor coefficients are enclosed node by node.

import type { Exact } from "../numbers/exact/rational.ts";
import * as X from "../numbers/exact/rational.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import type { CertificateNode } from "./certificate.ts";
import { Refutation } from "./error.ts";
import { roundedDown, roundedUp } from "./linear.ts";
import { describeNode, intervalOf } from "./ranges.ts";

type Nodes = readonly CertificateNode[];
/** Taylor coefficients; those that are left out are 0. */
type Coefficients = readonly Interval[];
export type Terms = readonly (readonly [number, Exact])[];

/** bias + sum of weights times servants, as a function of z = |... ||u - c_1| - c_2| ...|. */
export interface ServantSum {
  readonly folds: readonly Exact[];
  /** Where it may bend, from left to right. */
  readonly bends: readonly number[];
  /**
   * Taylor coefficients up to an order, for z in an interval, of what it is on a cell around it; a RangeError where it
   * bends in the cell. On the cell: at a point where two servants are equal, the point does not say which of them counts.
   */
  taylor(z: Interval, order: number, cell: Interval): Coefficients;
}

const refuse = (node: CertificateNode, reason: string): Refutation =>
  new Refutation(describeNode(node), reason);

/** All servants that the terms are made of, each after those that it reads; they end at the argument. */
function servantsOf(nodes: Nodes, argument: number, terms: Terms): readonly CertificateNode[] {
  const found = new Set<number>();
  const open = terms.map(([id]) => id);
  while (open.length > 0) {
    const id = open.pop()!;
    if (id === argument || found.has(id)) continue;
    const node = nodes[id]!;
    if (node.servant === undefined)
      throw refuse(node, `between it and node ${argument}, servants mix with other nodes`);
    found.add(id);
    open.push(...node.args);
  }
  return [...found].sort((a, b) => a - b).map((id) => nodes[id]!);
}

/** c of |before - c|. */
function foldOf(nodes: Nodes, fold: CertificateNode, before: number): Exact {
  const inner = nodes[fold.args[0]!]!;
  const [scale, shift] = [inner.coefficients?.[0], inner.constant];
  const isFold =
    inner.op === "affine" && inner.args.length === 1 && inner.args[0] === before && scale && shift;
  if (!isFold || scale[0] !== 1 || scale[1] !== 1 || shift[0] !== shift[1])
    throw refuse(fold, `it is no fold |z - c| of node ${before}`);
  return X.neg(shift[0]);
}

/** The sum of servants as a function of its argument. */
export function servantSum(nodes: Nodes, argument: number, bias: Exact, terms: Terms): ServantSum {
  const servants = servantsOf(nodes, argument, terms);
  let z = argument;
  const folds: Exact[] = [];
  for (const node of servants) {
    if (node.op !== "abs") continue;
    folds.push(foldOf(nodes, node, z));
    z = node.id;
  }
  const behind = servants.filter((node) => node.id > z);
  const bends = behind.flatMap(({ op, args, constant }) =>
    op === "affine" && args.length === 0 ? constant! : [],
  );
  const weights = terms.map(([, w]) => ({ lower: roundedDown(w), upper: roundedUp(w) }));
  const start: Interval = { lower: roundedDown(bias), upper: roundedUp(bias) };
  return {
    folds,
    bends: [...new Set(bends)].sort((a, b) => a - b),
    taylor(x, order, cell) {
      const chosen = new Map<number, number>();
      const pass = (at: Interval, n: number, choose: Choice): ((id: number) => Coefficients) => {
        const known = new Map<number, Coefficients>([[z, [at, I.point(1)]]]);
        const of = (id: number): Coefficients => {
          const c = known.get(id);
          if (!c) throw refuse(nodes[id]!, `it is not made of node ${z} alone`);
          return c;
        };
        for (const node of behind) known.set(node.id, coefficientsOf(node, node.args.map(of), n, choose));
        return of;
      };
      pass(cell, 0, (node, values) => {
        const choice = extremeOn(node, values);
        chosen.set(node.id, choice);
        return choice;
      });
      const of = pass(x, order, ({ id }) => chosen.get(id)!);
      return combined(
        start,
        weights,
        terms.map(([id]) => of(id)),
      );
    },
  };
}

/** Which of its two arguments a max or min is. */
type Choice = (node: CertificateNode, values: readonly [Interval, Interval]) => number;

/** The one that it is on a whole cell, where the arguments have these values. */
function extremeOn({ op }: CertificateNode, [x, y]: readonly [Interval, Interval]): number {
  if (x.lower >= y.upper) return op === "max" ? 0 : 1;
  if (y.lower >= x.upper) return op === "max" ? 1 : 0;
  throw new RangeError("a bend inside a cell");
}

const zero = I.point(0);

/** constant + sum_k weights[k] of[k]. */
function combined(
  constant: Interval,
  weights: readonly Interval[],
  of: readonly Coefficients[],
): Coefficients {
  const sum: Interval[] = [constant];
  of.forEach((c, k) => {
    c.forEach((x, j) => {
      sum[j] = I.add(sum[j] ?? zero, I.mul(weights[k]!, x));
    });
  });
  return sum;
}

/** sum_j a_j b_{k-j}; equal factors are squared, which is sharper. */
function product(a: Coefficients, b: Coefficients, order: number): Coefficients {
  return Array.from({ length: Math.min(order + 1, a.length + b.length - 1) }, (_, k) => {
    const isMiddle = a === b && k % 2 === 0;
    let sum = isMiddle ? I.squared(a[k / 2]!) : zero;
    for (let j = Math.max(0, k - b.length + 1); j <= Math.min(k, a.length - 1); j++)
      if (!isMiddle || 2 * j !== k) sum = I.add(sum, I.mul(a[j]!, b[k - j]!));
    return sum;
  });
}

function coefficientsOf(
  node: CertificateNode,
  args: readonly Coefficients[],
  order: number,
  choose: Choice,
): Coefficients {
  const [a, b] = args as [Coefficients, Coefficients];
  switch (node.op) {
    case "affine":
      return combined(intervalOf(node.constant!), node.coefficients!.map(intervalOf), args);
    case "square":
      return product(a, a, order);
    case "product":
      return product(a, b, order);
    case "max":
    case "min":
      return args[choose(node, [a[0]!, b[0]!])]!;
    default:
      throw refuse(node, "a servant is no such function");
  }
}
