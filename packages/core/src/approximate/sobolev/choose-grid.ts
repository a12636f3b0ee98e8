// How many cells a side, and which order: the fewest weights for the error, without building a network.
import type { BoxSide } from "../../compile/compile.ts";
import { CompileError } from "../../formula/error.ts";
import type { FunctionGraph } from "../../formula/nodes.ts";
import { axisOf } from "./axis.ts";
import { SobolevError } from "./error.ts";
import { countOf } from "./multi-index.ts";
import { greatestRest } from "./taylor-data.ts";

export interface GridChoice {
  readonly order: number;
  readonly cells: number;
}

interface Plan extends GridChoice {
  readonly dimension: number;
  readonly levels: number;
  readonly layout: "table" | "products";
}

/** About how many weights the network has. A gate has 16 a level. */
export function estimatedNonzeros({ dimension, order, cells, levels, layout }: Plan): number {
  const nodes = (cells + 1) ** dimension;
  const coefficients = countOf(dimension, order - 1);
  const axes = dimension * (cells + 1) * (order > 1 ? 18 : 6);
  if (layout === "products") {
    const gates = order > 2 ? coefficients - dimension - 1 : 0;
    return axes + nodes * (coefficients + 16 * levels * (dimension + gates));
  }
  const hat = dimension === 1 ? 0 : dimension === 2 ? 5 : 16;
  return axes + nodes * (coefficients + hat) + 2 ** dimension * 2 * (coefficients - 1) * 20 * levels;
}

interface Request {
  readonly eps: number;
  readonly layout: "table" | "products";
  readonly limit: number;
  readonly order?: number;
}

/** Of the error asked for, what Taylor polynomials may use; the gates have the rest. */
const taylorShare = { table: 15 / 16, products: 7 / 8 };
const orders = [3, 4, 2, 5, 6, 1] as const;
const levelsFor = (eps: number): number => Math.max(2, Math.ceil(Math.log(100 / eps) / Math.log(4)));

/** A line that says what would be needed. */
export function requireRoom(
  nonzeros: number,
  limit: number,
  { dimension, order, cells, eps }: { dimension: number; order: number; cells: number; eps: number },
): void {
  if (nonzeros <= limit) return;
  throw new SobolevError(
    `eps = ${eps} in ${dimension} variables with order ${order} takes ${cells} cells a side or more, about ${nonzeros.toExponential(1)} weights: more than the limit of ${limit.toExponential(1)}`,
  );
}

/** Cells a side after which the intervals are believed not to be the reason for a failure. */
const finestTrial = (dimension: number): number => Math.floor(1024 ** (1 / dimension));

/** The fewest cells, nearly, with which the rest is at most `target`; undefined where the weights would exceed `most`. */
function fewestCells(
  graph: FunctionGraph,
  box: readonly BoxSide[],
  order: number,
  target: number,
  isTooMany: (cells: number) => boolean,
): { readonly cells: number; readonly fits: boolean } {
  const restAt = (cells: number): number =>
    greatestRest(
      graph,
      box.map((side) => axisOf(side, cells)),
      order,
    );
  let [failed, cells] = [0, 1];
  for (;;) {
    if (isTooMany(cells)) return { cells, fits: false };
    let rest: number;
    try {
      rest = restAt(cells);
    } catch (error) {
      if (!(error instanceof CompileError) || 2 * cells > finestTrial(box.length)) throw error;
      [failed, cells] = [cells, 2 * cells]; // intervals on large cells may see poles that are not there
      continue;
    }
    if (rest <= target) break;
    const expected = Math.ceil(cells * (rest / target) ** (1 / order));
    [failed, cells] = [cells, Math.min(Math.max(cells + 1, expected), 4 * cells)];
  }
  for (let tries = 0; tries < 3 && cells - failed > 1; tries++) {
    const middle = Math.max(failed + 1, Math.min(cells - 1, Math.round((failed + 3 * cells) / 4)));
    if (restAt(middle) <= target) cells = middle;
    else failed = middle;
  }
  return { cells, fits: true };
}

/** The order (unless given) and the cells with about the fewest weights. */
export function chooseGrid(
  graph: FunctionGraph,
  box: readonly BoxSide[],
  { eps, layout, limit, order }: Request,
): GridChoice {
  if (order !== undefined && !(Number.isSafeInteger(order) && order >= 1 && order <= 12))
    throw new SobolevError(`the order is a whole number from 1 to 12, not ${order}`);
  const dimension = box.length;
  const levels = levelsFor(eps);
  const cost = (n: number, cells: number): number =>
    estimatedNonzeros({ dimension, order: n, cells, levels, layout });
  let best: GridChoice | undefined;
  let needed: GridChoice | undefined;
  let failure: CompileError | undefined;
  for (const n of order === undefined ? orders : [order]) {
    const most = best ? Math.min(limit, cost(best.order, best.cells)) : limit;
    try {
      const { cells, fits } = fewestCells(graph, box, n, eps * taylorShare[layout], (c) => cost(n, c) > most);
      if (fits) best = { order: n, cells };
      else if (!needed || cost(n, cells) < cost(needed.order, needed.cells)) needed = { order: n, cells };
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      failure = error; // a function may have fewer derivatives than an order asks for
    }
  }
  if (best) return best;
  if (!needed) throw failure!;
  requireRoom(cost(needed.order, needed.cells), limit, { dimension, eps, ...needed });
  return needed;
}
