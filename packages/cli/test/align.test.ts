// `lemmata align` as a user runs it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applySymmetry, identitySymmetry, randomSymmetry, symmetryGroup } from "@lemmata/core/equivalence";
import { saveModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";
import { beforeAll, describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);

interface Printed {
  readonly distance: { readonly before: number; readonly after: number };
  readonly movedUnits: number;
  readonly barrier?: { readonly before: number; readonly after: number };
}

beforeAll(async () => {
  const net = initialNetwork("2-8-tanh-8-tanh-2", { seed: 1, initialization: "pytorch" });
  const { permutations } = randomSymmetry(symmetryGroup(net), createRandom(3));
  await saveModel(net, file("a.onnx"));
  await saveModel(applySymmetry(net, { ...identitySymmetry, permutations }), file("b.onnx"));
  await saveModel(initialNetwork("2-9-relu-2"), file("other.onnx"));
});

describe("lemmata align", () => {
  it.each(["weights", "activations"])("undoes a permutation by %s, and the barrier with it", (method) => {
    const { status, json } = lemmata(
      ...["align", file("a.onnx"), file("b.onnx"), "--method", method, "--data", "two-moons"],
      ...["--out", file("c.onnx"), "--svg", file("c.svg"), "--json"],
    );
    const { distance, movedUnits, barrier } = json as Printed;
    expect(status).toBe(0);
    expect(distance.before).toBeGreaterThan(0.1);
    expect(distance.after).toBe(0);
    expect(movedUnits).toBeGreaterThan(5);
    expect(barrier!.before).toBeGreaterThanOrEqual(0);
    expect(barrier!.after).toBeLessThan(1e-6);
    expect(existsSync(file("c.onnx"))).toBe(true);
    expect(readFileSync(file("c.svg"), "utf8")).toContain("units in the same order");
  });

  it.each([
    [[file("a.onnx"), file("other.onnx")], /not of the same layout/],
    [[file("a.onnx"), file("b.onnx"), "--method", "activations"], /needs --data/],
    [[file("a.onnx"), file("b.onnx"), "--svg", file("d.svg")], /needs --data/],
    [[file("a.onnx"), file("b.onnx"), "--method", "colours"], /weights/],
  ])("refuses %j in one line", (args, message) => {
    const { status, stderr } = lemmata("align", ...args);
    expect([status, stderr.trim().split("\n").length]).toEqual([2, 1]);
    expect(stderr).toMatch(message);
  });
});

const shared = fileURLToPath(new URL("../../../../shared/models/exported/", import.meta.url));
if (!existsSync(shared)) it.skip("no ../shared/models/exported: no exports were aligned", () => {});

describe.skipIf(!existsSync(shared))("two exports of one network", () => {
  it.each([
    ["lenet_dyn", "lenet_leg", 1e-6],
    ["vit_dyn", "vit_leg", 0],
    ["mlp_dyn", "mlp_perm", 0],
  ])("%s and %s are aligned", (a, b, most) => {
    const words = ["align", `${shared}${a}.onnx`, `${shared}${b}.onnx`, "--out", file(`${b}.onnx`), "--json"];
    const { status, json } = lemmata(...words);
    expect(status).toBe(0);
    expect((json as Printed).distance.after).toBeLessThanOrEqual(most);
    const { stdout } = lemmata("compare", `${shared}${b}.onnx`, file(`${b}.onnx`));
    expect(stdout).toMatch(/^equivalent/);
  });
});
