// The result's shape of Reshape: -1 is what remains, 0 copies, and names cancel as numbers do.
import type { Dim, Shape } from "../graph.ts";
import { constantOf } from "./constant.ts";
import { formatShape, productOf, unknownShape } from "./dims.ts";
import type { Inferred, ShapeContext } from "./spec.ts";

export function reshapedTo(
  x: Inferred | undefined,
  target: Inferred | undefined,
  allowZero: boolean,
  context: ShapeContext,
): Shape | undefined {
  const entries = constantOf(target)?.entries;
  if (!entries) {
    const rank = target?.shape?.[0];
    return typeof rank === "number" && rank <= 64 ? unknownShape(rank) : undefined;
  }
  const from = x?.shape;
  const refuse = () => context.fail(`cannot reshape ${formatShape(from)} to ${formatShape(entries)}`);
  if (entries.some((e) => typeof e === "number" && e < -1)) refuse();
  if (entries.filter((e) => e === -1).length > 1) refuse();
  // Each unknown size gets a mark of its own, so that one that is copied cancels.
  const marked = from?.map((d, k) => d ?? `\0${k}`);
  const factors = entries.map((entry, k): Dim => {
    if (entry !== 0 || allowZero) return entry;
    if (marked && k >= marked.length) refuse();
    return marked?.[k];
  });
  const rest = factors.indexOf(-1);
  if (rest >= 0) factors[rest] = remaining(marked, factors.toSpliced(rest, 1), refuse);
  else if (from) {
    const [before, after] = [productOf(from), productOf(factors)];
    if (typeof before === "number" && typeof after === "number" && before !== after) refuse();
  }
  return factors.map((f) => (typeof f === "string" && f.startsWith("\0") ? undefined : f));
}

/** The product of `all` divided by that of `others`, when it is a number or a single name. */
function remaining(all: Shape | undefined, others: Shape, refuse: () => never): Dim {
  if (!all || others.includes(undefined)) return undefined;
  const names = all.filter((d) => typeof d === "string");
  for (const name of others.filter((d) => typeof d === "string")) {
    const at = names.indexOf(name);
    if (at < 0) return undefined;
    names.splice(at, 1);
  }
  const numeric = (dims: Shape) => productOf(dims.filter((d) => typeof d === "number"));
  const [total, divisor] = [numeric(all), numeric(others)];
  if (typeof total !== "number" || typeof divisor !== "number" || total === 0 || divisor === 0)
    return undefined;
  if (names.length === 0) return total % divisor === 0 ? total / divisor : refuse();
  return names.length === 1 && total === divisor ? names[0] : undefined;
}
