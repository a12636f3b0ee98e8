// `lemmata simplify` as a user runs it.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { layer, network, square } from "@lemmata/core";
import { loadModel, saveModel } from "@lemmata/core/graph";
import { beforeAll, describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);

interface Printed {
  readonly removed: readonly { readonly layer: string; readonly unit: number; readonly reason: string }[];
  readonly layers: readonly { readonly before: number; readonly after: number }[];
  readonly before: { readonly hiddenUnits: number };
  readonly after: { readonly hiddenUnits: number };
  readonly change: number | null;
  readonly strength: string;
}

beforeAll(async () => {
  await saveModel(square(3), file("square.onnx"));
  const rows = [
    [1, 2],
    [2, 4],
    [1, 1],
    [-1, 0],
  ];
  const planted = network([layer(rows, [0.5, 1, -9, 0]), layer([[1, 0.25, 3, 0.125]])]);
  await saveModel(planted, file("planted.onnx"));
});

describe("lemmata simplify", () => {
  it("writes a smaller network and says what went, and why", async () => {
    const { status, stdout } = lemmata(
      ...["simplify", file("planted.onnx"), "--on", "-1..1", "--out", file("small.onnx")],
    );
    expect(status).toBe(0);
    expect(stdout).toContain("dead");
    expect(stdout).toContain("merged");
    expect(stdout).toContain("units 4 -> 2");
    expect(stdout).toContain("the same function on the box, proved");
    const small = await loadModel(file("small.onnx"));
    expect([small.inputs[0]!.name, small.outputs[0]!.name]).toEqual(["x", "y"]);
  });

  it("gives all of it as JSON", () => {
    const { json } = lemmata("simplify", file("planted.onnx"), "--on", "-1..1", "--json");
    const { removed, ...rest } = json as Printed;
    expect(rest).toMatchObject({
      change: 0,
      strength: "proved",
      before: { hiddenUnits: 4 },
      after: { hiddenUnits: 2 },
    });
    expect(removed.map(({ unit, reason }) => `${unit} ${reason}`).sort()).toEqual(["1 merged", "2 dead"]);
  });

  it("says so when nothing can be removed, and writes the network all the same", () => {
    const { status, stdout } = lemmata(
      ...["simplify", file("square.onnx"), "--on", "0..1", "--out", file("same.onnx")],
    );
    expect(status).toBe(0);
    expect(stdout).toContain("nothing can be removed");
    expect(existsSync(file("same.onnx"))).toBe(true);
  });

  it("says what it does without a box", () => {
    const { status, stdout } = lemmata("simplify", file("planted.onnx"));
    expect(status).toBe(0);
    expect(stdout).toContain("units 4 -> 3");
    expect(stdout).toContain("only what holds everywhere");
  });

  it("spends no more than the error allowed", () => {
    const { json } = lemmata("simplify", file("square.onnx"), "--on", "0..1", "--within", "0.05", "--json");
    const { change, after, before } = json as Printed;
    expect(change).toBeLessThanOrEqual(0.05);
    expect(after.hiddenUnits).toBeLessThan(before.hiddenUnits);
  });

  it.each([
    [["nowhere.onnx"], "cannot be read"],
    [["square.onnx", "--on", "0..1, 3"], "is given twice"],
    [["square.onnx", "--on", "0..1", "--within", "-1"], "within is a number from 0 up"],
    [["square.onnx", "--within", "1"], "--within is an error on a box"],
    [["square.onnx", "--time", "1"], "--time is for bounds on a box"],
    [["square.onnx", "--on", "0..1", "--time", "0"], "--time takes a number of seconds above 0"],
    [["square.onnx", "--on", "0..1", "--exact", "--within", "1"], "choose"],
    [["square.onnx", "--on", "0..1", "--out", "small.txt"], "must end in .onnx"],
  ])("answers bad input %j with one line", (words, message) => {
    const before = readdirSync(folder).sort();
    const [name, ...options] = words as [string, ...string[]];
    const { status, stderr } = lemmata("simplify", file(name), ...options);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});
