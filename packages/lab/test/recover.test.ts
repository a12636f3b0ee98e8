// The page of recovery: four priors on one digit, against the library; the slider, the link, and a generator trained in the page.
import { writeModel } from "@lemmata/core/graph";
import { cosineBasis, peakSignalToNoise, sparseRecovery } from "@lemmata/core/inverse";
import { initialNetwork } from "@lemmata/core/train";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { decodeDrawing, inkOf } from "../src/explain/drawing.ts";
import { exampleDigits } from "../src/explain/example-digits.ts";
import {
  damages,
  defaults,
  fromQuery,
  measured,
  operatorOf,
  type Settings,
  seenOf,
  shape,
  toQuery,
} from "../src/recover/settings.ts";
import { executablePath, lab } from "./site.ts";

const truth = Float64Array.from(inkOf(decodeDrawing(exampleDigits[3]!)));

describe("the settings of recovery", () => {
  it("come back from a link", () => {
    const queries: readonly Readonly<Record<string, string>>[] = [
      {},
      { damage: "box", lost: "20" },
      { damage: "gaussian", noise: "0" },
    ];
    for (const query of queries) expect(toQuery(fromQuery(query))).toEqual(query);
    expect(fromQuery({ damage: "fire", lost: "999", noise: "-1" })).toEqual({
      ...defaults,
      lost: 97,
      noise: 0,
    });
  });

  it("every damage loses more where more is lost, and hides what it says", () => {
    for (const damage of damages) {
      const counts = [5, 50, 80, 97].map((lost) => operatorOf({ damage, lost, noise: 0 }).outputs);
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
      expect(counts.at(-1)).toBeLessThan(counts[0]!);
    }
    const settings: Settings = { damage: "pixels", lost: 75, noise: 0 };
    const map = operatorOf(settings);
    const seen = seenOf(settings, map)!;
    expect(seen.reduce((a, b) => a + b, 0)).toBe(map.outputs);
    expect([...measured(map, truth, settings)].toSorted()).toEqual(
      [...truth].filter((_, k) => seen[k]).toSorted(),
    );
    expect(seenOf({ ...settings, damage: "coarse" }, map)).toBeUndefined();
  });
});

const decibels = async (page: Page, rival: string): Promise<number> =>
  Number(
    /([\d.]+) dB(?!.*on its way)/.exec((await page.getByTestId(rival).innerText()).replace(/\n/g, " "))?.[1],
  );

describe.skipIf(!executablePath)("the page of recovery", () => {
  const { open } = lab();
  const random = Buffer.from(writeModel(initialNetwork("3-8-relu-784", { seed: 1 }))).toString("base64");

  it("says what the library finds, follows its slider, and keeps it in the link", async () => {
    // With a generator at hand nothing is trained.
    const session = { "lemmata-digit-generator-1": random };
    const { page, errors } = await open("/recover?damage=gaussian&lost=90&noise=0", { session });
    const settings = fromQuery({ damage: "gaussian", lost: "90", noise: "0" });
    const map = operatorOf(settings);
    const { x } = await sparseRecovery(map, measured(map, truth, settings), cosineBasis(shape), {
      iterations: 300,
    });
    const wanted = peakSignalToNoise(
      x.map((v) => Math.min(1, Math.max(0, v))),
      truth,
      1,
    );
    await expect.poll(() => decibels(page, "cosines")).toBeCloseTo(wanted, 1);
    for (const rival of ["tv", "generator", "untrained"])
      await expect.poll(() => decibels(page, rival), { timeout: 300_000 }).toBeGreaterThan(0);
    expect(await page.getByTestId("measured").innerText()).toBe("78 numbers for 784 pixels");
    await page.getByLabel("Lost").fill("50");
    await expect.poll(() => page.getByTestId("measured").innerText()).toBe("392 numbers for 784 pixels");
    await expect.poll(() => decibels(page, "cosines")).toBeGreaterThan(wanted + 3);
    await expect.poll(() => page.url()).toMatch(/lost=50/);
    await page.reload();
    await expect.poll(() => page.getByTestId("measured").innerText()).toBe("392 numbers for 784 pixels");
    expect(errors).toEqual([]);
  });

  it("a generator learns in the page, and brings back more than cosines of few pixels", async () => {
    const { page, errors } = await open("/recover?lost=90");
    await expect.poll(() => decibels(page, "generator"), { timeout: 300_000 }).toBeGreaterThan(12);
    await expect.poll(() => decibels(page, "cosines")).toBeGreaterThan(0);
    expect(await decibels(page, "generator")).toBeGreaterThan(await decibels(page, "cosines"));
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => page.url()).toMatch(/d=(&|$)/);
    expect(errors).toEqual([]);
  });
});
