import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type Entry, Journal } from "../../src/sweep/journal.ts";
import { seal } from "../../src/sweep/task.ts";

const folder = mkdtempSync(join(tmpdir(), "lemmata-journal-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string): string => join(folder, name);
const entry = (key: string, status: Entry["status"] = "done", value = 1): Entry => ({
  ...{ key, status, seconds: 0.1 },
  ...(status === "done" ? { values: { value } } : { error: status }),
});
const append = (journal: Journal, { key, ...outcome }: Entry): void => journal.append(key, seal(outcome));

describe("the journal of a sweep", () => {
  it("has what was appended, when it is opened again", async () => {
    const first = await Journal.open(file("a"), "T-27");
    for (const key of ["x", "y"]) append(first, entry(key));
    await first.close();
    const second = await Journal.open(file("a"), "T-27");
    expect([second.statusOf("x"), second.statusOf("y"), second.statusOf("z")]).toEqual([
      "done",
      "done",
      undefined,
    ]);
    expect(second.id).toBe(first.id);
    await second.close();
  });

  it("counts a job once: a second result changes nothing, a failure gives way", async () => {
    const journal = await Journal.open(file("b"), "T-27");
    for (const e of [
      entry("x"),
      entry("x", "done", 2),
      entry("y", "timeout"),
      entry("y", "failed"),
      entry("y"),
    ])
      append(journal, e);
    append(journal, entry("y", "memory"));
    await journal.flush();
    expect([journal.entry("x"), journal.entry("y")]).toEqual([entry("x"), entry("y")]);
    await journal.close();
    const again = await Journal.open(file("b"), "T-27");
    expect([again.entry("x"), again.entry("y"), again.entry("z")]).toEqual([
      entry("x"),
      entry("y"),
      undefined,
    ]);
    await again.close();
    expect(readFileSync(file("b"), "utf8").split("\n").length).toBe(1 + 4 + 1);
  });

  it("survives a line that a crash has torn, at any byte", async () => {
    const whole = await Journal.open(file("c"), "T-27");
    append(whole, entry("x"));
    append(whole, entry("y"));
    await whole.close();
    const text = readFileSync(file("c"), "utf8");
    const lastLine = text.lastIndexOf("\n", text.length - 2) + 1;
    for (let cut = lastLine; cut < text.length; cut += 7) {
      writeFileSync(file("torn"), text.slice(0, cut));
      const torn = await Journal.open(file("torn"), "T-27");
      expect([torn.statusOf("x"), torn.statusOf("y")]).toEqual(["done", undefined]);
      append(torn, entry("y"));
      await torn.flush();
      expect([torn.entry("x"), torn.entry("y")]).toEqual([entry("x"), entry("y")]);
      await torn.close();
      expect(torn.id).toBe(whole.id);
      const again = await Journal.open(file("torn"), "T-27");
      expect([again.statusOf("x"), again.statusOf("y")]).toEqual(["done", "done"]);
      await again.close();
    }
  });

  it("a beginning that was torn is begun again", async () => {
    writeFileSync(file("empty"), "");
    const journal = await Journal.open(file("empty"), "T-27");
    append(journal, entry("x"));
    await journal.flush();
    expect(journal.entry("x")).toEqual(entry("x"));
    await journal.close();
  });

  it("finds every line again, whatever its letters, however many there are", async () => {
    const journal = await Journal.open(file("d"), "T-27");
    const all = Array.from({ length: 5000 }, (_, k): Entry => {
      const error = `${"é∑𝒳\n".repeat(k % 200)}"${k}"`;
      return { key: String(k), status: "failed", seconds: k, error };
    });
    for (const e of all) append(journal, e);
    await journal.flush();
    for (const e of all.toReversed()) expect(journal.entry(e.key)).toEqual(e);
    await journal.close();
    // Read from the disk, over many chunks of the file.
    const again = await Journal.open(file("d"), "T-27");
    expect(statSync(file("d")).size).toBeGreaterThan(4 * 2 ** 20);
    for (const e of all) expect(again.entry(e.key)).toEqual(e);
    await again.close();
  });

  it("says so when another process has changed it", async () => {
    const journal = await Journal.open(file("g"), "T-27");
    appendFileSync(file("g"), "somebody else\n");
    append(journal, entry("x"));
    await expect(journal.flush()).rejects.toThrow("g: another process has written it too");
    expect(() => append(journal, entry("y"))).toThrow("another process has written it too");
    await expect(journal.close()).rejects.toThrow("another process");
    expect(readFileSync(file("g"), "utf8")).toMatch(/somebody else\n$/);
  });

  it("takes no line for that of another job, whoever has moved them", async () => {
    const journal = await Journal.open(file("moved"), "T-27");
    for (const key of ["x", "y"]) append(journal, entry(key));
    await journal.flush();
    const [header, x, y] = readFileSync(file("moved"), "utf8").split("\n");
    writeFileSync(file("moved"), `${[header, y, x].join("\n")}\n`);
    expect(() => journal.entry("x")).toThrow("another process has written it too");
    await journal.close();
  });

  it("of two that write the same one, the second stops at once, and the first is undisturbed", async () => {
    const [first, second] = [await Journal.open(file("h"), "T-27"), await Journal.open(file("h"), "T-27")];
    append(first, entry("x"));
    await first.flush();
    append(second, entry("x"));
    await expect(second.close()).rejects.toThrow("another process has written it too");
    append(first, entry("y"));
    await first.flush();
    expect([first.entry("x"), first.entry("y")]).toEqual([entry("x"), entry("y")]);
    await first.close();
  });

  it("a full disk is said by whoever appends or flushes next, and what was written stays", async () => {
    const journal = await Journal.open(file("i"), "T-27");
    append(journal, entry("x"));
    await journal.flush();
    const handle = await open(file("other"), "w");
    const full = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "appendFile");
    full.mockRejectedValueOnce(new Error("ENOSPC: no space left on device, write"));
    await handle.close();
    append(journal, entry("y"));
    await new Promise((resolve) => setTimeout(resolve, 20)); // nobody waits for it yet
    expect(() => append(journal, entry("z"))).toThrow(`cannot write ${file("i")}: ENOSPC`);
    await expect(journal.close()).rejects.toThrow("ENOSPC");
    full.mockRestore();
    const again = await Journal.open(file("i"), "T-27");
    expect([again.entry("x"), again.statusOf("y")]).toEqual([entry("x"), undefined]);
    await again.close();
  });

  it("is not taken for that of another sweep, nor is another file taken for it", async () => {
    await (await Journal.open(file("e"), "T-27")).close();
    await expect(Journal.open(file("e"), "T-28")).rejects.toThrow("the journal of another sweep (T-27)");
    writeFileSync(file("f"), "name,value\n1,2\n");
    await expect(Journal.open(file("f"), "T-27")).rejects.toThrow("is not a journal of a sweep");
    await expect(Journal.open(folder, "T-27")).rejects.toThrow("it is no file");
    appendFileSync(file("e"), 'null\n[1]\n{"key":7}\n"x"\n');
    const journal = await Journal.open(file("e"), "T-27");
    expect([journal.entry("7"), journal.entry("x")]).toEqual([undefined, undefined]);
    await journal.close();
  });
});
