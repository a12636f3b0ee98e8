// A child process: runs the trials of lemmata with one damage awake, and says whether any of them notices.
import { pathToFileURL } from "node:url";
import type { Switch } from "./asleep.ts";

/** What the parent asks: these lemmata, with this damage (or none: then what they reach is told). */
export interface Request {
  readonly mutant: number;
  readonly lemmata: readonly string[];
  readonly trials: number;
}

export interface Reply {
  readonly caughtBy?: string;
  readonly reached?: readonly number[];
  readonly milliseconds: number;
}

const core = process.argv[2]!;
const $m = (globalThis as unknown as { readonly $m: Switch }).$m;
const theory: typeof import("../../packages/core/src/theory/index.ts") = await import(
  pathToFileURL(`${core}/src/theory/index.ts`).href
);
const { drawParameters, fc }: typeof import("../../packages/core/src/theory/draw-parameter.ts") =
  await import(pathToFileURL(`${core}/src/theory/draw-parameter.ts`).href);

/** The first claim, error or lost erratum by which a lemma notices the damage. */
async function noticed(id: string, trials: number): Promise<string | undefined> {
  const lemma = await theory.findLemma(id);
  const draws = fc.sample(drawParameters(lemma.parameters), { numRuns: trials, seed: 1 });
  for (const [seed, parameters] of draws.entries()) {
    try {
      const { claims } = await lemma.run(parameters, { budget: "cheap", seed });
      const broken = claims.find((c) => !c.holds && c.reading === "corrected" && c.kind !== "probable");
      if (broken) return `${id} "${broken.name}"`;
    } catch (error) {
      if (!(error instanceof theory.HypothesisError)) return `${id}: ${(error as Error).message}`;
    }
  }
  return undefined;
}

process.on("message", async ({ mutant, lemmata, trials }: Request) => {
  const start = performance.now();
  $m.forget();
  $m.active.id = mutant;
  let caughtBy: string | undefined;
  for (const id of lemmata) {
    caughtBy = await noticed(id, trials);
    if (caughtBy) break;
  }
  $m.active.id = -1;
  const reached = mutant < 0 ? $m.reached() : undefined;
  process.send!({ caughtBy, reached, milliseconds: performance.now() - start } satisfies Reply);
});
process.send!({ milliseconds: 0 } satisfies Reply);
