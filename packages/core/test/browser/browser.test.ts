import { describe, expect, it } from "vitest";
import { openPage } from "../../../../scripts/page-in-chromium.ts";
import { findings, trainingFindings } from "./page.ts";

const executablePath = process.env["LEMMATA_CHROMIUM"];
if (!executablePath) console.warn("browser tests left out: no Chromium (set LEMMATA_CHROMIUM)");

/** What a function of the page gives when it is called there. */
async function inBrowser<T>(name: string): Promise<T> {
  const page = await openPage(new URL("page.ts", import.meta.url), executablePath!);
  try {
    return await page.call<T>(name);
  } finally {
    await page.close();
  }
}

describe("in a browser", () => {
  it.skipIf(!executablePath)("the same calls give the same numbers as in Node", async () => {
    const node = await findings();
    const browser = await inBrowser<typeof node>("findings");
    expect(browser).toEqual(node);
    expect(node.roundTrip).toBe(true);
    expect(node.claims.length).toBeGreaterThan(10);
  });

  it.skipIf(!executablePath)("the same training graph runs, and learns the same", async () => {
    const node = await trainingFindings();
    const browser = await inBrowser<typeof node>("trainingFindings");
    expect(browser.steps).toBe(30 * 7);
    expect(browser.losses).toHaveLength(30 * 7);
    expect(browser.accuracy).toBeGreaterThan(0.95);
    // The same batches in the same order; sums are rounded in another order, which training magnifies a little.
    const gaps = browser.losses.map((loss, k) => Math.abs(loss - node.losses[k]!));
    expect(Math.max(...gaps.slice(0, 7))).toBeLessThan(1e-12);
    expect(Math.max(...gaps)).toBeLessThan(1e-6);
  });
});
