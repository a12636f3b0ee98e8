// What the weights of two networks say, in exact arithmetic or up to their own rounding, before any bound.
import type { Network } from "../../bounds/linear/network.ts";
import { equalGraphs } from "../../graph/equal.ts";
import type { Graph } from "../../graph/graph.ts";
import { roundedWeights } from "./by-canonical-form.ts";
import { upTo } from "./combination.ts";
import type { Finding } from "./comparison.ts";
import { deepDeviation, type FormOptions } from "./deep-form.ts";
import type { Pair } from "./pair.ts";
import { rowsOn } from "./rows-on.ts";

/** The verdict that weights alone give, if any. */
export function decidedByWeights(a: Graph, b: Graph, pair: Pair, isOver: () => boolean): Finding | undefined {
  const proved = { verdict: "equivalent", strength: "proved", upper: 0 } as const;
  const { first, second, box, isBoxed, symmetry } = pair;
  if (equalGraphs(a, b)) return { ...proved, because: "the graphs are the same" };
  if (pair.isZero) {
    const because =
      symmetry.length > 0
        ? "every unit of the second network is one of the first, permuted, scaled or flipped"
        : "every unit of the second network has the weights of one of the first";
    // Factors that were rounded to the same doubles may still differ.
    return pair.isExact
      ? { ...proved, because }
      : { ...proved, strength: "checked", because, upper: pair.loweringError };
  }
  const isSame = (onBox: boolean): boolean => {
    const of = (network: Network): FormOptions =>
      onBox ? { box, rows: rowsOn(network, box), isOver } : { isOver };
    return deepDeviation(first, second, { of }) === 0;
  };
  // Where weights were rounded when they were read, exact arithmetic on them would prove nothing.
  const form =
    pair.isExact && (isSame(false) ? "" : isBoxed && isSame(true) && " on the box, though not everywhere");
  if (form !== false)
    return {
      ...proved,
      because: `both have the same normal form${form}: units that are multiples of one another are one, and linear parts are read through`,
    };
  const { deviation } = pair;
  if (deviation <= roundedWeights)
    return {
      verdict: "equivalent",
      strength: "checked",
      because: `every unit of the second network is one of the first${symmetry.length > 0 ? ", permuted, scaled or flipped" : ""}; weights agree to ${deviation.toExponential(1)} of their rows' greatest`,
      upper: Number.POSITIVE_INFINITY,
    };
  const rounded = deepDeviation(first, second, { arithmetic: upTo(roundedWeights), of: () => ({ isOver }) });
  if (rounded <= roundedWeights)
    return {
      verdict: "equivalent",
      strength: "checked",
      because: `both have the same normal form, up to ${rounded.toExponential(1)} of the greatest weight beside: units are one that are multiples of one another`,
      upper: Number.POSITIVE_INFINITY,
    };
  return undefined;
}
