import { readFileSync } from "node:fs";
import { readModel } from "@lemmata/core/graph";
import { boxSlice, planeRegions } from "@lemmata/core/passes";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { presets, type Settings, toQuery } from "../src/train/settings.ts";
import { taskOf } from "../src/train/task.ts";
import { trainerFor } from "../src/train/trainer.ts";
import { executablePath, lab } from "./site.ts";

const address = (settings: Record<string, string>) => `/train?${new URLSearchParams(settings)}`;
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const number = (text: string | null): number => Number((text ?? "").replace(/[,%\s]/g, ""));
const reading = async (page: Page, id: string) => number(await page.getByTestId(id).innerText());
const loss = async (page: Page) => Number(await page.getByTestId("train-loss").getAttribute("data-value"));

/** Waits until a number of the page is as wanted. */
const until = async (page: Page, id: string, isRight: (value: number) => boolean): Promise<void> => {
  await expect
    .poll(async () => isRight(await reading(page, id)), { timeout: 600_000, interval: 100 })
    .toBe(true);
};

/** Waits until the run can be started. */
const ready = (page: Page): Promise<void> =>
  expect.poll(() => button(page, "Run").isEnabled(), { timeout: 600_000, interval: 100 }).toBe(true);

describe.skipIf(!executablePath)("the playground", () => {
  const { open } = lab();
  const moons = toQuery({ ...presets["two-moons"], speed: "full", epochs: 100 });

  it("learns two moons, and pauses when told", async () => {
    const { page, errors } = await open(address({ ...moons, epochs: "100000" }));
    await ready(page);
    await button(page, "Run").click();
    await until(page, "test-accuracy", (percent) => percent > 95);
    expect(await reading(page, "train-accuracy")).toBeGreaterThan(95);
    await button(page, "Pause").click();
    await ready(page);
    await page.waitForTimeout(500); // what was under way has come by now
    const [step, at] = [await reading(page, "step"), await loss(page)];
    await page.waitForTimeout(700);
    expect(await reading(page, "step")).toBe(step);
    await button(page, "Step").click();
    await until(page, "step", (now) => now === step + 1);
    expect(await loss(page)).not.toBe(at);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("makes the steps of the library, and the same ones after a reset", async () => {
    const { page } = await open(address({ ...moons, act: "tanh" }));
    await ready(page);
    const steps = async () => {
      const found = [await loss(page)];
      for (let k = 1; k <= 3; k++) {
        await button(page, "Step").click();
        await until(page, "step", (step) => step === k);
        found.push(await loss(page));
      }
      return found;
    };
    const first = await steps();
    await button(page, "Reset").click();
    await until(page, "step", (step) => step === 0);
    expect(await steps()).toEqual(first);
    const settings = { ...presets["two-moons"], activation: "tanh", epochs: 100 } as const;
    const task = await taskOf(settings, "");
    const trainer = trainerFor(settings, task);
    for (const [k, seen] of first.entries()) {
      if (k > 0) await trainer.advance(1, settings, 1000);
      expect(seen).toBeCloseTo((await trainer.judge(task.train)).loss, 4);
    }
    expect(await page.getByTestId("regions").innerText()).toMatch(/tanh is not piecewise linear/);
    await page.close();
  });

  it("counts the linear regions of the network that it gives away", async () => {
    const { page } = await open(address({ ...moons, epochs: "20" }));
    await ready(page);
    await button(page, "Run").click();
    await until(page, "step", (step) => step === 200);
    const regions = page.getByTestId("regions");
    await expect.poll(() => regions.getAttribute("data-step"), { timeout: 600_000 }).toBe("200");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Download ONNX").click(),
    ]);
    expect(download.suggestedFilename()).toBe("two-moons.onnx");
    const net = readModel(readFileSync(await download.path()));
    const [left, right, low, high] = ((await regions.getAttribute("data-box")) ?? "")
      .match(/-?[\d.]+/g)!
      .map(Number) as [number, number, number, number];
    const { count } = await planeRegions(net, boxSlice([left, low], [right, high]), { keep: false });
    expect(number((await regions.innerText()).split(" ")[0]!)).toBe(count);
    expect(count).toBeGreaterThan(50);
    await page.close();
  });

  it("has all of its settings in its address", async () => {
    const settings: Settings = {
      ...presets.spirals,
      ...{ count: 250, noise: 0.03, seed: 7, hidden: [5, 9], activation: "silu", loss: "hinge" },
      ...{ optimizer: "nesterov", rate: 0.05, schedule: "cosine", batch: 16, epochs: 40 },
      ...{ weightDecay: 0.001, l1: 0.002, proximalL1: 0.003, speed: "20" },
    };
    const { page, go } = await open(address(toQuery(settings)));
    await ready(page);
    const value = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
    expect(await value("Data set")).toBe("spirals");
    expect(await value("Width of hidden layer 2")).toBe("9");
    expect(await value("Activation")).toBe("silu");
    expect(await value("Optimizer")).toBe("nesterov");
    expect(await value("Schedule")).toBe("cosine");
    expect(await value("Proximal l1")).toBe("0.003");
    expect(await value("Speed")).toBe("20");
    await button(page, "+ layer").click();
    await page.getByLabel("Seed").fill("8");
    await page.getByLabel("Seed").press("Enter");
    const query = Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.split("?")[1]));
    expect(query).toEqual(toQuery({ ...settings, hidden: [5, 9, 9], seed: 8 }));
    await page.getByLabel("Learning rate").fill("-1");
    await page.getByLabel("Learning rate").press("Enter");
    expect(await page.getByRole("alert").filter({ hasText: "a number from" }).innerText()).toMatch(
      /to 1,000/,
    );
    await go(address({ data: "circles", seed: "3" }));
    await expect.poll(() => value("Data set")).toBe("circles");
    expect(await value("Seed")).toBe("3");
    expect(await value("Width of hidden layer 1")).toBe("8");
    await page.close();
  });

  it("says so when the loss diverges, and pauses", async () => {
    const { page } = await open(address({ ...moons, opt: "sgd", rate: "1000", loss: "exponential" }));
    await ready(page);
    await button(page, "Run").click();
    const alert = page.getByRole("alert").filter({ hasText: "smaller learning rate" });
    await alert.waitFor({ timeout: 600_000 });
    await ready(page);
    await button(page, "Reset").click();
    await expect.poll(() => alert.count()).toBe(0);
    await page.close();
  });

  it("learns digits, and reads one that is drawn", async () => {
    const { page, errors } = await open("/train?data=digits");
    await ready(page);
    await button(page, "Run").click();
    await until(page, "test-accuracy", (percent) => percent > 85);
    await page.getByText("done", { exact: true }).waitFor({ timeout: 600_000 });
    const board = page.getByLabel("Draw a digit here");
    await board.scrollIntoViewIfNeeded();
    const { x, y, width } = (await board.boundingBox())!;
    await page.mouse.move(x + 0.55 * width, y + 0.15 * width); // a one, off the middle
    await page.mouse.down();
    await page.mouse.move(x + 0.5 * width, y + 0.85 * width, { steps: 8 });
    await page.mouse.up();
    await expect.poll(() => page.getByTestId("drawn").locator("li.best").innerText()).toMatch(/^1/);
    expect(errors).toEqual([]);
    await page.close();
  });
});
