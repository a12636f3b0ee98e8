// Searches hear their deadlines, also on networks that take minutes. The clock of these tests goes on by a millisecond
// each time that somebody looks at it: a limit of n milliseconds is one of n looks, on any machine.
import { afterEach, describe, expect, it, vi } from "vitest";
import { lowerNetwork } from "../../src/bounds/linear/lowering.ts";
import { linearBoundsInTime } from "../../src/bounds/linear.ts";
import { verifyQuery } from "../../src/bounds/query/verify.ts";
import { parseVnnlib } from "../../src/bounds/query/vnnlib.ts";
import { splitBounds } from "../../src/bounds/split.ts";
import { TimeOver } from "../../src/engine/time-over.ts";
import { compareNetworks } from "../../src/equivalence/compare/compare.ts";
import { simplify } from "../../src/equivalence/index.ts";
import { outputBounds } from "../../src/passes/interval.ts";
import { depthwiseNetwork, residualNetwork } from "./image-networks.ts";

let looks = 0;
const clockOfLooks = (milliseconds = 1): void => {
  looks = 0;
  vi.spyOn(performance, "now").mockImplementation(() => milliseconds * ++looks);
};
afterEach(() => {
  vi.restoreAllMocks();
});

const size = 16;
const networks = [
  ["residual", residualNetwork(size, 8, 10)],
  ["depthwise", depthwiseNetwork(size, 8, 10)],
] as const;
const box = {
  lower: new Float64Array(3 * size * size),
  upper: new Float64Array(3 * size * size).fill(1),
};

describe.each(networks)("bounds of a %s network", (_, net) => {
  it("lowering looks at the clock while it writes a layer, and ends when it is told", () => {
    let asked = 0;
    const patient = lowerNetwork(net, () => ++asked < 0);
    expect(asked).toBeGreaterThan(patient.rows / 128);
    asked = 0;
    expect(() => lowerNetwork(net, () => ++asked > 20)).toThrow(TimeOver);
    expect(asked).toBe(21);
  });

  it("intervals alone, when there is no time for more", async () => {
    const plain = outputBounds(net, { image: box }).get("scores")!;
    for (const bounds of [linearBoundsInTime, splitBounds]) {
      clockOfLooks();
      const found = await bounds(net, box, { seconds: 0.1 });
      expect(found.complete).toBe(false);
      expect(looks).toBeLessThan(120);
      expect([...found.lower]).toEqual([...plain.lower]);
      expect([...found.upper]).toEqual([...plain.upper]);
      expect(found.names.at(-1)).toBe("scores[9]");
    }
  });

  it("nothing, when there is no time for intervals", async () => {
    clockOfLooks(1000);
    await expect(linearBoundsInTime(net, box, { seconds: 5 })).rejects.toThrow(TimeOver);
    await expect(splitBounds(net, box, { seconds: 5 })).rejects.toThrow(TimeOver);
    expect(looks).toBeLessThan(20);
  });

  it("a query", async () => {
    const names = Array.from(box.lower, (_, i) => `X_${i}`);
    const outputs = Array.from({ length: 10 }, (_, i) => `Y_${i}`);
    const query = parseVnnlib(
      [
        ...[...names, ...outputs].map((name) => `(declare-const ${name} Real)`),
        ...names.map((name) => `(assert (and (>= ${name} 0) (<= ${name} 1)))`),
        "(assert (>= Y_0 1e9))",
      ].join("\n"),
    );
    clockOfLooks();
    const { verdict, reason } = await verifyQuery(query, new Map([["", net]]), { seconds: 0.1 });
    expect([verdict, reason]).toEqual(["timed-out", "the time was over before the networks were read"]);
    expect(looks).toBeLessThan(120);
  });

  it("a simplification that proves what it could in the time", async () => {
    clockOfLooks();
    const found = await simplify(net, { box, seconds: 0.1 });
    expect(looks).toBeLessThan(1000);
    expect(found.strength).toBe("proved");
    expect(found.change).toBeLessThan(1e-2);
  });
});

describe("comparisons of large networks", () => {
  const large = residualNetwork(32, 16, 10);

  it("look at a few points first: what differs plainly there needs no more", async () => {
    const found = await compareNetworks(large, residualNetwork(32, 16, 10, 2), { seconds: 20 });
    expect(found).toMatchObject({ verdict: "different", strength: "checked", boxes: 0 });
    expect(found.witness!.difference).toBeGreaterThan(found.tolerance);
    expect(found.units).toBeUndefined();
  });

  it("say what they saw when the time is over", async () => {
    const near = residualNetwork(32, 16, 10);
    clockOfLooks();
    const found = await compareNetworks(large, near, { seconds: 0.05, tolerance: 1e-9 });
    // The same weights: the graphs are the same, whatever the clock says.
    expect(found.verdict).toBe("equivalent");
    const other = await compareNetworks(large, residualNetwork(32, 16, 10, 2), {
      seconds: 0.05,
      tolerance: 1e30,
    });
    expect(other.verdict).toBe("unknown");
    expect(other.because).toMatch(
      /no more was seen on \d+ points?, and there are no bounds: the time was over/,
    );
  });
});
