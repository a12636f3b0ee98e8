// A bound and its damages: the undamaged one agrees with its theorem, every damaged one does not.
import { expect, it } from "vitest";
import { type Damage, loaded } from "./damaged-module.ts";

/** Not below what the theorem says, and not above it by more than rounding. */
export function agrees(found: number | undefined, exact: number, slack = 1e-9): void {
  if (!(found! >= exact * (1 - 1e-13) - 1e-15 && found! <= exact * (1 + slack) + 1e-12))
    throw new Error(`${found} for ${exact}`);
}

export type Bounds = typeof import("../../src/generalization/bounds/index.ts");

export interface Trial<T> {
  readonly entry: string;
  readonly check: (module: T) => void | Promise<void>;
  readonly mutants: readonly Damage[];
}

/** The tests of a trial. */
export function noticesDamage<T>({ entry, check, mutants }: Trial<T>): void {
  it("are what their theorems say", async () => {
    await check(await loaded<T>(entry));
  });

  it.each(mutants.map((m) => [m.file, m.from.trim().slice(0, 60), m.to.trim().slice(0, 60), m] as const))(
    "%s: %s -> %s is noticed",
    async (_file, _from, _to, mutant) => {
      await expect(loaded<T>(entry, mutant).then(check)).rejects.toThrow();
    },
  );
}

export const [n, delta] = [700, 0.03];
export const base = { n, delta };
