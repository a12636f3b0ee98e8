// A module bundled as a web developer would, served with the runtime's wasm files and opened in Chromium.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const runtime = fileURLToPath(new URL("../node_modules/onnxruntime-web/dist/", import.meta.url));
const types: Readonly<Record<string, string>> = {
  js: "text/javascript",
  html: "text/html",
  wasm: "application/wasm",
};

async function serve(entry: string, folder: string) {
  await build({
    entryPoints: [entry],
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

export interface OpenPage {
  /** What a function that the module exports gives when it is called there. */
  call<T>(name: string, ...values: readonly (string | number)[]): Promise<T>;
  close(): Promise<void>;
}

export async function openPage(entry: URL, executablePath: string): Promise<OpenPage> {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-page-"));
  const { server, address } = await serve(fileURLToPath(entry), folder);
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
  const page = await browser.newPage();
  await page.goto(address);
  return {
    call: <T>(name: string, ...values: readonly (string | number)[]) =>
      page.evaluate<T>(
        `import("${address}page.js").then((page) => page.${name}(...${JSON.stringify(values)}))`,
      ),
    async close() {
      await browser.close();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
