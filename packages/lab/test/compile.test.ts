// The compile page in a browser; what it gives away is read and checked in Node.
import { readFileSync } from "node:fs";
import { checkCertificate } from "@lemmata/core/check";
import { type Certificate, certificateSchema } from "@lemmata/core/compile";
import { run } from "@lemmata/core/engine";
import { numbers, readModel } from "@lemmata/core/graph";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { executablePath, lab } from "./site.ts";

const formulaOf = (page: Page) => page.getByLabel("Formula", { exact: true });
const headline = (page: Page) => page.locator(".headline");
/** Until the newest formula is compiled and sampled. */
async function settled(page: Page, formula: string): Promise<string> {
  await page.waitForFunction((wanted) => {
    const busy = document.querySelector(".headline")?.getAttribute("aria-busy");
    return new URLSearchParams(location.hash.split("?")[1]).get("f") === wanted && busy === "false";
  }, formula);
  await headline(page).getByRole("button", { name: "sampled" }).waitFor();
  return headline(page).innerText();
}
async function type(page: Page, formula: string): Promise<string> {
  const before = await headline(page).getByText("units", { exact: false }).count();
  await formulaOf(page).fill(formula);
  if (before > 0) await page.waitForTimeout(400); // the pause after typing
  return settled(page, formula);
}
async function downloaded(page: Page, button: string): Promise<Buffer> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).click(),
  ]);
  return readFileSync(await file.path());
}

describe.skipIf(!executablePath)("the compile page", { timeout: 600_000 }, () => {
  const { open, url } = lab();

  it("compiles what is typed and says how large and how wrong it is", async () => {
    const { page, errors } = await open("/compile?f=sin(x)&on=x%3D0..3&eps=0.01");
    await settled(page, "sin(x)");
    const text = await type(page, "x^2");
    expect(text).toMatch(/units\s+\d+/);
    expect(text).toMatch(/error at most\s+0\.00\d+\s+proved/);
    expect(text).toMatch(/error seen\s+[\d.]+\s+sampled/);
    expect(await page.getByRole("img", { name: /The error over x/ }).count()).toBe(1);
    expect(await page.getByRole("table").getByRole("rowheader").allInnerTexts()).toEqual(["x^2"]);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy as command" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'lemmata compile "x^2" --on "x=0..3" --eps 0.01 --out net.onnx --certificate net.json',
    );
    expect(errors).toEqual([]);
    await page.close();
  });

  it("marks a typo under the formula, keeps the last result, and forgives", async () => {
    const { page } = await open("/compile?f=x%5E2&on=x%3D0..1&eps=0.01");
    await settled(page, "x^2");
    await formulaOf(page).fill("x^2 + sni(x)");
    const alert = page.locator("form").getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toContain('there is no function "sni"');
    const marked = await alert.locator("pre").evaluate((pre) => pre.textContent ?? "");
    const [text, caret] = marked.split("\n") as [string, string];
    expect(text.slice(caret.indexOf("^")).startsWith("sni")).toBe(true);
    expect(await formulaOf(page).getAttribute("aria-invalid")).toBe("true");
    expect(await headline(page).innerText()).toContain("The last result");
    await type(page, "x^2 + sin(x)");
    expect(await alert.count()).toBe(0);
    await page.close();
  });

  it("tells at the box where the formula is not defined", async () => {
    const { page } = await open("/compile?f=log(x)&on=x%3D-1..1&eps=0.01");
    const box = page.getByRole("group", { name: "Box" });
    await box.getByRole("alert").waitFor();
    expect(await box.getByRole("alert").innerText()).toContain("log");
    await page.getByLabel("x, lower end", { exact: true }).fill("0.5");
    await headline(page).getByRole("button", { name: "sampled" }).waitFor();
    expect(await box.getByRole("alert").count()).toBe(0);
    await page.getByLabel("x, lower end", { exact: true }).fill("2");
    await box.getByRole("alert").waitFor();
    expect(await box.getByRole("alert").innerText()).toContain("from 2 to 1");
    await page.close();
  });

  it("gives away a network and a certificate that hold in Node, and refuses a forged one", async () => {
    const { page } = await open("/compile?f=sin(x)*y&on=x%3D0..3,y%3D-1..1&eps=0.001");
    await settled(page, "sin(x)*y");
    const network = await downloaded(page, "Download ONNX");
    const certificate = await downloaded(page, "Download certificate");
    const parsed: Certificate = certificateSchema.parse(JSON.parse(certificate.toString()));
    const bytes = new Uint8Array(network);
    const found = await checkCertificate(bytes, parsed);
    expect(found.ok && found.error).toBeLessThanOrEqual(1e-3);
    const x = { type: "float64", dims: [1, 2], data: Float64Array.of(1.2, 0.7) } as const;
    const { y } = await run(readModel(bytes), { x });
    expect(Math.abs(numbers(y!)[0]! - Math.sin(1.2) * 0.7)).toBeLessThanOrEqual(1e-3);

    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await headline(page).getByText("✓ verified").waitFor();

    const pair = (json: string) => [
      { name: "net.onnx", mimeType: "application/octet-stream", buffer: network },
      { name: "net.json", mimeType: "application/json", buffer: Buffer.from(json) },
    ];
    const zone = page.getByRole("group", { name: "Network and certificate" });
    const drop = zone.locator("input[type=file]");
    await drop.setInputFiles(pair(certificate.toString()));
    await zone.getByText("✓ verified").waitFor();
    const forged = JSON.stringify({ ...parsed, certifiedError: parsed.certifiedError / 2 });
    await drop.setInputFiles(pair(forged));
    await zone.getByText("✗ refuted").waitFor();
    await drop.setInputFiles(pair("{}"));
    await zone.getByText("✗ not readable").waitFor();
    await page.close();
  });

  it("comes back from its link", async () => {
    const { page } = await open("/compile");
    await page.getByRole("button", { name: "Black–Scholes" }).click();
    await page.getByLabel("Error at most", { exact: true }).fill("0.002");
    await page.getByLabel("Error at most", { exact: true }).press("Enter");
    await page.getByLabel("t, upper end", { exact: true }).fill("0.9");
    await page.waitForFunction(() => location.hash.includes("0.9") && location.hash.includes("0.002"));
    await headline(page).getByRole("button", { name: "sampled" }).waitFor();
    const link = page.url();
    await page.close();
    const { page: second } = await open(link.slice(link.indexOf("#") + 1));
    expect(await formulaOf(second).inputValue()).toContain("erf((log(s) + 0.07*t)");
    await second.getByLabel("t, upper end", { exact: true }).waitFor();
    expect(await second.getByLabel("t, upper end", { exact: true }).inputValue()).toBe("0.9");
    expect(await second.getByLabel("Error at most", { exact: true }).inputValue()).toBe("0.002");
    await headline(second).getByRole("button", { name: "sampled" }).waitFor();
    expect(second.url().startsWith(url())).toBe(true);
    await second.close();
  });

  it("keeps the box of an example that is chosen while another formula is read", async () => {
    const { page } = await open("/nowhere");
    await page.route(/compile-read-.*\.js/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await route.continue();
    });
    await page.evaluate(() => {
      location.hash = "#/compile";
    });
    await page.getByRole("button", { name: "Black–Scholes" }).click();
    const [s, t] = [
      page.getByLabel("s, lower end", { exact: true }),
      page.getByLabel("t, lower end", { exact: true }),
    ];
    await page.waitForTimeout(2500);
    expect(Number(await s.inputValue())).toBeGreaterThan(0);
    expect(Number(await t.inputValue())).toBeGreaterThan(0);
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.close();
  });

  it("works by keyboard alone", async () => {
    const { page } = await open("/compile?f=x%5E2&on=x%3D-1..1&eps=0.01");
    await settled(page, "x^2");
    const reach = async (label: string): Promise<void> => {
      for (let k = 0; k < 60; k++) {
        await page.keyboard.press("Tab");
        const name = await page.evaluate(() => {
          const at = document.activeElement as HTMLInputElement | null;
          return at?.getAttribute("aria-label") ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? "";
        });
        if (name.trim() === label) return;
      }
      throw new Error(`the keyboard does not reach "${label}"`);
    };
    await reach("Formula");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("x^3 + x");
    await page.waitForTimeout(400);
    await settled(page, "x^3 + x");
    await reach("x, upper end, slider");
    for (let k = 0; k < 5; k++) await page.keyboard.press("ArrowRight");
    const upper = Number(await page.getByLabel("x, upper end", { exact: true }).inputValue());
    expect(upper).toBeGreaterThan(1);
    await reach("Error at most, slider");
    for (let k = 0; k < 10; k++) await page.keyboard.press("ArrowLeft");
    await page.waitForTimeout(200);
    expect(await settled(page, "x^3 + x")).toMatch(/error at most\s+0\.00\d+/);
    await reach("Verify");
    await page.keyboard.press("Enter");
    await headline(page).getByText("✓ verified").waitFor();
    await page.close();
  });

  it("shows two of four variables, and holds the others", async () => {
    const { page } = await open("/compile?f=x*y%2Bz*w&on=x%3D-1..1,y%3D-1..1,z%3D-1..1,w%3D-1..1&eps=0.05");
    await settled(page, "x*y+z*w");
    const map = page.getByRole("img", { name: /The formula over/ });
    expect(await map.getAttribute("aria-label")).toContain("x and y: from −1 to 1");
    await page.getByLabel("Variable up").selectOption("w");
    await page.waitForFunction(() => document.querySelector(".maps")?.innerHTML.includes("over x and w"));
    // y = z = 0 in the middle: the formula is 0 all over.
    expect(await map.getAttribute("aria-label")).toContain("from 0 to 0");
    await page.getByLabel(/^y =/).press("End");
    await page.waitForFunction(() => document.querySelector(".maps")?.innerHTML.includes("from −1 to 1"));
    await page.waitForURL(/axes=x%2Cw/);
    await page.close();
  });

  it("stays alive during a long compilation, which can be cancelled", async () => {
    const { page } = await open("/compile?f=x%5E2&on=x%3D-1..1&eps=0.01");
    await settled(page, "x^2");
    await formulaOf(page).fill("exp(sum(i, 1, 3000, sin(i*x[i])) / 3000)");
    const cancel = page.getByRole("button", { name: "Cancel" });
    await cancel.waitFor();
    const frames = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let count = 0;
          const tick = (): void => {
            count++;
            requestAnimationFrame(tick);
          };
          requestAnimationFrame(tick);
          setTimeout(() => resolve(count), 500);
        }),
    );
    expect(frames).toBeGreaterThan(5);
    await cancel.click();
    await headline(page).getByText("Stopped.").waitFor();
    expect(await type(page, "x^4")).toMatch(/units/);
    await page.close();
  });
});
