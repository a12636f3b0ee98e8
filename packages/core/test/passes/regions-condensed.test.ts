// Regions by the network of the open units are the regions by the whole network: the same patterns, areas and maps.
import { describe, expect, it } from "vitest";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { affineProgram } from "../../src/passes/affine/compile.ts";
import type { Cell } from "../../src/passes/regions/exact-forms.ts";
import { planeSlice } from "../../src/passes/regions/index.ts";
import { area } from "../../src/passes/regions/polygon.ts";
import { Subdivision } from "../../src/passes/regions/subdivide.ts";

/** Normal or (with many ties) small whole numbers. */
function drawer(seed: string, isWhole: boolean) {
  const random = createRandom(seed);
  const draw = () => (isWhole ? random.integer(-2, 2) : random.normal(1)[0]!);
  const tensorOf = (dims: readonly number[]): unknown =>
    dims.length === 0 ? draw() : Array.from({ length: dims[0]! }, () => tensorOf(dims.slice(1)));
  return tensorOf;
}

function network(seed: string, isWhole: boolean, leaky: boolean): Graph {
  const draw = drawer(seed, isWhole);
  const weights = (...dims: number[]) => draw(dims) as never;
  return graph({ x: float64(1, 1, 6, 6) }, ({ x }) => {
    const bend = (v: typeof x) => (leaky ? v.op("LeakyRelu", [], { alpha: 0.3 }) : v.relu());
    const first = bend(x.op("Conv", [weights(3, 1, 3, 3), weights(3)]));
    const pooled = first.op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] });
    const second = bend(pooled.op("Conv", [weights(4, 3, 2, 2), weights(4)]));
    const flat = second.reshape([1, 4]);
    const third = bend(flat.affine(weights(5, 4), weights(5))).add(flat.sum([1], 1));
    return { y: third.affine(weights(2, 5), weights(2)) };
  });
}

const text = (cell: Cell | undefined): string =>
  cell ? `${text(cell.parent)}/${[...cell.choices].join("")}` : "";

function regionsOf(net: Graph, seed: string, isWhole: boolean, fewWeights: number) {
  const draw = drawer(`${seed}/points`, isWhole);
  const point = () => draw([36]) as number[];
  const slice = planeSlice([point(), point(), point()]);
  const subdivision = new Subdivision(affineProgram(net), slice.plane, slice.domain, { fewWeights });
  const found = new Map<
    string,
    { readonly area: number; readonly map: Float64Array; readonly error: number }
  >();
  for (const { polygon, cell, map, error } of subdivision.regions()) {
    expect(found.has(text(cell))).toBe(false);
    found.set(text(cell), { area: area(polygon), map, error });
  }
  return found;
}

describe.each([
  ["a", false, false],
  ["b", false, false],
  ["c", false, true],
  ["d", true, false],
  ["e", true, true],
] as const)("network %s (whole numbers: %s, leaky: %s)", (seed, isWhole, leaky) => {
  it("has the same regions", () => {
    const net = network(seed, isWhole, leaky);
    const whole = regionsOf(net, seed, isWhole, Number.POSITIVE_INFINITY);
    const condensed = regionsOf(net, seed, isWhole, 0);
    expect(whole.size).toBeGreaterThan(50);
    expect([...condensed.keys()].toSorted()).toEqual([...whole.keys()].toSorted());
    for (const [pattern, one] of whole) {
      const other = condensed.get(pattern)!;
      expect(Math.abs(one.area - other.area)).toBeLessThan(1e-12);
      one.map.forEach((value, k) => {
        expect(Math.abs(value - other.map[k]!)).toBeLessThanOrEqual(
          one.error + other.error + 1e-12 * Math.abs(value),
        );
      });
    }
  });
});
