// Do the claimed ranges hold every node's exact value on the box? A range is confirmed by interval arithmetic on the
// confirmed ranges of its arguments, or, with one or two free variables, on each of many cells of the box.

import type { UnivariateName } from "../functions/names.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import { cellsAlong, cellsOf } from "./cells.ts";
import type { CertificateNode } from "./certificate.ts";
import { Refutation } from "./error.ts";
import { enclosureOf } from "./functions.ts";

export const intervalOf = ([lower, upper]: readonly [number, number]): Interval => ({ lower, upper });
export const describeNode = ({ id, op, args, name }: CertificateNode): string =>
  `node ${id} (${
    name ??
    `${op} of ${args
      .slice(0, 4)
      .map((a) => `node ${a}`)
      .join(", ")}${args.length > 4 ? ", ..." : ""}`
  })`;

/** Does a servant read the argument of the function that it serves? It takes the computed value there as exact. */
export const isServed = (node: CertificateNode, source: CertificateNode): boolean =>
  node.servant !== undefined && source.servant === undefined;

/** A node on intervals of its arguments. */
function nodeValue(node: CertificateNode, args: readonly Interval[]): Interval {
  const [a, b] = args as [Interval, Interval];
  switch (node.op) {
    case "variable":
      return intervalOf(node.range);
    case "affine":
      return args.reduce(
        (s, x, k) => I.add(s, I.mul(intervalOf(node.coefficients![k]!), x)),
        intervalOf(node.constant!),
      );
    case "square":
      return I.squared(a);
    case "abs":
      return I.abs(a);
    case "product":
      return I.mul(a, b);
    case "max":
      return I.max(a, b);
    case "min":
      return I.min(a, b);
    default:
      return enclosureOf({ op: node.op as UnivariateName, exponent: node.exponent }, a);
  }
}

/** Undefined where the node may have no value. */
function tryValue(node: CertificateNode, args: readonly Interval[]): Interval | undefined {
  try {
    const found = nodeValue(node, args);
    return found.lower <= found.upper ? found : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const within = (x: Interval | undefined, [lower, upper]: readonly [number, number]): boolean =>
  x !== undefined && lower <= x.lower && x.upper <= upper;

/** Refutes the first claimed range that cannot be confirmed; `box` has the sides of the variables, the first nodes. */
export function checkRanges(
  nodes: readonly CertificateNode[],
  formulaCount: number,
  box: readonly Interval[],
): void {
  const whole = nodes.map((node) =>
    tryValue(
      node,
      node.args.map((a) => sourceRange(node, nodes[a]!)),
    ),
  );
  const open = nodes.filter((node, k) => !within(whole[k], node.range));
  if (open.length === 0) return;
  const free = box.filter(({ lower, upper }) => upper > lower).length;
  const doubtful =
    free === 0 || free >= cellsAlong.length ? open[0] : open.find(({ id }) => id >= formulaCount);
  if (doubtful) throw outside(doubtful, whole[doubtful.id]);
  const last = open.at(-1)!.id;
  for (const cell of cellsOf(box)) {
    const found: Interval[] = [];
    for (let id = 0; id <= last; id++) {
      const node = nodes[id]!;
      const own =
        id < box.length
          ? cell[id]!
          : tryValue(
              node,
              node.args.map((a) => found[a]!),
            );
      const both = own && whole[id] ? meet(own, whole[id]!) : (own ?? whole[id]);
      if (!both || !within(both, node.range)) throw outside(node, both);
      found.push(both);
    }
  }
}

/** The runError is only claimed here, and what is found later in its block is not more, or refuted. */
function sourceRange(node: CertificateNode, source: CertificateNode): Interval {
  const range = intervalOf(source.range);
  return isServed(node, source) ? I.add(range, { lower: -source.runError, upper: source.runError }) : range;
}

/** What both hold; nothing at all if they miss each other, which true enclosures of one number never do. */
const meet = (x: Interval, y: Interval): Interval | undefined => {
  const [lower, upper] = [Math.max(x.lower, y.lower), Math.min(x.upper, y.upper)];
  return lower <= upper ? { lower, upper } : undefined;
};

function outside(node: CertificateNode, found: Interval | undefined): Refutation {
  const reason = found
    ? `its value may lie between ${found.lower} and ${found.upper}, the certificate says between ${node.range[0]} and ${node.range[1]}`
    : "it may have no value on a part of the box";
  return new Refutation(describeNode(node), reason);
}
