import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findings, trainingFindings } from "./page.ts";

const executablePath = process.env["LEMMATA_CHROMIUM"];
if (!executablePath) console.warn("browser tests left out: no Chromium (set LEMMATA_CHROMIUM)");

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const runtime = here("../../../../node_modules/onnxruntime-web/dist/");

/** Bundles the page as a web developer would, and serves it with the runtime's wasm file. */
async function servePage(folder: string) {
  await build({
    entryPoints: [here("page.ts")],
    outfile: join(folder, "page.js"),
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["lemmata-source"],
    logLevel: "error",
  });
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>test</title>");
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url ?? "/", "http://localhost").pathname) || "index.html";
    const types: Record<string, string> = {
      js: "text/javascript",
      html: "text/html",
      wasm: "application/wasm",
    };
    try {
      const body = readFileSync(join(name.startsWith("ort") ? runtime : folder, name));
      response.setHeader("content-type", types[name.split(".").at(-1)!] ?? "text/plain").end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** What a function of the page gives when it is called there. */
async function inBrowser<T>(name: string): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-page-"));
  const { server, address } = await servePage(folder);
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(address);
    return await page.evaluate<T>(`import("${address}page.js").then((page) => page.${name}())`);
  } finally {
    await browser.close();
    server.close();
    rmSync(folder, { recursive: true });
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
