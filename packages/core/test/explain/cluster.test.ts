// Spectral clusters on graphs whose parts are known.
import { describe, expect, it } from "vitest";
import {
  cluster,
  kMeans,
  neighbourGraph,
  normalizedLaplacian,
  sumPooled,
  widestGap,
} from "../../src/explain/cluster.ts";
import { blurred } from "../../src/explain/heatmap.ts";
import { symmetricEigen } from "../../src/linear-algebra/index.ts";
import { createRandom } from "../../src/numbers/random.ts";

const random = createRandom("clusters");
/** Points around corners of a cube, in turn. */
const around = (corners: readonly (readonly number[])[], each: number): number[][] =>
  Array.from({ length: each * corners.length }, (_, k) =>
    corners[k % corners.length]!.map((v) => v + 0.05 * random.normal()),
  );

/** Whether two labellings are one but for the names. */
const agree = (a: readonly number[], b: readonly number[]): boolean =>
  a.every((_, i) => a.every((__, j) => (a[i] === a[j]) === (b[i] === b[j])));

describe("clusters of explanations", () => {
  it("are the parts that nothing joins, as many as the spectrum has zeros", () => {
    const corners = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const found = cluster(around(corners, 8), { neighbours: 3, random });
    expect(found.count).toBe(3);
    expect(found.eigenvalues.filter((v) => v < 1e-9)).toHaveLength(3);
    expect(
      agree(
        found.labels,
        Array.from({ length: 24 }, (_, k) => k % 3),
      ),
    ).toBe(true);
  });

  it("the Laplacian of a path of three: 0, 1, 2", () => {
    const L = normalizedLaplacian([
      [0, 1, 0],
      [1, 0, 1],
      [0, 1, 0],
    ]);
    for (const [k, v] of symmetricEigen(L).values.entries()) expect(v).toBeCloseTo(k, 12);
  });

  it("neighbours are joined in both directions", () => {
    expect(neighbourGraph([[0], [1], [1.5]], 1)).toEqual([
      [0, 1, 0],
      [1, 0, 1],
      [0, 1, 0],
    ]);
  });

  it("the widest gap says how many", () => {
    expect(widestGap([0, 0.01, 0.02, 0.9, 1], 4)).toBe(3);
    expect(widestGap([0, 0.5, 0.9], 1)).toBe(1);
  });

  it("k-means finds what is far apart", () => {
    const labels = kMeans([[0], [0.1], [5], [5.1], [9], [9.2]], 3, random);
    expect(agree(labels, [0, 0, 1, 1, 2, 2])).toBe(true);
  });
});

describe("planes", () => {
  const plane = { rows: 3, columns: 4, values: Float64Array.from({ length: 12 }, (_, k) => k) };

  it("pooled by sums, the last squares smaller", () => {
    expect(sumPooled(plane, 2)).toEqual({ rows: 2, columns: 2, values: Float64Array.of(10, 18, 17, 21) });
  });

  it("blurred: two pixels and a mirror", () => {
    const w = Array.from({ length: 9 }, (_, k) => Math.exp(-((k - 4) ** 2) / 2));
    const total = w.reduce((s, v) => s + v, 0);
    // ... 0 1 1 0 0 1 1 0 0 ... around the first pixel
    const here = w.filter((_, k) => [0, 3, 4, 7, 8].includes(k)).reduce((s, v) => s + v, 0) / total;
    const { values } = blurred({ rows: 1, columns: 2, values: Float64Array.of(1, 0) }, 1);
    expect(values[0]).toBeCloseTo(here, 12);
    expect(values[1]).toBeCloseTo(1 - here, 12);
  });
});
