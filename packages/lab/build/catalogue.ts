// All that the page shows of a lemma before it runs, as one module made at build time: the first load has no lemma's code.
import { allLemmata, type Lemma } from "@lemmata/core/theory";
import type { Plugin } from "vite";
import type { LemmaEntry } from "../src/catalogue.ts";

const name = "virtual:catalogue";

const entry = ({ id, covers, kind, title, source, statement, parameters, claims }: Lemma): LemmaEntry => ({
  ...{ id, covers, kind, title, source, statement },
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

export const catalogue = (): Plugin => ({
  name: "catalogue",
  resolveId: (id) => (id === name ? `\0${name}` : undefined),
  load: async (id) =>
    id === `\0${name}`
      ? `export default JSON.parse(${JSON.stringify(JSON.stringify((await allLemmata()).map(entry)))})`
      : undefined,
});
