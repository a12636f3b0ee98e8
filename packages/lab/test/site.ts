// The lab in headless Chromium, as `lemmata lab` serves it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { type Site, serveSite } from "../../cli/src/site-server.ts";

export const executablePath: string | undefined = process.env["LEMMATA_CHROMIUM"];
if (!executablePath) console.warn("the lab's tests are left out: no Chromium (set LEMMATA_CHROMIUM)");

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** `npm test` builds the site; a folder of one's own can be tried instead. */
const folder = process.env["LEMMATA_LAB"] ?? here("../dist");

export interface OpenOptions {
  readonly dark?: boolean;
  readonly width?: number;
  readonly height?: number;
  /** Lets a test put a script of its own into the page. */
  readonly bypassPolicy?: boolean;
  /** What the visit has stored already. */
  readonly session?: Readonly<Record<string, string>>;
}

export interface OpenedPage {
  readonly page: Page;
  /** What the console said of errors, and exceptions, and refused or failed requests. */
  readonly errors: readonly string[];
  /** Goes to an address such as "/theory/T-27?i=3". */
  readonly go: (address: string) => Promise<void>;
}

/** Declares a served site and a browser for the tests of a file; `open` gives a fresh page. */
export function lab(): {
  open: (address?: string, options?: OpenOptions) => Promise<OpenedPage>;
  url: () => string;
} {
  let site: Site;
  let browser: Browser;
  const opened = new Set<Page>();
  // A page that is left open goes on working.
  afterEach(async () => {
    for (const page of opened) await page.close();
    opened.clear();
  });
  beforeAll(async () => {
    if (!executablePath) return;
    if (!existsSync(`${folder}/index.html`)) build();
    site = await serveSite(folder, 0);
    browser = await chromium.launch({
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    site?.server.closeAllConnections();
    site?.server.close();
  });
  return {
    url: () => site.url,
    async open(
      address = "/",
      { dark = false, width = 1280, height = 900, bypassPolicy = false, session = {} } = {},
    ) {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme: dark ? "dark" : "light",
        acceptDownloads: true,
        bypassCSP: bypassPolicy,
      });
      opened.add(page);
      page.setDefaultTimeout(600_000); // a busy machine takes its time
      await page.addInitScript((stored) => {
        for (const [key, value] of Object.entries(stored)) sessionStorage.setItem(key, value);
      }, session);
      const errors: string[] = [];
      page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("requestfailed", (r) => errors.push(`${r.url()}: ${r.failure()?.errorText}`));
      const go = async (to: string): Promise<void> => void (await page.goto(`${site.url}#${to}`));
      await go(address);
      return { page, errors, go };
    },
  };
}

function build(): void {
  const { status } = spawnSync(process.execPath, [here("../../../node_modules/vite/bin/vite.js"), "build"], {
    cwd: here(".."),
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the lab does not build");
}
