// Models and data dropped on the page: the report of the command line, its files, and errors at their places.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeNpz } from "@lemmata/core/data";
import { type Graph, numbers, writeModel } from "@lemmata/core/graph";
import { drawnDataset, initialNetwork, train } from "@lemmata/core/train";
import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import auditCommand from "../../cli/src/commands/audit.ts";
import { executablePath, lab } from "./site.ts";

const folder = mkdtempSync(join(tmpdir(), "lemmata-"));
const file = (name: string, content: Uint8Array | string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const model = (name: string, graph: Graph): string => file(name, writeModel(graph));

const moons = drawnDataset("two-moons", { count: 160, seed: 5, testFraction: 0.25 });
const data = file(
  "moons.npz",
  writeNpz({ x: moons.train.x, y: moons.train.y, x_test: moons.test!.x, y_test: moons.test!.y }),
);

async function trained(width: number): Promise<Graph> {
  const options = {
    loss: "cross-entropy",
    optimizer: "adam",
    rate: 0.02,
    epochs: 20,
    batch: 20,
    seed: 1,
  } as const;
  const start = initialNetwork(`2-${width}-relu-2`, { seed: 2 });
  return (await train(start, { x: moons.train.x, target: moons.train.y }, options)).model;
}

/** What `lemmata audit --json` prints. */
async function printed(paths: readonly string[], options: object = {}): Promise<unknown> {
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    await auditCommand(paths, {
      json: true,
      quiet: true,
      seed: 1,
      data,
      count: 1000,
      delta: 0.05,
      ...options,
    });
  } finally {
    write.mockRestore();
  }
  return JSON.parse(text);
}

/** Where two records differ by more than rounding; seconds are left out. */
function differences(found: unknown, wanted: unknown, share: number, at = ""): readonly string[] {
  if (typeof found === "number" && typeof wanted === "number")
    // Losses have 24 bits, and some measures are differences of two.
    return Math.abs(found - wanted) <= share * Math.max(Math.abs(wanted), 1e-6) + 2 ** -23
      ? []
      : [`${at}: ${found}, not ${wanted}`];
  if (typeof found !== "object" || typeof wanted !== "object" || !found || !wanted)
    return found === wanted ? [] : [`${at}: ${found}, not ${wanted}`];
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...keys]
    .filter((key) => key !== "seconds")
    .flatMap((key) =>
      differences(
        found[key as keyof typeof found],
        wanted[key as keyof typeof wanted],
        share,
        `${at}/${key}`,
      ),
    );
}

const drop = (page: Page, label: string, ...paths: string[]): Promise<void> =>
  page.getByRole("group", { name: label }).locator("input[type=file]").setInputFiles(paths);
const alert = (page: Page, label: string): Promise<string> =>
  page.getByRole("group", { name: label }).getByRole("alert").innerText();
const start = (page: Page): Promise<void> => page.getByRole("button", { name: "Audit", exact: true }).click();
const report = (page: Page) => page.getByRole("article", { name: "The report" });
async function downloaded(page: Page, button: string): Promise<string> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  return readFileSync(await (await download).path(), "utf8");
}

describe.skipIf(!executablePath)("the page of audits", () => {
  const { open } = lab();

  it("says what the command line says of the same model and data, and shows hostile names as they are", async () => {
    const name = "<img src=x onerror=alert(1)>.onnx";
    const net = model(name, await trained(4));
    const { page, errors } = await open("/audit?pacBayes=no");
    await drop(page, "Trained models", net);
    await drop(page, "Training data", data);
    await start(page);
    await report(page).getByRole("heading", { name: "Bounds" }).waitFor();
    expect(await report(page).locator("h1").innerText()).toBe(name);
    expect(await page.locator("main img").count()).toBe(0);
    const found = JSON.parse(await downloaded(page, "Download JSON"));
    const wanted = await printed([net], { pacBayes: false });
    // The runtime in a browser sums single-precision numbers in another order.
    expect(differences(found, wanted, 1e-3)).toEqual([]);
    expect(await report(page).locator('a[href^="#/theory/"]').count()).toBeGreaterThan(0);
    const html = await downloaded(page, "Download HTML");
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).not.toMatch(/<script|<img|href="http/);
    expect(errors).toEqual([]);
  });

  it("sets several models side by side", async () => {
    const nets = [model("a.onnx", await trained(3)), model("b.onnx", await trained(8))];
    const { page, errors } = await open("/audit");
    await drop(page, "Trained models", ...nets);
    await drop(page, "Training data", data);
    await start(page);
    await report(page).getByRole("heading", { name: "2 networks compared" }).waitFor();
    const found = JSON.parse(await downloaded(page, "Download JSON"));
    const { models } = (await printed(nets)) as { readonly models: readonly unknown[] };
    expect(differences(found.models, models, 1e-3)).toEqual([]);
    expect(found.ranking.length).toBeGreaterThan(10);
    expect(errors).toEqual([]);
  });

  it("lets the target column of a table be chosen", async () => {
    const [x, y] = [numbers(moons.train.x), numbers(moons.train.y)];
    const rows = Array.from(y, (label, k) => `${label},${x[2 * k]},${x[2 * k + 1]}`);
    const { page } = await open("/audit?pacBayes=no");
    await drop(page, "Trained models", model("table.onnx", await trained(4)));
    await drop(page, "Training data", file("moons.csv", ["side,a,b", ...rows].join("\n")));
    await page.getByLabel("Target column").selectOption("side");
    await page.getByText("120 examples of 2 numbers, 2 classes").waitFor();
    await start(page);
    await report(page).getByText("2 classes").first().waitFor();
  });

  it("says at its place what is wrong", async () => {
    const { page } = await open("/audit?pacBayes=no");
    await start(page);
    expect(await alert(page, "Trained models")).toMatch(/at least one/);
    await drop(page, "Trained models", file("broken.onnx", "\u0001\u0002"));
    await drop(page, "Training data", file("nan.csv", "a,b,y\n1,2,0\nNaN,2,1\n"));
    await page.getByText(/^nan\.csv: NaN in x, example 2/).waitFor();
    await drop(page, "Training data", file("empty.csv", ""));
    await page.getByText("empty.csv: the file is empty").waitFor();
    await drop(page, "Training data", data);
    await start(page);
    await page.getByText(/^broken\.onnx: /).waitFor();
    expect(await alert(page, "Trained models")).toMatch(/^broken\.onnx: /);
    await drop(page, "Trained models", model("three.onnx", initialNetwork("3-4-relu-2")));
    await start(page);
    await page.getByText(/moons\.npz: an example is \[2\], but the network reads \[3\]/).waitFor();
    await page.getByLabel("Delta").fill("2");
    await start(page);
    expect(await page.locator("#delta-note").innerText()).toMatch(/between 0 and 1/);
  });

  it("trains a network and audits it, and stops when asked", async () => {
    const { page, errors } = await open("/audit?pacBayes=no");
    await page.getByRole("button", { name: "A network for two moons" }).click();
    await page.getByRole("progressbar").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("progressbar").waitFor({ state: "detached" });
    expect(await report(page).count()).toBe(0);
    await page.getByRole("button", { name: "A network for two moons" }).click();
    await report(page).getByRole("heading", { name: "Bounds" }).waitFor({ timeout: 600_000 });
    expect(page.url()).toMatch(/sample=moons/);
    const { measures } = JSON.parse(await downloaded(page, "Download JSON"));
    expect(measures.trainError).toBeLessThan(0.2);
    expect(measures.distanceFromInitial).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  });
});
