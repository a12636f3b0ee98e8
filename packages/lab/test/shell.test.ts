import { describe, expect, it } from "vitest";
import { executablePath, lab } from "./site.ts";

describe.skipIf(!executablePath)("the lab's frame", () => {
  const { open } = lab();

  it("shows every page by its address, without an error on the console", async () => {
    const { page, errors, go } = await open("/");
    for (const address of ["/", "/theory", "/compile", "/train", "/audit", "/compare"]) {
      await go(address);
      await page.locator("main h1").first().waitFor();
    }
    expect(errors).toEqual([]);
    await page.close();
  });

  it("says so when an address leads nowhere", async () => {
    const { page } = await open("/nowhere");
    expect(await page.locator("main h1").innerText()).toMatch(/nowhere/);
    await page.close();
  });

  it("keeps the theme that was chosen", async () => {
    const { page } = await open("/");
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.getByLabel("Theme").selectOption("dark");
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.locator("main h1").first().waitFor();
    expect(await paper()).toBe(dark);
    await page.close();
  });

  it("can be walked with the keyboard", async () => {
    const { page } = await open("/");
    await page.locator("main h1").first().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe(
      "Skip to the content",
    );
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
    await page.close();
  });
});
