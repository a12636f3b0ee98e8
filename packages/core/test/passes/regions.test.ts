import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { square } from "../../src/networks/square/square.ts";
import { createRandom } from "../../src/numbers/random.ts";
import {
  arrangementRegions,
  montufarLowerBound,
  productBound,
  serraLowerBound,
  serraUpperBound,
} from "../../src/passes/region-bounds.ts";
import {
  boxSlice,
  outputsAt,
  planeRegions,
  planeSlice,
  type Regions,
  regionBounds,
  segmentPieces,
} from "../../src/passes/regions/index.ts";
import {
  depthInside,
  type Layer,
  middle,
  patternAt,
  patternText,
  randomLayers,
  relu,
} from "./regions-networks.ts";

const unit = boxSlice([-1, -1], [1, 1]);

/** Every claim that a subdivision makes, checked against the network by plain code. */
async function expectComplete(layers: readonly Layer[], found: Regions, seed: number): Promise<void> {
  expect(Math.abs(found.area / found.domainArea - 1)).toBeLessThan(1e-12);
  const patterns = found.regions.map(patternText);
  expect(new Set(patterns).size).toBe(found.count);
  found.regions.forEach((region, k) => {
    const [u, v] = middle(region);
    if (depthInside(region, u, v) > 1e-7) expect(patternAt(layers, [u, v]) ?? patterns[k]).toBe(patterns[k]);
  });
  const known = new Set(patterns);
  const random = createRandom(seed);
  for (let k = 0; k < 1500; k++) {
    const pattern = patternAt(layers, [2 * random.uniform() - 1, 2 * random.uniform() - 1]);
    if (pattern !== undefined && !known.has(pattern)) expect.unreachable(`missed ${pattern}`);
  }
}

describe("regions in the plane", () => {
  it("of generic shallow networks number 1 + n + C(n, 2)", async () => {
    for (const [n, expected] of [2, 4, 7, 11, 16, 22, 29].entries()) {
      const net = relu(randomLayers(`shallow ${n}`, [2, n + 1, 1]));
      const found = await planeRegions(net, boxSlice([-1e4, -1e4], [1e4, 1e4]), { keep: false });
      expect(found.count).toBe(expected);
    }
  });

  it("miss no activation pattern, and each has its own", async () => {
    for (const sizes of [
      [2, 6, 1],
      [2, 8, 8, 1],
      [2, 12, 6, 12, 1],
      [2, 5, 5, 5, 5, 1],
    ]) {
      for (let seed = 0; seed < 5; seed++) {
        const layers = randomLayers(`${sizes} ${seed}`, sizes);
        await expectComplete(layers, await planeRegions(relu(layers), unit), seed);
      }
    }
  });

  it("have the network's affine maps", async () => {
    const net = relu(randomLayers("maps", [2, 16, 16, 1]));
    const { regions } = await planeRegions(net, unit);
    const points = regions.map(middle);
    const { y } = await run(net, { x: tensor(points.flat(), { dims: [points.length, 2] }) });
    const outputs = numbers(y!);
    regions.forEach((region, k) => {
      expect(Math.abs(outputsAt(region, ...points[k]!)[0]! - outputs[k]!)).toBeLessThan(1e-12);
    });
  });

  it("never exceed the bounds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 1e6 }),
        async (widths, seed) => {
          const found = await planeRegions(relu(randomLayers(seed, [2, ...widths, 1])), unit, {
            keep: false,
          });
          const { upper, serra, product } = regionBounds(found.program, 2);
          expect(BigInt(found.count)).toBeLessThanOrEqual(upper);
          expect(serra).toBeLessThanOrEqual(product);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("touch along edges: neighbours differ in one unit (generically), and agree on the shared edge", async () => {
    const found = await planeRegions(relu(randomLayers("adjacency", [2, 10, 10, 1])), unit, {
      adjacency: true,
    });
    const { regions, neighbours } = found;
    expect(new Set(neighbours.map(String)).size).toBe(neighbours.length);
    for (const [i, j] of neighbours) {
      expect(i).toBeLessThan(j);
      const [p, q] = [patternText(regions[i]!), patternText(regions[j]!)];
      expect([...p].filter((c, k) => c !== q[k]).length).toBe(1);
      // Where the two maps agree is a line; both regions have an edge on it.
      const shared = regions[i]!.corners.filter(
        ([u, v]) =>
          Math.abs(outputsAt(regions[i]!, u, v)[0]! - outputsAt(regions[j]!, u, v)[0]!) < 1e-9 &&
          depthInside(regions[j]!, u, v) > -1e-9,
      );
      expect(shared.length + regions[j]!.corners.length).toBeGreaterThanOrEqual(3);
    }
    expect(found.linearRegions).toBe(found.count);
    // Euler: every bounded subdivision into convex cells is connected through its edges.
    const reached = new Set([0]);
    for (let before = 0; before < reached.size; ) {
      before = reached.size;
      for (const [i, j] of neighbours)
        if (reached.has(i) || reached.has(j)) {
          reached.add(i);
          reached.add(j);
        }
    }
    expect(reached.size).toBe(found.count);
  });

  it("are the neighbours that geometry says", async () => {
    const { regions, neighbours } = await planeRegions(relu(randomLayers("geometry", [2, 6, 6, 1])), unit, {
      adjacency: true,
    });
    const known = new Set(neighbours.map(String));
    regions.forEach((p, i) => {
      regions.forEach((q, j) => {
        if (i >= j) return;
        // A point of an edge of p, a little off its middle so as not to be a corner of q, that lies on q's border.
        const touches = [...p.corners.keys()].some((k) =>
          Array.from({ length: 99 }, (_, n) => (n + 0.5) / 99).some((t) => {
            const [a, b] = [p.corners[k]!, p.corners[(k + 1) % p.corners.length]!];
            const [u, v] = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
            return Math.abs(depthInside(q, u, v)) < 1e-12 && Math.hypot(b[0] - a[0], b[1] - a[1]) > 1e-3;
          }),
        );
        if (touches) expect(known).toContain(`${i},${j}`);
      });
    });
  });

  it("on a slice are those of the network restricted to it", async () => {
    const layers = randomLayers("slice", [4, 8, 8, 1]);
    const [a, b, c] = [
      [0.1, -0.2, 0.3, 0.4],
      [1, 0.5, -0.5, 0],
      [-0.5, 1, 0.25, -1],
    ];
    const found = await planeRegions(relu(layers), planeSlice([a!, b!, c!]));
    const at = (u: number, v: number) => a!.map((x, k) => x + u * (b![k]! - x) + v * (c![k]! - x));
    const known = new Set(found.regions.map(patternText));
    expect(found.domainArea).toBe(1);
    expect(found.area).toBeCloseTo(1, 12);
    for (const region of found.regions)
      expect(patternAt(layers, at(...middle(region)))).toBe(patternText(region));
    for (let i = 0; i < 60; i++)
      for (let j = 0; j < 60; j++)
        expect(known).toContain(patternAt(layers, at((i + 0.5) / 60, (j + 0.5) / 60)));
  });

  it("in a box: the part of the plane within it", async () => {
    const net = relu(randomLayers("cube", [3, 4, 1]));
    // The plane x + y + z = 0 meets the cube [-1, 1]^3 in a regular hexagon of area 3 sqrt 3.
    const slice = planeSlice(
      [
        [0, 0, 0],
        [1, -1, 0],
        [0, 1, -1],
      ],
      { lower: [-1, -1, -1], upper: [1, 1, 1] },
    );
    const found = await planeRegions(net, slice);
    expect(slice.domain.vertices.length).toBe(6);
    expect(found.domainArea * Math.sqrt(3)).toBeCloseTo(3 * Math.sqrt(3), 12);
    expect(found.area).toBeCloseTo(found.domainArea, 12);
  });

  it("on a segment are pieces", async () => {
    const pieces = segmentPieces(await planeRegions(square(5), boxSlice([0], [1])));
    expect(pieces.map((p) => p.from)).toEqual(Array.from({ length: 32 }, (_, k) => k / 32));
    expect(pieces.map((p) => p.values[0])).toEqual(Array.from({ length: 32 }, (_, k) => (k / 32) ** 2));
    expect(pieces.map((p) => p.slopes[0])).toEqual(Array.from({ length: 32 }, (_, k) => (2 * k + 1) / 32));
  });

  it("stop at the limit, on a signal, and at a network that is not piecewise linear", async () => {
    const net = relu(randomLayers("limit", [2, 32, 32, 1]));
    await expect(planeRegions(net, unit, { maxRegions: 10 })).rejects.toThrow(/more than 10 regions/);
    await expect(
      planeRegions(relu(randomLayers("abort", [2, 128, 128, 128, 1])), unit, {
        signal: AbortSignal.timeout(60),
      }),
    ).rejects.toThrow(/abort|timeout/i);
    expect(() => boxSlice([0, 0, 0], [1, 1, 1])).toThrow(/3 inputs vary/);
    expect(() =>
      planeSlice([
        [0, 0],
        [1, 1],
        [2, 2],
      ]),
    ).toThrow(/lie on a line/);
  });
});

describe("bounds on regions", () => {
  it("have the catalogue's values", () => {
    expect(montufarLowerBound([8, 8, 8], 2)).toBe(9472n);
    expect(serraLowerBound([8, 8, 8], 2)).toBe(23125n);
    expect(serraUpperBound([8, 8, 8], 2)).toBe(50653n);
    expect(arrangementRegions(24, 2)).toBe(301n);
    expect(serraUpperBound([3, 3, 3], 1)).toBe(64n);
    expect(montufarLowerBound([4], 3)).toBe(15n);
    expect(montufarLowerBound([2], 3)).toBeUndefined();
    expect([3, 5, 8].map((n) => arrangementRegions(n, 2))).toEqual([7n, 16n, 37n]);
  });

  it("are sharper than one arrangement per layer when a layer is narrow", () => {
    expect(serraUpperBound([4, 2, 4], 2)).toBeLessThan(productBound([4, 2, 4], 2));
  });
});
