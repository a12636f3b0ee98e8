// Smooth functions by local Taylor polynomials (Yarotsky 2017), for a formula on a box: network, sizes, certificate.
import type { BoxSide } from "../../compile/compile.ts";
import { functionGraph } from "../../formula/function-graph.ts";
import type { FunctionGraph } from "../../formula/nodes.ts";
import type { Graph } from "../../graph/graph.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { addUp, mulUp } from "../../numbers/rounding.ts";
import { chooseGrid, estimatedNonzeros, type GridChoice, requireRoom } from "./choose-grid.ts";
import { SobolevError } from "./error.ts";
import { productsGateError, productsNetwork } from "./layout-products.ts";
import { tableGateError, tableNetwork } from "./layout-table.ts";
import { type TaylorData, taylorData } from "./taylor-data.ts";

/** table: hats and coefficients looked up, 2^d products a coefficient in all; products: as the theorem has it. */
export type SobolevLayout = "table" | "products";

export interface SobolevOptions {
  readonly formula: string;
  readonly box: readonly BoxSide[];
  /** The error asked for, also when the network runs in f64. */
  readonly eps: number;
  /** r: Taylor polynomials have degree r - 1, and the error falls like cells^-r. Default: what is smallest. */
  readonly order?: number;
  readonly layout?: SobolevLayout;
  /** Weights that are not zero, at most. */
  readonly limit?: number;
}

/** Where the error comes from; all of it is proved with outward rounding. */
export interface SobolevCertificate {
  /** sum_m phi_m P_m against the formula, rounded coefficients included. */
  readonly taylor: number;
  /** Squares and products by ReLUs. */
  readonly products: number;
  /** What running in doubles adds at most. */
  readonly rounding: number;
  /** sup |network - f| for the real function that the stored weights define. */
  readonly error: number;
  /** |computed - f| when the network runs in f64, whatever the order of its sums. */
  readonly runError: number;
}

export interface SobolevApproximation {
  readonly network: Graph;
  readonly certificate: SobolevCertificate;
  readonly order: number;
  readonly cells: number;
  /** Of each square and product. */
  readonly levels: number;
  readonly layout: SobolevLayout;
  readonly units: number;
  readonly depth: number;
  readonly nonzeros: number;
}

const gateErrors = { table: tableGateError, products: productsGateError };
const networks = { table: tableNetwork, products: productsNetwork };
const mostLevels = 24;

/** The network of given Taylor data with given levels, and what it errs by. */
export function localPolynomials(
  data: TaylorData,
  levels: number,
  layout: SobolevLayout,
): SobolevApproximation {
  const { network, units, rounding } = networks[layout](data, levels);
  const products = mulUp(gateErrors[layout](data), 4 ** -(levels + 1));
  const error = addUp(data.error, products);
  const { layers, weights } = complexity(network);
  return {
    network,
    certificate: { taylor: data.error, products, rounding, error, runError: addUp(error, rounding) },
    order: data.order,
    cells: data.axes[0]!.cells,
    levels,
    layout,
    units,
    depth: layers - 1,
    nonzeros: weights,
  };
}

/** The function graph of a formula on a box, whose sides must be finite and not points. */
export function graphOnBox(formula: string, box: readonly BoxSide[]): FunctionGraph {
  for (const { name, lower, upper } of box)
    if (!(Number.isFinite(lower) && Number.isFinite(upper) && lower < upper))
      throw new SobolevError(
        `${name} ranges from ${lower} to ${upper}: both ends are finite, the first the smaller`,
      );
  if (box.length === 0) throw new SobolevError("the box has no variable");
  return functionGraph(
    formula,
    box.map((side) => side.name),
  );
}

/**
 * A ReLU network for a formula on a box with a proved uniform error: Taylor polynomials of degree r - 1 at the nodes of a
 * grid, glued by bumps that sum to 1 and vanish off their supports.
 * @example sobolevApproximation({ formula: "sin(x)", box: [{ name: "x", lower: 0, upper: 1 }], eps: 1e-3 }).certificate.runError <= 1e-3 // true
 */
export function sobolevApproximation(options: SobolevOptions): SobolevApproximation {
  const { formula, box, eps, layout = "table", limit = 4e6 } = options;
  if (!(eps > 0 && Number.isFinite(eps))) throw new SobolevError(`eps = ${eps} is not a positive number`);
  if (!Object.hasOwn(networks, layout)) throw new SobolevError(`no layout "${layout}": table or products`);
  const twice = box.find(({ name }, k) => box.findIndex((side) => side.name === name) < k);
  if (twice) throw new SobolevError(`the box has two sides "${twice.name}"`);
  const graph = graphOnBox(formula, box);
  const choice = chooseGrid(graph, box, { eps, layout, limit, order: options.order });
  return withinEps(graph, box, choice, eps, layout, limit);
}

function withinEps(
  graph: FunctionGraph,
  box: readonly BoxSide[],
  { order, cells }: GridChoice,
  eps: number,
  layout: SobolevLayout,
  limit: number,
): SobolevApproximation {
  const data = taylorData(graph, box, order, cells);
  const gates = gateErrors[layout](data);
  let levels = 1;
  while (levels < mostLevels && data.error + gates * 4 ** -(levels + 1) > eps * (1 - 2 ** -20)) levels++;
  requireRoom(estimatedNonzeros({ dimension: box.length, order, cells, levels, layout }), limit, {
    dimension: box.length,
    order,
    cells,
    eps,
  });
  for (let more = 0; more < 3; more++) {
    const found = localPolynomials(data, levels + more, layout);
    if (found.certificate.runError <= eps) return found;
    if (found.certificate.rounding > eps / 2)
      throw new SobolevError(
        `eps = ${eps} cannot be certified in double precision: rounding alone may cost ${found.certificate.rounding.toPrecision(1)}`,
      );
  }
  throw new SobolevError(`no network within ${eps} was found with ${cells} cells a side and order ${order}`);
}
