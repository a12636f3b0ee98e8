import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { float32, graph, writeModel } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const model = (name: string, net: ReturnType<typeof graph>): string => {
  const path = join(folder, name);
  writeFileSync(path, writeModel(net));
  return path;
};
const cross = model(
  "cross.onnx",
  graph({ X: float32("N", 3) }, ({ X }) => ({
    y: X.affine([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ])
      .relu()
      .affine([[1, 2, 4]], [0]),
  })),
);
const bump = model(
  "bump.onnx",
  graph({ t: float32("N", 1) }, ({ t }) => ({
    y: t
      .affine([[1], [1], [1]], [0, -0.5, -1])
      .relu()
      .affine([[2, -4, 2]]),
  })),
);
const plane = model(
  "plane.onnx",
  graph({ x: float32(), y: float32() }, ({ x, y }) => ({ z: x.max(y) })),
);

interface Found {
  readonly regions: number;
  readonly bound: Readonly<Record<string, number>>;
  readonly axes: readonly string[];
  readonly polygons?: readonly { corners: [number, number][]; area: number; map: Record<string, number[]> }[];
  readonly adjacency?: readonly [number, number][];
  readonly pieces?: readonly { from: number; to: number; slopes: number[]; values: number[] }[];
  readonly breakpoints?: readonly number[];
}
const found = (...words: string[]): Found => lemmata("regions", ...words, "--json").json;

describe("lemmata regions", () => {
  it("counts regions and gives the bounds next to them", () => {
    const { regions, bound, axes } = found(cross, "--on", "-1..1, X[2]=0.5");
    expect(regions).toBe(4);
    expect(axes).toEqual(["X[0]", "X[1]"]);
    expect(bound).toMatchObject({ upper: 7, serra: 7, product: 7, montufarLower: 7 });
    expect(lemmata("regions", cross, "--on", "-1..1, x2=0.5").stdout).toMatch(
      /regions +4 .*\n(.*\n)*.*at most +7/,
    );
  });

  it("gives polygons, their maps and their neighbours", () => {
    const { polygons, adjacency } = found(cross, "--on", "-1..1, X[2]=-1", "--polygons");
    expect(polygons!.map((p) => p.area)).toEqual([1, 1, 1, 1]);
    expect(adjacency!.length).toBe(4);
    expect(new Set(polygons!.map((p) => `${p.map["a"]},${p.map["b"]},${p.map["c"]}`))).toEqual(
      new Set(["0,0,0", "1,0,0", "0,2,0", "1,2,0"]),
    );
  });

  it("reads names of several inputs, and boxes that fix one", () => {
    expect(found(plane, "--on", "x=0..1, y=-1..1").regions).toBe(2);
    const { pieces } = found(plane, "--on", "y=0.25, x=0..1");
    expect(pieces!.map((p) => [p.from, p.slopes[0]])).toEqual([
      [0, 0],
      [0.25, 1],
    ]);
  });

  it("lists the pieces of a function of one variable", () => {
    const { regions, pieces, breakpoints, bound } = found(bump, "--on", "-1..2");
    expect(regions).toBe(4);
    expect(breakpoints).toEqual([0, 0.5, 1]);
    expect(pieces!.map((p) => p.slopes[0])).toEqual([0, 2, -2, 0]);
    expect(bound["upper"]).toBe(4);
    expect(lemmata("regions", bump, "--on", "-1..2").stdout).toMatch(/linear pieces +4\n/);
  });

  it("looks at the plane through three points, from files too", () => {
    expect(found(cross, "--slice", "-1,-1,-1.5; 1,-1,0.5; -1,1,0.5").regions).toBe(7);
    const c = join(folder, "c.json");
    writeFileSync(c, "[-1, 1, 0.5]");
    expect(found(cross, "--slice", `-1,-1,-1.5; 1,-1,0.5; ${c}`, "--on", "-2..2").regions).toBe(7);
  });

  it("draws pictures", () => {
    for (const [net, box] of [
      [cross, "-1..1, x2=0"],
      [bump, "0..1"],
    ] as const) {
      const svg = join(folder, "regions.svg");
      expect(lemmata("regions", net, "--on", box, "--svg", svg).status).toBe(0);
      expect(readFileSync(svg, "utf8")).toMatch(/^<svg [^>]*xmlns[\s\S]*<\/svg>\n$/);
    }
  });

  it.each([
    [[cross], /say where to look/],
    [[cross, "--on", "0..1"], /3 inputs vary/],
    [[cross, "--on", "x0=0..1, x1=0..1"], /says nothing of X\[2\]/],
    [[cross, "--on", "0..1, z=3"], /no input "z"; its inputs: X\[0\], X\[1\], X\[2\]/],
    [[cross, "--on", "0..1, X[7]=3"], /X\[7\] is outside the shape/],
    [[cross, "--on", "0..1, x2=1..0"], /1 is greater than 0/],
    [[cross, "--on", "0..one"], /write name=lower..upper/],
    [[cross, "--on", "x2=0"], /says nothing of X\[0\], X\[1\]/],
    [[cross, "--on", "0"], /every input is fixed/],
    [[cross, "--slice", "0,0,0;1,1,1;2,2,2"], /lie on a line/],
    [[cross, "--slice", "0,0;1,1,1;2,2,2"], /must have 3 numbers, not 2/],
    [[cross, "--slice", "0,0,0;1,1,1"], /three points/],
    [[cross, "--on", "0..1, x2=0", "--output", "3"], /the model has 1 output/],
    [[cross, "--on", "-1..1, x2=0", "--max-regions", "2"], /more than 2 regions/],
    [["nowhere.onnx", "--on", "0..1"], /no such file/],
  ])("refuses %j in one line", (words, message) => {
    const { status, stderr, stdout } = lemmata("regions", ...words);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n").length).toBe(1);
  });

  const acas = new URL("../../../../shared/models/ACASXU_run2a_1_1_batch_2000.onnx", import.meta.url)
    .pathname;
  it.skipIf(!existsSync(acas))("knows ACASXU: 51,005 regions on the plane of its first two inputs", () => {
    expect(found(acas, "--on", "0, x0=-0.5..0.5, x1=-0.5..0.5").regions).toBe(51005);
  });
});
