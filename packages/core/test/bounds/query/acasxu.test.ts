// The collision-avoidance networks of VNN-COMP, with the verdicts that are known.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Evaluation } from "../../../src/bounds/linear/evaluate.ts";
import { networkOf } from "../../../src/bounds/linear.ts";
import { casesOf } from "../../../src/bounds/query/cases.ts";
import { holds } from "../../../src/bounds/query/linear.ts";
import { verifyQuery } from "../../../src/bounds/query/verify.ts";
import { parseVnnlib } from "../../../src/bounds/query/vnnlib.ts";
import { loadModel } from "../../../src/graph/onnx/index.ts";
import { createRandom } from "../../../src/numbers/random.ts";
import { patience } from "../../patience.ts";

const models = new URL("../../../../../../shared/models/", import.meta.url).pathname;
const missing = !existsSync(models);
if (missing) console.warn("tests on ../shared/models left out: no such folder");

const query = (name: string) => parseVnnlib(readFileSync(`${models}${name}.vnnlib`, "utf8"));
const network = (name: string) => loadModel(`${models}ACASXU_run2a_${name}.onnx`);
const violated = new Set(["1_2/2", "2_3/2"]);
const instances = ["1_1", "1_2", "2_3"].flatMap((net) =>
  [1, 2, 3, 4].map((property) => [net, property] as const),
);

/** Random points of all ten queries that are unsat, together. */
const points = Number(process.env["LEMMATA_FUZZ_POINTS"] ?? 1e5);

/** How many of so many random points of the box satisfy the query, in f64. */
async function satisfyingPoints(net: string, property: number, count: number): Promise<number> {
  const asked = query(`prop_${property}`);
  const lowered = networkOf(await network(`${net}_batch_2000`));
  const [{ lower, upper, alternatives }] = casesOf(asked, [0, 1, 2, 3, 4]) as [
    ReturnType<typeof casesOf>[number],
  ];
  const evaluation = new Evaluation(lowered);
  const random = createRandom(`${net}/${property}`);
  let found = 0;
  for (let n = 0; n < count; n++) {
    const x = [0, 1, 2, 3, 4].map((i) => lower.get(i)! + random.uniform() * (upper.get(i)! - lower.get(i)!));
    evaluation.at(x);
    const value = (index: number) =>
      asked.variables[index]!.side === "input"
        ? x[index]!
        : evaluation.slots[lowered.firstOutput + index - 5]!;
    const outputs = alternatives[0]!.filter(({ linear }) =>
      [...linear.coefficients.keys()].some((i) => i >= 5),
    );
    if (outputs.every((atom) => holds(atom, value))) found++;
  }
  return found;
}

describe.skipIf(missing)("ACAS Xu", () => {
  it.each(instances)(
    "network %s, property %i",
    async (net, property) => {
      const graphs = new Map([["", await network(`${net}_batch_2000`)]]);
      const { verdict, witness } = await verifyQuery(query(`prop_${property}`), graphs, { seconds: 60 });
      expect(verdict).toBe(violated.has(`${net}/${property}`) ? "sat" : "unsat");
      expect(witness?.length).toBe(verdict === "sat" ? 10 : undefined);
    },
    90_000,
  );

  it.each(instances.filter(([net, property]) => !violated.has(`${net}/${property}`)))(
    "no random point contradicts unsat: network %s, property %i",
    async (net, property) => {
      expect(await satisfyingPoints(net, property, points / 10)).toBe(0);
    },
    600_000,
  );

  it(
    "equivalence of a network and its perturbed copy, as published and as meant",
    async () => {
      const graphs = new Map([
        ["f", await network("1_1_batch_2000")],
        ["g", await network("1_1_perturbed")],
      ]);
      const asked = query("isomorphic_instance_0");
      const published = await verifyQuery(asked, graphs, { seconds: 60 });
      expect(published).toMatchObject({ verdict: "unsat", strength: "proved", boxes: 0 });
      expect(published.reason).toMatch(/^trivially: /);
      const meant = await verifyQuery(asked, graphs, { seconds: 60, or: true });
      expect(meant).toMatchObject({ verdict: "unsat", strength: "proved" });
      expect(meant.reason).toBeUndefined();
      expect(meant.boxes).toBeGreaterThan(1);
    },
    patience(300_000),
  );
});
