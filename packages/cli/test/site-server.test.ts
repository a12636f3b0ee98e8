import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Site, serveSite } from "../src/site-server.ts";

let [folder, site] = ["", undefined as unknown as Site];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lemmata-site-"));
  mkdirSync(join(folder, "site/assets"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(folder, "site/index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(folder, "site/assets/a.js"), "export {};".repeat(100));
  symlinkSync(join(folder, "secret.txt"), join(folder, "site/link.txt"));
  site = await serveSite(join(folder, "site"), 0);
});
afterAll(() => {
  site.server.closeAllConnections();
  site.server.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A request with its path exactly as it is written: fetch would tidy it up. */
const ask = (path: string, options: { method?: string; headers?: Record<string, string> } = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const { port } = new URL(site.url);
    request({ host: "127.0.0.1", port, path, ...options }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(parts).toString(),
          headers: response.headers,
        }),
      );
    })
      .on("error", reject)
      .end();
  });

describe("the lab's server", () => {
  it("serves the page and its assets, with a strict policy", async () => {
    const page = await ask("/");
    expect([page.status, page.body]).toEqual([200, "<!doctype html><title>page</title>"]);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).not.toMatch(/script-src[^;]*'unsafe-/);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    const asset = await ask("/assets/a.js?v=1", { headers: { "accept-encoding": "gzip" } });
    expect([asset.status, asset.headers["content-encoding"]]).toEqual([200, "gzip"]);
    expect(Number(asset.headers["content-length"])).toBeLessThan(1000);
  });

  it.each([
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..\\..\\secret.txt",
    "//etc/passwd",
    "/etc/passwd",
    "/link.txt",
    "/assets",
    "/assets/",
    "/%00",
    "/index.html%00.js",
    "/__proto__",
    "/constructor",
    "http://127.0.0.1/secret.txt",
    "file:///etc/passwd",
    "*",
  ])("%s is not there", async (path) => {
    const { status, body } = await ask(path);
    expect([status, body]).toEqual([404, ""]);
  });

  it("only reads, and only for this machine's own names", async () => {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      expect((await ask("/", { method })).status).toBe(405);
    expect((await ask("/", { headers: { host: "evil.example:80" } })).status).toBe(403);
    expect((await ask("/", { headers: { host: "localhost:1234" } })).status).toBe(200);
    expect((await ask("/", { method: "HEAD" })).body).toBe("");
  });

  it("does not hear other addresses of this machine", async () => {
    const outward = Object.values(networkInterfaces())
      .flat()
      .find((a) => a && a.family === "IPv4" && !a.internal);
    if (!outward) return;
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(site.url).port), outward.address)
        .on("connect", () => resolve(false))
        .on("error", () => resolve(true));
      setTimeout(() => resolve(socket.connecting), 2000).unref();
    });
    expect(refused).toBe(true);
  });

  it("survives nonsense", async () => {
    const { port } = new URL(site.url);
    for (const text of ["\0\0\0\r\n\r\n", "GET\r\n\r\n", `GET /${"a".repeat(100_000)} HTTP/1.1\r\n\r\n`]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.end(text));
        socket.on("close", () => resolve()).on("error", () => resolve());
        socket.resume();
      });
    }
    expect((await ask("/")).status).toBe(200);
  });
});

describe("500 slow readers", () => {
  it("do not fill the memory, are let go in the end, and others are served after them", async () => {
    const home = mkdtempSync(join(tmpdir(), "lemmata-slow-"));
    writeFileSync(join(home, "index.html"), "<!doctype html>");
    writeFileSync(join(home, "large.wasm"), randomBytes(2e7)); // random: packed it is as large
    const busy = await serveSite(home, 0, { patience: 500 });
    const port = Number(new URL(busy.url).port);
    const before = process.memoryUsage.rss();
    const readers = Array.from({ length: 500 }, (_, k) => {
      const socket = connect(port, "127.0.0.1");
      const packed = k % 2 === 0 ? "Accept-Encoding: gzip\r\n" : "";
      socket.on("error", () => {});
      socket.write(`GET /large.wasm HTTP/1.1\r\nHost: localhost:${port}\r\n${packed}\r\n`);
      socket.pause();
      return socket;
    });
    // Those beyond the limit are closed at once, the others when they have taken nothing for a while.
    const count = () => new Promise<number>((resolve) => busy.server.getConnections((_, n) => resolve(n)));
    while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    while ((await count()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const reader of readers) reader.destroy();
    expect(process.memoryUsage.rss() - before).toBeLessThan(5e8); // 500 copies are 10 GB
    const answer = await fetch(busy.url);
    expect(answer.status).toBe(200);
    busy.server.closeAllConnections();
    busy.server.close();
    rmSync(home, { recursive: true });
  });
});
