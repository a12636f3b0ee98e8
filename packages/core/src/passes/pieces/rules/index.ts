// The table: every operator that the pieces pass reads, by family.
import { GraphError } from "../../../graph/error.ts";
import { describe } from "../../../graph/graph.ts";
import type { OperatorName } from "../../../graph/operators/index.ts";
import type { Rule, Rules } from "../../pass.ts";
import { checkIntegers } from "../integers.ts";
import type { Pieces } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";
import { arithmetic } from "./arithmetic.ts";
import { bends } from "./bends.ts";
import { indexing } from "./indexing.ts";
import { jumps } from "./jumps.ts";
import { movers } from "./movers.ts";
import { products } from "./products.ts";
import { reductions } from "./reductions.ts";
import { trees } from "./trees.ts";
import { windowed } from "./windows.ts";

/** A rule that says which node it could not read, and why. */
function named<K extends OperatorName>(rule: Rule<Pieces, K>): Rule<Pieces, K> {
  return (inputs, attributes, node) => {
    const refuse = (reason: string): never => {
      throw new GraphError(`the pieces pass cannot read ${describe(node)}: ${reason}`);
    };
    const lost = node.inputs.findIndex((name, k) => name && !inputs[k]);
    if (lost >= 0) refuse(`its input "${node.inputs[lost]}" is not piecewise linear`);
    try {
      const results = rule(inputs, attributes, node);
      for (const y of Array.isArray(results) ? results : [results as Pieces]) checkIntegers(y);
      return results;
    } catch (error) {
      if (error instanceof Unreadable || error instanceof RangeError) refuse(error.message);
      throw error;
    }
  };
}

const all: Rules<Pieces> = {
  ...arithmetic,
  ...bends,
  ...jumps,
  ...products,
  ...windowed,
  ...reductions,
  ...movers,
  ...indexing,
  ...trees,
};

export const rules = Object.fromEntries(
  Object.entries(all).map(([op, rule]) => [op, named(rule as Rule<Pieces, OperatorName>)]),
) as Rules<Pieces>;
