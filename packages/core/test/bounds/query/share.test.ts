// What is left open when the time is over, and looked at later: no verdict of many such turns is wrong.
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseVnnlib, partsFrom, partsText, verifyQuery } from "../../../src/bounds/index.ts";
import { float64, graph } from "../../../src/graph/builder.ts";
import { judged } from "./judge.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The clock goes on by a millisecond with each look at it. */
function clockOfLooks(): void {
  let looks = 0;
  vi.spyOn(performance, "now").mockImplementation(() => ++looks);
}

/** Turn by turn, each only so many looks at the clock long, with the parts in two halves as two workers have them. */
function inTurns(looks: number) {
  const count = { turns: 0 };
  const inParts: typeof verifyQuery = async (query, graphs, options) => {
    let first = await verifyQuery(query, graphs, { ...options, seconds: looks / 1000 });
    const open = [...(first.left ?? [])];
    if (first.verdict !== "timed-out" || !first.left) return first;
    while (open.length > 0) {
      count.turns++;
      const some = open.splice(0, Math.ceil(open.length / 2));
      const parts = partsFrom(partsText(some));
      const found = await verifyQuery(query, graphs, {
        ...options,
        parts,
        seconds: (looks * (1 + count.turns / 20)) / 1000,
      });
      if (found.verdict === "timed-out" && found.left) open.push(...found.left);
      else if (found.verdict !== "unsat") return found;
      first = found;
    }
    return first;
  };
  return { inParts, count };
}

describe("parts of a query", () => {
  it("150 queries whose truth is known, in many short turns: no verdict is wrong", async () => {
    clockOfLooks();
    const { inParts, count } = inTurns(60);
    const { wrong, verdicts } = await judged({ verifyQuery: inParts, parseVnnlib }, 150, 7);
    expect(wrong).toEqual([]);
    expect(count.turns).toBeGreaterThan(20);
    for (const verdict of ["sat", "unsat"]) expect(verdicts[verdict]).toBeGreaterThan(20);
  }, 600_000);

  it("all cases after the one where the time was over are open", async () => {
    clockOfLooks();
    const net = graph({ x: float64(1, 2) }, ({ x }) => ({
      y: x
        .mul(20)
        .sin()
        .mul(x.mul(31).cos())
        .matmul([[1], [1]])
        .abs()
        .sub(1.9),
    }));
    const text = ["(declare-const X_0 Real)", "(declare-const X_1 Real)", "(declare-const Y_0 Real)"];
    const box = (l: number, u: number) =>
      `(and (>= X_0 ${l}) (<= X_0 ${u}) (>= X_1 ${l}) (<= X_1 ${u}) (>= Y_0 0.09999))`;
    text.push(`(assert (or ${box(0, 1)} ${box(2, 3)} ${box(4, 5)}))`);
    const found = await verifyQuery(parseVnnlib(text.join("\n")), new Map([["", net]]), { seconds: 0.03 });
    expect(found.verdict).toBe("timed-out");
    const cases = new Set(found.left!.map((part) => part.case));
    expect([...cases].at(-1)).toBe(2);
    expect(cases.size).toBeGreaterThan(1);
    for (const part of found.left!) expect(part.alternatives).toEqual([0]);
  });
});
