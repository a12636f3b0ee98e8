// Trials that were run in parts, anywhere, make the same report as one run.
import { describe, expect, it } from "vitest";
import { atMost, checked, equals, proved } from "../../src/theory/claim.ts";
import { falsify, findLemma, lemma, readTrials, someTrials, trialsText } from "../../src/theory/index.ts";
import { integer, real } from "../../src/theory/parameter.ts";

const faulty = lemma({
  id: "X-1",
  covers: ["X-1"],
  kind: "bound",
  title: "",
  source: "",
  statement: "",
  parameters: {
    n: integer({ min: 1, max: 50, default: 3, label: "n" }),
    s: real({ min: 0, max: 1, default: 0.5, label: "s" }),
  },
  claims: {
    "below 20": atMost("20"),
    exact: equals("n/3"),
    often: atMost("1").probable(),
    huge: atMost("inf"),
  },
  mutants: {
    "one more": { exact: ({ n }) => n / 3 + 1 },
    elsewhere: ({ n }) => ({ n: n + 1 }),
    "seen late": ({ n, s }) => ({ n: n > 45 ? n - 1 : n, s }),
    survives: ({ n }) => ({ n }),
  },
  run: ({ n, s }, { random }) => {
    if (n === 13) throw new Error("thirteen");
    return {
      claims: {
        "below 20": checked(n, 20),
        exact: proved({ numerator: BigInt(n), denominator: 3n }, { numerator: BigInt(n), denominator: 3n }),
        often: checked(random.uniform() < 0.3 + 0.2 * s ? 2 : 0, 1, { delta: 0.01 }),
        huge: checked(-0, Number.POSITIVE_INFINITY),
      },
    };
  },
});

/** The same where nothing is wrong. */
const sound = {
  ...faulty,
  parameters: { ...faulty.parameters, n: integer({ min: 14, max: 50, default: 20, label: "n" }) },
  claims: { exact: faulty.claims["exact"]! },
  mutants: { elsewhere: faulty.mutants["elsewhere"]!, survives: faulty.mutants["survives"]! },
};

async function merged(subject: typeof faulty, trials: number, seed: number, cuts: readonly number[]) {
  const ends = [0, ...cuts, trials];
  const parts = await Promise.all(
    ends.slice(1).map((to, k) => someTrials(subject, { seed, from: ends[k]!, to })),
  );
  // Through text, in another order.
  const known = parts.toReversed().flatMap((part) => readTrials(trialsText(part), subject));
  return falsify(subject, { trials, seed, known });
}

describe("a falsifier in parts", () => {
  it.each([
    [60, 1, [20, 40]],
    [60, 2, [1, 2, 3, 59]],
    [200, 3, [100]],
    [7, 4, []],
  ])("%i trials with seed %i, cut at %j", async (trials, seed, cuts) => {
    expect(await merged(faulty, trials, seed, cuts)).toEqual(await falsify(faulty, { trials, seed }));
  });

  it("finds what is wrong: the test above does not compare nothing with nothing", async () => {
    const { violations } = await merged(faulty, 200, 3, [100]);
    expect(violations.map(({ claim }) => claim).toSorted()).toEqual(["below 20", "often", "the run itself"]);
    expect(violations.find((v) => v.claim === "below 20")!.parameters["n"]).toBe(21);
    expect((await merged(sound, 50, 3, [10])).survivors).toEqual(["survives"]);
  });

  it("pools the frequency of a probable claim: no part alone has enough failures", async () => {
    const rare = { ...faulty, claims: { often: faulty.claims["often"]! }, mutants: {} };
    const alone = await falsify(rare, { trials: 3, seed: 5 });
    expect(alone.violations.filter((v) => v.claim === "often")).toEqual([]);
    const all = await merged(
      rare,
      60,
      5,
      Array.from({ length: 19 }, (_, k) => 3 * (k + 1)),
    );
    expect(all.violations.find((v) => v.claim === "often")!.reason).toMatch(
      /^fails in \d+ of \d+ trials, delta = 0.01$/,
    );
  });

  it("runs no trial of a part again, nor what its mutants need", async () => {
    let runs = 0;
    const subject: typeof sound = {
      ...sound,
      run(...given) {
        runs++;
        return sound.run(...given);
      },
    };
    const known = await someTrials(sound, { seed: 1, from: 0, to: 30 });
    const { trials, survivors } = await falsify(subject, { trials: 30, seed: 1, known });
    expect({ trials, survivors, runs }).toEqual({ trials: 30, survivors: ["survives"], runs: 0 });
  });

  it.each(["T-27", "C1a-40"])("%s", async (id) => {
    const real = await findLemma(id);
    expect(await merged(real, 12, 1, [5])).toEqual(await falsify(real, { trials: 12, seed: 1 }));
  });
});
