// The result's shape of an Einstein summation such as "bij,bjk->bik".
import type { Dim, Shape } from "../graph.ts";
import { broadcast, formatShape } from "./dims.ts";
import type { ShapeContext } from "./spec.ts";

/** A term of the equation: single letters, and "..." for any axes in between. */
const lettersOf = (term: string): readonly string[] => term.replace("...", ".").split("");

/** Without "->", the result has the letters that occur once, in alphabetical order. */
function impliedResult(terms: readonly string[]): string {
  const letters = terms.join("").replaceAll("...", "").split("").sort();
  const once = letters.filter((c) => letters.indexOf(c) === letters.lastIndexOf(c));
  return (terms.some((t) => t.includes("...")) ? "..." : "") + once.join("");
}

export function einsumShape(
  equation: string,
  shapes: readonly (Shape | undefined)[],
  context: ShapeContext,
): Shape | undefined {
  const [left = "", right] = equation.replaceAll(/\s/g, "").split("->");
  const terms = left.split(",");
  if (terms.length !== shapes.length)
    context.fail(`its equation "${equation}" is for ${terms.length} inputs, not ${shapes.length}`);
  const dims = new Map<string, Dim>();
  let ellipsis: Shape | undefined = [];
  for (const [k, term] of terms.entries()) {
    const shape = shapes[k];
    const letters = lettersOf(term);
    const dots = letters.indexOf(".");
    if (!shape) {
      if (dots >= 0) ellipsis = undefined;
      for (const c of letters) dims.set(c, dims.get(c));
      continue;
    }
    const extra = shape.length - (letters.length - (dots >= 0 ? 1 : 0));
    if (extra < 0 || (extra > 0 && dots < 0))
      context.fail(`its term "${term}" does not fit ${formatShape(shape)}`);
    letters.forEach((c, position) => {
      if (c === ".") return;
      const dim = shape[dots >= 0 && position > dots ? position + extra - 1 : position];
      const fail = () => context.fail(`its letter "${c}" stands for both ${dims.get(c)} and ${dim}`);
      dims.set(c, dims.has(c) ? broadcast([[dims.get(c)], [dim]], { fail })![0] : dim);
    });
    if (dots >= 0) ellipsis = ellipsis && broadcast([ellipsis, shape.slice(dots, dots + extra)], context);
  }
  const result = lettersOf(right ?? impliedResult(terms));
  const stray = result.find((c) => c !== "." && !dims.has(c));
  if (stray) context.fail(`its equation "${equation}" has "${stray}" on the right only`);
  if (result.includes(".") && !ellipsis) return undefined;
  return result.flatMap((c) => (c === "." ? ellipsis! : [dims.get(c)]));
}
