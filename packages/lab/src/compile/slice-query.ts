// Which slice of a box with many variables is shown, as parameters of a link.
import { boxText, parseBox, type Query, type Side } from "./problem.ts";
import type { Slice } from "./surface.ts";

/** `axes` and `at`; nothing where there is nothing to choose. */
export function sliceQuery(slice: Slice | undefined, box: readonly Side[]): Query {
  const free = box.filter(({ lower, upper }) => upper > lower);
  if (!slice || free.length <= 2) return {};
  const held = free
    .filter(
      ({ name, lower, upper }) => !slice.axes.includes(name) && slice.at[name] !== lower / 2 + upper / 2,
    )
    .map(({ name }) => ({ name, lower: slice.at[name]!, upper: slice.at[name]! }));
  return {
    axes: slice.axes.join(","),
    ...(held.length > 0 && { at: held.map((side) => boxText([side])).join(",") }),
  };
}

export const sliceOfQuery = ({ axes = "", at = "" }: Query): Slice => ({
  axes: axes.split(",").filter(Boolean),
  at: Object.fromEntries(parseBox(at).map(({ name, lower }) => [name, lower])),
});
