import { beforeAll, describe, expect, it } from "vitest";
import type { Audit, AuditBound } from "../../../src/audit/audit.ts";
import { auditReport, auditSections } from "../../../src/audit/report/audit-report.ts";
import { reportStyle } from "../../../src/audit/report/style.ts";
import { verdict } from "../../../src/audit/report/verdict.ts";
import { type Audited, convolutionalAudit, fullAudit, regressionAudit } from "./audits.ts";
import { newDocument, parsed, slips, unclosedTag } from "./page.ts";

const document = newDocument();
const audited: Record<"full" | "convolutional" | "regression", Audited> = {} as never;

beforeAll(async () => {
  audited.full = await fullAudit();
  audited.convolutional = await convolutionalAudit();
  audited.regression = await regressionAudit();
});

const pageOf = ({ audit, graph }: Audited): string => auditReport(audit, { document, graph });
const textOf = (page: string): string => parsed(page).body.textContent!.replace(/\s+/g, " ");

/** Nothing that an audit may lack. */
function bare(audit: Audit): Audit {
  const { errorDecomposition: _split, measures, data, ...rest } = audit;
  const { name: _name, testExamples: _tests, classes: _classes, ...plainData } = data;
  const { layers, parameters, frobeniusNorms, spectralNorms, spectralProduct, weightNorm } = measures;
  const plain = layers.map(({ singularValues: _s, effectiveRank: _e, participationRank: _p, ...l }) => l);
  const empty = { unreadLayers: [], activity: [], named: [], reasons: {}, restsOn: {}, pathConvention: "" };
  const norms = { parameters, frobeniusNorms, spectralNorms, spectralProduct, weightNorm };
  return {
    ...rest,
    data: plainData,
    measures: { layers: plain, ...norms, ...empty },
    bounds: [],
    seconds: {},
  };
}

describe("the page of an audit", () => {
  it.each(["full", "convolutional", "regression"] as const)("%s: well formed, nothing slipped", (name) => {
    const page = pageOf(audited[name]);
    expect(unclosedTag(page)).toBeUndefined();
    expect(slips(page)).toEqual([]);
    expect(parsed(page).querySelectorAll("h1")).toHaveLength(1);
  });

  it.each(["full", "convolutional", "regression"] as const)("%s: every bound, layer and measure", (name) => {
    const { audit } = audited[name];
    const text = textOf(pageOf(audited[name]));
    expect(audit.bounds.length).toBeGreaterThan(0);
    for (const bound of audit.bounds) {
      expect(text).toContain(bound.name.replace(/\s+/g, " "));
      for (const hypothesis of bound.unmet) expect(text).toContain(hypothesis);
    }
    for (const layer of audit.measures.layers) expect(text).toContain(layer.name);
    for (const measure of audit.measures.named) expect(text).toContain(measure.name);
  });

  it("needs no other file and no script", () => {
    const page = pageOf(audited.full);
    const found = parsed(page);
    expect(found.querySelectorAll("script, link, iframe, img, object, embed")).toHaveLength(0);
    for (const link of found.querySelectorAll("[href], [src]"))
      expect(link.getAttribute("href")).toMatch(/^#/);
    expect(page.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|@import|url\(/);
    for (const link of found.querySelectorAll("nav a"))
      expect(found.querySelector(link.getAttribute("href")!)).not.toBeNull();
  });

  it("every table has a caption and heads with a scope; every picture has a name", () => {
    const found = parsed(pageOf(audited.full));
    for (const table of found.querySelectorAll("table"))
      expect(table.querySelector("caption")).not.toBeNull();
    for (const head of found.querySelectorAll("th")) expect(head.getAttribute("scope")).toBeTruthy();
    const pictures = [...found.querySelectorAll("figure .picture > svg")];
    expect(pictures.length).toBe(3);
    for (const picture of pictures) expect(picture.getAttribute("aria-label")).toBeTruthy();
  });

  it("hostile names stay text", () => {
    const attack = `<script>alert(1)</script><img src=x onerror="alert(2)">'"`;
    const { audit, graph } = audited.full;
    const hostile: Audit = {
      ...audit,
      model: { ...audit.model, name: attack },
      data: { ...audit.data, name: attack },
      measures: {
        ...audit.measures,
        layers: audit.measures.layers.map((l) => ({ ...l, name: attack })),
        activity: audit.measures.activity.map((a) => ({ ...a, name: attack, op: attack })),
      },
      bounds: audit.bounds.map((b) => ({
        ...b,
        name: attack,
        remark: attack,
        lemma: attack,
        unmet: [attack],
      })),
    };
    const nodes = graph.nodes.map((n) => ({ ...n, name: attack, op: attack }));
    const page = auditReport(hostile, {
      document,
      graph: { ...graph, name: attack, nodes },
      lemmaLink: (id) => `javascript:${id}`,
    });
    const found = parsed(page);
    expect(found.querySelectorAll("script, img, [onerror]")).toHaveLength(0);
    expect(found.querySelector("h1")!.textContent).toBe(attack);
    expect(page).not.toContain("javascript:");
    expect(unclosedTag(page)).toBeUndefined();
  });

  it("an audit that lacks all it may lack", () => {
    const page = auditReport(bare(audited.full.audit), { document });
    expect(slips(page)).toEqual([]);
    expect(unclosedTag(page)).toBeUndefined();
    expect(textOf(page)).toContain("no test examples");
  });

  it("links to lemmata where there is a place for them, names the command else", () => {
    const { audit } = audited.full;
    const id = audit.bounds.find((b) => b.lemma)!.lemma!;
    const linked = parsed(auditReport(audit, { document, lemmaLink: (l) => `#/theory/${l}` }));
    expect(linked.querySelector(`a[href="#/theory/${id}"]`)).not.toBeNull();
    expect(textOf(auditReport(audit, { document }))).toContain(`lemmata theory run ${id}`);
  });

  it("the body alone is what a page around it needs", () => {
    const { audit } = audited.full;
    const body = auditSections(audit, { document });
    expect(body.startsWith('<main class="lemmata-report">')).toBe(true);
    expect(body).not.toContain("<html");
    const classes = [...parsed(body).querySelectorAll("[class]")].flatMap((e) =>
      e.getAttribute("class")!.split(" "),
    );
    for (const name of ["cards", "verdict", "bounds", "scroll", "charts"]) {
      expect(classes).toContain(name);
      expect(reportStyle).toContain(`.${name}`);
    }
  });
});

describe("the verdict", () => {
  const withBounds = (bounds: readonly AuditBound[]): string =>
    verdict({ ...audited.full.audit, bounds }).join(" ");
  const bound = (change: Partial<AuditBound>): AuditBound => ({
    id: "some",
    name: "Some bound",
    quantity: "risk",
    value: 0.3,
    vacuous: false,
    delta: 0.05,
    assumptions: [],
    unmet: [],
    network: "audited",
    ...change,
  });

  it("names the tightest bound that says something", () => {
    const text = withBounds([bound({ value: 0.4, name: "Other" }), bound({})]);
    expect(text).toContain("“Some bound” is not vacuous: with confidence 95%");
    expect(text).toContain("at most 30%");
    expect(text).toContain("1 other bound says");
  });

  it("a bound of the gap counts from the training error", () => {
    const { trainError } = audited.full.audit.measures;
    const text = withBounds([bound({ quantity: "gap", value: 0.25 })]);
    expect(text).toContain(`at most ${Number((100 * (trainError! + 0.25)).toPrecision(3))}%`);
  });

  it("says so where every bound is vacuous, or none applies", () => {
    expect(withBounds([bound({ value: 7.5, vacuous: true })])).toContain(
      "is 7.5, and an error never exceeds 1",
    );
    const { value: _value, ...unmet } = bound({ vacuous: true, unmet: ["x"] });
    expect(withBounds([unmet])).toContain("none applies");
    expect(withBounds([])).toContain("No bound");
  });

  it("a number with an unmet hypothesis is no bound", () => {
    expect(withBounds([bound({ unmet: ["the examples are independent"] })])).toContain("none applies");
  });

  it("held-out examples and randomized classifiers are not taken for bounds of these weights", () => {
    const text = withBounds([
      bound({ id: "validation" }),
      bound({ id: "pac-bayes-gaussian", name: "P", network: "trained for the bound" }),
    ]);
    expect(text).toContain("none applies to these weights");
    expect(text).toContain("A randomized classifier with this architecture");
  });
});

describe("a bound of another network", () => {
  const made = (change: Partial<AuditBound>): AuditBound => ({
    ...{ id: "made", name: "Made", quantity: "risk", value: 0.4, vacuous: false },
    ...{ delta: 0.05, assumptions: [], unmet: [], network: "audited", ...change },
  });

  it("is no card, not in the list of these weights, and not paid for in their confidence", () => {
    const other = made({ name: "Trained for it", value: 0.1, network: "trained for the bound" });
    const page = parsed(
      auditReport({ ...audited.full.audit, bounds: [made({}), made({ name: "B" }), other] }, { document }),
    );
    expect(page.querySelector(".cards")!.textContent).toContain("least of 2, confidence 90%");
    const [own, apart] = [...page.querySelectorAll("ol.bounds")];
    expect(own!.textContent).not.toContain("Trained for it");
    expect(apart!.textContent).toContain("Trained for it");
    expect(page.querySelector("#audit-bounds")!.textContent).toContain("Not a bound of the audited weights");
  });

  it("upper bounds are rounded up, confidences down", () => {
    const bounds = [made({ value: 0.10641, delta: 1e-9 })];
    const text = textOf(auditReport({ ...audited.full.audit, delta: 1e-9, bounds }, { document }));
    expect(text).toContain("at most 10.7%");
    expect(text).toContain("0.1065");
    expect(text).toContain("confidence 99.9999999%");
    expect(text).not.toMatch(/(confidence|probability at least) (100%|1[^\d])/);
  });
});

describe("what a choice, a phone or a double test changes", () => {
  const useful = (k: number): AuditBound => ({
    ...{ id: `made-${k}`, name: `Bound ${k}`, quantity: "risk", value: 0.1 + k / 10, vacuous: false },
    ...{ delta: 0.05, assumptions: [], unmet: [], network: "audited" },
  });
  const cardOf = (audit: Audit, name: string): string =>
    [...parsed(auditReport(audit, { document })).querySelectorAll(".cards > div")].find((card) =>
      card.textContent!.includes(name),
    )!.textContent!;

  it("the tightest bound has the confidence that is left after choosing it", () => {
    const { audit } = audited.full;
    const three = { ...audit, bounds: [0, 1, 2].map(useful) };
    expect(cardOf(three, "Tightest bound")).toContain("Bound 0; least of 3, confidence 85%");
    expect(cardOf({ ...audit, bounds: [useful(0)] }, "Tightest bound")).toContain("Bound 0; confidence 95%");
  });

  it("tests on training examples state no true error", () => {
    const { errorDecomposition: _split, ...rest } = audited.full.audit;
    const twice = { ...rest, data: { ...rest.data, sharedExamples: rest.data.testExamples! } };
    const text = textOf(auditReport(twice, { document }));
    expect(text).not.toMatch(/true error \d/);
    expect(cardOf(twice, "Test error")).toContain("all of them are training examples");
    expect(verdict(twice).join(" ")).toContain("every one of them is a training example");
  });

  it("an axis of many decades leaves labels out where the page is narrow, but not the last", () => {
    const { audit } = audited.full;
    const wide = [0.02, 5000].map((value, k) => ({ ...useful(k), value, vacuous: value >= 1 }));
    const ticks = [
      ...parsed(auditReport({ ...audit, bounds: wide }, { document })).querySelectorAll(
        "#audit-bounds .axis .track span",
      ),
    ];
    const kept = ticks.filter((tick) => !tick.classList.contains("between"));
    expect(ticks.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThanOrEqual(4);
    expect(kept.at(-1)).toBe(ticks.at(-1));
    expect(reportStyle).toMatch(/\.axis \.between \{ display: none; \}/);
  });

  it("bounds that are not on the axis say what is in their way, and outputs that were left out are named", () => {
    const { audit } = audited.full;
    const { value: _value, ...bare } = useful(0);
    const refused = { ...bare, vacuous: true, unmet: ["there are no biases"], remark: "it has biases" };
    const model = { ...audit.model, remark: 'audited on its first output, "y", without "z"' };
    const text = textOf(auditReport({ ...audit, model, bounds: [refused] }, { document }));
    expect(text).toContain("Bound 0: not met: there are no biases (it has biases)");
    expect(text).toContain('audited on its first output, "y", without "z"');
  });
});
