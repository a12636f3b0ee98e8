// All that the page shows of a lemma before it runs, as one module made at build time: the first load has no lemma's code.
import { allLemmata, type Lemma, subjectOf, subjects } from "@lemmata/core/theory";
import type { Plugin } from "vite";
import type { LemmaEntry } from "../src/catalogue.ts";

const name = "virtual:catalogue";

const entry = ({ id, covers, kind, title, source, statement, parameters, claims }: Lemma): LemmaEntry => ({
  ...{ id, covers, kind, title, source, statement, subject: subjectOf(id).key },
  parameters: Object.entries(parameters).map(([key, { kind, label, default: value, range, options }]) => ({
    ...{ name: key, kind, label, default: value as string | number | boolean },
    ...(range && { range }),
    ...(options && { options: options as readonly string[] }),
  })),
  claims: Object.entries(claims).map(([key, { says, relation, reading, erratum, sharper }]) => ({
    ...{ name: key, says, relation, reading },
    ...(erratum && { erratum }),
    ...(sharper && { sharper }),
  })),
});

/** All lemmata as the page knows them. */
export const catalogueEntries = async (): Promise<readonly LemmaEntry[]> => (await allLemmata()).map(entry);

/** The first page shows these numbers and loads no more than them. */
const counts = (entries: readonly LemmaEntry[]) => ({
  lemmata: entries.length,
  errata: entries.reduce((sum, { claims }) => sum + claims.filter((c) => c.erratum).length, 0),
});

const modules: Readonly<Record<string, (entries: readonly LemmaEntry[]) => unknown>> = {
  [name]: (entries) => entries,
  [`${name}-counts`]: counts,
  [`${name}-subjects`]: () => subjects,
};

export const catalogue = (): Plugin => ({
  name: "catalogue",
  resolveId: (id) => (Object.hasOwn(modules, id) ? `\0${id}` : undefined),
  load: async (id) => {
    const content = modules[id.slice(1)];
    if (!id.startsWith("\0") || !content) return undefined;
    const value = content(await catalogueEntries());
    return `export default JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
  },
});
