// docs/api/: what each entry point of the library has, with its comment, its signature and its example, from the sources.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const core = fileURLToPath(new URL("../packages/core", import.meta.url));
const sources = join(core, "src");

interface Exported {
  readonly name: string;
  readonly file: string;
}

interface Entry extends Exported {
  readonly comment: string;
  readonly example: string | undefined;
  readonly signature: string;
  readonly isType: boolean;
}

const textOf = (file: string): string => readFileSync(join(sources, file), "utf8");
const declaration = (name: string): RegExp =>
  new RegExp(
    `((?:/\\*\\*(?:[^*]|\\*(?!/))*\\*/\\s*)?)^export (?:abstract |async )*(function\\*?|const|class|interface|type) ${name}\\b`,
    "m",
  );

/** The names between braces. */
const listed = (names: string): readonly string[] =>
  names
    .split(",")
    .map((part) => part.trim().replace(/^type /, ""))
    .filter((name) => name);

/** What a file exports, by its name there and the file that declares it. */
function exportsOf(file: string): readonly Exported[] {
  const text = textOf(file);
  const own = [
    ...text.matchAll(/^export (?:abstract |async )*(?:function\*?|const|class|interface|type) (\w+)/gm),
  ].map(([, name]) => ({ name: name!, file }));
  const passedOn = [...text.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from "([^"]+)";/gm)].flatMap(
    ([, what, path]) => {
      const all = exportsOf(fileOf(file, path!));
      if (what === "*") return all;
      return listed(what!.slice(1, -1)).map((n) => all.find(({ name }) => name === n) ?? fail(file, n));
    },
  );
  const imported = [...text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)].flatMap(([, names]) =>
    listed(names!).flatMap((name) => {
      const path = new RegExp(`^import[^;]*\\b${name}\\b[^;]*from "([^"]+)";`, "m").exec(text)?.[1];
      return path?.startsWith(".") ? exportsOf(fileOf(file, path)).filter((e) => e.name === name) : [];
    }),
  );
  return [...own, ...passedOn, ...imported];
}

/** A path in a file; of what is swapped, the file for Node. */
const swapped: Readonly<Record<string, string>> = {
  "#files": "graph/onnx/files.node.ts",
  "#runtime": "engine/runtime.node.ts",
};
const fileOf = (from: string, path: string): string => swapped[path] ?? join(dirname(from), path);

function fail(file: string, name: string): never {
  throw new Error(`${file} exports ${name}, which is not declared where it says`);
}

/** Where the first of these characters stands outside of all brackets, from a place on. */
function outside(text: string, characters: string, from = 0): number {
  let depth = 0;
  for (let k = from; k < text.length; k++) {
    if (depth === 0 && characters.includes(text[k]!)) return k;
    if ("([{".includes(text[k]!)) depth++;
    if (")]}".includes(text[k]!)) depth--;
  }
  return text.length;
}

/** The methods of a class, a line each. */
const methodsOf = (body: string): readonly string[] =>
  [
    ...body.matchAll(
      /^ {2}(?!constructor)((?:static |async |get )*\w+(?:<[^>]*>)?\((?:[^{}]|\{[^{}]*\})*) \{$/gm,
    ),
  ].map(([, method]) => `  ${method!.replace(/\s+/g, " ")};`);

/** The declaration without its body. */
function signatureAt(text: string, start: number, kind: string): string {
  const rest = text.slice(start);
  if (kind === "interface")
    return rest.slice(0, outside(rest, "{") + /^\}/m.exec(rest.slice(outside(rest, "{")))!.index + 1);
  if (kind === "type") return rest.slice(0, outside(rest, ";") + 1);
  if (kind === "class") {
    const open = rest.indexOf("{");
    const methods = methodsOf(rest.slice(open, /^\}/m.exec(rest)!.index));
    return methods.length > 0
      ? `${rest.slice(0, open)}{\n${methods.join("\n")}\n}`
      : rest.slice(0, open).trim();
  }
  if (kind === "const") {
    const value = outside(rest, "=") + 2;
    const arrow = /^(?:async )?(?:<[^>]*>)?\(/.test(rest.slice(value))
      ? rest.indexOf("=>", outside(rest, "=;", value))
      : -1;
    return arrow > 0 ? `${rest.slice(0, arrow + 2)} ...` : rest.slice(0, value - 2).trim();
  }
  const behindParameters = outside(rest, ")", rest.indexOf("(") + 1);
  return rest.slice(0, behindParameters + /\{\n/.exec(rest.slice(behindParameters))!.index).trim();
}

function entryOf({ name, file }: Exported): Entry {
  const text = textOf(file);
  const found = declaration(name).exec(text);
  if (!found) return fail(file, name);
  const [whole, comment, kind] = found;
  const start = found.index + whole.indexOf("export", comment!.length);
  const lines = comment!
    .replace(/^\/\*\*|\*\/\s*$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trim())
    .filter((line) => line);
  const example = lines.find((line) => line.startsWith("@example"))?.replace("@example ", "");
  return {
    name,
    file,
    comment: lines.filter((line) => !line.startsWith("@example")).join(" "),
    example,
    signature: signatureAt(text, start, kind!).replace(/^export /, ""),
    isType: kind === "interface" || kind === "type",
  };
}

/** A comment as a paragraph: what stands in it of markup stays as it is written. */
const paragraph = (comment: string): string =>
  comment.replaceAll("<", "\\<").replaceAll("|", "\\|").replaceAll("*", "\\*");

function section({ name, comment, signature, example }: Entry): string {
  const code = [signature, ...(example ? ["", `// ${example}`] : [])].join("\n");
  return `### ${name}\n${comment ? `${paragraph(comment)}\n` : ""}\`\`\`ts\n${code}\n\`\`\`\n`;
}

function page(path: string, file: string): string {
  const entries = [...new Map(exportsOf(file).map((e) => [e.name, e])).values()]
    .map(entryOf)
    .sort((a, b) => Number(a.isType) - Number(b.isType) || (a.name < b.name ? -1 : 1));
  const about = /^\/\/ (.*(?:\n\/\/ .*)*)/.exec(textOf(file))?.[1]?.replaceAll("\n// ", " ") ?? "";
  return `# ${path}\n\n${about ? `${about}\n\n` : ""}${entries.map(section).join("\n")}`;
}

/** The pages, by name below docs/. */
export function apiPages(): ReadonlyMap<string, string> {
  const manifest = JSON.parse(readFileSync(join(core, "package.json"), "utf8")) as {
    exports: Record<string, Record<string, string>>;
  };
  const paths = Object.entries(manifest.exports).map(
    ([path, { "lemmata-source": file }]) =>
      [path.replace(/^\./, "@lemmata/core"), file!.replace("./src/", "")] as const,
  );
  const named = paths.map(([path, file]) => {
    const name = path === "@lemmata/core" ? "core" : path.replace("@lemmata/core/", "").replaceAll("/", "-");
    return { path, name, text: page(path, file) };
  });
  const rows = named.map(({ path, name, text }) => {
    const names = [...text.matchAll(/^### (\w+)$/gm)].map(([, n]) => n!);
    return `| [\`${path}\`](${name}.md) | ${names
      .slice(0, 6)
      .map((n) => `\`${n}\``)
      .join(", ")}${names.length > 6 ? ` and ${names.length - 6} more` : ""} |`;
  });
  const index = `# The library, name by name

What each entry point has, from the comments in the sources; every example is run by the tests. Generated by
\`npm run docs\`; not edited by hand.

| entry point | has |
|---|---|
${rows.join("\n")}
`;
  return new Map([
    ["api/README.md", index],
    ...named.map(({ name, text }) => [`api/${name}.md`, text] as const),
  ]);
}
