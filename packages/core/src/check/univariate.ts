// Blocks that compute a function of one variable: by folds and a spline, or by a polynomial.

import { univariateNames } from "../functions/names.ts";
import type { Exact } from "../numbers/exact/rational.ts";
import * as X from "../numbers/exact/rational.ts";
import type { CertificateNode } from "./certificate.ts";
import type { Scalar } from "./circuit.ts";
import { type Column, outward, type Rule, weighted } from "./column.ts";
import { affineIn, around, type Span, spanOf } from "./linear.ts";
import { exponentOf, isPolynomialNear } from "./polynomial.ts";
import { servantSum, type Terms } from "./servants.ts";
import {
  type Curve,
  exceededAt,
  foldedSpan,
  growthOf,
  shiftOf,
  slopeBeyond,
  slopesOf,
  splineIn,
  steepestSlope,
  unfolded,
} from "./spline.ts";

const isUnivariate = ({ op }: CertificateNode): boolean =>
  (univariateNames as readonly string[]).includes(op);

/** f(u) = curve(z) up to `defect`, for z in the span; z = |... ||u - c_1| - c_2| ...|. */
interface Folded {
  readonly curve: Curve;
  readonly on: Span;
  readonly defect: Exact;
}

const foldedBy = ({ curve, on, defect }: Folded, shift: Exact, where: string): Folded => {
  const next = unfolded(curve, shift, where);
  return { curve: next.curve, on: foldedSpan(on, shift), defect: X.add(defect, next.defect) };
};

const plain = (column: Column, on: Span): Folded => ({
  curve: { f: column.function, sign: 1 },
  on,
  defect: 0,
});

/** S(z) behind the folds is within localError of f(u) on the range of the exact argument. */
export const spline: Rule<"spline"> = (column, { argument, folds, output, pieces }) => {
  const { node, where } = column;
  const [id] = node.args as [number];
  column.need(isUnivariate(node), `a block "spline" does not compute ${node.op}`);
  const u = column.selected(argument, id);
  let z: Scalar = u;
  let folded = plain(column, column.exact(id));
  for (const name of folds) {
    const fold = column.value(name);
    folded = foldedBy(folded, shiftOf(fold, z, where), where);
    z = fold;
  }
  const value = column.value(output);
  const S = splineIn(value, z, where);
  column.need(S.knots.length < Math.max(1, pieces), `it has ${S.knots.length + 1} pieces, not ${pieces}`);
  const claimed = column.claimedLocalError;
  const place = exceededAt(S, folded.curve, folded.on, X.sub(claimed, folded.defect));
  column.need(
    place === undefined,
    `its spline may be farther than ${claimed} from ${node.op} beyond ${place}`,
  );
  const before = column.rounding(z, new Map([[u, column.computed(id)]]));
  const computed = around(spanOf(before.range.lower, before.range.upper), before.error);
  const { all } = slopesOf(S);
  const steepest = folds.length > 0 ? all : slopeBeyond(S, folded.on);
  return {
    localError: claimed,
    rounding: X.add(column.rounding(value, new Map([[z, computed]])).error, X.mul(all, before.error)),
    carried: (errorOf) => growthOf(column.function, outward(column.exact(id)), steepest, errorOf(id)),
  };
};

/** The nodes that a value is a weighted sum of. */
function termsOf(column: Column, value: Scalar, inputs: readonly string[]): { bias: Exact; terms: Terms } {
  const { scene, where } = column;
  const sources = [...scene.known.keys()].filter((k) => inputs.includes(scene.nodes[k]!.tensor));
  const nodeOf = new Map(sources.map((k) => [column.source(k), k]));
  const { bias, of } = affineIn(value, new Set(nodeOf.keys()), where);
  return { bias, terms: [...of].map(([s, w]) => [nodeOf.get(s)!, w] as const) };
}

/**
 * A weighted sum of nodes that is within localError of f: of one node that is the power f, or of servants. They compute
 * from the computed argument, which itself is off, so f's growth over that distance is added.
 */
export const polynomial: Rule<"polynomial"> = (column, { output, argument, inputs }, index) => {
  const { node, where, scene } = column;
  const [id] = node.args as [number];
  column.need(isUnivariate(node), `a block "polynomial" does not compute ${node.op}`);
  column.need(argument[index] === id, `its argument is not node ${argument[index]}`);
  const value = column.value(output);
  const { bias, terms } = termsOf(column, value, inputs);
  const computed = new Map(terms.map(([k]) => [column.source(k), column.computed(k)]));
  const [sum, rounding] = [weighted(terms), column.rounding(value, computed).error];
  if (terms.every(([k]) => scene.nodes[k]!.servant === undefined)) {
    const [[power, weight] = [id, 0]] = terms;
    const isOwn = bias === 0 && terms.length === 1 && weight === 1;
    column.need(
      isOwn && node.op === "power" && exponentOf(scene.nodes, id, power) === node.exponent,
      "it is no power of its argument",
    );
    return { localError: 0, rounding, carried: sum };
  }
  const p = servantSum(scene.nodes, id, bias, terms);
  const range = column.computed(id);
  const folded = p.folds.reduce((f, shift) => foldedBy(f, shift, where), plain(column, range));
  const claimed = column.claimedLocalError;
  const isNear = isPolynomialNear(folded.curve, p, outward(folded.on), X.sub(claimed, folded.defect));
  column.need(isNear, `its polynomial may be farther than ${claimed} from ${node.op}`);
  const growth = (e: number): Exact => (e > 0 ? X.mul(steepestSlope(column.function, outward(range)), e) : 0);
  return {
    localError: claimed,
    rounding,
    carried: (errorOf) => X.add(sum(errorOf), growth(errorOf(id))),
  };
};
