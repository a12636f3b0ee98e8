// The interpolant on a sparse grid as a ReLU network: hats that are exactly zero off their support, and a tree of
// products for each basis function.

import type { Graph } from "../../graph/graph.ts";
import { type Circuit, CircuitBuilder, isGate } from "../../networks/circuit/circuit.ts";
import { boundsOf } from "../../networks/circuit/error-bounds.ts";
import { form, variable } from "../../networks/circuit/form.ts";
import { lower } from "../../networks/circuit/layers.ts";
import { uniformLevels } from "../../networks/circuit/levels.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { graphOf, layersOf, network, sparseLayer } from "../../networks/layers/layers.ts";
import { roundUp } from "../../numbers/exact/rounding.ts";
import { addUp, mulUp } from "../../numbers/rounding.ts";
import { digitsOf, type SparseGrid } from "./grid.ts";
import { overLevels, type SparseInterpolant } from "./interpolant.ts";

export interface SparseNetwork {
  readonly network: Graph;
  /** sup |network - interpolant| is at most this: what products and rounded surpluses cost. */
  readonly error: number;
  /** The same when the network runs in f64. */
  readonly runError: number;
  /** Products of two factors. */
  readonly products: number;
}

/**
 * sum v phi with products of so many levels (in one dimension there are none). A product of d hats errs by at most
 * (d-1) 4^-(levels+1), and is zero wherever one of them is: errors add over the levels of the grid, not over points.
 * @example sparseNetwork(sparseInterpolant(mixedTargets.parabola, 2, 3), 8).products // 17
 */
export function sparseNetwork(interpolant: SparseInterpolant, levels: number): SparseNetwork {
  const { grid, surplus, radius } = interpolant;
  const hats = hatsOf(grid);
  const uncertain = overLevels(grid, (p) => radius[p]!);
  const greatest = overLevels(grid, (p) => Math.abs(surplus[p]!));
  if (grid.dimension === 1) return univariate(hats, surplus, uncertain);
  const { circuit, tops } = productCircuit(hats, surplus);
  const perGate = uniformLevels(circuit, levels);
  const { network: inner, rounding, run } = lower(circuit, perGate);
  const [output] = circuit.outputs as [number];
  const bounds = boundsOf(circuit, perGate);
  const products = overLevels(grid, (p) => mulUp(Math.abs(surplus[p]!), bounds[tops[p]!]!.error));
  const error = addUp(addUp(products, uncertain), roundUp(rounding.get(output) ?? 0));
  // A gate's slopes are at most 1, as those of x y are, so exact gates pass roundings on as these do. Hats are zero
  // exactly where they should be, and elsewhere within 2^-52.
  const exactGates = uniformLevels(circuit, Number.POSITIVE_INFINITY);
  const ofRun = boundsOf(circuit, exactGates, { run })[output]!.error;
  const ofHats = mulUp(greatest, grid.dimension * 2 ** -52);
  return {
    network: graphOf(
      {
        layers: [...hatLayers(hats, grid.dimension), ...layersOf(inner).layers],
        activation: "relu",
        exact: true,
      },
      { name: "sparse_grid" },
    ),
    error,
    runError: addUp(error, addUp(ofRun, ofHats)),
    products: circuit.values.filter(isGate).length,
  };
}

/** A hat phi(2^l x_j - i). */
interface Hat {
  readonly coordinate: number;
  readonly level: number;
  readonly odd: number;
}
interface Hats {
  readonly list: readonly Hat[];
  /** For each point of the grid, its hats, one a coordinate. */
  readonly ofPoint: readonly (readonly number[])[];
}

function hatsOf({ parts }: SparseGrid): Hats {
  const list: Hat[] = [];
  const known = new Map<string, number>();
  const placeOfHat = (hat: Hat): number => {
    const key = `${hat.coordinate} ${hat.level} ${hat.odd}`;
    if (!known.has(key)) known.set(key, list.push(hat) - 1);
    return known.get(key)!;
  };
  const ofPoint = parts.flatMap((part) =>
    Array.from({ length: part.count }, (_, p) =>
      digitsOf(part, p).map((k, coordinate) =>
        placeOfHat({ coordinate, level: part.levels[coordinate]!, odd: 2 * k + 1 }),
      ),
    ),
  );
  return { list, ofPoint };
}

/**
 * relu(1 - relu(t) - relu(-t)), t = 2^l x - i: doubles round monotonically, so that off its support a computed hat
 * is exactly zero.
 */
function hatLayers({ list }: Hats, dimension: number): Layer[] {
  const sides = list.flatMap(({ coordinate, level }, h) => [
    [2 * h, coordinate, 2 ** level] as const,
    [2 * h + 1, coordinate, -(2 ** level)] as const,
  ]);
  const tops = list.flatMap((_, h) => [[h, 2 * h, -1] as const, [h, 2 * h + 1, -1] as const]);
  return [
    sparseLayer(
      2 * list.length,
      dimension,
      sides,
      list.flatMap(({ odd }) => [-odd, odd]),
    ),
    sparseLayer(
      list.length,
      2 * list.length,
      tops,
      list.map(() => 1),
    ),
  ];
}

/** Two layers of hats and a sum: a hat rounds twice, a term and each addition once. */
function univariate(hats: Hats, surplus: Float64Array, uncertain: number): SparseNetwork {
  const entries = hats.ofPoint.map(([hat], p) => [0, hat!, surplus[p]!] as const);
  const last = sparseLayer(1, hats.list.length, entries);
  const total = surplus.reduce((sum, v) => addUp(sum, Math.abs(v)), 0);
  return {
    network: network([...hatLayers(hats, 1), last], { name: "sparse_grid" }),
    error: uncertain,
    runError: addUp(uncertain, mulUp(total, (surplus.length + 4) * 2 ** -52)),
    products: 0,
  };
}

/** The products of the hats of every point, in halves of the coordinates that points share. */
function productCircuit(
  { list, ofPoint }: Hats,
  surplus: Float64Array,
): { readonly circuit: Circuit; readonly tops: readonly number[] } {
  const builder = new CircuitBuilder();
  for (const k of list.keys()) builder.add({ kind: "source", of: variable(k), lower: 0, upper: 1 });
  const known = new Map<string, number>();
  const productOfHats = (hats: readonly number[], from: number): number => {
    if (hats.length === 1) return hats[0]!;
    const key = `${from} ${hats.join()}`;
    const made = known.get(key);
    if (made !== undefined) return made;
    const half = Math.ceil(hats.length / 2);
    const left = variable(productOfHats(hats.slice(0, half), from));
    const right = variable(productOfHats(hats.slice(half), from + half));
    const place = builder.add({ kind: "product", of: [left, right], bounds: [1, 1], nonnegative: true });
    known.set(key, place);
    return place;
  };
  const tops = ofPoint.map((hats) => productOfHats(hats, 0));
  const of = form(tops.map((top, p) => [top, surplus[p]!] as const));
  const output = builder.add({ kind: "sum", of });
  return { circuit: { dimension: list.length, values: builder.values, outputs: [output] }, tops };
}
