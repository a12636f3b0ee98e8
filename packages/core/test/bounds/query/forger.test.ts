// The word "unsat", attacked: queries whose truth is known exactly, with thresholds on the very extremes. And mutants:
// the same library with one planted error, which the same queries must catch.
import { afterEach, describe, expect, it, vi } from "vitest";
import { verifyQuery } from "../../../src/bounds/query/verify.ts";
import { parseVnnlib } from "../../../src/bounds/query/vnnlib.ts";
import { judged, type Tried } from "./judge.ts";

const hunt = process.env["LEMMATA_HUNT"];
const seed = Number(process.env["LEMMATA_SEED"] ?? (hunt ? Date.now() % 1e9 : 1));
const count = hunt ? Number(hunt) : 600;

describe("queries whose truth is known", () => {
  it(`${count} of them: no verdict is wrong`, async () => {
    const { verdicts, undecided, wrong } = await judged({ verifyQuery, parseVnnlib }, count, seed);
    expect(wrong).toEqual([]);
    expect(undecided).toBe(0);
    // The queries are neither all easy nor all on the edge.
    for (const verdict of ["sat", "unsat"]) expect(verdicts[verdict]).toBeGreaterThan(count / 8);
  }, 7_200_000);
});

/** A planted error: a module, and what is changed of it. */
interface Mutant {
  readonly name: string;
  readonly module: string;
  change(original: Record<string, (...given: never[]) => unknown>): Record<string, unknown>;
}

type Constants = { readonly constant: number; readonly isExact: boolean };
type Found = { readonly lower: ReadonlyMap<number, number>; readonly upper: ReadonlyMap<number, number> };

const hair = 1e-9;
const mutants: readonly Mutant[] = [
  {
    name: "bounds are widened by less than nothing",
    module: "../../../src/bounds/linear/rounding.ts",
    change: () => ({ formRounding: () => -hair }),
  },
  {
    name: "thresholds are rounded to the wrong side",
    module: "../../../src/bounds/query/targets.ts",
    change: ({ roundedConstant }) => ({
      roundedConstant: (...given: never[]) => {
        const found = roundedConstant!(...given) as Constants;
        return { ...found, constant: found.constant + hair * (1 + Math.abs(found.constant)) };
      },
    }),
  },
  {
    name: "a threshold that was rounded counts as exact",
    module: "../../../src/bounds/query/targets.ts",
    change: ({ roundedConstant }) => ({
      roundedConstant: (...given: never[]) => {
        const found = roundedConstant!(...given) as Constants;
        return {
          ...found,
          constant: found.isExact ? found.constant : found.constant + 2 ** -50,
          isExact: true,
        };
      },
    }),
  },
  {
    name: "the box is rounded inward",
    module: "../../../src/bounds/query/cases.ts",
    change: ({ casesOf }) => ({
      casesOf: (...given: never[]) =>
        (casesOf!(...given) as Found[]).map((found) => ({
          ...found,
          upper: new Map([...found.upper].map(([i, u]) => [i, Math.max(found.lower.get(i)!, u - hair)])),
        })),
    }),
  },
  {
    name: "alternatives are lost",
    module: "../../../src/bounds/query/cases.ts",
    change: ({ casesOf }) => ({
      casesOf: (...given: never[]) => (casesOf!(...given) as Found[]).slice(0, 1),
    }),
  },
  {
    name: "contraction takes off too much",
    module: "../../../src/bounds/split/half-spaces.ts",
    change: ({ contracted }) => ({
      contracted: (form: { readonly constant: number }, box: never) =>
        contracted!({ ...form, constant: form.constant + hair } as never, box),
    }),
  },
  {
    name: "exact bounds are a hair too great",
    module: "../../../src/bounds/linear/exact-least.ts",
    change: ({ exactLeast }) => ({
      exactLeast: (...given: never[]) => {
        const found = exactLeast!(...given);
        return typeof found === "number" ? found + hair : found;
      },
    }),
  },
  {
    name: "every comparison counts as strict",
    module: "../../../src/bounds/query/linear.ts",
    change: ({ contradict, holds }) => ({
      contradict: (a: object, b: object) =>
        contradict!({ ...a, strict: true } as never, { ...b, strict: true } as never),
      holds,
    }),
  },
];

/** The library with a planted error, on queries until one verdict is wrong. */
async function triedWith({ module, change }: Omit<Mutant, "name">, queries: number) {
  vi.resetModules();
  vi.doMock(module, async (original) => {
    const own = (await original()) as never;
    return { ...(own as object), ...change(own) };
  });
  const tried: Tried = {
    ...(await import("../../../src/bounds/query/verify.ts")),
    ...(await import("../../../src/bounds/query/vnnlib.ts")),
  };
  const found = await judged(tried, queries, 1, 1);
  vi.doUnmock(module);
  return found;
}

describe("mutants are caught", () => {
  afterEach(() => {
    vi.resetModules();
  });

  it("and nothing is where nothing was planted", async () => {
    const { wrong } = await triedWith({ module: mutants[0]!.module, change: () => ({}) }, 60);
    expect(wrong).toEqual([]);
  });

  it.each(mutants)(
    "$name",
    async (mutant) => {
      expect((await triedWith(mutant, 600)).wrong).toHaveLength(1);
    },
    240_000,
  );
});
