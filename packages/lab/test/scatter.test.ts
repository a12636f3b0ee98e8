// The page of scattering: bent by sliders, its numbers against the library, resynthesized, linked.
import { battleLemarieBank, propagate } from "@lemmata/core/scattering";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { deformed } from "../src/scatter/deform.ts";
import { defaults, fromQuery, toQuery } from "../src/scatter/settings.ts";
import { decodeSignal, encodeSignal, signalNames, signalOf } from "../src/scatter/source.ts";
import { executablePath, lab } from "./site.ts";

describe("the sources and the link of scattering", () => {
  it("come back from what a link says", () => {
    const queries: readonly Readonly<Record<string, string>>[] = [
      {},
      { signal: "steps", J: "2", noise: "10" },
      { kind: "picture", slope: "40" },
    ];
    for (const query of queries) expect(toQuery(fromQuery(query))).toEqual(query);
    expect(fromQuery({ J: "99", slope: "-3", averages: "none" })).toEqual({
      ...defaults,
      scale: 6,
      slope: 0,
    });
    for (const name of signalNames) {
      const kept = encodeSignal(signalOf(name));
      expect(encodeSignal(decodeSignal(kept)!)).toBe(kept);
    }
    expect(decodeSignal("AAA")).toBeUndefined();
  });

  it("move whole samples exactly, and nothing by nothing", () => {
    const x = Float64Array.from({ length: 12 }, (_, k) => k * k);
    const still = { slope: 0, waves: 1, shift: 0, noise: 0 };
    expect([...deformed(x, 2, still)]).toEqual([...x]);
    expect([...deformed(x, 2, { ...still, shift: 2 })]).toEqual([
      16, 25, 0, 1, 4, 9, 100, 121, 36, 49, 64, 81,
    ]);
  });
});

const changed = (page: Page) => page.getByTestId("scattering").innerText();

describe.skipIf(!executablePath)("the page of scattering", () => {
  const { open } = lab();

  it("says how far coefficients move, as the library does, and keeps it in the link", async () => {
    const { page, errors } = await open("/scatter?signal=chirp&shift=3&slope=0&J=3");
    await expect.poll(() => changed(page)).toMatch(/\d/);
    const x = signalOf("chirp");
    const settings = fromQuery({ signal: "chirp", shift: "3", slope: "0", J: "3" });
    const bank = battleLemarieBank({ length: x.length, scale: 3 });
    const [a, b] = [x, deformed(x, 1, settings)].map((z) => propagate(z, bank));
    let [off, all] = [0, 0];
    a!.forEach(({ averaged }, k) => {
      averaged.forEach((v, u) => {
        off += (v - b![k]!.averaged[u]!) ** 2;
      });
    });
    for (const v of x) all += v * v;
    expect(Number(await changed(page)) / Math.sqrt(off / all)).toBeCloseTo(1, 2);
    const slider = page.getByLabel("Noise");
    const before = await changed(page);
    await slider.focus();
    for (let k = 0; k < 8; k++) await page.keyboard.press("ArrowRight");
    await expect.poll(() => changed(page)).not.toBe(before);
    await expect.poll(() => page.url()).toMatch(/noise=8/);
    const now = await changed(page);
    await page.reload();
    await expect.poll(() => changed(page)).toBe(now);
    expect(errors).toEqual([]);
  });

  it("is drawn on, shows the disk of a picture, and makes one from its coefficients", async () => {
    const { page, errors } = await open("/scatter");
    await expect.poll(() => changed(page)).toMatch(/\d/);
    const before = await changed(page);
    const { x, y, width, height } = (await page.getByLabel("The signal: draw on it").boundingBox())!;
    await page.mouse.move(x + 0.2 * width, y + 0.2 * height);
    await page.mouse.down();
    await page.mouse.move(x + 0.5 * width, y + 0.8 * height, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => changed(page)).not.toBe(before);
    await expect.poll(() => page.url()).toMatch(/d=/);
    await page.getByRole("button", { name: "Resynthesise" }).click();
    await expect
      .poll(() => page.getByTestId("made").innerText(), { timeout: 300_000 })
      .toMatch(/after \d+ steps/);
    await page.getByRole("button", { name: "Picture", exact: true }).click();
    await page.getByLabel("Order 2 on the disk of frequencies, deformed").waitFor();
    await page
      .getByRole("group", { name: "File" })
      .locator("input[type=file]")
      .setInputFiles({
        name: "no.png",
        mimeType: "image/png",
        buffer: Buffer.from("this is text"),
      });
    await expect.poll(() => page.getByRole("alert").innerText()).toMatch(/^no\.png: this is no picture/);
    expect(errors).toEqual([]);
  });
});
