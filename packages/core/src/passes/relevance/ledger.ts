// The books of a relevance pass: what came to each node, what it handed on, and who took the rest.
import type { Node } from "../../graph/graph.ts";
import type { Value } from "../../graph/value.ts";

/** What biases took, and what stabilizers did. */
export interface Taken {
  readonly bias?: Value | undefined;
  readonly absorbed?: Value | undefined;
}

/** One node's account while the pass is written; the values are sums over everything. */
export interface Account {
  readonly node: Node;
  readonly rule: string;
  readonly arrived: Value;
  readonly handed: Value[];
  /** Written when all shares are. */
  readonly taken: () => Taken;
}

/** How a node is called in the books: exporters may leave its name out. */
export const shownName = ({ name, outputs }: Node): string => name || outputs[0]!;

export const sumOf = (x: Value): Value => x.op("ReduceSum", [], { keepdims: 0 });

/** What stands in a row of the ledger, in this order. */
export const ledgerColumns = ["in", "out", "bias", "absorbed"] as const;

/** The rows as one matrix, a row for each account. */
export function ledgerMatrix(accounts: readonly Account[], like: Value): Value {
  const zero = like.builder.lift([0], like.type.type);
  const cell = (x: Value | undefined): Value => (x ? x.reshape([1]) : zero);
  const cells = accounts.flatMap(({ arrived, handed, taken }) => {
    const { bias, absorbed } = taken();
    const out = handed.length > 0 ? handed.reduce((sum, v) => sum.add(v)) : undefined;
    return [arrived, out, bias, absorbed].map(cell);
  });
  return cells[0]!.concat(cells.slice(1), 0).reshape([accounts.length, ledgerColumns.length]);
}
