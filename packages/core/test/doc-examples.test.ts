import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { zipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import { saveModel, writeModel } from "../src/graph/onnx/index.ts";
import { square } from "../src/networks/square/square.ts";

// Every @example in the sources is run; `// value` behind it is what it gives, unless it is prose.
const sources = fileURLToPath(new URL("../src", import.meta.url));
const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);
const load = (file: string): Promise<object> => import(join(sources, file)) as Promise<object>;

interface Example {
  readonly file: string;
  readonly code: string;
  readonly expected: string | undefined;
}

const examples: Example[] = files.flatMap((file) =>
  [...readFileSync(join(sources, file), "utf8").matchAll(/@example (.*?)(?: *\*\/)?$/gm)].map(([, text]) => {
    const [, code, expected] = /^(.*?)(?: \/\/ (.*))?$/.exec(text!)!;
    return { file, code: code!, expected };
  }),
);

/** `Float64Array [1, 2]` as code; undefined for prose. */
function expectedValue(expected: string | undefined): { readonly value: unknown } | undefined {
  if (expected === undefined || expected.includes("...")) return undefined;
  const code = expected.replace(/^(\w+Array) (\[.*\])$/, "new $1($2)");
  try {
    return { value: new Function(`return (${code});`)() };
  } catch {
    return undefined;
  }
}

const net = square(3);
const everything: Record<string, unknown> = { zipSync, net, bytes: writeModel(net) };
for (const file of files) if (!/web\.ts$|generated/.test(file)) Object.assign(everything, await load(file));

/** What an example may use: the exports of its own file first, then those of all others. */
const scopeOf = async (file: string): Promise<Record<string, unknown>> => ({
  ...everything,
  net,
  ...(await load(file)),
  default: undefined,
});

const folder = mkdtempSync(join(tmpdir(), "lemmata-example-"));
await saveModel(square(2), join(folder, "net.onnx"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("examples in doc comments", () => {
  it("are many", () => expect(examples.length).toBeGreaterThan(50));

  it.each(examples.filter((e) => !e.file.endsWith(".web.ts")).map((e) => [e.file, e.code, e] as const))(
    "%s: %s",
    async (_file, _code, { file, code, expected }) => {
      const { default: _, ...scope } = await scopeOf(file);
      const located = code.replaceAll(`"net.onnx"`, `"${folder}/net.onnx"`);
      const run = new Function(...Object.keys(scope), `return (async () => (${located}))();`);
      const result: unknown = await run(...Object.values(scope));
      const value = expectedValue(expected);
      if (value)
        expect(typeof result === "number" ? Number(result.toPrecision(12)) : result).toEqual(value.value);
    },
  );
});
