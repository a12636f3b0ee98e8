// HiGHS within a time, in a thread of its own.
import { afterAll, describe, expect, it } from "vitest";
import { milpSolver } from "../src/milp-solver.ts";

/** The least of -x - 2 y with x + y <= 3, 0 <= x <= 2, 0 <= y <= 2, y an integer: -5. */
const problem =
  "Minimize\n obj: - 1 x - 2 y\nSubject To\n + 1 x + 1 y <= 3\nBounds\n 0 <= x <= 2\n 0 <= y <= 2\nGeneral\n y\nEnd\n";

/** A parity problem, which branch and bound is slow at. */
const hard = (() => {
  const names = Array.from({ length: 60 }, (_, k) => `b${k}`);
  const sums = Array.from({ length: 25 }, (_, row) => {
    const parts = names.map((name, k) => `+ ${((k * 7919 + row * 104729 + k * row * 31) % 97) + 1} ${name}`);
    return `${parts.join(" ")} - 2 s${row} = ${1441 + row}`;
  });
  const free = sums.map((_, row) => `0 <= s${row} <= 100`);
  return `Minimize\n obj: s0\nSubject To\n ${sums.join("\n ")}\nBounds\n ${free.join("\n ")}\nBinary\n ${names.join("\n ")}\nEnd\n`;
})();

describe("the mixed-integer solver", () => {
  const { solve, end } = milpSolver(new AbortController().signal);
  afterAll(end);

  it("solves; says when the time is over, and goes on with the next problem", async () => {
    for (let k = 0; k < 3; k++)
      expect(await solve(problem, 60)).toEqual({ Status: "Optimal", ObjectiveValue: -5 });
    expect(await solve(hard, 0.05)).toMatchObject({ Status: "Time limit reached" });
    expect(await solve(problem, 60)).toEqual({ Status: "Optimal", ObjectiveValue: -5 });
  });

  it("stops when it is told to", async () => {
    const control = new AbortController();
    const stopped = milpSolver(control.signal);
    const answer = stopped.solve(hard, 60);
    control.abort();
    await expect(answer).rejects.toThrow(/abort/i);
  });
});
