// Shares of the work on a query cover all of it: by points of the box, and by verdicts on queries whose truth is known.
import { describe, expect, it } from "vitest";
import { parseVnnlib, verifyQuery } from "../../../src/bounds/index.ts";
import { networkOf } from "../../../src/bounds/linear.ts";
import { shareOf } from "../../../src/bounds/query/share.ts";
import { float64, graph } from "../../../src/graph/builder.ts";
import { createRandom } from "../../../src/numbers/random.ts";
import { judged } from "./judge.ts";

const net = graph({ x: float64(1, 3) }, ({ x }) => ({ y: x.relu().matmul([[1], [1], [1]]) }));

describe("shares of a query", () => {
  it("every point of the box is in a share, and no share is beyond it", () => {
    const random = createRandom("shares");
    const network = networkOf(net);
    const box = { lower: Float64Array.of(-1, 0, 5), upper: Float64Array.of(2, 0.5, 5) };
    for (const count of [1, 2, 8, 16]) {
      const shares = Array.from(
        { length: count },
        (_, index) => shareOf(network, box, [], { index, count }).box,
      );
      for (const { lower, upper } of shares)
        for (let i = 0; i < 3; i++) {
          expect(lower[i]!).toBeGreaterThanOrEqual(box.lower[i]!);
          expect(upper[i]!).toBeLessThanOrEqual(box.upper[i]!);
        }
      for (let n = 0; n < 500; n++) {
        // Multiples of powers of 1/2 hit the boundaries between parts.
        const coarse = n % 2 === 0 ? 2 ** random.integer(1, 5) : undefined;
        const x = box.lower.map((l, i) => {
          const u = random.uniform();
          return l + (coarse ? Math.round(u * coarse) / coarse : u) * (box.upper[i]! - l);
        });
        expect(shares.some(({ lower, upper }) => x.every((v, i) => v >= lower[i]! && v <= upper[i]!))).toBe(
          true,
        );
      }
    }
  });

  it("150 queries whose truth is known, in four shares: no verdict is wrong", async () => {
    const inShares: typeof verifyQuery = async (query, graphs, options) => {
      const found = [];
      for (let index = 0; index < 4; index++)
        found.push(await verifyQuery(query, graphs, { ...options, share: { index, count: 4 } }));
      const sat = found.find(({ verdict }) => verdict === "sat");
      return sat ?? found.find(({ verdict }) => verdict !== "unsat") ?? found[0]!;
    };
    const { wrong, verdicts } = await judged({ verifyQuery: inShares, parseVnnlib }, 150, 7);
    expect(wrong).toEqual([]);
    for (const verdict of ["sat", "unsat"]) expect(verdicts[verdict]).toBeGreaterThan(20);
  }, 600_000);
});
