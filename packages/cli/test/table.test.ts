import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { table, wrapped } from "../src/output.ts";

describe("tables in a terminal", () => {
  it("fit its width: columns of words give way, numbers do not", () => {
    const text = table(["claim", "measured"], [["a claim of many words that goes on", "123,456"]], [1], 30);
    expect(text).toBe(
      [
        "claim                 measured",
        "────────────────────  ────────",
        "a claim of many        123,456",
        "words that goes on",
      ].join("\n"),
    );
  });

  it("have as many rows as a model has outputs", () => {
    const rows = Array.from({ length: 200_000 }, () => ["y", "x: float32 [1]"]);
    expect(table(["net", ""], rows).length).toBeGreaterThan(200_000);
  });

  it("lose no word, and no line is longer than it may be", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme-ascii", maxLength: 80 }),
        fc.integer({ min: 4, max: 30 }),
        (text, width) => {
          const lines = wrapped(text, width);
          expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
          expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        },
      ),
    );
  });
});
