import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeModel } from "@lemmata/core/graph";
import { layer, network } from "@lemmata/core/networks";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string, rows: readonly (readonly number[])[], out: readonly number[]): string => {
  const path = join(folder, name);
  writeFileSync(path, writeModel(network([layer(rows, [1, 0, -1]), layer([out])])));
  return path;
};

describe("lemmata info --canonical", () => {
  const first = file(
    "a.onnx",
    [
      [1, 2],
      [3, -1],
      [0.5, 0.25],
    ],
    [1, 2, 3],
  );
  // Units swapped with their biases would be [0, 1, -1]; here the middle one is doubled, and halved on the way out.
  const second = file(
    "b.onnx",
    [
      [1, 2],
      [6, -2],
      [0.5, 0.25],
    ],
    [1, 1, 3],
  );
  const third = file(
    "c.onnx",
    [
      [1, 2],
      [3, -1],
      [0.5, 0.25],
    ],
    [1, 2, 3.5],
  );
  const canonical = (path: string) =>
    (lemmata("info", path, "--canonical", "--json").json as { canonical: Record<string, unknown> }).canonical;

  it("prints one fingerprint for equivalent files, and another for another network", () => {
    const [a, b, c] = [first, second, third].map(canonical);
    expect(a).toMatchObject({ dimension: 3, signs: 0, isComplete: true, unread: [] });
    expect(a!["log10Permutations"]).toBeCloseTo(Math.log10(6), 9);
    expect(b!["fingerprint"]).toBe(a!["fingerprint"]);
    expect(b!["exactFingerprint"]).toBe(a!["exactFingerprint"]);
    expect(c!["fingerprint"]).not.toBe(a!["fingerprint"]);
  });

  it("says it in words", () => {
    const { stdout } = lemmata("info", first, "--canonical");
    expect(stdout).toMatch(/fingerprint +[0-9a-f]{16}\n/);
    expect(stdout).toMatch(/units +3 permuted, scaled\n/);
    expect(lemmata("info", first).stdout).not.toMatch(/fingerprint/);
  });
});
