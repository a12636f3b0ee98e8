// Are the certificate's nodes those of the formula, and what follows them made of nodes before?

import type { Interval } from "../numbers/interval/index.ts";
import type { Certificate, CertificateNode } from "./certificate.ts";
import { Refutation } from "./error.ts";
import type { FormulaNode } from "./formula-form.ts";
import type { FormulaNodes } from "./formula-nodes.ts";
import { describeNode } from "./ranges.ts";

/** Does a pair of the certificate enclose what was found? Both may be missing. */
export const holds = (outer: readonly [number, number] | undefined, inner: Interval | undefined): boolean =>
  outer === inner ||
  (outer !== undefined && inner !== undefined && outer[0] <= inner.lower && inner.upper <= outer[1]);
const sameList = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((x, k) => x === b[k]);

/** Is the certificate's node the one that the formula has at this place? Its coefficients may be enclosed less closely. */
function checkFormulaNode(node: CertificateNode, made: FormulaNode): void {
  const isSame =
    node.op === made.op &&
    sameList(node.args, made.args) &&
    node.name === made.name &&
    node.exponent === made.exponent;
  const coefficients = node.coefficients ?? [];
  const holdsAll =
    coefficients.length === (made.coefficients ?? []).length &&
    coefficients.every((c, k) => holds(c, made.coefficients![k])) &&
    holds(node.constant, made.constant);
  if (!isSame || !holdsAll || node.servant !== undefined)
    throw new Refutation(describeNode(node), "it is not what the formula has there");
}

/**
 * A further node is a definition: whatever it says, it means a function of the nodes before it, if its coefficients hold
 * some number each. What it is good for is seen where a block reads it.
 */
function checkFurtherNode(node: CertificateNode): void {
  const { id, op, args, name, exponent, coefficients, constant } = node;
  const arity = { abs: 1, square: 1, product: 2, max: 2, min: 2, affine: coefficients?.length }[
    op as "affine"
  ];
  const isAffine = op === "affine";
  const isWhole =
    arity === args.length &&
    (constant !== undefined) === isAffine &&
    (coefficients !== undefined) === isAffine &&
    name === undefined &&
    exponent === undefined;
  const isFull = [constant, ...(coefficients ?? [])].every((c) => c === undefined || c[0] <= c[1]);
  if (!isWhole || !isFull || args.some((a) => a >= id))
    throw new Refutation(
      describeNode(node),
      "it is neither a part of the formula nor made of nodes before it",
    );
}

/** The formula's nodes, then others that help to evaluate them, which read earlier nodes only. */
export function checkNodes({ nodes, output }: Certificate, made: FormulaNodes): void {
  nodes.forEach((node, id) => {
    if (node.id !== id) throw new Refutation(`node ${node.id}`, `it stands at place ${id}`);
    const own = made.nodes[id];
    if (own) checkFormulaNode(node, own);
    else checkFurtherNode(node);
  });
  if (nodes.length < made.nodes.length || output !== made.output)
    throw new Refutation(
      "the formula",
      `it is node ${made.output} of ${made.nodes.length}, the certificate says node ${output} of ${nodes.length}`,
    );
}
