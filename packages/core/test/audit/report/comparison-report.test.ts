import { beforeAll, describe, expect, it } from "vitest";
import type { Audit } from "../../../src/audit/audit.ts";
import { compareAudits } from "../../../src/audit/compare-audits.ts";
import { comparisonReport } from "../../../src/audit/report/comparison-report.ts";
import { fullAudit } from "./audits.ts";
import { newDocument, parsed, slips, unclosedTag } from "./page.ts";

const document = newDocument();
let audits: readonly Audit[];

beforeAll(async () => {
  audits = await Promise.all(
    ["3-4-relu-2", "3-8-relu-2", "3-4-relu-4-relu-2"].map(
      async (spec, k) => (await fullAudit(spec, 3 * k)).audit,
    ),
  );
});

describe("the page of a comparison", () => {
  it("every network, and every measure with its correlation", () => {
    const { ranking } = compareAudits(audits);
    const page = comparisonReport(audits, ranking, { document });
    expect(unclosedTag(page)).toBeUndefined();
    expect(slips(page)).toEqual([]);
    const found = parsed(page);
    const text = found.body.textContent!;
    for (const { model } of audits) expect(text).toContain(model.name);
    for (const { name } of ranking) expect(text).toContain(name);
    const known = ranking.filter((r) => r.tau !== undefined);
    expect(found.querySelectorAll(".correlations .bar")).toHaveLength(known.length);
    expect(found.querySelectorAll("figure svg").length).toBeGreaterThan(1);
  });

  it("the tightest bound of a network has the confidence that is left after choosing it", () => {
    const bounds = [0.25, 0.3, 0.4, 0.5].map((value, k) => ({
      ...{ id: `made-${k}`, name: `Bound ${k}`, quantity: "risk" as const, value, vacuous: false },
      ...{ delta: 0.05, assumptions: [], unmet: [], network: "audited" as const },
    }));
    const page = comparisonReport([{ ...audits[0]!, bounds }], [], { document });
    const cells = [...parsed(page).querySelectorAll("tbody td")].map((cell) => cell.textContent);
    expect(cells.slice(-3)).toEqual(["0.25", "80%", "Bound 0"]);
  });

  it("bars lie between -1 and 1, left of the middle where the correlation is negative", () => {
    const ranking = [-1, -0.25, 0, 0.5, 1].map((tau, k) => ({
      id: `m${k}`,
      name: `measure ${k}`,
      family: "norms" as const,
      tau,
      count: 3,
    }));
    const bars = [...parsed(comparisonReport(audits, ranking, { document })).querySelectorAll(".bar")];
    const places = bars.map((b) =>
      b
        .getAttribute("style")!
        .match(/[\d.]+/g)!
        .map(Number),
    );
    expect(places).toEqual([
      [0, 50],
      [37.5, 12.5],
      [50, 0],
      [50, 25],
      [50, 50],
    ]);
  });

  it("hostile names, one network, none: still a page", () => {
    const hostile = audits.map((a) => ({ ...a, model: { ...a.model, name: "<script>x</script>" } }));
    for (const list of [hostile, hostile.slice(0, 1), []]) {
      const page = comparisonReport(list, compareAudits(list).ranking, { document });
      expect(parsed(page).querySelectorAll("script")).toHaveLength(0);
      expect(unclosedTag(page)).toBeUndefined();
      expect(slips(page)).toEqual([]);
    }
  });
});
