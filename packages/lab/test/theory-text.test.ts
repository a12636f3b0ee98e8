// What the theory's pages make of the catalogue, without a browser: formulas, prose, search, parameters.
import { lemmaIds, subjects } from "@lemmata/core/theory";
import katex from "katex";
import { describe, expect, it } from "vitest";
import { catalogueEntries } from "../build/catalogue.ts";
import { formulaParts, formulaRuns, textRuns } from "../src/parts/rich-text.ts";
import { arrangementFrom, arrangementQuery, arrangements, bySubject } from "../src/theory/arrangement.ts";
import { chapterOf, documentOf } from "../src/theory/documents.ts";
import {
  commandOf,
  defaultsOf,
  parseValue,
  queryOf,
  sliderScale,
  valuesFrom,
} from "../src/theory/parameters.ts";
import { countBy, filterQuery, filtersFrom, noFilters, search } from "../src/theory/search.ts";

const entries = await catalogueEntries();
it("the catalogue has every lemma", () => expect(entries.map((l) => l.id)).toEqual(lemmaIds));

const entry = (id: string) => entries.find((l) => l.id === id)!;
const typeset = (tex: string) => katex.renderToString(tex, { throwOnError: true, strict: "ignore" });

describe("formulas", () => {
  it.each(entries.map((l) => [l.id, l] as const))("of %s are typeset without an error", (_, lemma) => {
    for (const run of formulaParts(lemma.statement).flatMap(formulaRuns))
      if (run.kind === "tex") typeset(`\\displaystyle ${run.text}`);
    const texts = lemma.claims.flatMap(({ says, erratum, sharper }) =>
      [says, erratum?.printed, erratum?.corrected, sharper?.printed, sharper?.corrected].filter(
        (t) => t !== undefined,
      ),
    );
    for (const text of texts)
      for (const run of textRuns(text)) {
        if (run.kind === "tex") typeset(run.text);
        else expect(run.text, text).not.toMatch(/[\\$]/);
      }
  });

  it("break only outside of groups", () => {
    expect(formulaParts(String.raw`a \qquad \text{b \quad c} \quad \left( d \quad e \right)`)).toEqual([
      "a",
      String.raw`\text{b \quad c}`,
      String.raw`\left( d \quad e \right)`,
    ]);
  });

  it("leave prose to the page", () => {
    expect(textRuns("for $m = 1$ it fails")).toEqual([
      { kind: "words", text: "for " },
      { kind: "tex", text: "m = 1" },
      { kind: "words", text: " it fails" },
    ]);
    expect(textRuns(String.raw`5i \text{ nodes}, 3i \text{ with}`)).toEqual([
      { kind: "tex", text: "5i " },
      { kind: "words", text: " nodes" },
      { kind: "words", text: ", " },
      { kind: "tex", text: "3i " },
      { kind: "words", text: " with" },
    ]);
    expect(textRuns("bound by VC dimension")).toEqual([{ kind: "words", text: "bound by VC dimension" }]);
    expect(textRuns(String.raw`\mathcal{L}^{\text{surr}}`)).toEqual([
      { kind: "tex", text: String.raw`\mathcal{L}^{\text{surr}}` },
    ]);
  });
});

describe("search", () => {
  const ids = (words: string) => search(entries, { ...noFilters, words }).map((l) => l.id);

  it("puts an id, then a title, before a mention", () => {
    expect(ids("T-27")[0]).toBe("T-27");
    expect(ids("c1a-51")[0]).toBe("T-27"); // which covers it
    expect(ids("squaring")[0]).toMatch(/^(T-27|C3-12)$/);
    expect(ids("backprop")[0]).toBe("C1a-07");
    expect(ids("montufar")[0]).toBe("C1a-56");
  });

  it("wants every word, and finds nothing where there is nothing", () => {
    expect(ids("vc dimension relu")).toContain("C1a-21");
    expect(ids("vc dimension xyzzy")).toEqual([]);
  });

  it("filters, with counts that add up and a query that returns", () => {
    const documents = countBy(entries, noFilters, "document");
    expect([...documents.values()].reduce((a, b) => a + b)).toBe(entries.length);
    for (const name of ["chapter", "subject"] as const)
      for (const [key, count] of countBy(entries, noFilters, name))
        expect(search(entries, { ...noFilters, [name]: key })).toHaveLength(count);
    const filters = {
      ...{ words: "a b", document: "book", chapter: "book-1", subject: "generalization" },
      ...{ kind: "bound", errata: true },
    };
    expect(filtersFrom(filterQuery(filters))).toEqual(filters);
    for (const l of search(entries, { ...filters, words: "" })) {
      expect(documentOf(l).key).toBe("book");
      expect(chapterOf(l)?.key).toBe("book-1");
      expect(l.subject).toBe("generalization");
      expect(l.kind).toBe("bound");
      expect(l.claims.some((c) => c.erratum)).toBe(true);
    }
  });
});

describe("subjects", () => {
  it("have every lemma once, in the order of the index", () => {
    const groups = bySubject(entries, subjects);
    expect(groups.map(({ key }) => key)).toEqual(subjects.map(({ key }) => key));
    const ids = groups.flatMap(({ lemmata }) => lemmata.map((l) => l.id));
    expect(ids.toSorted()).toEqual(lemmaIds.toSorted());
  });

  it("of answers to words begin with that of the best, and leave out those without any", () => {
    const found = search(entries, { ...noFilters, words: "squaring" });
    const groups = bySubject(found, subjects, true);
    expect(groups[0]!.lemmata[0]).toBe(found[0]);
    expect(groups.length).toBeLessThan(subjects.length);
  });

  it("survive the address", () => {
    for (const by of arrangements) expect(arrangementFrom(arrangementQuery(by))).toBe(by);
    expect(arrangementFrom({ by: "colour" })).toBe("document");
  });
});

describe("parameters", () => {
  it("have sliders that reach both ends and give only what is allowed", () => {
    for (const parameter of entries.flatMap((l) => l.parameters.filter((p) => p.range))) {
      const scale = sliderScale(parameter);
      expect(scale.toValue(scale.min)).toBe(parameter.range![0]);
      expect(scale.toValue(scale.max)).toBe(parameter.range![1]);
      for (let k = 0; k <= 50; k++) {
        const value = scale.toValue(scale.min + ((scale.max - scale.min) * k) / 50);
        expect(parseValue(parameter, String(value))).toEqual({ value });
      }
      const at = scale.toSlider(Number(parameter.default));
      expect(at).toBeGreaterThanOrEqual(scale.min);
      expect(at).toBeLessThanOrEqual(scale.max);
    }
  });

  it("survive the address", () => {
    for (const lemma of entries) {
      const values = Object.fromEntries(
        lemma.parameters.map((p) => [p.name, p.options ? p.options.at(-1)! : p.range![1]]),
      );
      const query = Object.fromEntries(
        new URLSearchParams(Object.entries(queryOf(lemma, values, 7)).map(([k, v]) => [k, String(v)])),
      );
      expect(valuesFrom(lemma, query)).toEqual({ values, problems: {}, seed: 7 });
      expect(queryOf(lemma, defaultsOf(lemma), 1)).toEqual({});
    }
  });

  it("that a link has wrong are named", () => {
    const { values, problems } = valuesFrom(entry("T-27"), { i: "99" });
    expect(values).toEqual({ i: 6 });
    expect(problems["i"]).toContain("99");
    for (const text of ["", "x", "1.5", "0"])
      expect(parseValue(entry("T-27").parameters[0]!, text)).toHaveProperty("problem");
  });

  it("make a command", () => {
    expect(commandOf(entry("T-27"), { i: 8 }, 1)).toBe("lemmata theory run T-27 --param i=8");
    expect(commandOf(entry("T-27"), { i: 6 }, 3)).toBe("lemmata theory run T-27 --seed 3");
    const spaced = entries.find((l) => l.parameters.some((p) => p.name === "log eps"));
    if (spaced)
      expect(commandOf(spaced, { ...defaultsOf(spaced), "log eps": -3 }, 1)).toContain(
        "--param 'log eps=-3'",
      );
  });
});
