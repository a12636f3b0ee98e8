// A module with a mistake planted in it: its sources with a piece of text replaced, bundled and loaded.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** In a file of the sources, this text becomes that one. */
export type Change = readonly [file: string, from: string, to: string];

const sources = fileURLToPath(new URL("../src/", import.meta.url));

/** The module, a path in the sources, with these changes; an error if a text is not there any more. */
export async function planted<T>(module: string, changes: readonly Change[]): Promise<T> {
  const open = new Set(changes);
  const { outputFiles } = await build({
    entryPoints: [sources + module],
    ...{ bundle: true, write: false, format: "esm", platform: "node", logLevel: "silent" },
    conditions: ["lemmata-source"],
    plugins: [
      {
        name: "planted",
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            const own = changes.filter(([file]) => path === sources + file);
            if (own.length === 0) return undefined;
            let contents = await readFile(path, "utf8");
            for (const change of own) {
              const [, from, to] = change;
              if (!contents.includes(from)) continue;
              contents = contents.replace(from, () => to);
              open.delete(change);
            }
            return { contents, loader: "ts" };
          });
        },
      },
    ],
  });
  if (open.size > 0) throw new Error(`${[...open].map(([file, from]) => `${file}: ${from}`)} is not there`);
  const code = Buffer.from(outputFiles![0]!.contents).toString("base64");
  return import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
}
