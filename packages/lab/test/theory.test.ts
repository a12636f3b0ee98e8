// The theory's pages in a browser: every lemma, the search, links, downloads.
import { readFileSync } from "node:fs";
import { readModel } from "@lemmata/core/graph";
import { lemmaIds, subjectOf, subjects } from "@lemmata/core/theory";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { executablePath, lab } from "./site.ts";

const { open } = lab();
const idsOf = async (page: Page): Promise<readonly string[]> => {
  await page.waitForSelector("ol .id");
  return page.locator("ol .id").allTextContents();
};
const settled = (page: Page) =>
  page.waitForSelector("article:is([data-state=done], [data-state=hypothesis], [data-state=failed])", {
    timeout: 600_000,
  });

describe.skipIf(!executablePath)("theory", () => {
  it("has pages for lemmata, which run and say what holds", { timeout: 600_000 }, async () => {
    const { page, errors, go } = await open("/theory");
    const slow: string[] = [];
    const ids = await idsOf(page);
    expect(ids.length).toBeGreaterThan(100);
    // Every twelfth; the long run takes them all.
    const tried = ids.filter((_, k) => process.env["LEMMATA_HUNT"] || k % 12 === 0);
    for (const id of tried) {
      const start = Date.now();
      await go(`/theory/${id}`);
      await page.waitForSelector(`article[data-lemma="${id}"]`);
      await settled(page);
      const seen = await page.evaluate(() => ({
        state: document.querySelector("article")!.dataset["state"],
        judged: document.querySelectorAll("[data-verdict]").length,
        failing: document.querySelectorAll("[data-verdict=fails]").length,
        hypothesis: document.querySelector(".hypothesis")?.textContent ?? "",
        misprints: document.querySelectorAll(".katex-error").length,
      }));
      expect(seen, id).toMatchObject({ failing: 0, misprints: 0 });
      if (seen.state === "hypothesis") expect(seen.hypothesis, id).not.toBe("");
      else expect(seen.judged, id).toBeGreaterThan(0);
      expect(seen.state, id).not.toBe("failed");
      if (Date.now() - start > 10_000) slow.push(`${id}: ${Date.now() - start} ms`);
    }
    if (slow.length > 0) console.warn(`slow lemmata: ${slow.join(", ")}`);
    expect(errors).toEqual([]);
  });

  it("moves with its sliders, keeps the address, and is restored from it", async () => {
    const { page, errors, go } = await open("/theory/T-27?i=3");
    await settled(page);
    const number = page.getByRole("textbox", { name: "levels" });
    expect(await number.inputValue()).toBe("3");
    const caption = page.locator("figcaption");
    expect(await caption.textContent()).toContain("8 ReLUs");
    const top = () => page.locator("#claims-title").evaluate((e) => e.getBoundingClientRect().top);
    const before = await top();
    await page.getByRole("slider").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector("figcaption")?.textContent?.includes("14 ReLUs"));
    expect(await top()).toBe(before); // no jump
    expect(page.url()).toContain("#/theory/T-27?i=5");
    await number.fill("99");
    expect(await page.getByRole("alert").textContent()).toContain("an integer from 1 to 12");
    await go("/theory/T-27?i=2&seed=9");
    await page.waitForFunction(() => document.querySelector("figcaption")?.textContent?.includes("5 ReLUs"));
    expect(await page.locator("#seed").inputValue()).toBe("9");
    expect(errors).toEqual([]);
  });

  it("gives a network that can be read", async () => {
    const { page } = await open("/theory/T-27?i=4");
    await settled(page);
    await page.waitForSelector(".picture svg");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download ONNX" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("T-27.onnx");
    const graph = readModel(readFileSync(await download.path()));
    expect(graph.nodes.filter((n) => n.op === "Relu")).toHaveLength(4);
  });

  it("names the hypothesis that parameters violate", async () => {
    const { page } = await open("/theory/C1a-08?m=3&batch=4");
    await settled(page);
    expect(await page.locator(".hypothesis").textContent()).toMatch(/says nothing here.*\w+/);
  });

  it("shows what is printed wrong, and breaks it", async () => {
    const { page, errors } = await open("/theory/T-24");
    await settled(page);
    expect(await page.locator("#errata-title").textContent()).toBe("Errata");
    await page.getByRole("button", { name: "Try to break it" }).click();
    await page.getByText("Nothing broke").waitFor({ timeout: 600_000 });
    expect(await page.getByText("As printed it fails").count()).toBe(1);
    const there = await page.getByRole("link", { name: "Look at it" }).first().getAttribute("href");
    expect(there).toMatch(/^#\/theory\/T-24/);
    expect(errors).toEqual([]);
  });

  it("stops when asked", async () => {
    const { page, errors } = await open("/theory/T-37");
    await settled(page);
    await page.getByLabel("Trials").selectOption("1000");
    await page.getByRole("button", { name: "Try to break it" }).click();
    await page.getByRole("progressbar", { name: "Trials done" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Try to break it" }).waitFor();
    expect(await page.locator(".report").textContent()).not.toContain("Nothing broke");
    expect(errors).toEqual([]);
  });

  it("is searched and filtered, by keys too, with the query in the address", async () => {
    const { page, errors, go } = await open("/theory");
    const results = page.locator("ol > li");
    const all = (await idsOf(page)).length;
    await page.keyboard.press("/");
    await page.keyboard.type("squaring");
    expect(page.url()).toContain("q=squaring");
    const found = await results.count();
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(all / 2);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(
      await results
        .first()
        .locator("a")
        .evaluate((a) => a === document.activeElement),
    ).toBe(true);
    await page.keyboard.press("Escape");
    expect(await results.count()).toBe(all);
    await page.getByRole("radio", { name: /^Shen/ }).check();
    await page.getByRole("radio", { name: /^bound/ }).check();
    const ids = await idsOf(page);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.every((id) => id.startsWith("S-"))).toBe(true);
    const address = new URL(page.url()).hash.slice(1);
    await go("/");
    await page.waitForSelector(".doors");
    await go(address);
    expect(await idsOf(page)).toEqual(ids);
    expect(errors).toEqual([]);
  });

  const onGeneralization = lemmaIds.filter((id) => subjectOf(id).key === "generalization");

  it("has an index by subject, reached by keys, with the subject in the address", async () => {
    const { page, errors, go } = await open("/theory");
    await idsOf(page);
    await page.getByRole("radio", { name: "By document" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(page.url()).toContain("#/theory?by=subject");
    expect(await page.locator("main h2").count()).toBe(subjects.length);
    expect((await idsOf(page)).toSorted()).toEqual(lemmaIds.toSorted());
    const index = page.getByRole("navigation", { name: "Subjects" });
    await index.getByRole("link", { name: /^Generalization/ }).press("Enter");
    await page.getByText(`${onGeneralization.length} of ${lemmaIds.length}`).waitFor();
    expect(await idsOf(page)).toEqual(onGeneralization);
    expect(await index.locator("[aria-current]").textContent()).toContain("Generalization");
    const address = new URL(page.url()).hash.slice(1);
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    expect(page.url()).toMatch(/#\/theory\?by=subject$/); // what is found changes, how it is arranged does not
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForSelector("article[data-lemma]");
    await go(address);
    expect(await idsOf(page)).toEqual(onGeneralization);
    expect(errors).toEqual([]);
  });

  it("has the index by subject on a phone, where a list of choices takes the place of the links", async () => {
    const { page, errors } = await open("/theory", { width: 390, height: 844 });
    await idsOf(page);
    await page.getByRole("radio", { name: "By subject" }).check();
    expect(await page.getByRole("navigation", { name: "Subjects" }).count()).toBe(0); // not to be seen
    await page.getByRole("combobox", { name: "Subject" }).selectOption("generalization");
    expect(await idsOf(page)).toEqual(onGeneralization);
    expect(await page.locator("main h2").allTextContents()).toEqual([
      expect.stringContaining(subjectOf(onGeneralization[0]!).title),
    ]);
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(tooWide).toBeLessThanOrEqual(0);
    expect(errors).toEqual([]);
  });

  it("begins with a first page that explains itself, loads little, and is live", async () => {
    const { page, errors } = await open("/");
    const output = page.locator("dd").last();
    await page.waitForFunction(() => document.querySelector("dd:last-of-type")?.textContent);
    expect(await output.textContent()).toBe("0.015625");
    await page.getByRole("slider").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector("dl")?.textContent?.includes("0.00390625"));
    expect(await page.locator(".doors a").count()).toBe(8);
    const loaded = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .reduce((sum, r) => sum + (r as PerformanceResourceTiming).decodedBodySize, 0),
    );
    expect(loaded).toBeLessThan(300_000);
    expect(errors).toEqual([]);
  });
});
