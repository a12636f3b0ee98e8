// What an erratum calls printed stands in the documents, word for word and sign for sign.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { allLemmata } from "../../src/theory/registry.ts";

const folder = fileURLToPath(new URL("../../../../../shared/seeds/", import.meta.url));
const isMissing = !existsSync(folder);
if (isMissing) console.warn("quotations are not compared with the documents: there is no ../shared/seeds");

const letters: Readonly<Record<string, string>> = {
  ...{ ϵ: "epsilon", ε: "epsilon", "\\varepsilon": "epsilon", "\\lvert": "", "\\le ": "<=", "\\leq": "<=" },
  ...{ "≤": "<=", "≥": ">=", "\\ge ": ">=", "\\geq": ">=", "–": "-", "—": "-", "’": "'" },
};
/** Fonts, spaces, brackets and numbers of equations, which are set as one likes. */
const dress =
  /\\(begin|end)\{\w+\*?\}|\\tag\{[^}]*\}|\\(mathcal|mathbb|mathrm|mathbf|mathfrak|text(bf|it)?|operatorname\*?|left|right|[bB]igg?[lr]?|quad|[lr]?[vV]ert|mid)(?![a-z])/g;

/** Letters, digits and signs alone. */
function bare(text: string): string {
  let plain = text;
  for (const [from, to] of Object.entries(letters)) plain = plain.replaceAll(from, to);
  return plain
    .replace(dress, "")
    .toLowerCase()
    .replace(/[^a-z0-9+\-=<>^/]+/g, "");
}

it.skipIf(isMissing)("errata quote what is printed", async () => {
  const documents = bare(
    readdirSync(folder)
      .map((file) => readFileSync(`${folder}${file}`, "utf8"))
      .join("\n"),
  );
  const quoted = (await allLemmata()).flatMap(({ id, claims }) =>
    Object.values(claims).flatMap(({ erratum, sharper }) =>
      [erratum, sharper].flatMap((said) => (said ? [{ id, ...said }] : [])),
    ),
  );
  expect(quoted.length).toBeGreaterThan(100);
  const altered = quoted.flatMap(({ id, where, printed }) =>
    printed
      .split("[...]")
      .filter((part) => !documents.includes(bare(part)))
      .map((part) => `${id}, ${where}: ${part.trim()}`),
  );
  expect(altered).toEqual([]);
});
