// Lipschitz bounds as `lemmata bound --lipschitz` finds and prints them.

import { type LipschitzInTime, lipschitzBoundsInTime, type SearchOptions } from "@lemmata/core/bounds";
import { type Graph, GraphError } from "@lemmata/core/graph";
import type { NamedBox } from "@lemmata/core/passes";
import { atMost, table } from "./output.ts";
import { UsageError } from "./usage-error.ts";

export type Lipschitz = LipschitzInTime;

/** Bounds in three norms; where there are none at all, and not for want of time, an error says why. */
export async function lipschitzOn(graph: Graph, box: NamedBox, limits: SearchOptions): Promise<Lipschitz> {
  const found = await lipschitzBoundsInTime(graph, box, limits).catch((error: unknown) => {
    throw error instanceof GraphError ? new UsageError(`--lipschitz: ${error.message}`) : error;
  });
  const isNothing = found.bounds.every((r) => r.global === undefined && r.local === undefined);
  if (isNothing && found.complete) throw new UsageError(`--lipschitz: ${found.reasons[0]}`);
  return found;
}

const nameOf = (order: number): string => (order === Number.POSITIVE_INFINITY ? "infinity" : String(order));

/** For --json. */
export const lipschitzSummary = ({ bounds, exact, reasons, complete }: Lipschitz) => ({
  strength: "proved",
  exact,
  norms: bounds.map(({ order, global, local }) => ({ norm: nameOf(order), global, local })),
  remarks: reasons,
  complete,
});

/** What the time did not suffice for. */
const unfinished = (bounds: Lipschitz["bounds"]): string =>
  `time ran out before the derivatives on the box were bounded${
    bounds.every(({ local }) => local === undefined) ? "" : ": what holds everywhere stands there"
  } (--time allows more)`;

export function lipschitzTable({ bounds, exact, reasons, complete }: Lipschitz): string {
  const cell = (value: number | undefined): string => (value === undefined ? "none" : atMost(value));
  const body = bounds.map((r) => [
    `norm ${nameOf(r.order)}`,
    cell(r.global),
    cell(r.local),
    r.local === undefined ? "" : "proved",
  ]);
  if (exact !== undefined) body.push(["exact", "", cell(exact), "proved"]);
  const remarks = [...reasons, ...(complete ? [] : [unfinished(bounds)])]
    .map((reason) => `\n${reason}`)
    .join("");
  return table(["Lipschitz", "everywhere", "on the box", ""], body, [1, 2]) + remarks;
}
