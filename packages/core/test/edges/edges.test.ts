// Operators at their edges, by the thousand: every pass and everything that is proved agrees with ONNX Runtime without
// optimizations, or refuses in one clear line. LEMMATA_HUNT=20000 tries as many models from a fresh seed.
import { afterAll, describe, expect, it } from "vitest";
import { hunt } from "./hunt.ts";
import { JudgeProcess } from "./process.ts";

const long = process.env["LEMMATA_HUNT"];
const count = Number(long ?? 1000);
const seed = process.env["LEMMATA_SEED"] ?? (long === undefined ? "1" : String(Date.now() % 1e9));
/** So many tests, each with its share of the models: what is found is told soon, and none takes too long. */
const parts = Math.max(1, Math.ceil(count / 250));

const judge = new JudgeProcess();
const deaths: string[] = [];
afterAll(() => {
  judge.stop();
  if (deaths.length > 0)
    process.stdout.write(`edges: ONNX Runtime died on ${deaths.length} models:\n${deaths.join("\n")}\n`);
});

/** How many models each check agreed with, of all parts. */
const agreed = new Map<string, number>();

describe.each(Array.from({ length: parts }, (_, k) => k))("generated models, part %i", (part) => {
  it("are read as ONNX Runtime runs them, or refused", { timeout: 24 * 3_600_000 }, async () => {
    const found = await hunt(judge, `${seed}.${part}`, Math.ceil(count / parts));
    const { findings, verdicts } = found;
    deaths.push(...found.deaths);
    for (const [name, { agrees }] of Object.entries(verdicts))
      agreed.set(name, (agreed.get(name) ?? 0) + agrees);
    expect(findings, `LEMMATA_SEED=${seed}`).toEqual([]);
  });
});

it("a check that refuses everything would find nothing", () => {
  for (const [name, agrees] of agreed)
    expect(agrees, `${name} agreed with too few of ${count} models`).toBeGreaterThan(count / 60);
});
