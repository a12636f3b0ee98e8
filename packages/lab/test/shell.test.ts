import { describe, expect, it } from "vitest";
import { executablePath, lab } from "./site.ts";

describe.skipIf(!executablePath)("the lab's frame", () => {
  const { open } = lab();

  it("shows every page by its address, without an error on the console", async () => {
    const { page, errors, go } = await open("/");
    for (const address of ["/", "/theory", "/compile", "/train", "/audit", "/recover", "/compare"]) {
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

  it("moves the focus to the heading of a new page, and names it in the title", async () => {
    const { page } = await open("/");
    await page.locator("main h1").waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    const steps: readonly [string, string, string][] = [
      ["Theory", "Theory", "Theory · Lemmata lab"],
      ["Compile", "Compile", "Compile · Lemmata lab"],
      ["Train", "Train", "Train · Lemmata lab"],
    ];
    for (const [link, heading, title] of steps) {
      await page.evaluate(() => scrollTo(0, 500));
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: link }).press("Enter");
      await page.locator("main h1", { hasText: heading }).waitFor();
      await expect.poll(focused).toBe(heading);
      expect(await page.title()).toBe(title);
      expect(await page.evaluate(() => scrollY)).toBe(0);
    }
    await page.goBack();
    await expect.poll(focused).toBe("Compile");
    // A page that focuses something itself keeps it.
    await page.evaluate(() => {
      location.hash = "#/theory?find";
    });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("find");
    await page.close();
  });

  it("takes hostile addresses calmly", async () => {
    const { page, errors, go } = await open("/");
    for (const address of [
      "/%E0%A4%A",
      "/__proto__",
      "/theory/constructor?__proto__=1",
      `/${"a".repeat(50_000)}`,
      `/theory/${"T".repeat(50_000)}`,
      "/train?data=__proto__&hidden=1e9,1e9&epochs=-1&count=1e12",
      "/compile?f=__proto__&on=__proto__%3D0..1",
      "/audit?sample=__proto__&data=constructor&count=abc",
      "/compare?pair=__proto__&on=%%%&seconds=-1",
    ]) {
      await go(address);
      await page.locator("main h1").first().waitFor();
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(tooWide).toBeLessThanOrEqual(0);
    }
    expect(errors).toEqual([]);
    await page.close();
  });

  it("ends the workers of pages that are left", async () => {
    const { page, errors, go } = await open("/");
    for (const address of [
      "/theory/T-27",
      "/compile",
      "/train",
      "/audit?sample=moons",
      "/compare?pair=rounded",
      "/",
    ]) {
      await go(address);
      await page.locator("main h1").first().waitFor();
    }
    // Two idle ones are kept.
    await expect.poll(() => page.workers().length, { timeout: 600_000 }).toBeLessThanOrEqual(2);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("says so when a worker cannot start", async () => {
    const { page } = await open("/nowhere");
    await page.route(/worker-.*\.js/, (route) =>
      route.fulfill({ contentType: "text/javascript", body: "throw new Error('out of order')" }),
    );
    await page.evaluate(() => {
      location.hash = "#/theory/T-27";
    });
    await page.getByRole("alert").filter({ hasText: "out of order" }).waitFor();
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
