import { describe, expect, it } from "vitest";
import { float64, graph } from "../../src/graph/builder.ts";
import { add, compare, div, type Exact, mul, sign, sub } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { boxSlice, outputsAt, planeRegions } from "../../src/passes/regions/index.ts";
import { initialNetwork } from "../../src/train/network.ts";
import {
  integerLayers,
  type Layer,
  middle,
  patternAt,
  patternText,
  randomLayers,
  relu,
} from "./regions-networks.ts";

const box = boxSlice([-2, -2], [2, 2]);
const count = async (layers: readonly Layer[], slice = box) =>
  (await planeRegions(relu(layers), slice, { keep: false })).count;
const shallow = (lines: readonly (readonly [number, number, number])[]): Layer[] => [
  { W: lines.map(([a, b]) => [a, b]), b: lines.map(([, , c]) => c) },
  { W: [lines.map(() => 1)], b: [0] },
];

/** Lines cut a convex set into 1 + lines + sum over inner crossing points of (lines through it - 1) parts. */
function facesByEuler(lines: readonly (readonly [number, number, number])[], reach: number): number {
  const value = ([a, b, c]: readonly [number, number, number], u: Exact, v: Exact): Exact =>
    add(add(mul(a, u), mul(b, v)), c);
  const corners = [-reach, reach].flatMap((u) => [-reach, reach].map((v) => [u, v] as const));
  const crossing = lines.filter((line) => {
    const signs = corners.map(([u, v]) => sign(value(line, u, v)));
    return signs.includes(1) && signs.includes(-1);
  });
  const distinct = crossing.filter(
    ([a, b, c], k) =>
      !crossing.slice(0, k).some(([d, e, f]) => a * e === b * d && a * f === c * d && b * f === c * e),
  );
  const points: [Exact, Exact][] = [];
  distinct.forEach(([a, b, c], k) => {
    for (const [d, e, f] of distinct.slice(0, k)) {
      const w = a * e - b * d;
      if (w === 0) continue;
      const [u, v] = [div(b * f - c * e, w), div(c * d - a * f, w)];
      const inside = [u, v].every((x) => compare(x, -reach) > 0 && compare(x, reach) < 0);
      if (inside && !points.some(([s, t]) => sign(sub(s, u)) === 0 && sign(sub(t, v)) === 0))
        points.push([u, v]);
    }
  });
  const through = points.map(([u, v]) => distinct.filter((l) => sign(value(l, u, v)) === 0).length);
  return 1 + distinct.length + through.reduce((sum, m) => sum + m - 1, 0);
}

describe("degenerate networks", () => {
  it("integer lines: coincident, concurrent, through corners, along edges, counted as Euler does", async () => {
    for (let seed = 0; seed < 60; seed++) {
      const random = createRandom(`lines ${seed}`);
      const lines = Array.from(
        { length: 10 },
        () => [random.integer(-2, 2), random.integer(-2, 2), random.integer(-2, 2)] as const,
      );
      const found = await planeRegions(relu(shallow(lines)), box, { adjacency: true });
      expect(found.count).toBe(facesByEuler(lines, 2));
      expect(found.area).toBeCloseTo(16, 12);
    }
  });

  it("deep integer networks: every pattern of a fine grid, and no other", async () => {
    for (let seed = 0; seed < 12; seed++) {
      const layers = integerLayers(`deep ${seed}`, [2, 5, 5, 4, 1]);
      const found = await planeRegions(relu(layers), box, { adjacency: true });
      expect(found.area).toBeCloseTo(16, 11);
      const known = new Set(found.regions.map(patternText));
      expect(known.size).toBe(found.count);
      for (const region of found.regions) expect(patternAt(layers, middle(region))).toBe(patternText(region));
      const random = createRandom(`grid ${seed}`);
      for (let k = 0; k < 5000; k++)
        expect(known.has(patternAt(layers, [4 * random.uniform() - 2, 4 * random.uniform() - 2])!)).toBe(
          true,
        );
      for (const [i, j] of found.neighbours) expect(i).not.toBe(j);
    }
  });

  it("do not depend on the order, the scale or the repetition of units", async () => {
    for (let seed = 0; seed < 6; seed++) {
      for (const make of [randomLayers, integerLayers]) {
        const [first, second, last] = make(`invariance ${seed}`, [2, 6, 5, 1]) as [Layer, Layer, Layer];
        const expected = await count([first, second, last]);
        const order = Array.from(createRandom(seed).permutation(6));
        const permuted: Layer[] = [
          { W: order.map((k) => first.W[k]!), b: order.map((k) => first.b[k]!) },
          { ...second, W: second.W.map((row) => order.map((k) => row[k]!)) },
          last,
        ];
        const scaled: Layer[] = [
          { W: first.W.map((row, k) => row.map((w) => w * 3 ** k)), b: first.b.map((c, k) => c * 3 ** k) },
          second,
          last,
        ];
        const doubled: Layer[] = [
          { W: [...first.W, ...first.W], b: [...first.b, ...first.b] },
          { ...second, W: second.W.map((row) => [...row, ...row.map(() => 0)]) },
          last,
        ];
        expect(await count(permuted)).toBe(expected);
        expect(await count(doubled)).toBe(expected);
        expect(await count([scaled[0]!], box)).toBe(await count([first], box));
      }
    }
  });

  it("near-parallel lines are told apart, equal ones are not", async () => {
    const tiny = 2 ** -50;
    expect(
      await count(
        shallow([
          [1, 0, 0],
          [1, 0, tiny],
        ]),
      ),
    ).toBe(3);
    expect(
      await count(
        shallow([
          [1, 0, 0],
          [1, tiny, 0],
        ]),
      ),
    ).toBe(4);
    expect(
      await count(
        shallow([
          [1, 0, 0],
          [3, 0, 0],
          [-1, 0, 0],
        ]),
      ),
    ).toBe(2);
    // Three lines that nearly meet: a triangle of size 2^-50 more than a star.
    expect(
      await count(
        shallow([
          [1, 0, 0],
          [0, 1, 0],
          [1, 1, 0],
        ]),
      ),
    ).toBe(6);
    expect(
      await count(
        shallow([
          [1, 0, 0],
          [0, 1, 0],
          [1, 1, tiny],
        ]),
      ),
    ).toBe(7);
    // A line through two corners, one along an edge of the box, one that touches a corner only.
    expect(
      await count(
        shallow([
          [1, 1, 0],
          [1, 0, 2],
          [1, 1, 4],
        ]),
      ),
    ).toBe(2);
  });

  it("dead units, zero weights and constants divide nothing", async () => {
    expect(
      await count(
        shallow([
          [0, 0, 0],
          [0, 0, 1],
          [0, 0, -1],
          [1, 0, 9],
        ]),
      ),
    ).toBe(1);
    const dead: Layer[] = [
      {
        W: [
          [1, 0],
          [0, 1],
        ],
        b: [0, 0],
      },
      {
        W: [
          [-1, -1],
          [0, 0],
        ],
        b: [-1, 0],
      },
      { W: [[1, 1]], b: [0] },
    ];
    const found = await planeRegions(relu(dead), box, { adjacency: true });
    expect([found.count, found.linearRegions]).toEqual([4, 1]);
    expect(found.neighbours.length).toBe(4);
  });

  it("without biases all lines meet in the origin", async () => {
    const layers = randomLayers("biasless", [2, 8, 8, 1], 0);
    const found = await planeRegions(relu(layers), box, { adjacency: true });
    expect(found.neighbours.length).toBe(found.count);
    for (const region of found.regions) expect(outputsAt(region, 0, 0)[0]).toBe(0);
  });

  it("the greatest of rows that coincide is the first; rows that meet in one line make one border", async () => {
    const net = graph({ x: float64("N", 2) }, ({ x }) => ({
      y: x
        .affine(
          [
            [1, 0],
            [0, 0],
            [2, 0],
            [1, 0],
          ],
          [0, 0, 0, 0],
        )
        .op("ReduceMax", [], { keepdims: 1 }),
    }));
    const found = await planeRegions(net, box, { adjacency: true });
    expect(found.count).toBe(2);
    expect(found.neighbours).toEqual([[0, 1]]);
    expect(new Set(found.regions.map((r) => r.map.a[0]))).toEqual(new Set([0, 2]));
  });

  it("on a plain background units tie everywhere: that is seen without numbers", async () => {
    const net = initialNetwork("1x12x12-conv4k3-relu-maxpool2-conv4k3-relu-maxpool2-flatten-3", {
      seed: 1,
      initialization: "pytorch",
    });
    const pixels = new Float64Array(144).fill(0.5);
    const slice = boxSlice(
      pixels.map((x, k) => (k < 2 ? 0 : x)),
      pixels.map((x, k) => (k < 2 ? 1 : x)),
    );
    const { count, exactForms } = await planeRegions(net, slice, { keep: false });
    expect(count).toBeGreaterThan(5);
    expect(exactForms).toBeLessThan(20);
  });
});
