// Parameters at which the falsifier once broke a claim by the error of the measurement, not of the theorem.
import { describe, expect, it } from "vitest";
import { findLemma } from "../../src/theory/registry.ts";

const found = [
  // A flow that changes within 1/200: differences in time have to follow it.
  ["C1a-30", { loss: "exponential", d: 1, n: 1, m: 2, T: 0.1 }, 536338060],
  // Rounding grows with the weights and with the residual, not with one component of it.
  ["C1a-40", { m: 8, more: 0, start: 0.4, step: 0.05 }, 1912907869],
] as const;

describe("what was violated once", () => {
  it.each(found)("%s holds at %j", async (id, parameters, seed) => {
    const { claims } = await (await findLemma(id)).run(parameters, { budget: "cheap", seed });
    expect(claims.filter((c) => !c.holds)).toEqual([]);
    expect(claims.length).toBeGreaterThan(5);
  });
});
