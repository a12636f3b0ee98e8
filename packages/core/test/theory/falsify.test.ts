import { describe, expect, it } from "vitest";
import { atMost, equals, fitted, sampled } from "../../src/theory/claim.ts";
import { falsify } from "../../src/theory/falsify.ts";
import { HypothesisError, lemma } from "../../src/theory/lemma.ts";
import { choice, integer, real } from "../../src/theory/parameter.ts";

const base = { covers: [], kind: "bound", title: "a test", source: "none", statement: "" } as const;
const n = integer({ min: 1, max: 1000, default: 5, label: "n" });

describe("the falsifier", () => {
  it("finds and shrinks a counterexample", async () => {
    const wrong = lemma({
      ...base,
      id: "X-1",
      parameters: { n, shape: choice(["disc", "ball"], { label: "shape" }) },
      claims: { "n^2 <= 10 n": atMost("10n") },
      run: (p) => ({ claims: { "n^2 <= 10 n": sampled(p.n ** 2, 10 * p.n) } }),
    });
    const { violations, errata, trials } = await falsify(wrong, { trials: 50, seed: 3 });
    expect(trials).toBe(50);
    expect(errata).toEqual([]);
    expect(violations).toMatchObject([
      { id: "X-1", parameters: { n: 11, shape: "disc" }, measured: 121, theory: 110 },
    ]);
  });

  it("meets the boundaries of a range", async () => {
    const edge = lemma({
      ...base,
      id: "X-2",
      parameters: { n, r: real({ min: -1, max: 1, default: 0, label: "r" }) },
      claims: { "not at the end": atMost("999") },
      run: (p) => ({ claims: { "not at the end": sampled(p.n, 999) } }),
    });
    expect((await falsify(edge, { trials: 200, seed: 1 })).violations).toMatchObject([
      { parameters: { n: 1000 } },
    ]);
  });

  it("lists a violated printed claim as an erratum, and goes on to the corrected one", async () => {
    const erratum = { where: "p. 1", printed: "n", corrected: "2n" };
    const both = lemma({
      ...base,
      id: "X-3",
      parameters: { n },
      claims: { printed: equals("n").printed(erratum), corrected: equals("2n") },
      run: (p) => ({ claims: { printed: sampled(2 * p.n, p.n), corrected: sampled(2 * p.n, 2 * p.n) } }),
    });
    const { violations, errata } = await falsify(both, { trials: 20 });
    expect(violations).toEqual([]);
    expect(errata).toMatchObject([{ claim: "printed", parameters: { n: 1 }, erratum }]);
  });

  it("allows a probable claim its failures, and no more", async () => {
    const withFailures = (id: string, share: number) =>
      lemma({
        ...base,
        id,
        parameters: { n },
        claims: { tail: atMost("0").probable() },
        run: (_p, { random }) => ({
          claims: { tail: sampled(random.uniform() < share ? 1 : 0, 0, { delta: 0.1 }) },
        }),
      });
    expect((await falsify(withFailures("X-4", 0.1), { trials: 300 })).violations).toEqual([]);
    const { violations } = await falsify(withFailures("X-5", 0.4), { trials: 300 });
    expect(violations).toHaveLength(1);
    expect(violations[0]!.reason).toMatch(/fails in \d+ of 300 trials/);
  });

  it("reports a run that throws, with its parameters", async () => {
    const fragile = lemma({
      ...base,
      id: "X-6",
      parameters: { n },
      claims: {},
      run: (p) => {
        if (p.n > 20) throw new Error("too large");
        return { claims: {} };
      },
    });
    expect((await falsify(fragile, { trials: 50 })).violations).toMatchObject([
      { parameters: { n: 21 }, reason: "too large" },
    ]);
  });

  it("names a rate that no trial could decide", async () => {
    const vague = lemma({
      ...base,
      id: "X-10",
      parameters: { n },
      claims: { vague: equals("1").rate(), decided: equals("1").rate() },
      run: () => ({
        claims: {
          vague: fitted(
            [1, 2, 3, 4].map((x) => [x, x + (x % 2)]),
            1,
          ),
          decided: fitted(
            [1, 2, 3, 4].map((x) => [x, 3 * x]),
            1,
          ),
        },
      }),
    });
    expect((await falsify(vague, { trials: 5 })).unmeasured).toEqual(["vague"]);
  });

  it("does not count parameters that a hypothesis excludes", async () => {
    const guarded = lemma({
      ...base,
      id: "X-9",
      parameters: { n },
      claims: { even: equals("0") },
      run: (p) => {
        if (p.n % 2 === 1) throw new HypothesisError("n must be even");
        return { claims: { even: sampled(p.n % 2, 0) } };
      },
    });
    const { violations, excluded, exclusions, unmeasured } = await falsify(guarded, { trials: 50 });
    expect(violations).toEqual([]);
    expect(excluded).toBeGreaterThan(10);
    expect(exclusions).toEqual({ "X-9: n must be even": excluded });
    expect(unmeasured).toEqual([]);
    await expect(guarded.run({ n: 3 })).rejects.toThrow("n must be even");
  });

  it("tells which mutants it catches and which pass", async () => {
    const squares = lemma({
      ...base,
      id: "X-11",
      parameters: { n },
      claims: { square: equals("n^2"), far: atMost("10^9") },
      mutants: {
        "a square too few": { square: (p) => p.n ** 2 - 1 },
        "a bound halved that nobody comes near": { far: (_p, { theory }) => theory / 2 },
        "one less": (p) => ({ n: p.n - 1 }),
        "out of range, always": () => ({ n: 0 }),
        "no number": { square: () => Number.NaN },
      },
      run: (p) => ({ claims: { square: sampled(p.n ** 2, p.n ** 2), far: sampled(p.n, 1e9) } }),
    });
    const { survivors, violations } = await falsify(squares, { trials: 20 });
    expect(violations).toEqual([]);
    expect(survivors).toEqual(["a bound halved that nobody comes near", "out of range, always", "no number"]);
  });

  it("pools the trials of a probable claim's mutant", async () => {
    const coins = (damage: number) =>
      lemma({
        ...base,
        id: "X-12",
        parameters: { n },
        claims: { tail: atMost("0.9").probable() },
        mutants: { damaged: { tail: () => damage } },
        run: (_p, { random }) => ({ claims: { tail: sampled(random.uniform(), 0.9, { delta: 0.1 }) } }),
      });
    expect((await falsify(coins(0.6), { trials: 100 })).survivors).toEqual([]);
    expect((await falsify(coins(0.89), { trials: 100 })).survivors).toEqual(["damaged"]);
  });

  it("says how near an inequality came to its bound, and holds a loose one to what it says", async () => {
    const bounded = (slack: number) =>
      lemma({
        ...base,
        id: "X-13",
        parameters: { n: integer({ min: 1, max: 10, default: 1, label: "n" }) },
        claims: { small: atMost("40").looseBy(slack) },
        mutants: { "bound a tenth less": { small: () => 36 } },
        run: (p) => ({ claims: { small: sampled(p.n, 40) } }),
      });
    const report = await falsify(bounded(4), { trials: 60 });
    expect(report.nearest).toEqual({ small: 1 / 4 });
    expect(report.violations).toEqual([]);
    expect(report.survivors).toEqual([]);
    expect((await falsify(bounded(5), { trials: 60 })).violations).toMatchObject([
      { claim: "small", parameters: { n: 9 } },
    ]);
    expect((await falsify(bounded(3), { trials: 60 })).survivors).toEqual(["bound a tenth less"]);
  });

  it("gives the same report for the same seed, and can be aborted", async () => {
    const noisy = lemma({
      ...base,
      id: "X-7",
      parameters: { n },
      claims: { small: atMost("0.9") },
      run: (_p, { random }) => ({ claims: { small: sampled(random.uniform(), 0.9) } }),
    });
    expect(await falsify(noisy, { trials: 40, seed: 5 })).toEqual(
      await falsify(noisy, { trials: 40, seed: 5 }),
    );
    await expect(falsify(noisy, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});

describe("a lemma", () => {
  const echo = lemma({
    ...base,
    id: "X-8",
    parameters: { n, mode: choice(["a", "b"], { label: "mode" }) },
    claims: { echo: equals("n"), absent: equals("0") },
    run: async (p, { progress, scale }) => {
      await progress(0.5);
      return { claims: { echo: sampled(scale(p.n), p.n) } };
    },
  });

  it("parses its parameters and says what would be right", async () => {
    expect((await echo.run({ n: "7", mode: "b" })).parameters).toEqual({ n: 7, mode: "b" });
    await expect(echo.run({ m: 1 })).rejects.toThrow('X-8 has no parameter "m"; its parameters: n, mode');
    await expect(echo.run({ n: 0 })).rejects.toThrow("X-8: parameter n = 0: it is an integer from 1 to 1000");
    await expect(echo.run({ n: "many" })).rejects.toThrow(/X-8: parameter n = many/);
    await expect(echo.run({ mode: "c" })).rejects.toThrow("X-8: parameter mode = c: it is one of a, b");
  });

  it("scales with its budget, reports progress, and leaves out claims that do not apply", async () => {
    const seen: number[] = [];
    const { claims } = await echo.run({ n: 10 }, { budget: "thorough", onProgress: (f) => seen.push(f) });
    expect(claims.map((c) => [c.name, c.measured])).toEqual([["echo", 100]]);
    expect(seen).toEqual([0.5]);
    expect((await echo.run({ n: 10 }, { budget: "cheap" })).claims[0]!.measured).toBe(1);
  });
});
