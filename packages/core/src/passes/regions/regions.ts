// All linear regions of a network on a convex polygon of a plane, or on a segment.
import { EngineError } from "../../engine/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { affineProgram } from "../affine/compile.ts";
import type { AffineProgram } from "../affine/program.ts";
import { type Neighbours, neighbours } from "./adjacency.ts";
import type { Cell } from "./exact-forms.ts";
import { area, type Extent } from "./polygon.ts";
import type { Slice } from "./slice.ts";
import { type FoundRegion, Subdivision } from "./subdivide.ts";

/** A convex set of positive area on which every unit's choice, and so the network's affine map, is the same. */
export interface Region {
  /** Corners in the plane's coordinates (u, v), counterclockwise. */
  readonly corners: readonly (readonly [number, number])[];
  readonly area: number;
  /** Output k is a[k] u + b[k] v + c[k]. */
  readonly map: AffineMap;
  /** The choice of each unit, stage by stage: for ReLU 1 where it is on. */
  readonly pattern: readonly (Uint8Array | Uint16Array)[];
}

export interface AffineMap {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
}

export interface RegionsOptions {
  /** Keep the regions (default), or only count them. */
  readonly keep?: boolean;
  /** Find out which regions are neighbours (default: no). */
  readonly adjacency?: boolean;
  /** Stop with an error beyond this many. */
  readonly maxRegions?: number;
  readonly signal?: AbortSignal;
  /** The part of the area that is done, 0 to 1. */
  readonly onProgress?: (fraction: number, regions: number) => void;
}

export interface Regions {
  readonly count: number;
  /** What the regions' areas add up to, and the domain's. */
  readonly area: number;
  readonly domainArea: number;
  readonly outputNames: readonly string[];
  readonly regions: readonly Region[];
  /** Pairs of regions that share an edge of positive length; empty unless asked for. */
  readonly neighbours: readonly Neighbours[];
  /** Classes of neighbours whose maps agree to rounding; only with adjacency. */
  readonly linearRegions: number | undefined;
  /** How many forms had to be computed exactly because floating point could not tell a sign. */
  readonly exactForms: number;
  readonly program: AffineProgram;
}

const breath = 50;

/**
 * The regions of a graph of affine and piecewise-linear operators on a slice of its inputs.
 * @example (await planeRegions(square(3), boxSlice([0], [1]))).count // 8
 */
export async function planeRegions(
  graph: Graph,
  slice: Slice,
  options: RegionsOptions = {},
): Promise<Regions> {
  const { keep = true, adjacency = false, maxRegions = 1e7, signal, onProgress } = options;
  const program = affineProgram(graph, { jumps: true });
  const isContinuous = program.stages.every(({ kind }) => kind !== "jump");
  if (program.inputs !== slice.plane.origin.length)
    throw new EngineError(
      `the slice is for ${slice.plane.origin.length} inputs, the graph has ${program.inputs}`,
    );
  const subdivision = new Subdivision(program, slice.plane, slice.domain);
  const domainArea = area(slice.domain);
  const found: FoundRegion[] = [];
  let [count, covered, yielded] = [0, 0, performance.now()];
  for (const region of subdivision.regions()) {
    covered += area(region.polygon);
    count++;
    if (count > maxRegions)
      throw new EngineError(
        `there are more than ${maxRegions} regions; look at a smaller box, or raise the limit (--max-regions)`,
      );
    if (keep || adjacency) found.push(region);
    if (count % 64 === 0 && performance.now() - yielded > breath) {
      onProgress?.(covered / domainArea, count);
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal?.throwIfAborted();
      yielded = performance.now();
    }
  }
  const pairs = adjacency ? neighbours(found, isContinuous) : [];
  return {
    count,
    area: covered,
    domainArea,
    outputNames: program.outputNames,
    regions: keep ? found.map((region) => publicRegion(region, program)) : [],
    neighbours: pairs,
    linearRegions: adjacency ? mergedCount(found, pairs, subdivision.extent) : undefined,
    exactForms: subdivision.exact.evaluations,
    program,
  };
}

function publicRegion({ polygon, cell, map }: FoundRegion, { outputNames }: AffineProgram): Region {
  const m = outputNames.length;
  return {
    corners: polygon.vertices.map(({ u, v }) => [u, v]),
    area: area(polygon),
    map: { a: map.subarray(0, m), b: map.subarray(m, 2 * m), c: map.subarray(2 * m, 3 * m) },
    get pattern() {
      return patternOf(cell);
    },
  };
}

const patternOf = (cell: Cell | undefined): (Uint8Array | Uint16Array)[] =>
  cell ? [...patternOf(cell.parent), cell.choices] : [];

/** The outputs at (u, v), if the point lies in the region. */
export const outputsAt = ({ map: { a, b, c } }: Region, u: number, v: number): Float64Array =>
  a.map((slope, k) => slope * u + b[k]! * v + c[k]!);

/** Connected sets of regions with the same affine map, as far as doubles can tell. */
function mergedCount(regions: readonly FoundRegion[], pairs: readonly Neighbours[], extent: Extent): number {
  const parent = Int32Array.from(regions, (_, k) => k);
  const root = (k: number): number => {
    let top = k;
    while (parent[top] !== top) {
      parent[top] = parent[parent[top]!]!;
      top = parent[top]!;
    }
    return top;
  };
  let count = regions.length;
  for (const [i, j] of pairs) {
    const [x, y] = [root(i), root(j)];
    if (x === y || !sameMap(regions[i]!, regions[j]!, extent)) continue;
    parent[x] = y;
    count--;
  }
  return count;
}

function sameMap(x: FoundRegion, y: FoundRegion, extent: Extent): boolean {
  const sizes = [extent.u, extent.v, 1];
  const outputs = x.map.length / 3;
  return x.map.every((value, k) => {
    const size = sizes[Math.floor(k / outputs)]!;
    return Math.abs(value - y.map[k]!) * size <= 2 * (x.error + y.error);
  });
}
