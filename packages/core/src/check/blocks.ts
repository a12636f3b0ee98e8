// Does the network compute each node from the nodes before it, with the errors that are claimed? One rule for each kind
// of block.

import type { Exact } from "../numbers/exact/rational.ts";
import * as X from "../numbers/exact/rational.ts";
import type { CertificateBlock } from "./certificate.ts";
import { type Rule, weighted } from "./column.ts";
import { affineIn, type Span, size, spanOf, total } from "./linear.ts";
import { type Chain, quadraticError } from "./square.ts";
import { polynomial, spline } from "./univariate.ts";

const affine: Rule<"affine"> = (column, { output }) => {
  const { node, where } = column;
  const args = node.args.map((id) => column.source(id));
  column.need(
    node.op === "affine" && new Set(args).size === args.length,
    "it is no weighted sum of different values",
  );
  const value = column.value(output);
  const { bias, of } = affineIn(value, new Set(args), where);
  const weights = args.map((u) => of.get(u) ?? 0);
  const off = ([lower, upper]: readonly [number, number], w: Exact): Exact =>
    X.max(X.abs(X.sub(lower, w)), X.abs(X.sub(upper, w)));
  const ranges = node.args.map((id) => column.computed(id));
  return {
    localError: total([
      off(node.constant!, bias),
      ...weights.map((w, k) => X.mul(off(node.coefficients![k]!, w), size(ranges[k]!))),
    ]),
    rounding: column.rounding(value, new Map(args.map((u, k) => [u, ranges[k]!]))).error,
    carried: weighted(node.args.map((id, k) => [id, weights[k]!])),
  };
};

const exact: Rule<"exact"> = (column, block) => {
  const { node, where } = column;
  const value = column.value(block.output);
  const left = column.selected(block.left, node.args[0]!);
  if (node.op === "abs") {
    column.need(value.kind === "abs" && value.of === left, "it is not computed as 2 relu(s) - s");
    return {
      localError: 0,
      rounding: column.rounding(value, new Map([[left, column.computed(node.args[0]!)]])).error,
      carried: (errorOf) => errorOf(node.args[0]!),
    };
  }
  column.need(
    (node.op === "max" || node.op === "min") && block.right !== undefined,
    `a block "exact" does not compute ${node.op}`,
  );
  const right = column.selected(block.right!, node.args[1]!);
  const [base, sign] = node.op === "max" ? [right, 1] : [left, -1];
  const { bias, of } = affineIn(value, new Set([left, right]), where, true);
  const bend = [...of.keys()].find((s) => s.kind === "relu" && s !== left && s !== right);
  const inner = bend?.kind === "relu" ? affineIn(bend.of, new Set([left, right]), where) : undefined;
  const isDifference = inner?.bias === 0 && inner.of.get(left) === 1 && inner.of.get(right) === -1;
  const isRight = bias === 0 && of.size === 2 && of.get(base) === 1 && of.get(bend!) === sign && isDifference;
  column.need(left !== right && isRight, `it is not the ${node.op} of its arguments`);
  const [x, y] = node.args.map((id) => column.computed(id)) as [Span, Span];
  const extreme = node.op === "max" ? X.max : X.min;
  const within = spanOf(extreme(x.lower, y.lower), extreme(x.upper, y.upper));
  const ranges = new Map([
    [left, x],
    [right, y],
  ]);
  return {
    localError: 0,
    rounding: column.rounding(value, ranges, within).error,
    carried: (errorOf) => Math.max(...node.args.map(errorOf)),
  };
};

const square: Rule<"square"> = (column, { argument, scaled, chain, output }) => {
  const { node, where } = column;
  const [id] = node.args as [number];
  column.need(node.op === "square" && chain.folds[0] === scaled, "it is no square of a scaled argument");
  const u = column.selected(argument, id);
  const own: Chain = {
    folds: chain.folds.map((name) => column.value(name)),
    square: column.value(chain.square),
  };
  const [value, range] = [column.value(output), column.computed(id)];
  return {
    localError: quadraticError(value, [own], [u], [range], where),
    rounding: column.rounding(value, new Map([[u, range]])).error,
    carried: (errorOf) => X.mul(X.add(X.mul(2, size(column.exact(id))), errorOf(id)), errorOf(id)),
  };
};

const product: Rule<"product"> = (column, { left, right, scaled, chain, output, nodes }, index) => {
  const { node, where } = column;
  const [a, b] = node.args as [number, number];
  column.need(node.op === "product" && chain.folds[0] === scaled, "it is no product by two squares");
  const args = [column.selected(left, a), column.selected(right, b)];
  const chains = [index, nodes.length + index].map((at) => ({
    folds: chain.folds.map((name) => column.value(name, at, 2)),
    square: column.value(chain.square, at, 2),
  }));
  const [value, ranges] = [column.value(output), [column.computed(a), column.computed(b)]];
  column.need(args[0] !== args[1], "it multiplies a value with itself");
  const [x, y] = [size(column.exact(a)), size(column.exact(b))];
  return {
    localError: quadraticError(value, chains, args, ranges, where),
    rounding: column.rounding(value, new Map(args.map((u, k) => [u, ranges[k]!]))).error,
    carried: (errorOf) => total([X.mul(x, errorOf(b)), X.mul(y, errorOf(a)), X.mul(errorOf(a), errorOf(b))]),
  };
};

/** Rules by kind of block. */
export const rules: { readonly [K in CertificateBlock["kind"]]: Rule<K> } = {
  affine,
  exact,
  square,
  product,
  spline,
  polynomial,
};
