// Files that the documents name are there.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const documents = ["README.md", "CONTRIBUTING.md", "docs", "docs/decisions"].flatMap((path) =>
  path.endsWith(".md")
    ? [path]
    : readdirSync(join(root, path))
        .filter((file) => file.endsWith(".md"))
        .map((file) => join(path, file)),
);
/** Where a path in a document may start. */
const places = [
  "",
  "docs",
  "packages",
  "packages/core",
  "packages/core/src",
  "packages/cli",
  "packages/lab",
  "packages/lab/src",
];
const all = readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !/node_modules|\/dist\//.test(file),
);

const isThere = (path: string): boolean =>
  places.some((place) => existsSync(join(root, place, path))) ||
  all.some((file) => file === path || file.endsWith(`/${path}`));

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8");

  it("names files that are there", () => {
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|svelte))`/g)].map(([, path]) => path!);
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  it("links to files that are there", () => {
    const prose = text.replaceAll(/\$[^$\n]+\$/g, ""); // S[p](x) in a formula is no link
    const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path]) => path!);
    expect(links.filter((path) => !existsSync(join(root, document, "..", path)))).toEqual([]);
  });
});
