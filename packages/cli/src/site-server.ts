// Serves the files of one folder on the loopback address, and nothing else.
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { policy } from "@lemmata/lab/policy";

const loopback = "127.0.0.1";
const localNames = [loopback, "localhost", "[::1]"];

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".gz": "application/octet-stream",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".wasm": "application/wasm",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
};
const isPackable = (file: string): boolean =>
  [".css", ".html", ".js", ".svg", ".wasm"].includes(extname(file));

const commonHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** A browser opens six connections to a site; a page that opens hundreds is no page of the lab. */
const mostConnections = 100;
/** Milliseconds without a byte sent or read after which a connection is closed. */
const usualPatience = 20_000;

export interface Site {
  readonly server: Server;
  readonly url: string;
}

/** Every path that is served: what is not in the list when the server starts does not exist, whatever a request calls it. */
const siteFiles = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const file = join(parentPath, name);
        return [`/${file.slice(folder.length).split(sep).filter(Boolean).join("/")}`, file] as const;
      }),
  );

/** Listens on the port (0: any that is free) and serves the folder. */
export async function serveSite(
  folder: string,
  port: number,
  { patience = usualPatience }: { readonly patience?: number } = {},
): Promise<Site> {
  const files = siteFiles(folder);
  const answer = answering(files);
  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500, commonHeaders);
      response.end();
    });
  });
  server.maxConnections = mostConnections;
  server.requestTimeout = server.headersTimeout = patience;
  server.setTimeout(patience, (socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, loopback, resolve);
  });
  return { server, url: `http://${loopback}:${(server.address() as AddressInfo).port}/` };
}

const pieceBytes = 65_536;

/** A view of the one packed copy, piece by piece. */
function pieces(body: Buffer): Readable {
  const count = Math.ceil(body.length / pieceBytes);
  return Readable.from(
    (function* () {
      for (let k = 0; k < count; k++) yield body.subarray(k * pieceBytes, (k + 1) * pieceBytes);
    })(),
  );
}

function answering(files: ReadonlyMap<string, string>) {
  const packed = new Map<string, Promise<Buffer>>();
  const packedBytes = (file: string): Promise<Buffer> => {
    const known = packed.get(file) ?? promisify(gzip)(readFileSync(file));
    packed.set(file, known);
    return known;
  };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refuse = (status: number): void => void response.writeHead(status, commonHeaders).end();
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(405);
    // A page of another site that points its own name at this machine has that name here.
    if (!localNames.includes((request.headers.host ?? "").replace(/:\d+$/, ""))) return refuse(403);
    const path = (request.url ?? "/").split(/[?#]/, 1)[0]!;
    const file = files.get(path === "/" ? "/index.html" : path);
    if (!file) return refuse(404);
    const isPacked = isPackable(file) && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    const body = isPacked ? await packedBytes(file) : undefined;
    response.writeHead(200, {
      ...commonHeaders,
      "Content-Type": mediaTypes[extname(file)] ?? "application/octet-stream",
      "Content-Length": body?.length ?? statSync(file).size,
      // Names under assets/ change with their content.
      "Cache-Control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      ...(isPackable(file) && { Vary: "Accept-Encoding" }),
      ...(isPacked && { "Content-Encoding": "gzip" }),
    });
    if (request.method === "HEAD") return void response.end();
    // A piece at a time: what a slow reader has not taken stays in the file.
    await pipeline(body ? pieces(body) : createReadStream(file), response).catch(() => response.destroy());
  };
}
