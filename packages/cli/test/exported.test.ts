// The README's commands on models as exporters write them, in this process: a result, or one clear line.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadModel } from "@lemmata/core/graph";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createProgram } from "../src/program.ts";
import { lemmata } from "./lemmata.ts";

const shared = fileURLToPath(new URL("../../../../shared/models/exported/", import.meta.url));
const folders = [shared, process.env["LEMMATA_MODELS"] ?? ""].filter((folder) => existsSync(folder));
const models = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".onnx"))
    .map((file) => [basename(file, ".onnx"), join(folder, file)] as const),
);
const folder = mkdtempSync(join(tmpdir(), "lemmata-exported-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Answer {
  readonly stdout: string;
  /** What the command was stopped by. */
  readonly refusal?: Error;
}

/** Runs a command in this process, without the guard that would start another one. */
async function command(...words: string[]): Promise<Answer> {
  let stdout = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  try {
    await createProgram().parseAsync(words, { from: "user" });
    return { stdout };
  } catch (refusal) {
    return { stdout, refusal: refusal as Error };
  } finally {
    spy.mockRestore();
  }
}

/** A success that says something, or a refusal that is meant for users, in one line. */
function expectClear({ stdout, refusal }: Answer): boolean {
  const nonsense = /undefined|NaN|\[object/;
  if (!refusal) {
    expect(stdout).not.toBe("");
    expect(stdout).not.toMatch(nonsense);
    return true;
  }
  expect(stdout).toBe("");
  expect(["GraphError", "EngineError", "UsageError", "SymmetryError"]).toContain(refusal.name);
  expect(refusal.message).toMatch(/^[^\n]+$/);
  expect(refusal.message).not.toMatch(nonsense);
  return false;
}

interface Bound {
  readonly lower: number;
  readonly upper: number;
}

if (models.length === 0) it.skip("no ../shared/models/exported: no command was tried", () => {});

describe.each(models)("%s", (name, path) => {
  const out = (kind: string): string => join(folder, `${name}.${kind}.onnx`);

  it("info", async () => {
    expect(expectClear(await command("info", path))).toBe(true);
    expectClear(await command("info", path, "--canonical"));
  });

  it("bound", async () => {
    const answer = await command("bound", path, "--on", "-1..1", "--method", "interval", "--json");
    if (!expectClear(answer)) return;
    const { outputs } = JSON.parse(answer.stdout) as { outputs: readonly Bound[] };
    for (const { lower, upper } of outputs) expect(lower).toBeLessThanOrEqual(upper);
  });

  it("simplify and gradient write models that are read again", async () => {
    const { outputs } = await loadModel(path);
    for (const [kind, words] of [
      ["simplify", ["simplify", path]],
      ["gradient", ["gradient", path]],
      ["weights", ["gradient", path, "--wrt", "weights"]],
    ] as const) {
      if (!expectClear(await command(...words, "--out", out(kind)))) continue;
      const written = await loadModel(out(kind));
      const names = written.outputs.map((o) => o.name);
      expect(names).toEqual(expect.arrayContaining(outputs.map((o) => o.name)));
    }
  });

  it("regions refuses what it does not draw", async () => {
    expect(expectClear(await command("regions", path, "--on", "0", "--json"))).toBe(false);
  });
});

describe.skipIf(!existsSync(shared))("what scikit-learn writes", () => {
  it("runs; a map from label to score is shown as its scores, and said so", () => {
    const { status, stdout, stderr } = lemmata("run", `${shared}skmlp_zip.onnx`, "--random");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^output_label: int64 \[1\]\n {2}\d\n/);
    expect(stdout).toMatch(/\noutput_probability: float32 \[1, 10\]\n( +[\d.e-]+,?){10}\n/);
    expect(stdout).toContain("tables from label to score (ZipMap) are shown as the scores");
  });
});
